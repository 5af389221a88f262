# SPDX-License-Identifier: Apache-2.0
"""The binding cycle of v1.19: an assumed pod is bound, or its reservations are released.

Promised: the points of the binding cycle are documented with the scheduling framework, KEP-624.
Shows in: scripted, volumes, devices, extenders, api.
Source: pkg/scheduler/scheduler.go, scheduleOne, bind, extendersBinding.
"""

from __future__ import annotations

from collections.abc import Generator

from refsched.cycle.binding_cycle import report
from refsched.cycle.cycle import Cycle
from refsched.framework.reserve_and_bind import (
    Runs,
    Stop,
    run_bind_plugins,
    run_post_bind_plugins,
    run_pre_bind_plugins,
    wait_on_permit,
)
from refsched.framework.status import SUCCESS, Code, Status, error
from refsched.releases.v1_19.cache import finish_binding
from refsched.releases.v1_19.cycle.failure import failed, record_scheduling_failure
from refsched.releases.v1_19.cycle.scheduling_cycle import reason_of, roll_back
from refsched.releases.v1_19.cycle.wording import rejected_while_waiting
from refsched.rules import ErrorReason, applies

BINDING_REJECTED = ErrorReason("Binding rejected: {}", "R-BIND-52")
BIND_STATUS = ErrorReason("bind status: {}, {}", "R-BIND-52")


def binding_cycle(cycle: Cycle) -> Generator[Stop, None, None]:
    """Waits on Permit, and runs PreBind, Bind and PostBind."""
    status = yield from _wait_and_bind(cycle)
    failure = None if status.is_success else failed(status)
    if failure is not None:
        roll_back(cycle)
        record_scheduling_failure(cycle, failure, reason_of(status))
    report(cycle, failure)


def _wait_and_bind(cycle: Cycle) -> Runs:
    for run in (_wait_on_permit, run_pre_bind_plugins, _bind):
        status = yield from run(cycle)
        if not status.is_success:
            return status
    finish_binding(cycle.scheduler.cache, cycle.on_node[0].pod, cycle.scheduler.clock.now)
    run_post_bind_plugins(cycle)
    return SUCCESS


def _wait_on_permit(cycle: Cycle) -> Runs:
    decision = yield from wait_on_permit(cycle)
    return SUCCESS if decision.is_success else rejected_while_waiting(decision, cycle.on_node[0].pod)


def _bind(cycle: Cycle) -> Runs:
    """R-BIND-51 (instead of R-EXTENDER-13, R-EXTENDER-14): In v1.19 an extender that binds goes before the Bind
    plugins, and its failure is the failure of the binding, ignorable or not.
    R-BIND-52 (instead of R-BIND-04): In v1.19 a binding that fails, and one that every Bind plugin skips, is an
    error."""
    pod, node = cycle.on_node
    for extender in cycle.framework.extenders:
        if extender.is_binder and extender.is_interested(pod):
            applies("R-BIND-51")
            failure = extender.bind(pod, node.name)
            if failure is not None:
                return _rejected(failure.message)
            refusal = cycle.scheduler.api.bind(pod.pod.metadata, node.name)
            return _rejected(refusal) if refusal else SUCCESS
    status = yield from run_bind_plugins(cycle)
    if status.is_success:
        return SUCCESS
    if status.code is Code.ERROR:
        return _rejected(status.message)
    return _rejected(BIND_STATUS.of(status.code.value, status.message))


def _rejected(why: str) -> Status:
    return error(BINDING_REJECTED.of(why))
