# SPDX-License-Identifier: Apache-2.0
"""Importance: the order in which victims are reprieved, and why pods that never started come out reversed.

Rules: R-PREEMPT-06.   Source: pkg/scheduler/util/utils.go, MoreImportantPod, GetPodStartTime,
GetEarliestPodStartTime (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from refsched.framework.node_info import PodInfo
from refsched.preemption.go_sort import sort_slice
from refsched.rules import applies


def more_important(one: PodInfo, other: PodInfo, now: datetime) -> bool:
    """R-PREEMPT-06: Of two pods the one with the higher priority is more important, then the one that started
    earlier; a pod that has not started counts as started now.

    The clock is read anew for each side, the left one first. Of two pods of equal priority that have not
    started the left one is therefore the earlier, whichever it is: the comparison holds both ways.
    """
    applies("R-PREEMPT-06")
    if one.pod.priority != other.pod.priority:
        return one.pod.priority > other.pod.priority
    started, other_started = one.pod.status.start_time, other.pod.status.start_time
    if started is None and other_started is None:
        return True
    return (started or now) < (other_started or now)


def by_importance(pods: Sequence[PodInfo], now: datetime) -> list[PodInfo]:
    """The most important first, in the very order in which the real sort leaves pods whose comparison
    contradicts itself: up to twelve of them come out reversed."""
    return sort_slice(pods, lambda one, other: more_important(one, other, now))


def earliest_start(victims: Sequence[PodInfo], now: datetime) -> datetime:
    """When the first of the victims of highest priority started."""
    highest = max(victim.pod.priority for victim in victims)
    return min(v.pod.status.start_time or now for v in victims if v.pod.priority == highest)
