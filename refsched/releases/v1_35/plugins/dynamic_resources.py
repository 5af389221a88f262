# SPDX-License-Identifier: Apache-2.0
"""DynamicResources before 1.36.

Changed by: KEP-5007 (feature gate DRADeviceBindingConditions is on), kubernetes #137607 (a search for devices that
takes too long is an error), #139017 (claims that are allocated already count for the score), #137897 (a claim that
is about to be allocated is not allocated anew).
After the upgrade: A pod waits to be bound until its devices report that they are ready, 600 s at most (R-DRA-97).
What to do: set bindingTimeout in the arguments of DynamicResources if this is too long or too short for your
devices.

Observed: how a search that takes too long ends is a setting.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from attrs import frozen

from refsched.devices.claims import is_being_allocated, start_allocation
from refsched.devices.errors import SearchTooLong
from refsched.framework.interface import Api
from refsched.framework.node_info import NodeInfo
from refsched.framework.status import Status, error, unresolvable
from refsched.objects.dra import ResourceClaim
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_claims import Allocations, PodClaims, possible_allocations
from refsched.plugins.dynamic_resources_conditions import BindingConditions
from refsched.releases.v1_35.devices import Allocator
from refsched.releases.v1_35.plugins.dynamic_resources_args import DynamicResourcesArgs
from refsched.releases.v1_36.plugins import dynamic_resources as later
from refsched.rules import ErrorReason, Reason, applies

FEWER_ALLOCATIONS = ErrorReason("number of allocations {} is smaller than number of claims", "R-DRA-123")


@frozen
class NoBindingConditions(BindingConditions):
    """No device has to be ready before a pod is bound."""

    def allocation_time(self, api: Api) -> None:
        """Returns None: an allocation has no time."""

    def failed(self, claims: Iterable[ResourceClaim], now: datetime) -> frozenset[str]:
        return frozenset()

    def wait(self, claims: Sequence[tuple[str, str]], api: Api, bound: Callable[[], Status]) -> Status:
        return bound()


@frozen
class DynamicResources(later.DynamicResources):
    conditions: BindingConditions = NoBindingConditions()
    ARGS = DynamicResourcesArgs
    allocator = Allocator

    def allocations(self, state: PodClaims, node: NodeInfo) -> Allocations:
        """R-DRA-17 (observed: in which order pools are tried is not part of the API): Of the allocations that
        are possible on the chosen node, Filter found any one.
        R-DRA-16 (observed: in which order pools are tried is not part of the API): The order in which pools are
        tried may decide which devices are found on a node, if any."""
        assert state.allocator is not None
        applies("R-DRA-16", when=len(state.allocator.pool_orders(node.existing_node)) > 1)
        possible = possible_allocations(state, node)
        applies("R-DRA-17", when=len(possible) > 1)
        return state.choices.choose("allocation", possible) if possible else ()

    def start_allocation(self, claim: ResourceClaim, objects: ObjectStore) -> None:
        """R-DRA-159 (instead of R-DRA-158): Before 1.36 a claim that the pod names twice counts with the second
        allocation until one is written."""
        applies("R-DRA-159", when=is_being_allocated(claim, objects))
        start_allocation(claim, objects)

    def special_claim(self, pod: Pod, objects: ObjectStore) -> ResourceClaim | None:
        """Returns None: feature gate DRAExtendedResource is off."""

    def too_long(self, problem: SearchTooLong, node: NodeInfo) -> Status:
        """R-DRA-122 (instead of R-DRA-68): A node on which the search for devices is given up is rejected as
        UnschedulableAndUnresolvable."""
        return unresolvable(Reason(str(problem), "R-DRA-122"))

    def score_error(self, state: PodClaims | None) -> Status | None:
        """R-DRA-123: Score of DynamicResources fails with an error if Filter found allocations for some of the
        claims of the pod and the others were allocated before. Source: computeScore."""
        if state is None or not state.is_filtered or not 0 < len(state.to_allocate) < len(state.claims):
            return None
        return error(FEWER_ALLOCATIONS.of(len(state.to_allocate)))
