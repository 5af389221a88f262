# SPDX-License-Identifier: Apache-2.0
"""Skipping: pods that a scheduler pops and does not try, which no record shows."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy

from refsched.machine.scheduler import Scheduler
from refsched.queue.scheduling_queue import SchedulingQueue


def skippable_heads(scheduler: Scheduler) -> list[str]:
    """Returns the pods (``namespace/name``) that may be popped next, and would be skipped then."""
    is_skipped, state = scheduler.kubernetes.machine.is_skipped, scheduler.state
    return [queued.key for queued in state.queue.heads() if is_skipped(state, queued.pod)]


def skip_heads(scheduler: Scheduler, *, until: str = "") -> bool:
    """Pops and skips pods that may be popped next and would be skipped, until none of them is left, or until this
    pod may be popped. Returns whether one of them counted on a node to which it was nominated."""
    queue = scheduler.state.queue
    counted = False
    while until not in [queued.key for queued in queue.heads()] and (skipped := skippable_heads(scheduler)):
        counted |= are_nominated(scheduler, skipped[:1])
        queue.done(queue.pop(skipped[0]).pod.uid)
    return counted


def skip_earlier(queue: SchedulingQueue, pod: str) -> None:
    """Pops and skips a pod (``namespace/name``) that was popped before the last one was: this Pop ends nothing of
    what has been remembered since. Raises KeyError if the pod does not wait, or is gated."""
    remembered = copy(queue.in_flight)
    queue.done(queue.take(pod).pod.uid)
    queue.in_flight = remembered


def are_nominated(scheduler: Scheduler, pods: Collection[str]) -> bool:
    """Returns whether any of these pods (``namespace/name``) counts on a node to which it is nominated."""
    nominator = scheduler.state.queue.nominator
    return any(name.key in pods for node in nominator.nodes for name in nominator.nominated_to(node))
