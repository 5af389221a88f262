# SPDX-License-Identifier: Apache-2.0
"""Planning: every pending pod is tried, in the order of the queue, until nothing changes any more.

The clock moves by itself: past backoffs, and past the five minutes after which a pod is tried again though no
event has made it schedulable. The end is reached when each pod that is left was rejected since the last change:
after a pod was placed, a victim was deleted, or a volume was bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from attrs import Factory, define, evolve

from refsched.errors import InputError
from refsched.framework.node_info import PodInfo
from refsched.machine.scheduler import Scheduler
from refsched.objects.kinds import described_as
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.records import BOUND, ERROR, SCHEDULED, Attempt, Bind, Output, Write
from refsched.remembering.kinds import PodKinds
from refsched.remembering.noted_choices import NotedChoices
from refsched.tools.planner.cluster import Census, show, why_gated
from refsched.tools.planner.controllers import Evicted, VolumeBound, answer
from refsched.tools.planner.pending.answer import answer_now
from refsched.tools.planner.plan import PLACED, Plan, PodOutcome, Preempted, failed_alike
from refsched.tools.planner.rejections import Rejection, rejections_of

PREEMPTED = "preempted"
GATED = "gated"
POD = "pod"
"""This is the question which of the pods at the head of the queue is popped."""

MOST_HEADLINES = 30
"""This many pods are asked why they fit nowhere, those first that are most alike."""

PATIENCE = 1000
"""After this many seconds without a pod to try the plan ends: this is longer than any timer of the scheduler."""


def plan(
    scheduler: Scheduler, objects: Sequence[ApiObject], progress: Callable[[int], None] = lambda placed: None
) -> Plan:
    """Places the pods that can be placed. Raises InputError if an object is invalid. ``progress`` is called with
    how many pods were placed so far."""
    scheduler.state.choices = chosen = NotedChoices(scheduler.state.choices)
    run = Planning(scheduler, show(scheduler, objects), chosen, progress)
    run.to_the_end()
    found = run.result()
    return evolve(found, headlines=_headlines(scheduler, found))


def _headlines(scheduler: Scheduler, found: Plan) -> dict[str, str]:
    """Returns why pods fit nowhere, as things are at the end. Of pods that failed alike, one of each controller or
    of each kind is asked."""
    kinds = PodKinds()
    said: dict[object, str] = {}
    headlines: dict[str, str] = {}
    for number, alike in enumerate(failed_alike(found.outcomes)):
        for outcome in alike:
            pod = scheduler.state.objects.get(Pod, *reversed(outcome.pod.split("/")))
            if pod is None:
                continue
            owner = pod.metadata.controller
            same = number, kinds.of(PodInfo(pod)) if owner is None else owner.uid
            if same not in said and len(said) < MOST_HEADLINES:
                said[same] = answer_now(scheduler, pod).headline
            headlines[outcome.pod] = said.get(same, "")
    return {pod: headline for pod, headline in headlines.items() if headline}


@define(eq=False)
class Planning:
    """A Planning is a plan in the making. ``failed`` are the pods that were rejected, or not bound, since the last
    change; ``underway`` are those between their two cycles. ``noted`` is called with each attempt as it was
    made."""

    scheduler: Scheduler
    census: Census
    chosen: NotedChoices
    progress: Callable[[int], None]
    noted: Callable[[Attempt], None] = lambda attempt: None
    bound: int = 0
    failed: set[str] = Factory(set)
    underway: set[str] = Factory(set)
    attempts: Counter[str] = Factory(Counter)
    last: dict[str, Attempt] = Factory(dict)
    errors: dict[str, str] = Factory(dict)
    ties: dict[str, dict[str, None]] = Factory(dict)
    preempted: list[Preempted] = Factory(list)
    volumes: list[VolumeBound] = Factory(list)

    def to_the_end(self) -> None:
        while self._schedule() or self._wait():
            pass

    def _schedule(self) -> bool:
        """Tries one pod, and does what controllers do because of it. Returns False if none may be tried now, or
        need be."""
        if self.failed and self._is_a_head(failed=True) and self._is_over():
            return False
        busy = self.scheduler.schedule()
        self._follow()
        return busy

    def _wait(self) -> bool:
        """Moves the clock until a pod was tried. Returns False if none need be."""
        for _ in range(PATIENCE):
            if self._is_over():
                return False
            self.scheduler.advance(1.0)
            self._follow()
            if self._schedule():
                return True
        return False

    def _is_over(self) -> bool:
        """Returns whether every pod has failed since the last change. One that was never tried, and may not be,
        is gated."""
        if self._is_a_head(failed=False):
            return False
        queues = self.scheduler.state.queue.queues()
        may_be_tried = {*queues.active, *queues.backoff, *self.underway}
        return may_be_tried <= self.failed and all(
            pod in self.failed or not self.attempts[pod] for pod in queues.unschedulable
        )

    def _is_a_head(self, *, failed: bool) -> bool:
        """Returns whether a pod may be tried next that has failed, or one that has not."""
        return any((pod.key in self.failed) is failed for pod in self.scheduler.state.queue.heads())

    # --- What the scheduler did -------------------------------------------------------------------

    def _follow(self) -> None:
        held = self.scheduler.take_held()
        if held is not None:
            pod, stop = held
            problem = f"{stop.plugin} holds it at {stop.point}, and nobody releases it"
            raise InputError(problem, where=f"Pod {pod}")
        by = ""
        while records := self.scheduler.take_records():
            for record in records:
                by = record.pod if isinstance(record, Attempt) else by
                self._note(record, by)

    def _note(self, record: Output, by: str) -> None:
        if isinstance(record, Attempt):
            self.noted(record)
            self.attempts[record.pod] += 1
            self.ties.setdefault(record.pod, {}).update(dict.fromkeys(self.chosen.open_questions))
            self.chosen.open_questions.clear()
            self.last[record.pod] = _without_tables(record) if record.result == SCHEDULED else record
            (self.underway if record.result == SCHEDULED else self.failed).add(record.pod)
        elif isinstance(record, Bind):
            self.underway.discard(record.pod)
            self.errors[record.pod] = record.message or ""
            if record.result == BOUND:
                self.failed.clear()
                self.bound += 1
                self.progress(self.bound)
            else:
                self.failed.add(record.pod)
        else:
            self._answer(record, by)

    def _answer(self, write: Write, by: str) -> None:
        found = answer(self.scheduler, write)
        if isinstance(found, Evicted):
            self.preempted.append(Preempted(found.pod, found.node, by))
        elif found is not None:
            self.volumes.append(found)
        if found is not None:
            self.failed.clear()

    # --- The end ----------------------------------------------------------------------------------

    def result(self) -> Plan:
        victims = {each.pod: each for each in self.preempted}
        nodes = tuple(node.name for node in self.scheduler.state.objects.list(Node))
        outcomes = tuple(self._outcome(pod, victims, nodes) for _, pod in sorted(self.census.pending.items()))
        outcomes = tuple(evolve(each, ties=self._ties(each.pod)) for each in outcomes)
        in_turn = sum(POD in questions for questions in self.ties.values())
        return Plan(outcomes, tuple(self.preempted), tuple(self.volumes), self.census, in_turn)

    def _ties(self, pod: str) -> tuple[str, ...]:
        return tuple(question for question in self.ties.get(pod, ()) if question != POD)

    def _outcome(self, pod: Pod, victims: Mapping[str, Preempted], nodes: Sequence[str]) -> PodOutcome:
        key, tries = pod.key, self.attempts[pod.key]
        if key in victims:
            reason = f"left {victims[key].node} for {victims[key].by}"
            return PodOutcome(key, pod.priority, PREEMPTED, attempts=tries, message=reason)
        stored = self.scheduler.state.api.get(Pod, pod.name, pod.namespace)
        assert stored is not None
        if stored.spec.node_name:
            return PodOutcome(key, pod.priority, PLACED, stored.spec.node_name, tries)
        attempt = self.last.get(key)
        if attempt is None:
            return self._gated(pod)
        if attempt.result == SCHEDULED:
            return PodOutcome(key, pod.priority, ERROR, attempt.node or "", tries, self.errors[key])
        rejections = rejections_of(attempt, nodes)
        return PodOutcome(key, pod.priority, attempt.result, "", tries, attempt.message or "", rejections)

    def _gated(self, pod: Pod) -> PodOutcome:
        """Returns the outcome of a pod that was never tried, since a PreEnqueue plugin rejects it."""
        status = why_gated(self.scheduler, pod)
        assert status is not None, described_as(pod)
        return PodOutcome(
            pod.key,
            pod.priority,
            GATED,
            message=status.message,
            rejections=tuple(Rejection(status.plugin, reason) for reason in status.reasons),
        )


def _without_tables(attempt: Attempt) -> Attempt:
    """Returns the attempt without the answers for each node, which take memory and are not reported of a pod
    that was placed."""
    return evolve(attempt, filter=None, scores=None, totals=None)
