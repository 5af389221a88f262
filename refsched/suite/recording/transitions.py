# SPDX-License-Identifier: Apache-2.0
"""Transitions, counted: which way each pod goes through the specification's queue.

The queue goes to its table for those that move. Those that stay where they are, or are not the queue's any more,
it passes over; here they are counted all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from refsched.objects.pod import Pod
from refsched.queue.in_flight import Happening
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.queue.transitions import TRANSITIONS, Occurrence, Place

_RULES = {(row.place, row.occurrence): row.rule for row in TRANSITIONS}

LEFT_OVER = "five minutes after its refusal a pod is tried again"
MID_CYCLE = "an event while a pod is in flight"


def count_transitions(queue: SchedulingQueue, rules: Counter[str], happened: Counter[str]) -> None:
    """From now on; both counters grow."""
    counting = _Counting(queue, rules, happened)
    for name in ("_go", "_occurrence", "activate", "update", "delete", "done"):
        vars(queue)[name] = getattr(counting, name.removeprefix("_"))
    vars(queue)["flush_unschedulable_pods_leftover"] = counting.flush
    vars(queue._in_flight)["note"] = counting.note


class _Counting:
    """Each method stands before the queue's own of that name."""

    def __init__(self, queue: SchedulingQueue, rules: Counter[str], happened: Counter[str]) -> None:
        self._queue = queue
        self._rules = rules
        self._happened = happened
        self._is_asked = False
        """By a plugin. A checker that follows a pod out of its turn activates it as well."""

    def go(self, pod: QueuedPod, place: Place, occurrence: Occurrence) -> Place:
        if occurrence is not Occurrence.ACTIVATED or self._is_asked:
            self._count(place, occurrence)
        return SchedulingQueue._go(self._queue, pod, place, occurrence)

    def occurrence(self, pod: QueuedPod, strategy: Any) -> Occurrence:
        occurrence = SchedulingQueue._occurrence(self._queue, pod, strategy)
        if occurrence is Occurrence.NO_CURE and not self._is_in_flight(pod.pod):
            self._count(Place.GATED if pod.is_gated else Place.UNSCHEDULABLE, occurrence)
        return occurrence

    def activate(self, pods: Iterable[Pod]) -> None:
        asked = list(pods)
        for pod in asked:
            place = self._queue._find(pod.key)[0]
            if place is Place.NOWHERE:
                self._count(self._beside(pod), Occurrence.ACTIVATED)
            elif place is Place.ACTIVE:
                self._count(place, Occurrence.ACTIVATED)
        self._is_asked = True
        SchedulingQueue.activate(self._queue, asked)
        self._is_asked = False

    def update(self, before: Pod, after: Pod) -> None:
        if self._is_in_flight(after):
            self._count(Place.IN_FLIGHT, Occurrence.UPDATED)
        SchedulingQueue.update(self._queue, before, after)

    def delete(self, pod: Pod) -> None:
        if self._queue._find(pod.key)[1] is None:
            self._count(self._beside(pod), Occurrence.DELETED)
        SchedulingQueue.delete(self._queue, pod)

    def done(self, uid: str) -> None:
        if uid in self._queue._in_flight:
            self._count(Place.IN_FLIGHT, Occurrence.DONE)
        SchedulingQueue.done(self._queue, uid)

    def flush(self) -> None:
        before = len(self._queue._unschedulable)
        SchedulingQueue.flush_unschedulable_pods_leftover(self._queue)
        self._happened[LEFT_OVER] += before - len(self._queue._unschedulable)

    def note(self, happening: Happening) -> None:
        in_flight = self._queue._in_flight
        self._happened[MID_CYCLE] += bool(in_flight._joined)
        type(in_flight).note(in_flight, happening)

    def _beside(self, pod: Pod) -> Place:
        """Where a pod is that no queue holds."""
        return Place.IN_FLIGHT if self._is_in_flight(pod) else Place.NOWHERE

    def _is_in_flight(self, pod: Pod) -> bool:
        return pod.uid in self._queue._in_flight

    def _count(self, place: Place, occurrence: Occurrence) -> None:
        self._rules[_RULES[place, occurrence]] += 1
