# SPDX-License-Identifier: Apache-2.0
"""The claims of a pod as PreFilter of DynamicResources found them, and what they may be allocated on a node.

Promised: how claims are allocated is documented with dynamic resource allocation, KEP-4381.
Source: plugins/dynamicresources/dynamicresources.go, stateData, computeScore.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, field, frozen

from refsched.devices.allocator import Allocates
from refsched.devices.errors import NotAllocated
from refsched.devices.pools import Pools
from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.node_info import NodeInfo
from refsched.framework.status import Status, unresolvable
from refsched.objects.dra import AllocationResult, ResourceClaim
from refsched.objects.pod import Pod
from refsched.objects.resources import requests_of_spec
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_extended import Mapped, may_be_served, requesting, served
from refsched.rules import Reason, applies

MAX_ALTERNATIVES = 8
"""A request lists at most this many alternatives (resource.FirstAvailableDeviceRequestMaxSize)."""


CANNOT_SCHEDULE = Reason("cannot schedule extended resource claim", "R-DRA-93")
CANNOT_FIT = Reason("cannot fit resource", "R-DRA-93")


@frozen
class Special:
    """A Special has what the special claim of a pod is made from: the extended resources that the pod
    requests (``wanted``), and those of them that a DeviceClass serves."""

    pod: Pod
    wanted: frozenset[str]
    served: frozenset[str]
    objects: ObjectStore = field(eq=False)


def special_of(pod: Pod, objects: ObjectStore) -> Special:
    wanted = requests_of_spec(pod)
    names = frozenset(name for name, asked in wanted.scalar.items() if asked and may_be_served(name))
    return Special(pod, names, served(wanted, objects), objects)


@frozen
class PodClaims:
    """PodClaims are a pod's claims as PreFilter found them, in the order in which the pod names them.

    ``allocator`` is set if some are yet to be allocated, and ``allocations`` once Reserve has allocated them:
    for each claim its allocation, or None if it was allocated before. ``is_filtered`` says whether Filter
    looked for allocations. ``special`` is set if the last claim is the special one, which is made for each node,
    and ``mappings`` say what its requests serve there. ``failed`` are the keys of claims whose devices are not
    expected to be ready any more."""

    claims: tuple[ResourceClaim, ...]
    allocator: Allocates | None
    allocations: tuple[AllocationResult | None, ...] = ()
    choices: Choices = field(factory=FirstChoice, eq=False)
    is_filtered: bool = True
    special: Special | None = None
    mappings: tuple[Mapped, ...] = ()
    failed: frozenset[str] = frozenset()

    @property
    def to_allocate(self) -> tuple[ResourceClaim, ...]:
        return tuple(claim for claim in self.claims if not claim.is_allocated)

    @property
    def of_the_user(self) -> tuple[ResourceClaim, ...]:
        """Returns the claims that the pod names."""
        return self.claims if self.special is None else self.claims[:-1]

    @property
    def has_alternatives(self) -> bool:
        return any(
            request.first_available for claim in self.claims for request in claim.spec.devices.requests
        )

    def on(self, node: NodeInfo) -> PodClaims | Status:
        """R-DRA-93: A node serves an extended resource by devices if its allocatable has none of it and a
        DeviceClass serves it, and otherwise by itself; one that does neither is rejected as
        UnschedulableAndUnresolvable. A special claim of an earlier attempt rejects every node.

        Source: filterExtendedResources."""
        if self.special is None:
            return self
        claim = self.claims[-1]
        if claim.spec.devices.requests:
            return unresolvable(CANNOT_SCHEDULE)
        by_devices = []
        for resource in sorted(self.special.wanted):
            if resource in self.special.served and not node.allocatable.scalar.get(resource):
                by_devices.append(resource)
            elif resource not in node.allocatable.scalar:
                return unresolvable(CANNOT_FIT)
        applies("R-DRA-93")
        if not by_devices and len(self.claims) == 1:
            return evolve(self, claims=(), allocator=None)
        made, mappings = requesting(claim, self.special.pod, by_devices, self.special.objects)
        return evolve(self, claims=(*self.claims[:-1], made), mappings=mappings)

    def unavailable(self, node: NodeInfo) -> tuple[ResourceClaim, ...]:
        """Returns the claims that are allocated where this node cannot reach them, or that have failed."""
        return tuple(
            claim
            for claim in self.claims
            if claim.key in self.failed or not _reaches(claim.status.allocation, node)
        )


def _reaches(allocation: AllocationResult | None, node: NodeInfo) -> bool:
    selector = allocation.node_selector if allocation is not None else None
    return selector is None or selector.matches(node.existing_node)


Allocations = tuple[tuple[ResourceClaim, AllocationResult | None], ...]
"""Allocations have what each claim gets, or None if it was allocated before."""

MAX_ORDERS = 5040
"""At most this many orders of pools are considered: all those of seven pools."""


def allocations_on(state: PodClaims, node: NodeInfo, pools: Pools | None = None) -> Allocations:
    """Returns the allocations on the node, or nothing if they are not possible in this order of pools.
    ``state`` is what ``PodClaims.on`` returned for this node."""
    assert state.allocator is not None
    try:
        found = state.allocator.allocate(node.existing_node, state.to_allocate, pools)
    except NotAllocated:
        return ()
    if not found:
        return ()
    results = iter(found)
    return tuple((claim, None if claim.is_allocated else next(results)) for claim in state.claims)


def possible_allocations(state: PodClaims, node: NodeInfo) -> Sequence[Allocations]:
    """Returns the different allocations that are possible on the node, by whichever order in which pools may be
    tried. ``state`` is what ``PodClaims.on`` returned for this node."""
    assert state.allocator is not None
    orders = state.allocator.pool_orders(node.existing_node)
    possible: list[Allocations] = []
    for number in range(min(len(orders), MAX_ORDERS)):
        allocated = allocations_on(state, node, orders[number])
        if allocated and allocated not in possible:
            possible.append(allocated)
    return possible


def preference(claim: ResourceClaim, allocation: AllocationResult | None) -> int:
    """Returns what the alternatives that were chosen for a claim score."""
    names = {result.request for result in (allocation.devices.results if allocation is not None else ())}
    return sum(
        MAX_ALTERNATIVES - index
        for request in claim.spec.devices.requests
        for index, alternative in enumerate(request.first_available)
        if f"{request.name}/{alternative.name}" in names
    )
