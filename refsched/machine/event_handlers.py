# SPDX-License-Identifier: Apache-2.0
"""Event handlers: what the API server shows is put into the store, the cache and the queue.

Observed: in which order cache and queue are informed is the version's own.
Shows in: queue.
Source: pkg/scheduler/eventhandlers.go, with SchedulerQueueingHints on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from refsched.cache.cache import CacheError
from refsched.devices.taints import with_rules
from refsched.framework import events
from refsched.framework.events import ActionType, ClusterEvent
from refsched.machine.api_server import Event
from refsched.machine.state import SchedulerState
from refsched.objects.dra import DeviceTaintRule, ResourceSlice
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.queue.cluster_events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_DELETE,
    node_update_events,
)
from refsched.rules import applies

RESOURCES = {events.kind_of(resource): resource for resource in events.RESOURCES}
"""These are the resources, besides nodes and pods, by kind. Objects of other kinds are only stored."""

T = TypeVar("T", bound=ApiObject)


def store(scheduler: SchedulerState, event: Event) -> ApiObject:
    """Shows the event to the informers, and returns its object."""
    shown = event.after or event.before
    assert shown is not None
    if event.after is not None:
        scheduler.objects.put(event.after)
    else:
        scheduler.objects.remove(type(shown), shown.name, shown.namespace)
    return shown


def _as(kind: type[T], shown: ApiObject | None) -> T | None:
    return shown if isinstance(shown, kind) else None


def action_of(event: Event) -> ActionType:
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
    """R-EVENT-01: When a node is deleted, pods are requeued before the node leaves the cache; when it is
    added or updated, after the cache has it.

    Source: addNodeToCache, updateNodeInCache, deleteNodeFromCache.
    """
    applies("R-EVENT-01")
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


# --- DeviceTaintRules -----------------------------------------------------------------------------


def _handle_device_taint_rule(scheduler: SchedulerState, event: Event) -> None:
    """R-DRA-89 (observed: queueing hints may only save attempts, KEP-4247; shows in devices): A DeviceTaintRule
    that is created, changed or deleted is an event for each ResourceSlice whose devices' taints change, as if the
    slice were updated.

    Source: dynamic-resource-allocation/resourceslice/tracker/tracker.go, syncSlice.
    """
    changed = ClusterEvent(events.RESOURCE_SLICE, ActionType.UPDATE)
    if not scheduler.queue.watches(changed.resource, changed.action):
        return
    slices, rules = scheduler.objects.list(ResourceSlice), scheduler.objects.list(DeviceTaintRule)
    others = [rule for rule in rules if rule != event.after]
    before, after = (
        with_rules(slices, [*others, rule] if isinstance(rule, DeviceTaintRule) else others)
        for rule in (event.before, event.after)
    )
    for had, has in zip(before, after, strict=True):
        if had != has:
            applies("R-DRA-89")
            _move(scheduler, changed, had, has)


# --- Pods -----------------------------------------------------------------------------------------


BeforeAndAfter = tuple[Pod | None, Pod | None]


def shown_pods(scheduler: SchedulerState, event: Event) -> tuple[BeforeAndAfter, BeforeAndAfter]:
    """R-EVENT-02 (decides nodes; shows in any record): A pod that is assigned to a node is kept in the cache, and
    one that is not, and is of a profile of this scheduler, in the queue; a pod that becomes assigned is added to
    the cache and deleted from the queue.

    Returns the pod before and after the event, for the cache and for the queue. Source: addAllEventHandlers.
    """
    before, after = _as(Pod, event.before), _as(Pod, event.after)
    assigned = tuple(pod if pod is not None and pod.spec.node_name else None for pod in (before, after))
    waiting = tuple(pod if _is_waiting(scheduler, pod) else None for pod in (before, after))
    applies("R-EVENT-02", when=assigned != (before, after) and waiting != (before, after))
    return (assigned[0], assigned[1]), (waiting[0], waiting[1])


def _is_waiting(scheduler: SchedulerState, pod: Pod | None) -> bool:
    return pod is not None and not pod.spec.node_name and pod.spec.scheduler_name in scheduler.profiles


def _handle_assigned_pod(scheduler: SchedulerState, before: Pod | None, after: Pod | None) -> None:
    """R-EVENT-06: The addition, a change and the deletion of an assigned pod are events that may requeue
    others, after the cache has it.

    kube-scheduler only logs an error of the cache, and the event counts nevertheless.
    Source: addAssignedPodToCache, updateAssignedPodInCache, deleteAssignedPodFromCache.
    """
    applies("R-EVENT-06")
    if after is not None and before is None:
        with suppress(CacheError):
            scheduler.cache.add_pod(after)
        _move(scheduler, ASSIGNED_POD_ADD, None, after)
    elif after is not None and before is not None:
        with suppress(CacheError):
            scheduler.cache.update_pod(after)
        for event in scheduler.queue.behaviour.update_events(before, after):
            _move(scheduler, event, before, after)
    elif before is not None:
        with suppress(CacheError):
            scheduler.cache.remove_pod(before)
        _move(scheduler, ASSIGNED_POD_DELETE, before, None)


def handle_unscheduled_pod(
    scheduler: SchedulerState, before: Pod | None, after: Pod | None, shown: Pod | None
) -> None:
    """Handles a pod in the queue. ``shown`` is the pod as it is now, even if it is assigned, and None if it is
    deleted."""
    if after is not None and before is None:
        scheduler.queue.add(after)
    elif after is not None and before is not None:
        _update_unscheduled_pod(scheduler, before, after)
    elif before is not None:
        scheduler.queue.delete(before)
        if shown is None:
            _handle_deletion(scheduler, before)


HandlePod = Callable[[SchedulerState, Pod | None, Pod | None, Pod | None], None]


def _update_unscheduled_pod(scheduler: SchedulerState, before: Pod, after: Pod) -> None:
    """R-EVENT-03 (needs nominations): When a waiting pod loses its nomination to a node, this is an event for pods
    of no higher priority, as if an assigned pod had been deleted.

    R-EVENT-07 (brought about by update): An update of an assumed pod changes nothing in the queue.

    Source: updatePodInSchedulingQueue.
    """
    if scheduler.cache.is_assumed(after):
        applies("R-EVENT-07")
        if after.metadata.deletion_timestamp is not None and before.metadata.deletion_timestamp is None:
            _handle_assumed_pod_deletion(scheduler, after)
        return
    scheduler.queue.update(before, after)
    requeue_without_nomination(scheduler, before, after)


def requeue_without_nomination(scheduler: SchedulerState, before: Pod, after: Pod) -> None:
    nominated = before.status.nominated_node_name
    if nominated and nominated != after.status.nominated_node_name:
        applies("R-EVENT-03")
        requeue_less_important(scheduler, before)


def _handle_deletion(scheduler: SchedulerState, pod: Pod) -> None:
    """R-EVENT-08 (needs nominations): When a nominated pod that waits is deleted, this is an event for pods of no
    higher priority, as if an assigned pod had been deleted; when it is bound, it is none.

    Source: deletePodFromSchedulingQueue.
    """
    if scheduler.cache.is_assumed(pod):
        _handle_assumed_pod_deletion(scheduler, pod)
    elif pod.status.nominated_node_name:
        applies("R-EVENT-08")
        requeue_less_important(scheduler, pod)


def requeue_less_important(scheduler: SchedulerState, removed: Pod) -> None:
    """Requeues pods of no higher priority than the one that was removed from its node."""
    _move(scheduler, ASSIGNED_POD_DELETE, removed, None, lambda other: other.priority <= removed.priority)


def requeue_others(scheduler: SchedulerState, removed: Pod) -> None:
    _move(scheduler, ASSIGNED_POD_DELETE, removed, None)


def _handle_assumed_pod_deletion(scheduler: SchedulerState, pod: Pod) -> None:
    """R-EVENT-09 (needs scripted or volumes or devices or extenders): When the deletion of an assumed pod
    begins, or it is deleted at once, it is rejected if it waits on Permit; if not, it no longer counts on its
    node, though its binding cycle goes on. In any case this is an event as if an assigned pod had been deleted.

    Source: handleAssumedPodDeletion.
    """
    applies("R-EVENT-09")
    assumed = scheduler.cache.get_pod(pod)
    assert assumed is not None
    if not scheduler.waiting_pods.reject(pod.uid):
        scheduler.cache.forget(assumed)
    requeue_others(scheduler, assumed)


# --- Any event ------------------------------------------------------------------------------------


def handle(scheduler: SchedulerState, event: Event, unscheduled: HandlePod = handle_unscheduled_pod) -> None:
    """Shows one event to the scheduler; ``unscheduled`` handles a pod that is, or was, not assigned to a node."""
    shown = store(scheduler, event)
    if isinstance(shown, Pod):
        assigned, waiting = shown_pods(scheduler, event)
        _handle_assigned_pod(scheduler, *assigned)
        unscheduled(scheduler, *waiting, _as(Pod, event.after))
    elif isinstance(shown, Node):
        _handle_node(scheduler, _as(Node, event.before), _as(Node, event.after))
    elif isinstance(shown, DeviceTaintRule):
        _handle_device_taint_rule(scheduler, event)
    elif shown.kind in RESOURCES:
        action = action_of(event)
        if scheduler.queue.watches(RESOURCES[shown.kind], action):
            _move(scheduler, ClusterEvent(RESOURCES[shown.kind], action), event.before, event.after)


# --- Popped pods ----------------------------------------------------------------------------------


def is_skipped(scheduler: SchedulerState, pod: Pod) -> bool:
    """R-EVENT-05: A pod that is popped while it is being deleted, or is assumed already, is not tried; nor is
    one that was created anew for another scheduler while the attempt of the pod before it failed.

    Source: schedule_one.go, ScheduleOne, skipPodSchedule.
    """
    has_profile = pod.spec.scheduler_name in scheduler.profiles
    is_not_tried = pod.metadata.deletion_timestamp is not None or not has_profile
    return applies("R-EVENT-05", when=is_not_tried or scheduler.cache.is_assumed(pod))


def keep_assumed_pods(scheduler: SchedulerState) -> None:
    """Does nothing: assumed pods do not expire. Source: scheduler.go, durationToExpireAssumedPod."""
