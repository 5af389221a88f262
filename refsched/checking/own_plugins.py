# SPDX-License-Identifier: Apache-2.0
"""Own plugins: plugins that another scheduler has and the specification does not; what they did is taken as given.

A pod or a node that such a plugin rejected is rejected, a score that it gave counts, a pod that it lets wait
waits. The specification runs stand-ins at the points of these plugins, which repeat what the records show, so
that everything around them is judged: what is reserved is given back, and a pod that is rolled back is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from attrs import define, evolve, field, frozen

from refsched.framework.cycle_state import Scores
from refsched.framework.interface import (
    Api,
    Continue,
    PermitPlugin,
    Plugin,
    RecordedCalls,
    Reject,
    Wait,
    extends,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Code, Status, unschedulable
from refsched.objects.store import ObjectStore
from refsched.plugins.scripted import ANNOTATION
from refsched.queue.hint_table import hint_table
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.records import BOUND, ERROR, SCHEDULED, Attempt, Bind

UNNAMED = "a plugin of its own"
"""A plugin that rejected a pod has this name if the record does not give it."""

_WHERE = re.compile(r'running (?:\w+ )*[Pp]lugins?:? (?:plugin )?"([^"]*)"')
"""The message of an error that a plugin returned begins so."""


def nobody(plugin: str) -> bool:
    """Returns False: there is no such plugin."""
    return False


@define(eq=False)
class OwnPlugins:
    """OwnPlugins are the plugins that only the other scheduler has. ``is_one`` says of a plugin, by its name,
    whether it is one; ``names`` are those that this scheduler lists. ``attempt`` is the one that is followed, and
    ``binds`` are the ends of binding cycles that are about to be reported, by pod."""

    is_one: Callable[[str], bool] = nobody
    names: Collection[str] = ()
    attempt: Attempt | None = None
    binds: Mapping[str, Bind] = field(factory=dict)

    def rejecting(self, record: Attempt | Bind) -> str:
        """Returns the plugin that rejected this pod after a node was chosen; empty if it is none of these."""
        if record.result in (SCHEDULED, BOUND):
            return ""
        if record.unschedulable_plugins:
            return next(filter(self.is_one, record.unschedulable_plugins), "")
        named = _WHERE.search(record.message or "")
        if named is not None:
            return named[1] if self.is_one(named[1]) else ""
        is_unexplained = record.message is None or record.result != ERROR
        return UNNAMED if self.names and is_unexplained else ""

    def has_rejected(self, specified: Attempt | Bind | None) -> bool:
        """Returns whether one of these plugins is among those that rejected the pod, whichever node it was."""
        rejectors = (specified.unschedulable_plugins or ()) if specified is not None else ()
        return any(plugin == UNNAMED or self.is_one(plugin) for plugin in rejectors)

    def status_on(self, node: str) -> Status | None:
        """Returns what one of them said of the node, if one did."""
        recorded = (self.attempt.filter or {}).get(node) if self.attempt is not None else None
        if recorded is None or not self.is_one(recorded.plugin):
            return None
        return Status(Code(recorded.code), recorded.reasons, recorded.plugin)

    def status_in_dry_run(self, node: str) -> Status | None:
        """Returns the same where pods were evicted on trial. A node to which the pod was nominated was
        accepted then."""
        is_nominated = self.attempt is not None and self.attempt.nominated_node == node
        return None if is_nominated else self.status_on(node)

    # --- What stands in for them ------------------------------------------------------------------

    def rejection_at(self, point: str, position: int) -> Status:
        """Returns what they say of the pod at Reserve or Permit. ``position`` is how many plugins stand before
        them there whose calls are recorded."""
        attempt = self.attempt
        if attempt is None or not attempt.node or not self.rejecting(attempt):
            return SUCCESS
        calls = attempt.calls or ()
        made = {each: sum(call.endswith(f".{each}") for call in calls) for each in ("reserve", "permit")}
        ended_at = "permit" if made["permit"] else "reserve"
        return _status_of(attempt) if (ended_at, made[point]) == (point, position) else SUCCESS

    def waits(self) -> bool:
        """Returns whether the pod of the attempt that is followed waits on Permit."""
        return self.attempt is not None and bool(self.attempt.waiting)

    def rejection_of_binding(self, pod: PodInfo) -> Status:
        """Returns what they say of the pod at PreBind or Bind. A script explains a failure that names no
        plugin."""
        bind = self.binds.get(pod.pod.key)
        name = self.rejecting(bind) if bind is not None else ""
        if bind is None or not name or (name == UNNAMED and ANNOTATION in pod.pod.metadata.annotations):
            return SUCCESS
        return _status_of(bind)

    @property
    def rejecting_now(self) -> str:
        """Returns the plugin that rejects the pod of the attempt that is followed."""
        return (self.rejecting(self.attempt) if self.attempt is not None else "") or UNNAMED

    def with_scores(self, scores: Scores) -> Scores:
        """Returns the scores, and beside them those that these plugins added to the nodes' totals."""
        given: dict[str, dict[str, int]] = {}
        for node, by_plugin in ((self.attempt.scores if self.attempt is not None else None) or {}).items():
            for plugin, score in by_plugin.items():
                if self.is_one(plugin):
                    given.setdefault(plugin, {})[node] = score
        if not given:
            return scores
        return evolve(
            scores,
            raw={**scores.raw, **given},
            normalized={**scores.normalized, **given},
            weights={**scores.weights, **dict.fromkeys(given, 1)},
        )


