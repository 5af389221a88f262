# SPDX-License-Identifier: Apache-2.0
"""Backoff: how long a pod waits after a failed attempt before it may be tried again.

Promised: podInitialBackoffSeconds and podMaxBackoffSeconds are documented with KubeSchedulerConfiguration.
Shows in: queue.
Source: pkg/scheduler/backend/queue/backoff_queue.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from attrs import frozen

from refsched.queue.queued_pod import NO_BACKOFF, QueuedPod
from refsched.queue.ranking import Less
from refsched.rules import applies

BACKOFF_FLUSH_PERIOD = 1.0
"""backoffQ is flushed every so many seconds. Source: scheduling_queue.go, Run."""

_NANO = 10**9


@frozen
class Backoff:
    """A Backoff has the durations of the configuration, in seconds: podInitialBackoffSeconds,
    podMaxBackoffSeconds.

    ``rounded`` rounds a time to the precision with which backoffs are counted.
    """

    initial: float
    maximum: float
    rounded: Callable[[float], float]

    def duration(self, count: int) -> float:
        """R-BACKOFF-01: The first backoff lasts podInitialBackoffSeconds, each further one twice as long as
        the one before, but none longer than podMaxBackoffSeconds.

        The duration is computed in whole nanoseconds. Source: calculateBackoffDuration.
        """
        applies("R-BACKOFF-01")
        initial, maximum = round(self.initial * _NANO), round(self.maximum * _NANO)
        doublings = count - 1
        return (maximum if initial > maximum >> doublings else initial << doublings) / _NANO

    def expiration(self, pod: QueuedPod) -> float:
        """R-BACKOFF-02 (observed: which attempts a backoff counts was changed between releases): After an error
        the backoff grows with the number of consecutive errors, and after a rejection with the number of
        rejections.
        R-BACKOFF-03: If podMaxBackoffSeconds is 0, no pod backs off.

        A pod that was never rejected has no backoff. Source: getBackoffTime.
        """
        if self.maximum == 0:
            applies("R-BACKOFF-03")
            return NO_BACKOFF
        count = pod.consecutive_errors_count or pod.unschedulable_count
        if count == 0:
            return NO_BACKOFF
        applies("R-BACKOFF-02")
        return self.rounded(pod.timestamp + self.duration(count))

    def is_backing_off(self, pod: QueuedPod, now: float) -> bool:
        """R-BACKOFF-05 (observed: that backoffQ orders pods by whole seconds is an optimization): A pod backs off
        until the second in which its backoff ends has passed.

        Source: isEntityBackingoff.
        """
        second = self.rounded(now)
        applies("R-BACKOFF-05", when=pod.backoff_expiration == second)
        return pod.backoff_expiration >= second

    def until_flush(self, now: float) -> float:
        """Returns the seconds from ``now``, when the queue is started, to the first flush of backoffQ.

        Source: waitUntilAlignedWithOrderingWindow.
        """
        return self.rounded(now + 1) - now


def to_the_second(time: float) -> float:
    """R-BACKOFF-04 (observed: that backoffQ orders pods by whole seconds is an optimization): The end of a backoff
    is rounded down to the second, and backoffQ is flushed at each whole second.

    The time is first rounded to nanoseconds, as anything smaller is a rounding error. Source: alignToWindow.
    """
    exact = round(time, 9)
    second = math.floor(exact)
    applies("R-BACKOFF-04", when=second != exact)
    return second


def to_the_nanosecond(time: float) -> float:
    """R-BACKOFF-06 (observed: how exactly a backoff is measured is not part of the API): Without
    SchedulerPopFromBackoffQ, a backoff is counted to the nanosecond.

    Source: alignToWindow.
    """
    exact = round(time, 9)
    applies("R-BACKOFF-06", when=exact != math.floor(exact))
    return exact


def by_expiration(less: Less) -> Less:
    """Returns an order in which the pod whose backoff ends earlier goes first; if both end at once, ``less``
    decides.

    Source: lessBackoffCompletedWithPriority.
    """

    def before(left: QueuedPod, right: QueuedPod) -> bool:
        if left.backoff_expiration != right.backoff_expiration:
            return left.backoff_expiration < right.backoff_expiration
        return less(left, right)

    return before
