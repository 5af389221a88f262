# SPDX-License-Identifier: Apache-2.0
"""The queue before 1.37: who waits for nodes that are added waits for changed taints, too.

Changed by: kubernetes #109437 is mended, and with feature gate SchedulerQueueingHints its work-around is removed.
Observed: queueing hints may only save attempts, KEP-4247.
Shows in: queue.
Source: pkg/scheduler/scheduler.go, buildQueueingHintMap.
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.framework.events import NODE, ActionType, ClusterEvent, EventHint
from refsched.queue.hint_table import Registration


def changed_taints(rows: Sequence[EventHint]) -> tuple[Registration, ...]:
    """R-HINT-05: Before 1.37 a plugin that registers for added nodes but not for changed taints is registered for
    these too, without a hint."""
    on_nodes = ActionType(0)
    for row in rows:
        if row.resource == NODE:
            on_nodes |= row.action
    if ActionType.ADD not in on_nodes or ActionType.UPDATE_NODE_TAINT in on_nodes:
        return ()
    return (Registration(ClusterEvent(NODE, ActionType.UPDATE_NODE_TAINT), "R-HINT-05"),)
