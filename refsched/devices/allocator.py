# SPDX-License-Identifier: Apache-2.0
"""Allocator: the search for devices that satisfy all claims of a pod on one node.

With the default gates the scheduler uses the *incubating* allocator, since the stable one does not support all
that they enable (structured/allocator.go, NewAllocator).

Promised: requests and their alternatives are documented with the ResourceClaim API, KEP-4381 and KEP-4816.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go, Allocate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from attrs import field, frozen

from refsched.devices.constraints import Constraint, DistinctAttribute, MatchAttribute
from refsched.devices.counters import Counters
from refsched.devices.errors import AllocationError, RejectedOnNode
from refsched.devices.in_use import InUse
from refsched.devices.pools import (
    Pools,
    SlicesByNode,
    gather_pools,
    in_fixed_order,
    node_reaches,
    only_node,
)
from refsched.devices.requests import GetClass, Matcher, RequestKey, SizedRequest, Sizer
from refsched.devices.results import allocation_result, configs_of
from refsched.devices.search import Search
from refsched.devices.search_memory import SearchMemory
from refsched.devices.steps import AllocatorSteps
from refsched.objects.dra import AllocationResult, DeviceConstraint, ResourceClaim, ResourceSlice
from refsched.objects.node import Node
from refsched.rules import ErrorReason, Reason, applies

UNKNOWN_CONSTRAINT = ErrorReason(
    "claim {}, constraint #{}: empty constraint (unsupported constraint type?)", "R-DRA-51"
)
INVALID_POOLS = Reason("invalid resource pools were encountered", "R-DRA-67")


class Allocates(Protocol):
    """Allocates finds devices for claims on a node, in one of the orders in which pools may be tried."""

    def pool_orders(self, node: Node) -> Sequence[Pools]: ...

    def allocate(
        self, node: Node, claims: Sequence[ResourceClaim], pools: Pools | None = None
    ) -> tuple[AllocationResult, ...] | None: ...


@frozen
class Allocator:
    """An Allocator has all that an allocation depends on except the node. ``in_use`` is what claims hold, and
    ``is_timed`` says that a long search is given up (filterTimeout)."""

    slices: Sequence[ResourceSlice]
    in_use: InUse
    get_class: GetClass = field(eq=False)
    steps: AllocatorSteps = AllocatorSteps()
    is_timed: bool = True
    slices_by_node: SlicesByNode = field(eq=False)

    matcher: ClassVar[type[Matcher]] = Matcher
    sizer: ClassVar[type[Sizer]] = Sizer
    search: ClassVar[type[Search]] = Search
    counters: ClassVar[type[Counters]] = Counters
    distinct: ClassVar[type[DistinctAttribute]] = DistinctAttribute
    reaches = staticmethod(node_reaches)
    only_node = staticmethod(only_node)
    configs_of = staticmethod(configs_of)

    @slices_by_node.default
    def _all_slices(self) -> SlicesByNode:
        return SlicesByNode(self.slices, self.only_node)

    def pool_orders(self, node: Node) -> Sequence[Pools]:
        """Returns the orders in which the pools that the node reaches may be tried."""
        return in_fixed_order(self.pools_of(node), node)

    def pools_of(self, node: Node) -> Pools:
        """Returns the pools that the node reaches."""
        return gather_pools(self.slices_by_node.of(node), node, self.reaches, self.steps.out_of_reach)

    def allocate(
        self,
        node: Node,
        claims: Sequence[ResourceClaim],
        pools: Pools | None = None,
    ) -> tuple[AllocationResult, ...] | None:
        """R-DRA-50 (decides write, claims): The first allocation that satisfies all claims of the pod is taken,
        with one result per claim.

        Returns None if there is none. Without ``pools``, the first of the orders of pools is used.

        Raises RejectedOnNode if there is none for a reason of its own, AllocationError if a claim, a class or a
        pool is invalid, and SearchTooLong if the search takes too long."""
        gathered = pools if pools is not None else self.pool_orders(node)[0]
        pools = tuple(pool for pool in gathered if not pool.is_passed_over)
        sizer = self.sizer(claims, pools, self.get_class, self.matcher(claims, node), self.steps, self.in_use)
        sized: dict[RequestKey, SizedRequest] = {}
        constraints: list[list[Constraint]] = []
        for index, claim in enumerate(claims):
            sized |= sizer.size_claim(index)
            constraints.append(
                [self._constraint(claim, *each) for each in enumerate(claim.spec.devices.constraints)]
            )
        # The sizer's matcher may have remembered matches under another alternative (matched_as).
        matcher = self.matcher(claims, node)
        memory = SearchMemory(claims, sized, matcher, self.is_timed)
        counters = self.counters(pools, self.in_use)
        search = self.search(
            claims, pools, self.in_use, matcher, sized, constraints, self.steps, memory, counters
        )
        if not search.run():
            self.found_nothing(pools)
            return None
        applies("R-DRA-50")
        return tuple(
            allocation_result(claim, index, sized, search.chosen[index], node, self.configs_of)
            for index, claim in enumerate(claims)
        )

    def _constraint(self, claim: ResourceClaim, index: int, constraint: DeviceConstraint) -> Constraint:
        """R-DRA-51: A constraint of a claim that is of no known kind is an error."""
        requests = frozenset(constraint.requests)
        if constraint.match_attribute is not None:
            return MatchAttribute(requests, constraint.match_attribute)
        if constraint.distinct_attribute is not None:
            return self.distinct(requests, constraint.distinct_attribute)
        raise AllocationError(UNKNOWN_CONSTRAINT.of(claim.key, index))

    def found_nothing(self, pools: Pools) -> None:
        """R-DRA-67 (observed: the wording of reasons is not part of the API): If nothing is found on a node
        that reaches an invalid pool, the pool is the reason for which the node is rejected.

        Raises RejectedOnNode."""
        if any(pool.invalid_reason for pool in pools if not pool.is_incomplete):
            raise RejectedOnNode(INVALID_POOLS)
