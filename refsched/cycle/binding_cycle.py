# SPDX-License-Identifier: Apache-2.0
"""The binding cycle: an assumed pod is bound, or its reservations are released.

Promised: the points of the binding cycle and their order are documented with the scheduling framework, KEP-624.
Shows in: scripted, volumes, devices, extenders, api.
Source: pkg/scheduler/schedule_one.go, bindingCycle, bind, extendersBinding, handleBindingCycleError.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from attrs import evolve

from refsched.cache.cache import CacheError
from refsched.cycle.cycle import Cycle
from refsched.cycle.failure import Failure, handle_scheduling_failure, rejected_on
from refsched.framework.reserve_and_bind import (
    Runs,
    Stop,
    run_bind_plugins,
    run_post_bind_plugins,
    run_pre_bind_plugins,
    run_unreserve_plugins,
    wait_on_permit,
)
from refsched.framework.status import SUCCESS, Status, error
from refsched.objects.pod import Pod
from refsched.queue.cluster_events import ASSIGNED_POD_DELETE
from refsched.records import BOUND, Bind
from refsched.rules import applies


def binding_cycle(cycle: Cycle) -> Generator[Stop, None, None]:
    """R-BIND-04: A binding cycle waits on Permit and then runs PreBind, Bind and PostBind; a pod that fails
    after Permit is requeued without waiting for an event."""
    applies("R-BIND-04")
    failure = yield from _wait_and_bind(cycle)
    if failure is not None:
        failure = _handle_binding_cycle_error(cycle, failure)
    report(cycle, failure)


def report(cycle: Cycle, failure: Failure | None) -> None:
    """Records the end of a binding cycle."""
    pod, node = cycle.on_node
    cycle.scheduler.records.append(
        Bind(
            pod.pod.key,
            node.name,
            failure.result if failure else BOUND,
            cycle.take_calls(),
            failure.status.message if failure else None,
            failure.plugins if failure else None,
        )
    )


def _wait_and_bind(cycle: Cycle) -> Generator[Stop, None, Failure | None]:
    pod, node = cycle.on_node
    status = yield from wait_on_permit(cycle)
    if not status.is_success:
        rejected = rejected_on(node.name, status)
        return evolve(rejected, unschedulable_plugins=frozenset({status.plugin}), pending_plugins=frozenset())
    cycle.scheduler.queue.done(pod.pod.uid)
    for run in (run_pre_bind_plugins, _bind):
        status = yield from run(cycle)
        if not status.is_success:
            return Failure(status)
    run_post_bind_plugins(cycle)
    return None


def _bind(cycle: Cycle) -> Runs:
    """R-EXTENDER-13 (shows in extenders): An extender that binds goes before the Bind plugins, which are not
    called if it bound the pod or failed.
    R-EXTENDER-14 (shows in extenders): If an ignorable extender fails to bind, the next one that binds is called,
    and then the Bind plugins."""
    pod, node = cycle.on_node
    for extender in cycle.framework.extenders:
        if not extender.is_binder or not extender.is_interested(pod):
            continue
        failure = extender.bind(pod, node.name) or _bound(cycle)
        if failure is None or not extender.is_ignorable:
            applies("R-EXTENDER-13")
            return SUCCESS if failure is None else failure
        applies("R-EXTENDER-14")
    return (yield from run_bind_plugins(cycle))


def _bound(cycle: Cycle) -> Status | None:
    """Applies the binding of an extender, which can bind only in the machine's own API server."""
    pod, node = cycle.on_node
    refusal = cycle.scheduler.api.bind(pod.pod.metadata, node.name)
    return error(refusal) if refusal else None


def _handle_binding_cycle_error(cycle: Cycle, failure: Failure) -> Failure:
    """R-ROLLBACK-03: When a binding cycle fails, Reserve plugins are unreserved in reverse order, the pod is
    forgotten, and an AssignedPodDelete event requeues other pods; it comes after a rejected pod itself is back
    in the queue (its own leaving does not requeue it), and before one that failed with an error is."""
    applies("R-ROLLBACK-03")
    pod = cycle.on_node[0].pod
    scheduler = cycle.scheduler
    run_unreserve_plugins(cycle)

    def requeue_other_pods(pre_check: Callable[[Pod], bool] | None) -> None:
        scheduler.queue.move_all_to_active_or_backoff_queue(ASSIGNED_POD_DELETE, pod, None, pre_check)

    try:
        scheduler.cache.forget(pod)
    except CacheError:
        return handle_scheduling_failure(cycle, failure)
    if failure.status.is_rejected:
        failure = handle_scheduling_failure(cycle, failure)
        requeue_other_pods(lambda other: other.uid != pod.uid)
        return failure
    requeue_other_pods(None)
    return handle_scheduling_failure(cycle, failure)
