# SPDX-License-Identifier: Apache-2.0
"""Event handlers before 1.35: a pod that is deleted while it is bound counts until its binding fails.

Changed by: kubernetes #134157 (it is rejected or forgotten at once), #134856 (binding a nominated pod is no
deletion).
After the upgrade: Pods are tried again as soon as a pod that is about to be bound is deleted, and no longer when a
nominated pod is bound (R-EVENT-09, R-EVENT-08).
What to do: nothing.
Observed: in which order cache and queue are informed is the version's own.
Shows in: queue.
Source: pkg/scheduler/eventhandlers.go.
"""

from __future__ import annotations

from refsched.machine.event_handlers import requeue_less_important, requeue_others, requeue_without_nomination
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod
from refsched.rules import applies


def handle_unscheduled_pod(
    scheduler: SchedulerState, before: Pod | None, after: Pod | None, shown: Pod | None
) -> None:
    if after is not None and before is None:
        scheduler.queue.add(after)
    elif after is not None and before is not None:
        _update_unscheduled_pod(scheduler, before, after)
    elif before is not None:
        _delete_unscheduled_pod(scheduler, before)


def _update_unscheduled_pod(scheduler: SchedulerState, before: Pod, after: Pod) -> None:
    if scheduler.cache.is_assumed(after):
        applies("R-EVENT-07")
        return
    scheduler.queue.update(before, after)
    requeue_without_nomination(scheduler, before, after)


def _delete_unscheduled_pod(scheduler: SchedulerState, pod: Pod) -> None:
    """R-EVENT-04 (instead of R-EVENT-09): Before 1.35 a pod that waits on Permit is rejected when it is deleted,
    and this is an event as if an assigned pod had been deleted.
    R-EVENT-10 (instead of R-EVENT-08; needs nominations): Before 1.35 it is an event for pods of no higher
    priority, too, when a nominated pod is deleted from the queue, also because it is bound.

    Source: deletePodFromSchedulingQueue.
    """
    scheduler.queue.delete(pod)
    if scheduler.waiting_pods.get(pod.uid) is not None:
        applies("R-EVENT-04")
        scheduler.waiting_pods.reject(pod.uid)
        requeue_others(scheduler, pod)
    elif pod.status.nominated_node_name:
        applies("R-EVENT-10")
        requeue_less_important(scheduler, pod)
