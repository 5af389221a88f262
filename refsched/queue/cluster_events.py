# SPDX-License-Identifier: Apache-2.0
"""Cluster events: what an update of a pod or a node means for scheduling, and which registrations it meets.

Rules: R-CHANGE-01 … R-CHANGE-07.   Source: pkg/scheduler/framework/events.go;
pkg/scheduler/framework/types.go, MatchClusterEvents (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from refsched.framework.events import (
    ASSIGNED_POD,
    NODE,
    POD,
    UNSCHEDULABLE_POD,
    WILD_CARD,
    ActionType,
    ClusterEvent,
)
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.resources import requests_in_events

ASSIGNED_POD_ADD = ClusterEvent(ASSIGNED_POD, ActionType.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(ASSIGNED_POD, ActionType.DELETE)
UNSCHEDULED_POD_ADD = ClusterEvent(UNSCHEDULABLE_POD, ActionType.ADD)
UNSCHEDULED_POD_UPDATE = ClusterEvent(UNSCHEDULABLE_POD, ActionType.UPDATE)
NODE_ADD = ClusterEvent(NODE, ActionType.ADD)
NODE_DELETE = ClusterEvent(NODE, ActionType.DELETE)
UNSCHEDULABLE_TIMEOUT = ClusterEvent(WILD_CARD, ActionType.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE = ClusterEvent(WILD_CARD, ActionType.ALL, "ForceActivate")
BACKOFF_COMPLETE = ClusterEvent("", ActionType(0), "BackoffComplete")
SCHEDULE_ATTEMPT_FAILURE = ClusterEvent("", ActionType(0), "ScheduleAttemptFailure")

# --- Matching -------------------------------------------------------------------------------------


def is_wild_card(event: ClusterEvent) -> bool:
    """Anything about anything."""
    return event.resource == WILD_CARD and event.action == ActionType.ALL


@cache
def matches(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """R-CHANGE-01: an event meets a registration of the same resource (Pod stands for assigned and for
    unscheduled pods) that is as wide as itself or wider: a plain Update is met by who registered for all
    updates, not by who registered for labels alone. Of wild cards, only a wild card meets one.

    Source: MatchClusterEvents, matchEventResources.
    """
    if is_wild_card(registered):
        return True
    same_resource = registered.resource in (WILD_CARD, event.resource) or (
        registered.resource == POD and event.resource in (ASSIGNED_POD, UNSCHEDULABLE_POD)
    )
    return (
        same_resource
        and bool(registered.action & event.action)
        and event.action.value <= registered.action.value
    )


# --- Updates of a pod -----------------------------------------------------------------------------


def pod_update_events(before: Pod, after: Pod) -> tuple[ClusterEvent, ...]:
    """R-CHANGE-02: one event for each kind of change, in this order; a plain Update where there is none.

    Source: PodSchedulingPropertiesChange.
    """
    resource = ASSIGNED_POD if after.spec.node_name else UNSCHEDULABLE_POD
    found = [action for action, changed in _POD_CHANGES.items() if changed(before, after)]
    return tuple(ClusterEvent(resource, action) for action in found or [ActionType.UPDATE])


def _labels_changed(before: Pod | Node, after: Pod | Node) -> bool:
    return before.metadata.labels != after.metadata.labels


def _scaled_down(before: Pod, after: Pod) -> bool:
    """R-CHANGE-03: it asks for less of something, in thousandths, or no longer names it; pod-level requests
    count here without the gate PodLevelResources too."""
    less = requests_in_events(after)
    return any(
        name not in less or asked.milli_value > less[name].milli_value
        for name, asked in requests_in_events(before).items()
    )


def _gates_eliminated(before: Pod, after: Pod) -> bool:
    """R-CHANGE-04: the last gate counts; one of several is no event of its own."""
    return bool(before.spec.scheduling_gates) and not after.spec.scheduling_gates


def _tolerations_added(before: Pod, after: Pod) -> bool:
    """R-CHANGE-05: the number of tolerations is compared: they can be added only."""
    return len(before.spec.tolerations) != len(after.spec.tolerations)


def _generated_claims_changed(before: Pod, after: Pod) -> bool:
    return before.status.resource_claim_statuses != after.status.resource_claim_statuses


_POD_CHANGES: Mapping[ActionType, Callable[[Pod, Pod], bool]] = {
    ActionType.UPDATE_POD_LABEL: _labels_changed,
    ActionType.UPDATE_POD_SCALE_DOWN: _scaled_down,
    ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: _gates_eliminated,
    ActionType.UPDATE_POD_TOLERATION: _tolerations_added,
    ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM: _generated_claims_changed,
}

# --- Updates of a node ----------------------------------------------------------------------------


def node_update_events(before: Node, after: Node) -> tuple[ClusterEvent, ...]:
    """R-CHANGE-06: one event for each kind of change, in this order; none where nothing of interest changed.
    A node that is made schedulable again reports a change of taints, and so twice where taints changed too.

    Source: NodeSchedulingPropertiesChange.
    """
    return tuple(ClusterEvent(NODE, action) for action, changed in _NODE_CHANGES if changed(before, after))


def _made_schedulable(before: Node, after: Node) -> bool:
    return before.spec.unschedulable and not after.spec.unschedulable


def _allocatable_changed(before: Node, after: Node) -> bool:
    return before.status.allocatable != after.status.allocatable


def _taints_changed(before: Node, after: Node) -> bool:
    return before.spec.taints != after.spec.taints


def _conditions_changed(before: Node, after: Node) -> bool:
    """R-CHANGE-07: only the status of each condition counts, not its reason nor when it was last seen."""
    return _statuses(before) != _statuses(after)


def _statuses(node: Node) -> dict[str, str]:
    return {condition.type: condition.status for condition in node.status.conditions}


def _annotations_changed(before: Node, after: Node) -> bool:
    return before.metadata.annotations != after.metadata.annotations


_NODE_CHANGES: tuple[tuple[ActionType, Callable[[Node, Node], bool]], ...] = (
    (ActionType.UPDATE_NODE_TAINT, _made_schedulable),
    (ActionType.UPDATE_NODE_ALLOCATABLE, _allocatable_changed),
    (ActionType.UPDATE_NODE_LABEL, _labels_changed),
    (ActionType.UPDATE_NODE_TAINT, _taints_changed),
    (ActionType.UPDATE_NODE_CONDITION, _conditions_changed),
    (ActionType.UPDATE_NODE_ANNOTATION, _annotations_changed),
)
