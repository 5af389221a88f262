# SPDX-License-Identifier: Apache-2.0
"""Transitions, counted: the transitions of each pod in the specification's queue."""

from __future__ import annotations

from collections import Counter

from refsched.queue.in_flight import ObservedEvent
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.queue.transitions import Transition

LEFT_OVER = "five minutes after its rejection a pod is tried again"
MID_CYCLE = "an event while a pod is in flight"


def count_transitions(queue: SchedulingQueue, rules: Counter[str], happened: Counter[str]) -> None:
    """Counts from now on; both counters grow."""
    counting = _Counting(queue, rules, happened)
    queue.on_move = counting.moved
    vars(queue)["flush_unschedulable_pods_leftover"] = counting.flush
    vars(queue.in_flight)["note"] = counting.note


class _Counting:
    def __init__(self, queue: SchedulingQueue, rules: Counter[str], happened: Counter[str]) -> None:
        self._queue = queue
        self._rules = rules
        self._happened = happened

    def moved(self, pod: QueuedPod, row: Transition) -> None:
        self._rules[row.rule] += 1

    def flush(self) -> None:
        before = len(self._queue._unschedulable)
        SchedulingQueue.flush_unschedulable_pods_leftover(self._queue)
        self._happened[LEFT_OVER] += before - len(self._queue._unschedulable)

    def note(self, observed: ObservedEvent) -> None:
        in_flight = self._queue.in_flight
        self._happened[MID_CYCLE] += bool(in_flight._pods)
        type(in_flight).note(in_flight, observed)
