# SPDX-License-Identifier: Apache-2.0
"""Skipping: a scheduler pops pods and does not try them, or activates a pod sooner or later, which no record
shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from copy import copy

from attrs import Factory, define

from refsched.machine.event_handlers import requeue_less_important
from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import Pod
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.reading.objects import key_of
from refsched.records import Create, Delete, Queues, Record, Update


@define(eq=False)
class Popping:
    """A Popping says which pods a scheduler may pop next, and skips those that it pops and does not try.

    ``is_nomination_open`` says that a nominated pod may have been skipped before the pod of the last attempt, and
    then did not count on its node. ``perhaps_active`` are the pods that back off or, if they were activated late
    enough, are active (R-PREEMPT-PREP-04). ``perhaps_nominated`` is the last pod that deleted itself, whose
    nomination may have been written before (R-PREEMPT-PREP-10). ``perhaps_dropped`` are the last victims.
    """

    scheduler: Scheduler
    is_nomination_open: bool = False
    _has_skipped_nominated: bool = False
    perhaps_active: set[str] = Factory(set)
    perhaps_dropped: tuple[str, ...] = ()
    perhaps_nominated: Pod | None = None
    _perhaps_skipped: set[str] = Factory(set)
    _coming: deque[Record] = Factory(deque)

    def foresee(self, records: Iterable[Record]) -> None:
        """Takes note of the records that are about to come."""
        self._coming = deque(records)

    def note(self, record: Record) -> None:
        """Takes note of a record that has come."""
        if self._coming and self._coming[0] == record:
            self._coming.popleft()

    def next_attempt(self) -> None:
        """Notes that the next attempt is about to be compared."""
        self.is_nomination_open = self._has_skipped_nominated

    def next_heads(self) -> list[str]:
        """Returns the pods (``namespace/name``) of which any may be tried next."""
        skip_heads(self.scheduler)
        return self._heads()

    def next_pod(self) -> str | None:
        """Returns a pod that may be tried next. A scheduler that chooses none itself may count pods that were
        skipped, and pops none of them, which would end a batch (R-BATCH-02)."""
        queue = self.scheduler.state.queue
        while skipped := skippable_heads(self.scheduler)[:1]:
            self._has_skipped_nominated |= are_nominated(self.scheduler, skipped)
            skip_earlier(queue, *skipped)
        return next(iter(self._heads()), None)

    def heads_before(self, pod: str) -> list[str]:
        """Returns the pods of which any may be tried when this one is, with all pods skipped that must be popped
        before it. Pods that are equal to it in the order of the queue may have been skipped before it, too: then
        the next record of the queues, if it is known, shows them nowhere."""
        skip_heads(self.scheduler, until=pod)
        if pod not in self._heads():
            self._activate(self.perhaps_active)
            self._requeue_others()
            skip_heads(self.scheduler, until=pod)
        heads = self._heads()
        self.perhaps_active.discard(pod)
        if pod in heads:
            self._skip_equals_of(pod)
        return heads

    def _skip_equals_of(self, pod: str) -> None:
        """Skips the other pods at the head of the queue that are known to be skipped before this one, and notes
        those that may be."""
        skippable = [other for other in skippable_heads(self.scheduler) if other != pod]
        seen = self._next_queues()
        if seen is None:
            self._perhaps_skipped.update(skippable)
            self.is_nomination_open |= are_nominated(self.scheduler, skippable)
        else:
            for other in skippable:
                if other not in seen:
                    _skip(self.scheduler.state.queue, other)

    def _next_queues(self) -> set[str] | None:
        """Returns the pods that the next record of the queues shows, and those that are changed before it. Returns
        None if it is not known which these are."""
        changed: set[str] = set()
        for record in self._coming:
            match record:
                case Queues(active, backoff, unschedulable):
                    return changed.union(active, backoff, unschedulable)
                case Create(value) | Update(value):
                    changed.add("/".join(key_of(value)[1:]))
                case Delete(named):
                    changed.add(f"{named.namespace or 'default'}/{named.name}")
        return None

    def catch_up(self, seen: Queues) -> None:
        """Does what must have been done unseen, as the next record of the queues shows."""
        self._activate_seen(seen)
        self._requeue_seen(seen)
        self._skip_unseen(seen)

    def _skip_unseen(self, seen: Queues) -> None:
        """Skips pods that the next record of the queues shows to be skipped, and those that were not requeued.

        In v1.19 a victim that waits on Permit is rejected, and the pod of its name is deleted. If that is another
        one, which is bound, the first is requeued unless the informer shows the deletion earlier.

        Source: factory.go, MakeDefaultErrorFunc."""
        queues = self.scheduler.queues()
        absent = {pod for pod in self.perhaps_dropped if self.pod_called(pod) is None}
        unseen = (self._perhaps_skipped | absent).difference(seen.active, seen.backoff, seen.unschedulable)
        for pod in sorted(unseen):
            if pod in (*queues.active, *queues.backoff):
                skip_earlier(self.scheduler.state.queue, pod)
        self._perhaps_skipped.clear()

    def _activate_seen(self, seen: Queues) -> None:
        """Activates pods that the next record of the queues shows to be active."""
        self._activate(self.perhaps_active.intersection(seen.active or ()))
        self.perhaps_active.clear()

    def _requeue_seen(self, seen: Queues) -> None:
        """Requeues the pods that the deletion of a nominated pod requeues, if the next record of the queues shows
        other unschedulable pods than there are without this."""
        if self._is_perhaps_requeued():
            if tuple(sorted(seen.unschedulable or ())) != self.scheduler.queues().unschedulable:
                self._requeue_others()
            self.perhaps_nominated = None

    def _is_perhaps_requeued(self) -> bool:
        """Returns whether a pod that may have been nominated was deleted."""
        pod = self.perhaps_nominated
        return pod is not None and self.scheduler.state.objects.get(Pod, pod.name, pod.namespace) is None

    def _requeue_others(self) -> None:
        if self.perhaps_nominated is not None and self._is_perhaps_requeued():
            requeue_less_important(self.scheduler.state, self.perhaps_nominated)
            self.perhaps_nominated = None

    def _activate(self, pods: Collection[str]) -> None:
        """Activates those of the pods that still back off."""
        queue = self.scheduler.state.queue
        found = map(self.pod_called, sorted(set(pods).intersection(queue.queues().backoff)))
        queue.activate(pod for pod in found if pod is not None)

    def pod_called(self, pod: str) -> Pod | None:
        """Returns this pod (``namespace/name``) as the informer shows it."""
        namespace, _, name = pod.partition("/")
        return self.scheduler.state.objects.get(Pod, name, namespace)

    def _heads(self) -> list[str]:
        """Returns the pods at the head of the queue. There are none if Pop would block."""
        return [queued.key for queued in self.scheduler.state.queue.heads()]


def skippable_heads(scheduler: Scheduler) -> list[str]:
    """Returns the pods (``namespace/name``) that may be popped next, and would be skipped then."""
    is_skipped, state = scheduler.kubernetes.is_skipped, scheduler.state
    return [queued.key for queued in state.queue.heads() if is_skipped(state, queued.pod)]


def skip_heads(scheduler: Scheduler, *, until: str = "") -> None:
    """Pops and skips pods that may be popped next and would be skipped, until none of them is left, or until this
    pod may be popped."""
    queue = scheduler.state.queue
    while until not in [queued.key for queued in queue.heads()] and (skipped := skippable_heads(scheduler)):
        _skip(queue, skipped[0])


def _skip(queue: SchedulingQueue, pod: str) -> None:
    """Pops and skips a pod (``namespace/name``)."""
    queue.done(queue.pop(pod).pod.uid)


def skip_earlier(queue: SchedulingQueue, pod: str) -> None:
    """Skips a pod (``namespace/name``) that was popped before the last one was, or that nobody pops: this ends
    nothing of what has been remembered since. Raises NotWaitingError if the pod does not wait, or is gated."""
    remembered = copy(queue.in_flight)
    queue.done(queue.take(pod).pod.uid)
    queue.in_flight = remembered


def are_nominated(scheduler: Scheduler, pods: Collection[str]) -> bool:
    """Returns whether any of these pods (``namespace/name``) counts on a node to which it is nominated."""
    nominator = scheduler.state.queue.nominator
    return any(name.key in pods for node in nominator.nodes for name in nominator.nominated_to(node))
