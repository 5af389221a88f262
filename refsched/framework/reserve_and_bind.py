# SPDX-License-Identifier: Apache-2.0
"""Reserve, Permit, PreBind, Bind and PostBind: the order in which plugins are called, and what their answers
do.

Promised: in which order plugins are called is documented with the scheduling framework, KEP-624.
Shows in: scripted.
Source: pkg/scheduler/framework/runtime/framework.go, RunReservePluginsReserve, RunReservePluginsUnreserve,
RunPermitPlugins, WaitOnPermit, RunPreBindPreFlights, RunPreBindPlugins, RunBindPlugins, RunPostBindPlugins.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

from attrs import frozen

from refsched.framework.interface import (
    Api,
    Continue,
    Hold,
    Plugin,
    PreBindPlugin,
    PreFlight,
    Reject,
    ReservePlugin,
    Wait,
    WaitFor,
    extends,
)
from refsched.framework.left_out import cannot_pre_bind, lacks_pre_filter
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.pods_in_pre_bind import PodInPreBind
from refsched.framework.runtime import Framework
from refsched.framework.status import SKIP, SUCCESS, Code, Status, error
from refsched.framework.waiting_pods import WaitingPod, WaitingPods
from refsched.objects.store import ObjectStore
from refsched.rules import ErrorReason, applies

PRE_FLIGHT_FAILED = ErrorReason('running PreBindPreFlight "{}": {}', "R-BIND-08")

# --- What a cycle may stop at ---------------------------------------------------------------------


@frozen
class Held:
    """The plugin is a scripted one, and does not return from this point until it is released."""

    plugin: str
    point: str


@frozen
class OnPermit:
    """The pod waits for a decision on Permit."""

    waiting: WaitingPod


@frozen
class OnPreBind:
    """A plugin waits for an answer to what it wrote, unless the binding of its pod is cancelled; ``deadline`` is
    in seconds of the machine's clock."""

    wait: WaitFor
    deadline: float
    pod: PodInPreBind

    def is_over(self, objects: ObjectStore) -> bool:
        return bool(self.pod.cancelled) or self.wait.check(objects) is not None


@frozen
class OnEvents:
    """The cycle wrote to the API server, and goes on when the scheduler has seen that."""


Stop = Held | OnPermit | OnPreBind | OnEvents
Runs = Generator[Stop, None, Status]
"""A Runs yields what it waits for, and returns a status in the end."""

# --- What plugins from Reserve on are called with -------------------------------------------------


class Machine(Api, Protocol):
    """A Machine is what the plugins reach beside the pod and its node."""

    @property
    def waiting_pods(self) -> WaitingPods: ...


class Assumed(Protocol):
    """An Assumed is the cycle of a pod that is assumed on a node; ``states`` is what each plugin keeps for it."""

    @property
    def scheduler(self) -> Machine: ...

    @property
    def framework(self) -> Framework: ...

    @property
    def states(self) -> dict[str, Any]: ...

    @property
    def on_node(self) -> tuple[PodInfo, NodeInfo]: ...

    @property
    def in_pre_bind(self) -> PodInPreBind: ...

    def note_call(self, plugin: Plugin, point: str) -> None: ...


def _once_released(cycle: Assumed, plugin: Plugin, point: str, answer: Any) -> Generator[Stop, None, Any]:
    """Returns the plugin's answer; if the plugin asks to be held, once it is released."""
    cycle.note_call(plugin, point)
    if isinstance(answer, Hold):
        yield Held(plugin.name, point)
        return answer.then()
    return answer


# --- Reserve --------------------------------------------------------------------------------------


def run_reserve_plugins(cycle: Assumed) -> Runs:
    """R-RESERVE-01 (decides calls.reserve): Reserve plugins are called in order until one does not succeed; the
    rest are not called."""
    for plugin in cycle.framework.reserve_plugins:
        status = yield from _reserve(cycle, plugin)
        if not status.is_success:
            applies("R-RESERVE-01")
            return cycle.framework.failure_at("Reserve", plugin, status, cycle.on_node[0].pod)
    return SUCCESS


def _reserve(cycle: Assumed, plugin: ReservePlugin) -> Runs:
    failure = lacks_pre_filter(cycle.framework.pre_filter_plugins, plugin)
    if failure is not None:
        return failure
    pod, node = cycle.on_node
    reserved = plugin.reserve(cycle.states.get(plugin.name), pod, node, cycle.scheduler.objects)
    answer: Continue[Any] | Reject = yield from _once_released(cycle, plugin, "reserve", reserved)
    if isinstance(answer, Reject):
        return answer.status
    cycle.states[plugin.name] = answer.state
    return SUCCESS


def run_unreserve_plugins(cycle: Assumed) -> None:
    """R-ROLLBACK-01 (decides calls; shows in scripted, volumes, devices, extenders, api): When a pod is not bound
    after all, Unreserve of every Reserve plugin is called in reverse order, whether or not its Reserve was
    called."""
    for plugin in reversed(cycle.framework.reserve_plugins):
        applies("R-ROLLBACK-01")
        cycle.note_call(plugin, "unreserve")
        pod, node = cycle.on_node
        state = cycle.states.get(plugin.name)
        plugin.unreserve(state, pod, node, cycle.scheduler)


