# SPDX-License-Identifier: Apache-2.0
"""Shadow: beside the scheduler that runs, what the specification would have decided, and where that differs.

When a decision of the other one is seen, the specification attempts the same pod in the cluster as it was known
just before. Then it goes on from what the other one has decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any, TypeVar

from attrs import Factory, define, frozen

from refsched.framework.choices import SeededChoices
from refsched.machine.scheduler import Scheduler
from refsched.objects.node import Node
from refsched.processes.kubernetes_api.client import Client
from refsched.processes.kubernetes_api.decisions import (
    ObservedDecision,
    Results,
    decision_about,
    is_of_another_attempt,
    pod_called,
)
from refsched.processes.kubernetes_api.watching import DELETED, Event
from refsched.queue.queued_pod import NotWaitingError
from refsched.records import SCHEDULED, Attempt, Bind, NodeStatus
from refsched.suite.catalogue.reasons import rule_of_reason
from refsched.tools.running.mirror import Mirror, in_turn
from refsched.tools.running.run_loop import RunLoop
from refsched.tools.running.setting_up import Options, scheduler_for
from refsched.tools.scheduler_copy import fork

Json = dict[str, Any]
T = TypeVar("T")

HIGHEST_TOTAL = "R-SEARCH-04"


@frozen
class ComparedDecision:
    """A ComparedDecision is a decision of the other scheduler, and in what it differs from what is allowed."""

    pod: str
    node: str
    differences: tuple[str, ...]

    def __str__(self) -> str:
        placed = f"→ {self.node}" if self.node else "is not scheduled"
        return f"{self.pod} {placed}: {'; '.join(self.differences) or 'the specification agrees'}"


def shadow(
    client: Client,
    options: Options,
    say: Callable[[str], None],
    show: Callable[[ComparedDecision], None],
    goes_on: Callable[[], bool],
) -> Shadow:
    """Shows for as long as it goes on what the specification would decide. Nothing is written."""
    beside = shadow_of(options, say=say, show=show)
    with closing(RunLoop(client, beside.scheduler, beside)) as running:
        running.wait_for_lists(goes_on, say)
        say(f"compares the decisions about the pods of {', '.join(beside.scheduler.state.profiles)}")
        running.follow(goes_on, beside.take)
    return beside


class TheirChoices(SeededChoices):
    """TheirChoices are those of the other scheduler: of nodes with equal totals, and of equal candidates for
    preemption, ``node`` is chosen."""

    node = ""

    def choose(self, question: str, options: Sequence[T]) -> T:
        same = (each for each in options if getattr(each, "node", each) == self.node)
        return next(same, None) or super().choose(question, options)


def shadow_of(
    options: Options,
    start: datetime | None = None,
    say: Callable[[str], None] = lambda line: None,
    show: Callable[[ComparedDecision], None] = lambda compared: None,
) -> Shadow:
    """Returns a shadow in an empty cluster. Raises InputError if the configuration enables what does not exist."""
    scheduler = scheduler_for(options, start, TheirChoices(options.seed))
    return Shadow(scheduler, Mirror(scheduler, say), show)


@define
class Shadow:
    """A Shadow attempts what another scheduler has attempted, and counts in how many it ``differs``. ``_waiting``
    are pods without a node, as they were shown last."""

    scheduler: Scheduler
    mirror: Mirror
    show: Callable[[ComparedDecision], None]
    compared: int = 0
    differs: int = 0
    _waiting: dict[str, Json] = Factory(dict)

    def fork(self) -> Shadow:
        """Returns a copy that goes on from here; neither changes the other."""
        scheduler = fork(self.scheduler)
        mirror = self.mirror.copy_for(scheduler)
        return Shadow(scheduler, mirror, self.show, self.compared, self.differs, dict(self._waiting))

    def take_first(self, events: list[Event]) -> None:
        """Takes what exists at the beginning."""
        for event in sorted(events, key=in_turn):
            self.follow(event)

    def take(self, event: Event) -> None:
        """Takes what a watch shows."""
        theirs = decision_about(event.object) if event.kind == "Pod" and event.type != DELETED else None
        metadata = event.object["metadata"]
        if theirs is not None:
            pod = pod_called(event.object)
            before = decision_about(self._waiting[pod]) if pod in self._waiting else None
            if self.mirror.uid_of(pod) == metadata["uid"] and is_of_another_attempt(theirs, before):
                self.decided(pod, theirs)
        self.follow(event)

    def decided(self, pod: str, theirs: ObservedDecision) -> list[str] | None:
        """Returns in what their decision differs, or None if the pod does not wait to be attempted. Where the
        specification places the pod otherwise, it waits again."""
        choices, nominated = self.scheduler.state.choices, self._nominated(pod)
        assert isinstance(choices, TheirChoices)
        choices.node = theirs.node or theirs.nominated
        ours = self._attempt(pod)
        if ours is None:
            return None
        if ours.node and ours.node != theirs.node:
            self.mirror.show_anew(pod, self._waiting[pod])
        return self._compare(ours, theirs, nominated)

    def follow(self, event: Event) -> None:
        """Goes on from what a watch shows."""
        if event.kind == "Pod":
            pod = pod_called(event.object)
            if event.type == DELETED or event.object["spec"].get("nodeName"):
                self._waiting.pop(pod, None)
            else:
                self._waiting[pod] = event.object
        self.mirror.take(event)

    def _nominated(self, pod: str) -> str:
        status = (self._waiting.get(pod) or {}).get("status") or {}
        return str(status.get("nominatedNodeName") or "")

    def _attempt(self, pod: str) -> Attempt | None:
        """Attempts a pod, if it waits to be attempted."""
        try:
            self.scheduler.schedule(pod)
        except NotWaitingError:
            return None
        records = self.scheduler.take_records()
        for record in records:
            if isinstance(record, Bind):
                self.mirror.has_bound(record.pod, record.node)
        return next((record for record in records if isinstance(record, Attempt)), None)

    def _compare(self, ours: Attempt, theirs: ObservedDecision, nominated: str) -> list[str]:
        self.compared += 1
        nodes = len(self.scheduler.state.objects.list(Node))
        differences = list(differences_of(ours, theirs, nominated, nodes))
        self.differs += bool(differences)
        self.show(ComparedDecision(ours.pod, theirs.node, tuple(differences)))
        return differences


def differences_of(ours: Attempt, theirs: ObservedDecision, nominated: str, nodes: int) -> Iterator[str]:
    """Yields in what the decision differs from what the specification allows, and by which rule. ``nominated`` is
    the nomination that the pod had before. Where the search did not look at all nodes, the other one may have
    looked at others: then only what the specification says of its node is compared."""
    is_cut = ours.evaluated is not None and ours.evaluated < nodes
    if theirs.node and theirs.node != ours.node:
        totals = ours.totals or {}
        status = (ours.filter or {}).get(theirs.node)
        if status is not None and status.code != "Success":
            yield _rejected(theirs.node, status)
        elif ours.result != SCHEDULED:
            yield f"the specification finds no node: {ours.message}"
        elif theirs.node not in totals and not is_cut:
            yield f"the specification places it on {ours.node}, and has not looked at {theirs.node}"
        elif totals and totals.get(theirs.node, 0) < max(totals.values()) and not is_cut:
            yield _lower(ours, theirs.node)
    elif not theirs.node and ours.node:
        yield f"the specification places it on {ours.node}, and the other one nowhere: {theirs.message}"
    elif not theirs.node:
        expected = nominated if ours.nominated_node is None else ours.nominated_node
        if theirs.nominated != expected:
            would = f"would nominate {expected}" if expected else "would not"
            yield f"the other one nominates {theirs.nominated or 'no node'}, and the specification {would}"
    yield from _differing_results(ours, theirs.results)


def _differing_results(ours: Attempt, theirs: Results) -> Iterator[str]:
    """Yields what the filters and scores of a node are otherwise. Nodes that only one of them has looked at do not
    count, nor do plugins that only one of them has."""
    for node, status in theirs.filter.items():
        expected = (ours.filter or {}).get(node)
        if expected is not None and _said(expected) != _said(status):
            yield f"{node} is {_said(status)}, and by the specification {_said(expected)}"
    for node, scores in theirs.scores.items():
        for plugin, score in scores.items():
            best = (ours.scores or {}).get(node, {}).get(plugin, score)
            if best != score:
                yield f"{plugin} gives {node} a score of {score}, and by the specification {best}"


def _said(status: NodeStatus) -> str:
    if status.code == "Success":
        return "feasible"
    return f"rejected by {status.plugin}: {', '.join(sorted(', '.join(status.reasons).split(', ')))}"


def _rejected(node: str, status: NodeStatus) -> str:
    rules = sorted({rule for reason in status.reasons if (rule := rule_of_reason(reason))})
    by = f" ({', '.join(rules)})" if rules else ""
    return f"{node} is rejected by {status.plugin}: {', '.join(status.reasons)}{by}"


def _lower(ours: Attempt, node: str) -> str:
    """Returns by how much the node has less than the highest total, and from which plugins."""
    totals, scores = ours.totals or {}, ours.scores or {}
    best = max(totals, key=lambda name: (totals[name], name == ours.node))
    here, there = scores.get(node, {}), scores.get(best, {})
    lost = [
        f"{plugin} {here.get(plugin, 0)} to {score}"
        for plugin, score in there.items()
        if score != here.get(plugin, 0)
    ]
    has = f"{node} has a total of {totals[node]}, and {best} of {totals[best]}"
    return f"{has} ({HIGHEST_TOTAL}): {', '.join(lost)}"
