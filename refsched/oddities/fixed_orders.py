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
from datetime import datetime

from refsched.framework.choices import Choices
from refsched.framework.node_info import PodInfo
from refsched.objects.storage import PersistentVolumeClaim
from refsched.oddities.go_sort import sort_slice
from refsched.oddities.known_defect import FixedOrder
from refsched.rules import applies

# --- Victims --------------------------------------------------------------------------------------


def more_important(one: PodInfo, other: PodInfo, now: datetime) -> bool:
    """Returns whether ``one`` is more important than ``other``. The clock is read anew for each, and for ``one``
    first: of two pods of equal priority that have not started ``one`` is therefore the earlier, so the comparison
    holds both ways."""
    if one.pod.priority != other.pod.priority:
        return one.pod.priority > other.pod.priority
    started, other_started = one.pod.status.start_time, other.pod.status.start_time
    if (started or now) == (other_started or now):
        applies("R-PREEMPT-18")
        return started is other_started is None
    return (started or now) < (other_started or now)


def as_go_sorts_pods(pods: Sequence[PodInfo], now: datetime, choices: Choices) -> list[PodInfo]:
    """R-PREEMPT-18: Pods of equal importance are reprieved in the order in which Go's sort.Slice leaves them; up
    to twelve pods of a node that have not started come out reversed."""
    applies("R-PREEMPT-06")
    return sort_slice(pods, lambda one, other: more_important(one, other, now))


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

FIXED_ORDERS = (ORDER_OF_VICTIMS, ORDER_OF_CLAIMS)
