# SPDX-License-Identifier: Apache-2.0
"""Defects met: the nodes on which a known defect decides how a pod is filtered, or which devices it would get."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from attrs import evolve, frozen

from refsched.devices.allocator import Allocator
from refsched.devices.errors import NotAllocated
from refsched.devices.pools import Pool
from refsched.framework.cycle_state import CycleState
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.dra import ALL, ResourceClaim
from refsched.oddities.dynamic_resources import (
    ALL_AGAINST_A_CONSTRAINT,
    ALL_OF_A_BROKEN_POOL,
    ALL_OF_AN_ALTERNATIVE,
    MATCHED_BY_AN_ALTERNATIVE,
    SLICES_OUT_OF_REACH,
)
from refsched.oddities.inter_pod_affinity import EXCLUDED_NAMESPACES
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.known_defects import AS_PROMISED, AS_RELEASED, KNOWN_DEFECTS, Oddities, with_oddities
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity


@frozen
class DefectsMet:
    """``state`` is what the plugins' PreFilter found out about the pod, with all known defects."""

    pod: PodInfo
    snapshot: Snapshot
    state: CycleState

    def on(self, node: NodeInfo) -> tuple[KnownDefect, ...]:
        """Returns the known defects without which, alone or along with others, this node would be judged
        otherwise, or other devices be allocated."""
        met: tuple[KnownDefect, ...] = ()
        claims = self.state.states.get(DynamicResources.name)
        if claims is not None:
            met += met_by_devices(claims, node)
        if self._namespaces_differ(node):
            met += (EXCLUDED_NAMESPACES,)
        return met

    def _namespaces_differ(self, node: NodeInfo) -> bool:
        affinity = self.state.states.get(InterPodAffinity.name)
        if affinity is None or self._without_excluded_namespaces is None:
            return False
        plugin, without = InterPodAffinity(), self._without_excluded_namespaces
        return plugin.filter(affinity, self.pod, node) != plugin.filter(without, self.pod, node)

    @cached_property
    def _without_excluded_namespaces(self) -> Filtering | None:
        plugin: InterPodAffinity = with_oddities(InterPodAffinity(), AS_RELEASED - {EXCLUDED_NAMESPACES})
        outcome = plugin.pre_filter(self.pod, self.snapshot)
        return outcome.state if isinstance(outcome, Continue) else None


# --- Devices --------------------------------------------------------------------------------------


def met_by_devices(state: PodClaims, node: NodeInfo) -> tuple[KnownDefect, ...]:
    """Returns the known defects of DynamicResources that decide on this node."""
    if not isinstance(state.allocator, Allocator):
        return ()
    matter = _that_matter(state.to_allocate, state.allocator, node)
    outcomes = {oddities: _outcome(state, state.allocator, oddities, node) for oddities in _subsets(matter)}
    return tuple(
        defect
        for defect in matter
        if any(
            defect in oddities and outcomes[oddities] != outcomes[oddities - {defect}]
            for oddities in outcomes
        )
    )


def _subsets(defects: Iterable[KnownDefect]) -> list[Oddities]:
    subsets = [AS_PROMISED]
    for defect in defects:
        subsets += [oddities | {defect} for oddities in subsets]
    return subsets


def _with(allocator: Allocator, oddities: Oddities) -> Allocator:
    plugin: DynamicResources = with_oddities(DynamicResources(), oddities)
    return evolve(allocator, steps=plugin.steps)


def _outcome(state: PodClaims, allocator: Allocator, oddities: Oddities, node: NodeInfo) -> object:
    """Returns the result of Filter on the node: an allocation, or why there is none."""
    try:
        return _with(allocator, oddities).allocate(node.existing_node, state.to_allocate)
    except NotAllocated as problem:
        return type(problem), str(problem)


def _that_matter(
    claims: Sequence[ResourceClaim], allocator: Allocator, node: NodeInfo
) -> tuple[KnownDefect, ...]:
    """Returns the known defects that may change the result for these claims."""
    promised = _with(allocator, AS_PROMISED).pool_orders(node.existing_node)[0]
    released = _with(allocator, AS_RELEASED).pool_orders(node.existing_node)[0]
    one_is_passed_over = any(pool.is_passed_over for pool in promised)
    matter: set[KnownDefect] = set()
    for claim, for_all in _asking_for_all(claims):
        wants_all = any(for_all)
        if one_is_passed_over or (wants_all and _incomplete(promised) != _incomplete(released)):
            matter.add(SLICES_OUT_OF_REACH)
        if wants_all and any(pool.is_broken for pool in released):
            matter.add(ALL_OF_A_BROKEN_POOL)
        if wants_all and claim.spec.devices.constraints:
            matter.add(ALL_AGAINST_A_CONSTRAINT)
        if any(for_all[1:]):
            matter.add(ALL_OF_AN_ALTERNATIVE)
        if for_all[:2] == [True, True]:
            matter.add(MATCHED_BY_AN_ALTERNATIVE)
    return tuple(defect for defect in KNOWN_DEFECTS if defect in matter and _has(allocator, defect))


def _has(allocator: Allocator, defect: KnownDefect) -> bool:
    """Returns whether the release has this defect."""
    return all(getattr(allocator.steps, name) is step for name, step in defect.steps.items())


def _incomplete(pools: Sequence[Pool]) -> list[bool]:
    return [pool.is_incomplete for pool in pools]


def _asking_for_all(claims: Sequence[ResourceClaim]) -> Iterator[tuple[ResourceClaim, list[bool]]]:
    """Returns for each request whether it, or its alternatives, ask for all devices."""
    for claim in claims:
        for request in claim.spec.devices.requests:
            asked = (request.exactly,) if request.exactly is not None else request.first_available
            yield claim, [one.allocation_mode == ALL for one in asked]
