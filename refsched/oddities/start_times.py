# SPDX-License-Identifier: Apache-2.0
"""Start times: since when a pod that has not started counts as started.

Observed: when the clock is read is not part of the API.
Shows in: preemption.
Source: framework/preemption/types.go, NewVictim; pkg/scheduler/util/utils.go, GetPodStartTime.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from refsched.framework.node_info import PodInfo
from refsched.oddities.known_defect import FixedOrder
from refsched.preemption.importance import StartTimes
from refsched.rules import applies


def one_after_the_other(pods: Sequence[PodInfo], now: datetime) -> StartTimes:
    """Returns when each of the pods started. A pod that has not started gets a time that is a microsecond later
    than that of the one before it: the clock goes on while kube-scheduler reads it for each.

    R-PREEMPT-20: Pods that have not started count as started one after the other, in the order in which they are
    listed on their node."""
    applies("R-PREEMPT-20", when=sum(info.pod.status.start_time is None for info in pods) > 1)
    return {
        info.pod.uid: info.pod.status.start_time or now + timedelta(microseconds=number)
        for number, info in enumerate(pods)
    }


ORDER_OF_START_TIMES = FixedOrder(
    "order-of-start-times", "R-PREEMPT-20", "DefaultPreemption", {"start_times": one_after_the_other}
)
