# SPDX-License-Identifier: Apache-2.0
"""Late points: how Reserve, Permit, PreBind, Bind and PostBind call a plugin, scripted ones among them.

Source: pkg/scheduler/framework/runtime/framework.go, RunReservePluginsReserve, RunReservePluginsUnreserve,
RunPermitPlugins, RunPreBindPlugins, RunBindPlugins, RunPostBindPlugins (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Generator

from refsched.cycle.cycle import Cycle, Held, OnPreBind, Stop
from refsched.framework.interface import (
    Plugin,
    PreBindPlugin,
    Reject,
    ReservePlugin,
    WaitFor,
    WritingUnreserve,
    extends,
)
from refsched.framework.status import SUCCESS, Code, Status, error
from refsched.framework.unprepared import cannot_pre_bind, cannot_reserve
from refsched.objects.pod import Pod
from refsched.plugins.default_binder import DefaultBinder
from refsched.plugins.scripted import Scripted, ScriptedAnswer, ScriptedBinder, answer_of, status_of

Runs = Generator[Stop, None, Status]
"""Runs until it stops at something, and in the end answers a status."""


def _play(cycle: Cycle, plugin: Plugin, point: str) -> Generator[Stop, None, ScriptedAnswer]:
    """Call a scripted plugin: the call is noted, and held where the script says so."""
    cycle.calls.append(f"{plugin.name}.{point}")
    answer = answer_of(cycle.queued.pod, plugin.name, point)
    if answer.hold:
        yield Held(plugin.name, point)
    return answer


# --- Reserve --------------------------------------------------------------------------------------


def run_reserve_plugins(cycle: Cycle) -> Runs:
    """R-RESERVE-01: the first plugin that refuses ends the point; the rest are not asked."""
    for plugin in cycle.framework.reserve_plugins:
        status = yield from _reserve(cycle, plugin)
        if not status.is_success:
            return cycle.scheduler.rules.refusal("Reserve", plugin.name, status, cycle.queued.pod)
    return SUCCESS


def _reserve(cycle: Cycle, plugin: Plugin) -> Runs:
    if isinstance(plugin, Scripted):
        return status_of((yield from _play(cycle, plugin, "reserve")), "reserve")
    assert extends(plugin, ReservePlugin)
    refusal = cannot_reserve(cycle.framework.pre_filter_plugins, plugin)
    if refusal is not None:
        return refusal
    pod, node = cycle.on_node
    answer = plugin.reserve(cycle.states.get(plugin.name), pod, node, cycle.scheduler.objects)
    if isinstance(answer, Reject):
        return answer.status
    cycle.states[plugin.name] = answer.state
    return SUCCESS


def run_unreserve_plugins(cycle: Cycle) -> None:
    """R-ROLLBACK-01: every Reserve plugin is told, in reverse order, whether it was asked to reserve or not."""
    for plugin in reversed(cycle.framework.reserve_plugins):
        if isinstance(plugin, Scripted):
            cycle.calls.append(f"{plugin.name}.unreserve")
            continue
        assert extends(plugin, ReservePlugin)
        pod, node = cycle.on_node
        state = cycle.states.get(plugin.name)
        plugin.unreserve(state, pod, node, cycle.scheduler.objects)
        if extends(plugin, WritingUnreserve):
            plugin.take_back(state, pod, node, cycle.scheduler)


def refusal(point: str, plugin: str, status: Status, pod: Pod) -> Status:
    """A rejection stays what it is; any other status becomes an error that says where it was met. A Skip that
    the point does not know is no error to Go, which prints that there is none (Status.AsError)."""
    if status.is_rejected:
        return status.by(plugin)
    said = "%!w(<nil>)" if status.code is Code.SKIP else status.message
    return error(f'running {point} plugin "{plugin}": {said}').by(plugin)


# --- Permit ---------------------------------------------------------------------------------------


def run_permit_plugins(cycle: Cycle) -> Generator[Stop, None, tuple[Status, dict[str, float]]]:
    """R-PERMIT-01: every plugin is asked until one refuses; the pod waits for all those that said Wait.

    Answers the status, and how many seconds each plugin that waits is patient. No default plugin is one of Permit.
    """
    waits: dict[str, float] = {}
    for plugin in cycle.framework.permit_plugins:
        answer = yield from _play(cycle, plugin, "permit")
        status = status_of(answer, "permit")
        if status.code is Code.WAIT:
            waits[plugin.name] = answer.wait
        elif not status.is_success:
            return cycle.scheduler.rules.refusal("Permit", plugin.name, status, cycle.queued.pod), {}
    return SUCCESS, waits


# --- PreBind --------------------------------------------------------------------------------------


def run_pre_bind_plugins(cycle: Cycle) -> Runs:
    """R-BIND-01: one after the other; the first that does not succeed ends the point."""
    for plugin in cycle.framework.pre_bind_plugins:
        status = yield from _pre_bind(cycle, plugin)
        if not status.is_success:
            return cycle.scheduler.rules.refusal("PreBind", plugin.name, status, cycle.queued.pod)
    return SUCCESS


def _pre_bind(cycle: Cycle, plugin: Plugin) -> Runs:
    if isinstance(plugin, Scripted):
        return status_of((yield from _play(cycle, plugin, "preBind")), "preBind")
    assert extends(plugin, PreBindPlugin)
    pod, node = cycle.on_node
    state = cycle.states.get(plugin.name)
    framework = cycle.framework
    refusal = cannot_pre_bind(
        framework.pre_filter_plugins, framework.reserve_plugins, plugin, state, node.name
    )
    if refusal is not None:
        return refusal
    answer = plugin.pre_bind(state, pod, node, cycle.scheduler)
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
    """R-BIND-02: the first that does not answer Skip decides."""
    status = Status(Code.SKIP)
    for plugin in cycle.framework.bind_plugins:
        status = yield from _bind(cycle, plugin)
        if status.code is Code.SKIP:
            continue
        if status.is_success:
            return status
        return cycle.scheduler.rules.refusal("Bind", plugin.name, status, cycle.queued.pod)
    return status


def _bind(cycle: Cycle, plugin: Plugin) -> Runs:
    pod, node = cycle.on_node
    if isinstance(plugin, ScriptedBinder):
        answer = yield from _play(cycle, plugin, "bind")
        status = status_of(answer, "bind")
        if not (status.is_success or answer.after_bound):
            return status
        refusal = cycle.scheduler.api.bind(pod.pod, node.name)
        return error(refusal) if refusal else status
    assert isinstance(plugin, DefaultBinder)
    refusal = cycle.scheduler.api.bind(pod.pod, node.name)
    return error(refusal) if refusal else SUCCESS


def run_post_bind_plugins(cycle: Cycle) -> None:
    """R-BIND-03: told once the pod is bound; they cannot refuse. Only scripted plugins stand here."""
    for plugin in cycle.framework.post_bind_plugins:
        cycle.calls.append(f"{plugin.name}.postBind")
