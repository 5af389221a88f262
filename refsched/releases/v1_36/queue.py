# SPDX-License-Identifier: Apache-2.0
"""The queue before 1.37: a plugin that registers for added nodes registers for changed taints, too; gated pods are
not nominated, and stay gated however long they wait.

Changed by: kubernetes #109437 is mended, and with feature gate SchedulerQueueingHints its work-around is removed;
#135756 (gated pods are nominated), #139162 and #139331 (they are looked at again when they have waited too long).
After the upgrade: Gated pods may be nominated, and are looked at again after five minutes; a changed taint
requeues only pods that it may help (R-QUEUE-56, R-HINT-05).
What to do: nothing.
Observed: queueing hints may only save attempts, KEP-4247.
Shows in: queue.
Source: pkg/scheduler/scheduler.go, buildQueueingHintMap; pkg/scheduler/backend/queue/scheduling_queue.go,
moveToActiveQ, movePodsToActiveOrBackoffQueue, flushUnschedulablePodsLeftover.
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.framework.events import NODE, ActionType, ClusterEvent, EventHint
from refsched.objects.pod import Pod
from refsched.queue.cluster_events import POD_CHANGES, UNSCHEDULED_POD_UPDATE, PodChanges, events_of_changes
from refsched.queue.hint_table import Registration
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.transitions import Place
from refsched.rules import applies


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


CHANGES: PodChanges = {
    action: made for action, made in POD_CHANGES.items() if action is not ActionType.UPDATE_POD_SCALE_UP
}


def pod_update_events(before: Pod, after: Pod) -> tuple[ClusterEvent, ...]:
    """Returns the events of an update of a pod: that it requests more than before is none."""
    return events_of_changes(CHANGES, before, after)


def nominates_on_activation(place: Place, goes_to: Place, event: ClusterEvent | None) -> bool:
    """R-NOM-08 (instead of R-NOM-07; shows in nominations): Before 1.37 a pod is nominated as its status says when
    it becomes active because it was added or updated, whatever it was nominated to before."""
    is_own = place is Place.NOWHERE or event == UNSCHEDULED_POD_UPDATE
    return applies("R-NOM-08", when=is_own and goes_to is Place.ACTIVE)


def never_examines_gated(event: ClusterEvent) -> bool:
    """Returns False: no event concerns a gated pod unless the plugin that gates it registered for such events."""
    return False


def last_attempt(pod: QueuedPod) -> float:
    """Returns when the last attempt ended: a pod that has waited for too long is requeued with each flush."""
    return pod.timestamp
