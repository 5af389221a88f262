# SPDX-License-Identifier: Apache-2.0
"""Open filters: if Filter may give a node more than one status, a checker takes the one that was recorded.

DynamicResources and NodeVolumeLimits iterate over Go maps, so the order in which pools of a node and drivers of
a pod are tried is open, and a search for devices may be interrupted when the search for nodes is stopped. The
specification has one order and is never interrupted; a checker that follows another scheduler considers all.
Observed: a search for devices may be interrupted, and need not be.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go, Filter; plugins/nodevolumelimits/csi.go, Filter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar, overload

from attrs import evolve, fields, frozen, make_class

from refsched.checking.own_plugins import OwnPlugins
from refsched.devices.allocator import Allocates, Allocator
from refsched.devices.errors import STOPPED, RejectedOnNode
from refsched.devices.pools import Pools
from refsched.framework.cycle_state import CycleState, Scores
from refsched.framework.interface import Plugin
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterPlugin, PostFilterResult
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.objects.dra import AllocationResult, ResourceClaim
from refsched.objects.node import Node
from refsched.objects.storage import CSIDriver, CSINode
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.plugins.node_volume_limits import Drivers, NodeVolumeLimits

T_co = TypeVar("T_co", covariant=True)


@frozen
class LazySequence(Sequence[T_co]):
    """A LazySequence is a sequence of options, each of which is computed only when it is read."""

    number: int
    make: Callable[[int], T_co]

    def __len__(self) -> int:
        return self.number

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Sequence[T_co]:
        if isinstance(index, slice):
            return [self.make(number) for number in range(self.number)[index]]
        return self.make(range(self.number)[index])


# --- Allocators -----------------------------------------------------------------------------------


@frozen
class _InOrder:
    """An _InOrder tries the pools of a node in the order of this number."""

    allocator: Allocator
    order: int

    def allocate(
        self, node: Node, claims: Sequence[ResourceClaim], pools: Pools | None = None
    ) -> tuple[AllocationResult, ...] | None:
        return self.allocator.allocate(node, claims, self.allocator.pool_orders(node)[self.order])

    def pool_orders(self, node: Node) -> Sequence[Pools]:
        return self.allocator.pool_orders(node)


@frozen
class _Stopped:
    """R-DRA-15: A search for devices that is under way when the search for nodes is stopped gives up, and the
    node is rejected with the cause."""

    cause: str

    def allocate(
        self, node: Node, claims: Sequence[ResourceClaim], pools: Pools | None = None
    ) -> tuple[AllocationResult, ...] | None:
        raise RejectedOnNode(STOPPED.of(self.cause))

    def pool_orders(self, node: Node) -> Sequence[Pools]:
        return ((),)


def interrupted(state: CycleState, cause: str) -> CycleState:
    """Returns the state for a node that is still being filtered when the search is stopped for this cause."""
    claims = _claims_in(state)
    if claims is None or claims.allocator is None:
        return state
    return _with_allocator(state, claims, _Stopped(cause))


def filter_ways(state: CycleState, node: NodeInfo) -> Sequence[CycleState]:
    """Returns one state for each order in which Filter may try the pools of this node, and for each driver that
    may be the first one that is missing there."""
    claims = _claims_in(state)
    allocator = claims.allocator if claims is not None else None
    orders = len(allocator.pool_orders(node.existing_node)) if isinstance(allocator, Allocator) else 1
    missing = _missing_drivers(state, node) or [""]
    if len(missing) * orders == 1:
        return (state,)

    def way(number: int) -> CycleState:
        driver, order = divmod(number, orders)
        made = _with_first_driver(state, missing[driver])
        if claims is None or not isinstance(allocator, Allocator):
            return made
        return _with_allocator(made, claims, _InOrder(allocator, order))

    return LazySequence(len(missing) * orders, way)


def _missing_drivers(state: CycleState, node: NodeInfo) -> list[str]:
    """Returns the drivers without which a pod that has their volumes is rejected on this node."""
    drivers = state.states.get(NodeVolumeLimits.name)
    if not isinstance(drivers, Drivers):
        return []
    csi_node = drivers.objects.get(CSINode, node.name)
    installed = {driver.name for driver in csi_node.spec.drivers} if csi_node is not None else set()
    return [
        driver.name
        for driver in drivers.objects.list(CSIDriver)
        if driver.spec.prevent_pod_scheduling_if_missing and driver.name not in installed
    ]


def _with_first_driver(state: CycleState, driver: str) -> CycleState:
    drivers = state.states.get(NodeVolumeLimits.name)
    if not isinstance(drivers, Drivers):
        return state
    first = evolve(drivers, first=driver)
    return evolve(state, states={**state.states, NodeVolumeLimits.name: first})


def _claims_in(state: CycleState) -> PodClaims | None:
    claims: PodClaims | None = state.states.get(DynamicResources.name)
    return claims


def _with_allocator(state: CycleState, claims: PodClaims, allocator: Allocates) -> CycleState:
    return evolve(state, states={**state.states, DynamicResources.name: evolve(claims, allocator=allocator)})


# --- The framework of a scheduler that is followed ------------------------------------------------

Pick = Callable[[str, Sequence[Status]], Status]
"""A Pick returns which of the possible statuses Filter gave the node of this name."""
Given = Callable[[str], Status | None]
"""A Given returns the status that the node of this name has without any plugin being asked, if it has one."""


@cache
def _followed_kind(kind: Any) -> Any:
    """Returns a release's framework that asks ``pick`` if Filter may give a node more than one status. A status
    that is ``given`` for a node is taken as it is, and ``scored`` may add scores."""

    def run_filter_plugins_with_nominated_pods(
        self: Any,
        state: CycleState,
        pod: PodInfo,
        node: NodeInfo,
        nominated: Sequence[PodInfo],
        snapshot: Snapshot,
    ) -> Status:
        given: Status | None = self.given(node.name)
        if given is not None:
            return given
        ways = filter_ways(state, node)

        def run(way: int) -> Status:
            status: Status = kind.run_filter_plugins_with_nominated_pods(
                self, ways[way], pod, node, nominated, snapshot
            )
            return status

        if len(ways) == 1:
            return run(0)
        picked: Status = self.pick(node.name, LazySequence(len(ways), run))
        return picked

    def run_score_plugins(
        self: Any, pod: PodInfo, nodes: Sequence[NodeInfo], snapshot: Snapshot, state: CycleState
    ) -> Scores | Status:
        scores: Scores | Status = kind.run_score_plugins(self, pod, nodes, snapshot, state)
        if isinstance(scores, Status):
            return scores
        changed: Scores = self.scored(scores)
        return changed

    return make_class(
        "FollowedFramework",
        ("pick", "given", "scored"),
        bases=(kind,),
        class_body={
            each.__name__: each for each in (run_filter_plugins_with_nominated_pods, run_score_plugins)
        },
        frozen=True,
        slots=True,
        kw_only=True,
    )


@frozen
class _InPreemption:
    """An _InPreemption is a PostFilter plugin whose dry runs use another framework."""

    plugin: PostFilterPlugin
    framework: Framework

    @property
    def name(self) -> str:
        return self.plugin.name

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        return self.plugin.post_filter(evolve(context, framework=self.framework))


def followed(
    framework: Framework, in_search: Pick, in_preemption: Pick, own: OwnPlugins | None = None
) -> Framework:
    """Returns the same framework, with the statuses of Filter taken from ``in_search`` and ``in_preemption``.
    What the record shows of plugins that only the other scheduler has (``own``) is taken as it is."""
    kind: Any = type(framework)
    followed_kind = _followed_kind(kind)
    parts = {each.name: getattr(framework, each.name) for each in fields(kind)}
    own = own if own is not None else OwnPlugins()
    dry_runs = followed_kind(**parts, pick=in_preemption, given=own.status_in_dry_run, scored=own.with_scores)
    post_filter: tuple[Plugin, ...] = tuple(
        _InPreemption(plugin, dry_runs) for plugin in parts.pop("post_filter_plugins")
    )
    following: Framework = followed_kind(
        **parts,
        post_filter_plugins=post_filter,
        pick=in_search,
        given=own.status_on,
        scored=own.with_scores,
    )
    return following