def _status_of(record: Attempt | Bind) -> Status:
    code = Code.ERROR if record.result == ERROR else Code.UNSCHEDULABLE
    return Status(code, (record.message or "",))


# --- Stand-ins ------------------------------------------------------------------------------------


@frozen
class StandIn:
    """A StandIn stands at one of the places among the plugins of a point at which the other scheduler may have
    one."""

    own: OwnPlugins
    position: int = 0

    @property
    def name(self) -> str:
        return self.own.rejecting_now

    def reserve(
        self, state: object, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[None] | Reject:
        status = self.own.rejection_at("reserve", self.position)
        return Continue(None) if status.is_success else Reject(status)

    def unreserve(self, state: object, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        """Does nothing: the specification does not know what was reserved."""

    def permit(self, state: object, pod: PodInfo, node: NodeInfo) -> Status | Wait:
        return self.own.rejection_at("permit", self.position)

    def pre_flight(self, state: object) -> bool:
        """Returns False: no record says whether the other scheduler has such a plugin, and most have none."""
        return False

    def pre_bind(self, state: object, pod: PodInfo, node: NodeInfo, api: Api) -> Status:
        return self.own.rejection_of_binding(pod)


@frozen
class _LastAtPermit:
    """A _LastAtPermit stands after all others, and waits if the record says so and none of them does, until the
    record shows the end of the wait."""

    own: OwnPlugins
    others: Sequence[Plugin]

    @property
    def name(self) -> str:
        return self.own.rejecting_now

    def permit(self, state: object, pod: PodInfo, node: NodeInfo) -> Status | Wait:
        status = self.own.rejection_at("permit", _recorded(self.others))
        permitting = (each for each in self.others if extends(each, PermitPlugin))
        if not status.is_success or any(
            isinstance(each.permit(None, pod, node), Wait) for each in permitting
        ):
            return status
        return Wait(inf) if self.own.waits() else status


@frozen
class _PreFilterStandIn:
    """A _PreFilterStandIn rejects a pod if the record says that one of the other scheduler's own plugins did."""

    own: OwnPlugins
    ends_the_point: bool

    @property
    def name(self) -> str:
        attempt = self.own.attempt
        return attempt.pre_filter.plugin if attempt is not None and attempt.pre_filter is not None else ""

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None] | Reject:
        if not self.own.is_one(self.name):
            return Continue(None)
        assert self.own.attempt is not None
        assert self.own.attempt.pre_filter is not None
        said = self.own.attempt.pre_filter
        code = Code(said.code)
        if code is Code.SUCCESS or (code is Code.UNSCHEDULABLE) == self.ends_the_point:
            return Continue(None)
        reasons = [
            reason.removeprefix(f'running PreFilter plugin "{self.name}": ') for reason in said.reasons
        ]
        return Reject(Status(code, tuple(reasons)))


@frozen
class _PostFilterStandIn:
    """A _PostFilterStandIn nominates the pod to the node that the record gives, or takes its nomination back if
    the record does, for a scheduler whose PostFilter is its own."""

    own: OwnPlugins
    name: str = UNNAMED

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        attempt = self.own.attempt
        nominated = attempt.nominated_node if attempt is not None else None
        return PostFilterResult(SUCCESS if nominated else unschedulable(), nominated)


def with_stand_ins(framework: Framework, own: OwnPlugins) -> Framework:
    """Returns the same framework, with stand-ins for the plugins that only the other scheduler has."""
    permit = framework.permit_plugins
    return evolve(
        framework,
        pre_filter_plugins=(
            _PreFilterStandIn(own, ends_the_point=True),
            *framework.pre_filter_plugins,
            _PreFilterStandIn(own, ends_the_point=False),
        ),
        reserve_plugins=(
            *_with_places(framework.reserve_plugins, own),
            StandIn(own, _recorded(framework.reserve_plugins)),
        ),
        permit_plugins=(*_with_places(permit, own), _LastAtPermit(own, permit)),
        pre_bind_plugins=(*framework.pre_bind_plugins, StandIn(own)),
        post_filter_plugins=framework.post_filter_plugins or (_PostFilterStandIn(own),),
    )


def _with_places(plugins: Sequence[Plugin], own: OwnPlugins) -> Iterator[Any]:
    """Yields these plugins, with a stand-in before each one whose calls are recorded."""
    for number, plugin in enumerate(plugins):
        if extends(plugin, RecordedCalls):
            yield StandIn(own, _recorded(plugins[:number]))
        yield plugin


def _recorded(plugins: Sequence[Plugin]) -> int:
    return sum(extends(plugin, RecordedCalls) for plugin in plugins)


# --- Events ---------------------------------------------------------------------------------------


@frozen
class _Registered:
    """A _Registered is a plugin that registers for no event, so that any may requeue a pod that it rejected."""

    name: str


def register(queue: SchedulingQueue, profiles: Mapping[str, Framework], own: OwnPlugins) -> None:
    """Makes any event requeue a pod that one of these plugins rejected (R-HINT-04)."""
    names = sorted({*own.names, UNNAMED})
    for profile, framework in profiles.items():
        plugins = (*framework.plugins, *(_Registered(name) for name in names))
        table = hint_table(
            plugins,
            has_extenders=bool(framework.extenders),
            further_events=queue.behaviour.further_events,
        )
        queue.hint_tables = {**queue.hint_tables, profile: table}
