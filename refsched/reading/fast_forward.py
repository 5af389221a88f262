# SPDX-License-Identifier: Apache-2.0
"""Fast forward: the clock advances by years in no time, since flushes that would change nothing are skipped."""

from __future__ import annotations

from refsched.machine.scheduler import LEFTOVER_TIMER, Scheduler
from refsched.machine.state import MAX_SECONDS
from refsched.queue.backoff import BACKOFF_FLUSH_PERIOD
from refsched.queue.unschedulable_pods import LEFTOVER_FLUSH_PERIOD

FAR = 3600.0
"""Flushes are skipped this many seconds at a time if they would change nothing."""


def advance(scheduler: Scheduler, seconds: float) -> None:
    """Advances the clock as ``Scheduler.advance`` does, with the same errors."""
    begin = scheduler.state.clock.now
    end = begin + seconds
    if not (seconds > FAR and end <= MAX_SECONDS):
        scheduler.advance(seconds)
        return
    while (due := scheduler.next_due()) + FAR < end:
        if not _skip_flushes(scheduler, begin, due, end):
            scheduler.run_until(due)
    scheduler.run_until(end)


def _skip_flushes(scheduler: Scheduler, begin: float, due: float, end: float) -> bool:
    """Skips the flushes before the next deadline of a pod, or before the end, if the queue has no pod that time
    alone could move. Returns False if this is not so, or if there are few of them."""
    queues = scheduler.queues()
    if queues.unschedulable and not _stay(scheduler, queues.unschedulable, due - begin):
        return False
    until = min([end, *scheduler.deadlines()])
    passed = int((until - due) // BACKOFF_FLUSH_PERIOD) - 1
    if queues.backoff or passed * BACKOFF_FLUSH_PERIOD < FAR:
        return False
    scheduler.backoff_flush_due += passed * BACKOFF_FLUSH_PERIOD
    late = scheduler.backoff_flush_due - scheduler.leftover_flush_due
    if late > 0:
        scheduler.leftover_flush_due += int(late // LEFTOVER_FLUSH_PERIOD) * LEFTOVER_FLUSH_PERIOD
    return True


def _stay(scheduler: Scheduler, unschedulable: tuple[str, ...], elapsed: float) -> bool:
    """Returns whether time alone moves none of these pods. ``elapsed`` are the seconds since the last input: a
    gated pod that was flushed once after it, and has stayed gated, stays so until the next input."""
    queue = scheduler.state.queue
    if LEFTOVER_TIMER in scheduler.frozen_timers:
        return True
    was_flushed = elapsed > 2 * scheduler.kubernetes.queue.max_seconds_unschedulable
    return was_flushed and not scheduler.deadlines() and all(map(queue.gating_plugin, unschedulable))
