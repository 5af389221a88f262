# SPDX-License-Identifier: Apache-2.0
"""Event handlers in v1.19: an event is a move request for all pods, or for those with a matching affinity.

Observed: in which order cache and queue are informed is the version's own.
Shows in: queue.
Source: pkg/scheduler/eventhandlers.go.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from attrs import evolve

from refsched.cache.cache import CacheError
from refsched.framework.events import WILD_CARD, ActionType, ClusterEvent
from refsched.framework.node_info import PodInfo
from refsched.machine.api_server import Event
from refsched.machine.event_handlers import action_of, shown_pods, store
from refsched.machine.state import SchedulerState
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import WAIT_FOR_FIRST_CONSUMER, StorageClass
from refsched.queue.cluster_events import node_update_events
from refsched.releases.v1_19.cache import Cache
from refsched.rules import applies

_ADD, _UPDATE, _DELETE = ActionType.ADD, ActionType.UPDATE, ActionType.DELETE
_MOVE_REQUESTS = {
    "PersistentVolume": (_ADD, _UPDATE),
    "PersistentVolumeClaim": (_ADD, _UPDATE),
    "StorageClass": (_ADD,),
    "CSINode": (_ADD, _UPDATE),
    "Service": (_ADD, _UPDATE, _DELETE),
}
"""R-EVENT-51: In v1.19 an added or updated PersistentVolume, PersistentVolumeClaim or CSINode, and any change
of a Service, is a move request."""


def handle(scheduler: SchedulerState, event: Event) -> None:
    """Shows one event to the scheduler."""
    shown = store(scheduler, event)
    if isinstance(shown, Pod):
        _handle_pod(scheduler, event)
    elif isinstance(shown, Node):
        _handle_node(scheduler, event)
    elif action_of(event) in _MOVE_REQUESTS.get(shown.kind, ()) and not _is_immediate(shown):
        applies("R-EVENT-51")
        _move(scheduler, shown.kind, action_of(event))


def _is_immediate(shown: object) -> bool:
    """R-EVENT-52: In v1.19 an added StorageClass is a move request only if its volumes are bound when a pod
    is scheduled.

    Source: onStorageClassAdd.
    """
    is_immediate = isinstance(shown, StorageClass) and shown.volume_binding_mode != WAIT_FOR_FIRST_CONSUMER
    return applies("R-EVENT-52", when=is_immediate)


def _move(
    scheduler: SchedulerState, kind: str, action: ActionType, concerns: Callable[[Pod], bool] | None = None
) -> None:
    event = ClusterEvent(WILD_CARD, ActionType.ALL, f"{kind}{str(action.name).title()}")
    scheduler.queue.move_all_to_active_or_backoff_queue(event, None, None, concerns)


# --- Nodes ----------------------------------------------------------------------------------------


def _handle_node(scheduler: SchedulerState, event: Event) -> None:
    """R-EVENT-53: In v1.19 a deleted node is no move request.
    R-EVENT-54: In v1.19 an updated node is one move request if it was uncordoned or its allocatable
    resources, labels, taints or the status of a condition changed, and also if there is no pod in
    unschedulableQ.

    Source: deleteNodeFromCache, updateNodeInCache, nodeSchedulingPropertiesChange.
    """
    before, after = event.before, event.after
    if not isinstance(after, Node):
        assert isinstance(before, Node)
        applies("R-EVENT-53")
        scheduler.cache.remove_node(before.name)
        return
    scheduler.cache.set_node(after)
    if not isinstance(before, Node):
        _move(scheduler, "Node", _ADD)
        return
    changes = [change.action for change in node_update_events(before, after)]
    matters = any(action is not ActionType.UPDATE_NODE_ANNOTATION for action in changes)
    if matters or not scheduler.queue.queues().unschedulable:
        applies("R-EVENT-54")
        _move(scheduler, "Node", _UPDATE)


# --- Pods -----------------------------------------------------------------------------------------


def _handle_pod(scheduler: SchedulerState, event: Event) -> None:
    """Handles a pod as later releases do: in the cache if it is assigned, and in the queue if not
    (R-EVENT-02)."""
    (assigned_before, assigned), (waiting_before, waiting) = shown_pods(scheduler, event)
    _handle_assigned_pod(scheduler, assigned_before, assigned)
    if waiting is not None and waiting_before is None:
        scheduler.queue.add(waiting)
    elif waiting is not None and waiting_before is not None:
        if not skips_update(scheduler, waiting):
            scheduler.queue.update(waiting_before, waiting)
    elif waiting_before is not None:
        scheduler.queue.delete(waiting_before)
        scheduler.waiting_pods.reject(waiting_before.uid)


def _handle_assigned_pod(scheduler: SchedulerState, before: Pod | None, after: Pod | None) -> None:
    """R-EVENT-55 (instead of R-EVENT-06): In v1.19 an assigned pod that is added or updated is a move request for
    the pods that have a required affinity term which it matches.
    R-EVENT-56: In v1.19 an assigned pod that is deleted is a move request for all pods.

    Source: AssignedPodAdded, AssignedPodUpdated, deletePodFromCache.
    """
    if after is not None:
        with suppress(CacheError):
            if before is None:
                scheduler.cache.add_pod(after)
            else:
                scheduler.cache.update_pod(after)
        applies("R-EVENT-55")
        _move(scheduler, "AssignedPod", _ADD if before is None else _UPDATE, _wants_near(after))
    elif before is not None:
        with suppress(CacheError):
            scheduler.cache.remove_pod(before)
        applies("R-EVENT-56")
        _move(scheduler, "AssignedPod", _DELETE)


def _wants_near(assigned: Pod) -> Callable[[Pod], bool]:
    def wants(waiting: Pod) -> bool:
        return any(term.matches(assigned, {}) for term in PodInfo(waiting).required_affinity_terms)

    return wants


# --- Assumed pods ---------------------------------------------------------------------------------


def skips_update(scheduler: SchedulerState, pod: Pod) -> bool:
    """R-EVENT-57 (instead of R-EVENT-07): In v1.19 an update of an assumed pod is skipped if nothing but its
    annotations, finalizers or conditions changed; any other brings the pod into activeQ.

    Source: skipPodUpdate.
    """
    cache = scheduler.cache
    assumed = cache.get_pod(pod) if cache.is_assumed(pod) else None
    if assumed is None:
        return False
    applies("R-EVENT-57")
    return _stripped(assumed) == _stripped(pod)


def _stripped(pod: Pod) -> Pod:
    return evolve(
        pod,
        metadata=evolve(pod.metadata, annotations={}, finalizers=()),
        spec=evolve(pod.spec, node_name=""),
        status=evolve(pod.status, conditions=()),
    )


def is_skipped(scheduler: SchedulerState, pod: Pod) -> bool:
    """R-EVENT-58 (instead of R-EVENT-05): In v1.19 a popped pod is skipped if it is being deleted, if it is
    assumed and has not changed since, or if it was created anew for another scheduler while the attempt of the pod
    before it failed.

    Source: scheduler.go, scheduleOne, skipPodSchedule.
    """
    has_profile = pod.spec.scheduler_name in scheduler.profiles
    is_deleted = pod.metadata.deletion_timestamp is not None
    return applies("R-EVENT-58", when=is_deleted or not has_profile or skips_update(scheduler, pod))


def clean_up(scheduler: SchedulerState) -> None:
    cache = scheduler.cache
    assert isinstance(cache, Cache)
    cache.clean_up_assumed_pods(scheduler.clock.now)
