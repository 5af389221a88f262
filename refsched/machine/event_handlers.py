# SPDX-License-Identifier: Apache-2.0
"""Event handlers: what the API server shows goes into the store, the cache and the queue.

Source: pkg/scheduler/eventhandlers.go (v1.34.2), with SchedulerQueueingHints on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from refsched.cache.cache import CacheError
from refsched.framework import events
from refsched.framework.events import ActionType, ClusterEvent
from refsched.machine.api_server import Event
from refsched.machine.state import SchedulerState
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.store import ApiObject
from refsched.queue.cluster_events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_DELETE,
    node_update_events,
    pod_update_events,
)

RESOURCES = {
    "PersistentVolume": events.PERSISTENT_VOLUME,
    "PersistentVolumeClaim": events.PERSISTENT_VOLUME_CLAIM,
    "StorageClass": events.STORAGE_CLASS,
    "CSINode": events.CSI_NODE,
    "CSIDriver": events.CSI_DRIVER,
    "CSIStorageCapacity": events.CSI_STORAGE_CAPACITY,
    "VolumeAttachment": events.VOLUME_ATTACHMENT,
    "ResourceClaim": events.RESOURCE_CLAIM,
    "ResourceSlice": events.RESOURCE_SLICE,
    "DeviceClass": events.DEVICE_CLASS,
}
"""Kinds that plugins may register for, beside nodes and pods. Others are only stored."""

T = TypeVar("T", bound=ApiObject)


def handle(scheduler: SchedulerState, event: Event) -> None:
    """Show one event to the scheduler."""
    shown = event.after or event.before
    assert shown is not None
    if event.after is not None:
        scheduler.objects.put(event.after)
    else:
        scheduler.objects.remove(type(shown), shown.metadata.name, shown.metadata.namespace)
    if isinstance(shown, Pod):
        _handle_pod(scheduler, _as(Pod, event.before), _as(Pod, event.after))
    elif isinstance(shown, Node):
        _handle_node(scheduler, _as(Node, event.before), _as(Node, event.after))
    elif shown.kind in RESOURCES:
        action = _action(event)
        if scheduler.queue.watches(RESOURCES[shown.kind], action):
            _move(scheduler, ClusterEvent(RESOURCES[shown.kind], action), event.before, event.after)


def _as(kind: type[T], shown: ApiObject | None) -> T | None:
    return shown if isinstance(shown, kind) else None


def _action(event: Event) -> ActionType:
    if event.before is None:
        return ActionType.ADD
    return ActionType.DELETE if event.after is None else ActionType.UPDATE


def _move(
    scheduler: SchedulerState,
    event: ClusterEvent,
    before: ApiObject | None,
    after: ApiObject | None,
    pre_check: Callable[[Pod], bool] | None = None,
) -> None:
    scheduler.queue.move_all_to_active_or_backoff_queue(event, before, after, pre_check)


# --- Nodes ----------------------------------------------------------------------------------------


def _handle_node(scheduler: SchedulerState, before: Node | None, after: Node | None) -> None:
    """R-EVENT-01: a deleted node is an event before it leaves the cache; any other, after it came there."""
    if after is None:
        assert before is not None
        _move(scheduler, NODE_DELETE, before, None)
        scheduler.cache.remove_node(before.name)
        return
    scheduler.cache.set_node(after)
    if before is None:
        _move(scheduler, NODE_ADD, None, after)
        return
    for event in node_update_events(before, after):
        _move(scheduler, event, before, after)


# --- Pods -----------------------------------------------------------------------------------------


def _handle_pod(scheduler: SchedulerState, before: Pod | None, after: Pod | None) -> None:
    """R-EVENT-02: an assigned pod is the cache's; one that waits for a node of ours is the queue's. A pod that
    changes from one to the other is deleted here and added there."""
    _handle_assigned_pod(
        scheduler,
        before if before is not None and before.spec.node_name else None,
        after if after is not None and after.spec.node_name else None,
    )
    _handle_unscheduled_pod(
        scheduler,
        before if _is_waiting(scheduler, before) else None,
        after if _is_waiting(scheduler, after) else None,
    )


def _is_waiting(scheduler: SchedulerState, pod: Pod | None) -> bool:
    return pod is not None and not pod.spec.node_name and pod.spec.scheduler_name in scheduler.profiles


def _handle_assigned_pod(scheduler: SchedulerState, before: Pod | None, after: Pod | None) -> None:
    """What the cache refuses is logged by the real one, and the event is told all the same."""
    if after is not None and before is None:
        _cached(lambda: scheduler.cache.add_pod(after))
        _move(scheduler, ASSIGNED_POD_ADD, None, after)
    elif after is not None and before is not None:
        _cached(lambda: scheduler.cache.update_pod(after))
        for event in pod_update_events(before, after):
            _move(scheduler, event, before, after)
    elif before is not None:
        _cached(lambda: scheduler.cache.remove_pod(before))
        _move(scheduler, ASSIGNED_POD_DELETE, before, None)


def _cached(change: Callable[[], None]) -> None:
    try:
        change()
    except CacheError:
        return


def _handle_unscheduled_pod(scheduler: SchedulerState, before: Pod | None, after: Pod | None) -> None:
    if after is not None and before is None:
        scheduler.queue.add(after)
    elif after is not None and before is not None:
        _update_unscheduled_pod(scheduler, before, after)
    elif before is not None:
        _delete_unscheduled_pod(scheduler, before)


def _update_unscheduled_pod(scheduler: SchedulerState, before: Pod, after: Pod) -> None:
    """R-EVENT-03: a pod that loses its nomination counts, for pods of no higher priority, as deleted from there.
    An assumed pod's update waits for its binding."""
    if scheduler.cache.is_assumed(after):
        return
    scheduler.queue.update(before, after)
    nominated = before.status.nominated_node_name
    if nominated and nominated != after.status.nominated_node_name:
        _move(scheduler, ASSIGNED_POD_DELETE, before, None, _no_more_important_than(before))


def _delete_unscheduled_pod(scheduler: SchedulerState, pod: Pod) -> None:
    """R-EVENT-04: a pod that waits on Permit is rejected when it is deleted; what it held is free."""
    scheduler.queue.delete(pod)
    if scheduler.waiting_pods.reject(pod.uid):
        _move(scheduler, ASSIGNED_POD_DELETE, pod, None)
    elif pod.status.nominated_node_name:
        _move(scheduler, ASSIGNED_POD_DELETE, pod, None, _no_more_important_than(pod))


def _no_more_important_than(pod: Pod) -> Callable[[Pod], bool]:
    return lambda other: other.priority <= pod.priority
