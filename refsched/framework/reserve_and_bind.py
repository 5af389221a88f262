# SPDX-License-Identifier: Apache-2.0
"""Reserve, Permit, PreBind, Bind and PostBind: the order in which plugins are called, and what their answers
do.

Promised: in which order plugins are called is documented with the scheduling framework, KEP-624.
Source: pkg/scheduler/framework/runtime/framework.go, RunReservePluginsReserve, RunReservePluginsUnreserve,
RunPermitPlugins, RunPreBindPlugins, RunBindPlugins, RunPostBindPlugins (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from refsched.cycle.cycle import Cycle, Held, OnPreBind, Stop
from refsched.framework.interface import (
    Continue,
    Hold,
    Plugin,
    PreBindPlugin,
    Reject,
    ReservePlugin,
    Wait,
    WaitFor,
    WritingUnreserve,
    extends,
)
from refsched.framework.left_out import cannot_pre_bind, cannot_reserve
from refsched.framework.status import SUCCESS, Code, Status, error
from refsched.objects.pod import Pod
from refsched.rules import applies

Runs = Generator[Stop, None, Status]
"""A Runs yields what it waits for, and returns a status in the end."""


def _once_released(cycle: Cycle, plugin: Plugin, point: str, answer: Any) -> Generator[Stop, None, Any]:
    """Returns the plugin's answer; if the plugin asks to be held, once it is released."""
    cycle.note_call(plugin, point)
    if isinstance(answer, Hold):
        yield Held(plugin.name, point)
        return answer.then()
    return answer


# --- Reserve --------------------------------------------------------------------------------------


def run_reserve_plugins(cycle: Cycle) -> Runs:
    """R-RESERVE-01: Reserve plugins are called in order until one does not succeed; the rest are not called."""
    for plugin in cycle.framework.reserve_plugins:
        status = yield from _reserve(cycle, plugin)
        if not status.is_success:
            applies("R-RESERVE-01")
            return cycle.scheduler.release.failure_at("Reserve", plugin.name, status, cycle.queued.pod)
    return SUCCESS


def _reserve(cycle: Cycle, plugin: ReservePlugin) -> Runs:
    failure = cannot_reserve(cycle.framework.pre_filter_plugins, plugin)
    if failure is not None:
        return failure
    pod, node = cycle.on_node
    reserved = plugin.reserve(cycle.states.get(plugin.name), pod, node, cycle.scheduler.objects)
    answer: Continue[Any] | Reject = yield from _once_released(cycle, plugin, "reserve", reserved)
    if isinstance(answer, Reject):
        return answer.status
    cycle.states[plugin.name] = answer.state
    return SUCCESS


def run_unreserve_plugins(cycle: Cycle) -> None:
    """R-ROLLBACK-01: When a pod is not bound after all, Unreserve of every Reserve plugin is called in reverse
    order, whether or not its Reserve was called."""
    for plugin in reversed(cycle.framework.reserve_plugins):
        applies("R-ROLLBACK-01")
        cycle.note_call(plugin, "unreserve")
        pod, node = cycle.on_node
        state = cycle.states.get(plugin.name)
        plugin.unreserve(state, pod, node, cycle.scheduler.objects)
        if extends(plugin, WritingUnreserve):
            plugin.take_back(state, pod, node, cycle.scheduler)


def failure_at(point: str, plugin: str, status: Status, pod: Pod) -> Status:
    """Returns a rejection as it is, and any other status as an error that says where it was met. In Go a Skip
    at a point that does not know it is no error, and is printed as nil (Status.AsError)."""
    if status.is_rejected:
        return status.by(plugin)
    said = "%!w(<nil>)" if status.code is Code.SKIP else status.message
    return error(f'running {point} plugin "{plugin}": {said}').by(plugin)


# --- Permit ---------------------------------------------------------------------------------------


def run_permit_plugins(cycle: Cycle) -> Generator[Stop, None, tuple[Status, dict[str, float]]]:
    """R-PERMIT-01: Permit plugins are called in order until one rejects the pod; if none does, the pod waits for
    all those that answered Wait.

    Returns the status, and after how many seconds each plugin that is waited for rejects the pod.
    """
    waits: dict[str, float] = {}
    for plugin in cycle.framework.permit_plugins:
        permitted = plugin.permit(cycle.states.get(plugin.name), *cycle.on_node)
        answer: Status | Wait = yield from _once_released(cycle, plugin, "permit", permitted)
        applies("R-PERMIT-01")
        if isinstance(answer, Wait):
            waits[plugin.name] = answer.timeout
        elif not answer.is_success:
            return cycle.scheduler.release.failure_at("Permit", plugin.name, answer, cycle.queued.pod), {}
    return SUCCESS, waits


# --- PreBind --------------------------------------------------------------------------------------


def run_pre_bind_plugins(cycle: Cycle) -> Runs:
    """R-BIND-01: PreBind plugins are called in order, each when the one before has finished, until one does not
    succeed; the rest are not called."""
    for plugin in cycle.framework.pre_bind_plugins:
        status = yield from _pre_bind(cycle, plugin)
        if not status.is_success:
            applies("R-BIND-01")
            return cycle.scheduler.release.failure_at("PreBind", plugin.name, status, cycle.queued.pod)
    return SUCCESS


def _pre_bind(cycle: Cycle, plugin: PreBindPlugin) -> Runs:
    pod, node = cycle.on_node
    state = cycle.states.get(plugin.name)
    framework = cycle.framework
    failure = cannot_pre_bind(framework.pre_filter_plugins, framework.reserve_plugins, plugin, state, node)
    if failure is not None:
        return failure
    pre_bound = plugin.pre_bind(state, pod, node, cycle.scheduler)
    answer: Status | WaitFor = yield from _once_released(cycle, plugin, "preBind", pre_bound)
    if not isinstance(answer, WaitFor):
        return answer
    clock = cycle.scheduler.clock
    stop = OnPreBind(answer, clock.now + answer.timeout)
    while True:
        status = answer.check(cycle.scheduler.objects)
        if status is not None:
            return status
        if clock.now >= stop.deadline:
            return answer.timed_out
        yield stop


# --- Bind -----------------------------------------------------------------------------------------


def run_bind_plugins(cycle: Cycle) -> Runs:
    """R-BIND-02: Bind plugins are called in order until one does not answer Skip; its status is that of Bind."""
    status: Status = Status(Code.SKIP)
    for plugin in cycle.framework.bind_plugins:
        bound = plugin.bind(cycle.states.get(plugin.name), *cycle.on_node, cycle.scheduler)
        status = yield from _once_released(cycle, plugin, "bind", bound)
        if status.code is Code.SKIP:
            applies("R-BIND-02")
            continue
        if status.is_success:
            return status
        return cycle.scheduler.release.failure_at("Bind", plugin.name, status, cycle.queued.pod)
    return status


def run_post_bind_plugins(cycle: Cycle) -> None:
    """R-BIND-03: PostBind plugins are called in order once the pod is bound, and cannot reject it."""
    for plugin in cycle.framework.post_bind_plugins:
        applies("R-BIND-03")
        cycle.note_call(plugin, "postBind")
        plugin.post_bind(cycle.states.get(plugin.name), *cycle.on_node)
