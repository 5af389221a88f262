# SPDX-License-Identifier: Apache-2.0
"""Importance: the order in which victims are reprieved.

Promised: that lower priorities are evicted first is documented with the priority of pods.
Source: pkg/scheduler/util/utils.go, MoreImportantPod, GetPodStartTime, GetEarliestPodStartTime.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from refsched.framework.choices import Choices
from refsched.framework.node_info import PodInfo
from refsched.rules import applies

StartTimes = Mapping[str, datetime]
"""When each of a node's possible victims started, by the pod's uid."""


def all_now(pods: Sequence[PodInfo], now: datetime) -> StartTimes:
    """Returns when each of the pods started, which is now for all that have not."""
    return {info.pod.uid: info.pod.status.start_time or now for info in pods}


def by_importance(pods: Sequence[PodInfo], started: StartTimes, choices: Choices) -> list[PodInfo]:
    """R-PREEMPT-06 (shows in preemption): Of two pods the one with the higher priority is more important, then the
    one that started earlier; a pod that has not started counts as started now, and of pods that are equal in both
    any one may come first."""

    def importance(info: PodInfo) -> tuple[int, datetime]:
        return -info.pod.priority, started[info.pod.uid]

    applies("R-PREEMPT-06")
    left, ordered = list(pods), []
    while left:
        highest = min(map(importance, left))
        following = choices.choose("victim", [info for info in left if importance(info) == highest])
        left.remove(following)
        ordered.append(following)
    return ordered


def earliest_start(victims: Sequence[PodInfo], now: datetime) -> datetime:
    """Returns when the first of the victims of highest priority started."""
    highest = max(victim.pod.priority for victim in victims)
    most_important = [victim for victim in victims if victim.pod.priority == highest]
    return min(all_now(most_important, now).values())
