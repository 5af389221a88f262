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
from refsched.cycle.failure import Failure, HandleFailure, handle_scheduling_failure, rejected_on
from refsched.framework.reserve_and_bind import (
    OnEvents,
    Runs,
    Stop,
    run_bind_plugins,
    run_post_bind_plugins,
    run_pre_bind_plugins,
    run_pre_bind_pre_flights,
    run_unreserve_plugins,
    wait_on_permit,
)
from refsched.framework.status import SUCCESS, Code, Status, error
from refsched.objects.pod import Pod
from refsched.queue.cluster_events import ASSIGNED_POD_DELETE
from refsched.records import BOUND, Bind
from refsched.rules import applies


def nominate_for_expectation(cycle: Cycle) -> Runs:
    """R-BIND-07 (promised: status.nominatedNodeName is documented with the Pod API, KEP-5278; needs scripted or
    volumes or devices): A pod that waits on Permit, or for which a PreBind plugin has anything to do, is
    nominated to its node in its status before that.

    Whether the scheduler has seen this by the time at which the binding fails is a race in kube-scheduler; here it
    has. Returns what the preflight found.
    """
    pod, node = cycle.on_node
    status = run_pre_bind_pre_flights(cycle)
    has_work, is_waiting = status.is_success, cycle.scheduler.waiting_pods.get(pod.pod.uid) is not None
    if has_work or (status.code is Code.SKIP and is_waiting):
        applies("R-BIND-07")
        cycle.scheduler.api.patch_status(pod.pod, nominated_node=node.name)
        yield OnEvents()
    return status


def without_expectation(cycle: Cycle) -> Runs:
    """Does nothing, and leaves it open whether PreBind has anything to do."""
    yield from ()
    return SUCCESS


def binding_cycle(
    cycle: Cycle,
    handle_failure: HandleFailure = handle_scheduling_failure,
    before_permit: Callable[[Cycle], Runs] = nominate_for_expectation,
) -> Generator[Stop, None, None]:
    """R-BIND-04 (decides bind): A binding cycle waits on Permit and then runs PreBind, Bind and PostBind; a pod
    that fails after Permit is requeued without waiting for an event."""
    applies("R-BIND-04")
    failure = yield from _wait_and_bind(cycle, before_permit)
    if failure is not None:
        failure = _handle_binding_cycle_error(cycle, failure, handle_failure)
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


def _wait_and_bind(
    cycle: Cycle, before_permit: Callable[[Cycle], Runs]
) -> Generator[Stop, None, Failure | None]:
    pod, node = cycle.on_node
    pre_flight = yield from before_permit(cycle)
    if not pre_flight.is_success and pre_flight.code is not Code.SKIP:
        return Failure(pre_flight)
    status = yield from wait_on_permit(cycle)
    if status.is_rejected:
        # kube-scheduler names a plugin even for a pod that its deletion rejected, the plugin "" (bindingCycle).
        return evolve(rejected_on(node.name, status), unschedulable_plugins=frozenset({status.plugin}))
    if not status.is_success:
        return Failure(status)
    cycle.scheduler.queue.done(pod.pod.uid)
    if pre_flight.is_success:
        cycle.scheduler.pods_in_pre_bind[pod.pod.uid] = cycle.in_pre_bind
    status = yield from _pre_bind_and_bind(cycle)
    cycle.scheduler.pods_in_pre_bind.pop(pod.pod.uid, None)
    return None if status.is_success else Failure(status)


def _pre_bind_and_bind(cycle: Cycle) -> Runs:
    """R-BIND-09 (needs preemption): A pod whose binding is cancelled while a PreBind plugin runs is not bound."""
    status = yield from run_pre_bind_plugins(cycle)
    if not status.is_success:
        return status
    if not cycle.in_pre_bind.end():
        applies("R-BIND-09")
        return error(cycle.in_pre_bind.cancelled)
    status = yield from _bind(cycle)
    if status.is_success:
        run_post_bind_plugins(cycle)
    return status


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


def _handle_binding_cycle_error(cycle: Cycle, failure: Failure, handle_failure: HandleFailure) -> Failure:
    """R-ROLLBACK-03: When a binding cycle fails, Reserve plugins are unreserved in reverse order, the pod is
    forgotten, and an AssignedPodDelete event requeues other pods; a rejected pod returns to the queue before this
    event, which does not requeue it, and a pod that failed with an error returns after it."""
    applies("R-ROLLBACK-03")
    pod = cycle.on_node[0].pod
    scheduler = cycle.scheduler
    run_unreserve_plugins(cycle)

    def requeue_other_pods(pre_check: Callable[[Pod], bool] | None) -> None:
        scheduler.queue.move_all_to_active_or_backoff_queue(ASSIGNED_POD_DELETE, pod, None, pre_check)

    try:
        scheduler.cache.forget(pod)
    except CacheError:
        return handle_failure(cycle, failure)
    if failure.status.is_rejected:
        failure = handle_failure(cycle, failure)
        requeue_other_pods(lambda other: other.uid != pod.uid)
        return failure
    requeue_other_pods(None)
    return handle_failure(cycle, failure)
