# SPDX-License-Identifier: Apache-2.0
"""Backoff: how long a pod that was refused has to wait for its next turn.

Rules: R-BACKOFF-01 … R-BACKOFF-06.   Source: pkg/scheduler/backend/queue/backoff_queue.go (v1.34.2).
"""

from __future__ import annotations

import math

from attrs import frozen

from refsched.queue.queued_pod import NO_BACKOFF, QueuedPod
from refsched.queue.ranking import Less

_NANO = 10**9


@frozen
class Backoff:
    """The two durations of the configuration, in seconds: podInitialBackoffSeconds, podMaxBackoffSeconds.

    ``by_second`` is what feature gate SchedulerPopFromBackoffQ changes.
    """

    initial: float = 1
    maximum: float = 10
    by_second: bool = True

    def duration(self, count: int) -> float:
        """R-BACKOFF-01: the initial backoff, doubled with each further time, but not above the maximum.

        Counted in whole nanoseconds. Source: calculateBackoffDuration.
        """
        initial, maximum = round(self.initial * _NANO), round(self.maximum * _NANO)
        doublings = count - 1
        return (maximum if initial > maximum >> doublings else initial << doublings) / _NANO

    def expiration(self, pod: QueuedPod) -> float:
        """R-BACKOFF-02: the consecutive errors count where there are any, else the times it was refused.
        R-BACKOFF-03: a maximum of 0 turns backoff off, and a pod that was never refused owes none.
        R-BACKOFF-04: the end is rounded down to the second. Source: getBackoffTime.
        """
        count = pod.consecutive_errors_count or pod.unschedulable_count
        if self.maximum == 0 or count == 0:
            return NO_BACKOFF
        return self.window(pod.timestamp + self.duration(count))

    def is_backing_off(self, pod: QueuedPod, now: float) -> bool:
        """R-BACKOFF-05: a pod backs off until the second in which its backoff ends is over.

        Source: isPodBackingoff.
        """
        return pod.backoff_expiration >= self.window(now)

    def window(self, time: float) -> float:
        """R-BACKOFF-06: without SchedulerPopFromBackoffQ time counts to the nanosecond. Source: alignToWindow."""
        return whole_second(time) if self.by_second else round(time, 9)


def whole_second(time: float) -> float:
    """The second that a time lies in; nanoseconds count, and what is below them is a float's error."""
    return math.floor(round(time, 9))


def by_expiration(less: Less) -> Less:
    """Whose backoff ends in an earlier second goes first, and within a second as ``less`` has it.

    Source: lessBackoffCompletedWithPriority.
    """

    def before(left: QueuedPod, right: QueuedPod) -> bool:
        if left.backoff_expiration != right.backoff_expiration:
            return left.backoff_expiration < right.backoff_expiration
        return less(left, right)

    return before
