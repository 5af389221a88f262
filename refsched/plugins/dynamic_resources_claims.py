# SPDX-License-Identifier: Apache-2.0
"""The claims of a pod as PreFilter of DynamicResources found them, and what they may be allocated on a node.

Promised: how claims are allocated is documented with dynamic resource allocation, KEP-4381.
Source: plugins/dynamicresources/dynamicresources.go, stateData, computeScore.
"""

from __future__ import annotations

from attrs import field, frozen

from refsched.devices.allocator import Allocates
from refsched.devices.errors import AllocationError
from refsched.devices.pools import Pools
from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.node_info import NodeInfo
from refsched.objects.dra import AllocationResult, ResourceClaim

MAX_ALTERNATIVES = 8
"""A request lists at most so many alternatives (resource.FirstAvailableDeviceRequestMaxSize)."""


@frozen
class PodClaims:
    """PodClaims are a pod's claims as PreFilter found them, in the order in which the pod names them.

    ``allocator`` is set if some are yet to be allocated, and ``allocations`` once Reserve has allocated them:
    for each claim its allocation, or None if it was allocated before. ``is_filtered`` says whether Filter
    looked for allocations."""

    claims: tuple[ResourceClaim, ...]
    allocator: Allocates | None
    allocations: tuple[AllocationResult | None, ...] = ()
    choices: Choices = field(factory=FirstChoice, eq=False)
    is_filtered: bool = True

    @property
    def to_allocate(self) -> tuple[ResourceClaim, ...]:
        return tuple(claim for claim in self.claims if not claim.is_allocated)

    @property
    def has_alternatives(self) -> bool:
        return any(
            request.first_available for claim in self.claims for request in claim.spec.devices.requests
        )

    def unavailable(self, node: NodeInfo) -> tuple[ResourceClaim, ...]:
        """Returns the claims that are allocated where this node cannot reach them."""
        return tuple(claim for claim in self.claims if not _reaches(claim.status.allocation, node))


def _reaches(allocation: AllocationResult | None, node: NodeInfo) -> bool:
    selector = allocation.node_selector if allocation is not None else None
    return selector is None or selector.matches(node.existing_node)


Allocations = tuple[tuple[ResourceClaim, AllocationResult | None], ...]
"""Allocations have what each claim gets, or None if it was allocated before."""


def allocations_on(state: PodClaims, node: NodeInfo, pools: Pools | None = None) -> Allocations:
    """Returns the allocations on the node, or nothing if they are not possible in this order of pools."""
    assert state.allocator is not None
    try:
        found = state.allocator.allocate(node.existing_node, state.to_allocate, pools)
    except AllocationError:
        return ()
    if not found:
        return ()
    results = iter(found)
    return tuple((claim, None if claim.is_allocated else next(results)) for claim in state.claims)


def preference(claim: ResourceClaim, allocation: AllocationResult | None) -> int:
    """Returns what the alternatives that were chosen for a claim score."""
    names = {result.request for result in (allocation.devices.results if allocation is not None else ())}
    return sum(
        MAX_ALTERNATIVES - index
        for request in claim.spec.devices.requests
        for index, alternative in enumerate(request.first_available)
        if f"{request.name}/{alternative.name}" in names
    )