# --- Permit ---------------------------------------------------------------------------------------


def run_permit_plugins(cycle: Assumed) -> Generator[Stop, None, tuple[Status, dict[str, float]]]:
    """R-PERMIT-01 (decides waiting, calls.permit): Permit plugins are called in order until one rejects the pod;
    if none does, the pod waits for all those that answered Wait.

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
            return cycle.framework.failure_at("Permit", plugin, answer, cycle.on_node[0].pod), {}
    return SUCCESS, waits


def wait_on_permit(cycle: Assumed) -> Runs:
    """R-PERMIT-05: A pod that does not wait on Permit goes on to PreBind at once."""
    uid = cycle.on_node[0].pod.uid
    waiting = cycle.scheduler.waiting_pods.get(uid)
    if waiting is None:
        applies("R-PERMIT-05")
        return SUCCESS
    while waiting.decision is None:
        yield OnPermit(waiting)
    cycle.scheduler.waiting_pods.remove(uid)
    return waiting.decision


# --- PreBind --------------------------------------------------------------------------------------


def run_pre_bind_pre_flights(cycle: Assumed) -> Status:
    """R-BIND-08 (needs scripted or volumes or devices): Before a pod waits on Permit, each PreBind plugin is asked
    whether it has anything to do for the pod; if one cannot say, the binding fails.

    Returns Skip if no plugin has."""
    has_work = False
    for plugin in cycle.framework.pre_bind_plugins:
        applies("R-BIND-08")
        failure = _why_not_pre_bound(cycle, plugin)
        if failure is not None:
            return error(PRE_FLIGHT_FAILED.format(plugin.name, failure.message)).by(plugin.name)
        has_work |= _has_work(cycle, plugin)
    return SUCCESS if has_work else SKIP


def _has_work(cycle: Assumed, plugin: PreBindPlugin) -> bool:
    return not extends(plugin, PreFlight) or plugin.pre_flight(cycle.states.get(plugin.name))


def _why_not_pre_bound(cycle: Assumed, plugin: PreBindPlugin) -> Status | None:
    framework, node = cycle.framework, cycle.on_node[1]
    state = cycle.states.get(plugin.name)
    return cannot_pre_bind(framework.pre_filter_plugins, framework.reserve_plugins, plugin, state, node)


def run_pre_bind_plugins(cycle: Assumed) -> Runs:
    """R-BIND-01 (decides calls.preBind; shows in scripted, volumes, devices, extenders, api): PreBind plugins are
    called in order, each when the one before has finished, until one does not succeed; the rest are not called."""
    for plugin in cycle.framework.pre_bind_plugins:
        status = yield from _pre_bind(cycle, plugin)
        if not status.is_success:
            applies("R-BIND-01")
            return cycle.framework.failure_at("PreBind", plugin, status, cycle.on_node[0].pod)
    return SUCCESS


def _pre_bind(cycle: Assumed, plugin: PreBindPlugin) -> Runs:
    pod, node = cycle.on_node
    state = cycle.states.get(plugin.name)
    failure = _why_not_pre_bound(cycle, plugin)
    if failure is not None:
        return failure
    if cycle.in_pre_bind.cancelled and extends(plugin, PreFlight) and plugin.pre_flight(state):
        return error(cycle.in_pre_bind.cancelled)  # Nothing is written any more.
    pre_bound = plugin.pre_bind(state, pod, node, cycle.scheduler)
    answer: Status | WaitFor = yield from _once_released(cycle, plugin, "preBind", pre_bound)
    if not isinstance(answer, WaitFor):
        return answer
    clock = cycle.scheduler.clock
    stop = OnPreBind(answer, clock.now + answer.timeout, cycle.in_pre_bind)
    while True:
        if stop.pod.cancelled:
            return error(stop.pod.cancelled)
        status = answer.check(cycle.scheduler.objects)
        if status is not None:
            return status
        if clock.now >= stop.deadline:
            return answer.timed_out
        yield stop


# --- Bind -----------------------------------------------------------------------------------------


def run_bind_plugins(cycle: Assumed) -> Runs:
    """R-BIND-02 (decides calls.bind): Bind plugins are called in order until one does not answer Skip; its status
    is that of Bind."""
    status: Status = Status(Code.SKIP)
    for plugin in cycle.framework.bind_plugins:
        bound = plugin.bind(cycle.states.get(plugin.name), *cycle.on_node, cycle.scheduler)
        status = yield from _once_released(cycle, plugin, "bind", bound)
        if status.code is Code.SKIP:
            applies("R-BIND-02")
            continue
        if status.is_success:
            return status
        return cycle.framework.failure_at("Bind", plugin, status, cycle.on_node[0].pod)
    return status


def run_post_bind_plugins(cycle: Assumed) -> None:
    """R-BIND-03 (decides calls.postBind): PostBind plugins are called in order once the pod is bound, and cannot
    reject it."""
    for plugin in cycle.framework.post_bind_plugins:
        applies("R-BIND-03")
        cycle.note_call(plugin, "postBind")
        plugin.post_bind(cycle.states.get(plugin.name), *cycle.on_node)
