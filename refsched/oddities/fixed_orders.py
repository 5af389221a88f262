# SPDX-License-Identifier: Apache-2.0
"""Fixed orders: the orders that rules leave open, as Go's sort.Slice and sort.Sort leave them.

Observed: the order of what counts equally is that of an unstable sort.
Shows in: preemption.
Source: pkg/scheduler/util/utils.go, MoreImportantPod, GetPodStartTime;
plugins/defaultpreemption/default_preemption.go, SelectVictimsOnNode; plugins/volumebinding/binder.go,
findMatchingVolumes.
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.framework.choices import Choices
from refsched.framework.node_info import PodInfo
from refsched.objects.storage import PersistentVolumeClaim
from refsched.oddities.go_sort import sort_slice
from refsched.oddities.known_defect import FixedOrder
from refsched.oddities.start_times import ORDER_OF_START_TIMES
from refsched.preemption.importance import StartTimes
from refsched.rules import applies

# --- Victims --------------------------------------------------------------------------------------


def more_important(one: PodInfo, other: PodInfo, started: StartTimes) -> bool:
    """Returns whether ``one`` is more important than ``other``. Two pods without a start time have the same one in
    ``started`` where the clock is read anew in each comparison, and for ``one`` first: ``one`` is therefore the
    earlier, so the comparison holds both ways."""
    if one.pod.priority != other.pod.priority:
        return one.pod.priority > other.pod.priority
    if started[one.pod.uid] == started[other.pod.uid]:
        applies("R-PREEMPT-18")
        return one.pod.status.start_time is other.pod.status.start_time is None
    return started[one.pod.uid] < started[other.pod.uid]


def as_go_sorts_pods(pods: Sequence[PodInfo], started: StartTimes, choices: Choices) -> list[PodInfo]:
    """R-PREEMPT-18: Pods of equal importance are reprieved in the order in which Go's sort.Slice leaves
    them."""
    applies("R-PREEMPT-06")
    return sort_slice(pods, lambda one, other: more_important(one, other, started))


# --- Claims ---------------------------------------------------------------------------------------


def as_go_sorts_claims(claims: Sequence[PersistentVolumeClaim]) -> list[tuple[PersistentVolumeClaim, ...]]:
    """R-VOLBIND-29 (shows in volumes): Claims that request equally much choose their volumes in the order in which
    Go's sort.Sort leaves them; up to twelve claims stay in the order in which the pod names them."""
    applies("R-VOLBIND-29", when=len({claim.requested for claim in claims}) < len(claims))
    return [tuple(sort_slice(claims, lambda a, b: a.requested < b.requested))]


# --- The oddities ---------------------------------------------------------------------------------

ORDER_OF_VICTIMS = FixedOrder(
    "order-of-victims", "R-PREEMPT-18", "DefaultPreemption", {"by_importance": as_go_sorts_pods}
)
ORDER_OF_CLAIMS = FixedOrder(
    "order-of-claims", "R-VOLBIND-29", "VolumeBinding", {"orders_of_claims": as_go_sorts_claims}
)

FIXED_ORDERS = (ORDER_OF_VICTIMS, ORDER_OF_CLAIMS, ORDER_OF_START_TIMES)
