# SPDX-License-Identifier: Apache-2.0
"""Cluster events: the events that an update of a pod or a node is, and the registrations that an event
matches.

Observed: how an update is broken into events serves the queueing hints, KEP-4247.
Shows in: queue.
Source: pkg/scheduler/framework/events.go; pkg/scheduler/framework/types.go, MatchClusterEvents.
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
from refsched.rules import applies

ASSIGNED_POD_ADD = ClusterEvent(ASSIGNED_POD, ActionType.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(ASSIGNED_POD, ActionType.DELETE)
UNSCHEDULED_POD_UPDATE = ClusterEvent(UNSCHEDULABLE_POD, ActionType.UPDATE)
NODE_ADD = ClusterEvent(NODE, ActionType.ADD)
NODE_DELETE = ClusterEvent(NODE, ActionType.DELETE)
UNSCHEDULABLE_TIMEOUT = ClusterEvent(WILD_CARD, ActionType.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE = ClusterEvent(WILD_CARD, ActionType.ALL, "ForceActivate")

# --- Matching -------------------------------------------------------------------------------------


def is_wild_card(event: ClusterEvent) -> bool:
    """Returns whether the event concerns every resource and every action."""
    return event.resource == WILD_CARD and event.action == ActionType.ALL


@cache
def matches(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """R-CHANGE-01: An event matches a registration for the same resource whose actions include the event's
    and are no narrower than them, so that a plain Update does not match a registration for changed labels
    alone.

    Pod stands for assigned and for unscheduled pods. Only a wild card registration matches a wild card event.

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


PodChanges = Mapping[ActionType, Callable[[Pod, Pod], bool]]
"""PodChanges say of each kind of change whether an update makes it."""


def pod_update_events(before: Pod, after: Pod) -> tuple[ClusterEvent, ...]:
    """R-CHANGE-02: An update of a pod is one event for each kind of change that it makes, and a plain Update
    if it makes none of them.

    Source: PodSchedulingPropertiesChange.
    """
    return events_of_changes(POD_CHANGES, before, after)


def events_of_changes(changes: PodChanges, before: Pod, after: Pod) -> tuple[ClusterEvent, ...]:
    """Returns the events of an update of a pod, in the order of these kinds of change."""
    applies("R-CHANGE-02")
    resource = ASSIGNED_POD if after.spec.node_name else UNSCHEDULABLE_POD
    found = [action for action, changed in changes.items() if changed(before, after)]
    return tuple(ClusterEvent(resource, action) for action in found or [ActionType.UPDATE])


def _labels_changed(before: Pod | Node, after: Pod | Node) -> bool:
    return before.metadata.labels != after.metadata.labels


def _scaled_down(before: Pod, after: Pod) -> bool:
    """R-CHANGE-03 (brought about by update): A pod is scaled down if it requests less of some resource than
    before, or none.

    Amounts are compared in thousandths. Pod-level requests count here without the gate PodLevelResources too.
    """
    return applies("R-CHANGE-03", when=_requests_more(before, after))


def _scaled_up(before: Pod, after: Pod) -> bool:
    """R-CHANGE-08 (brought about by update): A pod is scaled up if it requests more of some resource than before,
    or one that it did not request."""
    return applies("R-CHANGE-08", when=_requests_more(after, before))


def _requests_more(pod: Pod, other: Pod) -> bool:
    """Returns whether the pod requests more of any resource than the other pod, or a resource that the other one
    does not request."""
    less = requests_in_events(other)
    return any(
        name not in less or requested.milli_value > less[name].milli_value
        for name, requested in requests_in_events(pod).items()
    )


def _gates_eliminated(before: Pod, after: Pod) -> bool:
    """R-CHANGE-04 (brought about by update): Only the removal of a pod's last scheduling gate is an event."""
    return applies("R-CHANGE-04", when=before.spec.scheduling_gates and not after.spec.scheduling_gates)


def _tolerations_added(before: Pod, after: Pod) -> bool:
    """R-CHANGE-05 (brought about by update): A change in the number of a pod's tolerations is an event, since they
    can only be added."""
    return applies("R-CHANGE-05", when=len(before.spec.tolerations) != len(after.spec.tolerations))


POD_CHANGES: PodChanges = {
    ActionType.UPDATE_POD_LABEL: _labels_changed,
    ActionType.UPDATE_POD_SCALE_DOWN: _scaled_down,
    ActionType.UPDATE_POD_SCALE_UP: _scaled_up,
    ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: _gates_eliminated,
    ActionType.UPDATE_POD_TOLERATION: _tolerations_added,
    ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM: (
        lambda old, new: old.status.resource_claim_statuses != new.status.resource_claim_statuses
    ),
}

# --- Updates of a node ----------------------------------------------------------------------------


def node_update_events(before: Node, after: Node) -> tuple[ClusterEvent, ...]:
    """R-CHANGE-06 (brought about by update): An update of a node is one event for each kind of change that it
    makes, and no event if it makes none of them; a node that is uncordoned counts as one whose taints changed.

    Source: NodeSchedulingPropertiesChange.
    """
    applies("R-CHANGE-06")
    return tuple(ClusterEvent(NODE, action) for action, changed in _NODE_CHANGES if changed(before, after))


def _conditions_changed(before: Node, after: Node) -> bool:
    """R-CHANGE-07 (brought about by update): Of a node's conditions only the status counts, not the reason or the
    time of a heartbeat."""
    applies("R-CHANGE-07", when=before.status.conditions != after.status.conditions)
    return _statuses(before) != _statuses(after)


def _statuses(node: Node) -> dict[str, str]:
    return {condition.type: condition.status for condition in node.status.conditions}


_NODE_CHANGES: tuple[tuple[ActionType, Callable[[Node, Node], bool]], ...] = (
    (ActionType.UPDATE_NODE_TAINT, lambda old, new: old.spec.unschedulable and not new.spec.unschedulable),
    (ActionType.UPDATE_NODE_ALLOCATABLE, lambda old, new: old.status.allocatable != new.status.allocatable),
    (ActionType.UPDATE_NODE_LABEL, _labels_changed),
    (ActionType.UPDATE_NODE_TAINT, lambda old, new: old.spec.taints != new.spec.taints),
    (ActionType.UPDATE_NODE_CONDITION, _conditions_changed),
    (
        ActionType.UPDATE_NODE_ANNOTATION,
        lambda old, new: old.metadata.annotations != new.metadata.annotations,
    ),
    (
        ActionType.UPDATE_NODE_DECLARED_FEATURE,
        lambda old, new: old.status.declared_features != new.status.declared_features,
    ),
)
