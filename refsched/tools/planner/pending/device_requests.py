# SPDX-License-Identifier: Apache-2.0
"""Device requests: the devices that a node has for each request of a pod's resource claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from refsched.cel import CelError, compile_selector
from refsched.devices.allocator import Allocator
from refsched.devices.cel_device import cel_device
from refsched.devices.pools import OfferedDevice, Pool, is_reached
from refsched.devices.taints import is_kept_away
from refsched.framework.node_info import NodeInfo
from refsched.framework.status import Status
from refsched.objects.dra import (
    EXACT_COUNT,
    Device,
    DeviceSelector,
    DeviceTaint,
    ExactDeviceRequest,
    ResourceClaim,
)
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.tools.planner.pending.situation import Situation


@frozen
class RequestOnNode:
    """A RequestOnNode is a request of a claim with the devices of a node that match it. Of these it tolerates
    some, and of those some are free."""

    claim: ResourceClaim
    name: str
    asked: ExactDeviceRequest
    devices: Sequence[OfferedDevice]
    tolerated: Sequence[OfferedDevice]
    free: Sequence[OfferedDevice]

    @property
    def wanted(self) -> int:
        return self.asked.count or 1


def exact_requests(claim: ResourceClaim) -> Iterator[tuple[str, ExactDeviceRequest]]:
    """Yields the names of the requests for a number of devices, and what they ask for, if the claim is yet to be
    allocated. Those that have alternatives are left out."""
    for request in claim.spec.devices.requests if not claim.is_allocated else ():
        if request.exactly is not None and request.exactly.allocation_mode == EXACT_COUNT:
            yield request.name, request.exactly


def requests_on(situation: Situation, node: NodeInfo) -> Iterator[RequestOnNode]:
    """Yields each such request of the pod's claims with the devices of this node."""
    claims = _claims_on(situation, node)
    allocator = claims.allocator if claims is not None else None
    if claims is None or not isinstance(allocator, Allocator):
        return
    there = [
        offered
        for pool in allocator.pools_of(node.existing_node)
        for offered in pool.devices
        if is_reached(offered, node.existing_node)
    ]
    for claim in claims.claims:
        for name, asked in exact_requests(claim):
            of_class = allocator.get_class(asked.device_class_name)
            selectors = (*(of_class.spec.selectors if of_class is not None else ()), *asked.selectors)
            devices = [each for each in there if matches(selectors, each.id.driver, each.device)]
            tolerated = [each for each in devices if not is_kept_away(each.device, asked.tolerations)]
            free = [
                each
                for each in tolerated
                if asked.admin_access
                or each.device.allow_multiple_allocations
                or not allocator.in_use.is_allocated(each.id)
            ]
            yield RequestOnNode(claim, name, asked, devices, tolerated, free)


def incomplete_pools(situation: Situation, node: NodeInfo) -> list[Pool]:
    """Returns the pools of the node of which fewer slices are published than a slice says there are."""
    claims = _claims_on(situation, node)
    allocator = claims.allocator if claims is not None else None
    if not isinstance(allocator, Allocator):
        return []
    return [pool for pool in allocator.pools_of(node.existing_node) if pool.is_incomplete]


def untolerated(request: RequestOnNode) -> list[DeviceTaint]:
    """Returns the taints that keep the request from devices."""
    return [
        taint
        for each in request.devices
        for taint in each.device.taints
        if is_kept_away(evolve(each.device, taints=(taint,)), request.asked.tolerations)
    ]


def matches(selectors: Sequence[DeviceSelector], driver: str, device: Device) -> bool:
    """Returns whether the device matches all; one on which an expression fails does not."""
    try:
        seen = cel_device(driver, device)
        return all(compile_selector(each.cel.expression).matches(seen) for each in selectors if each.cel)
    except CelError:
        return False


def lacks_devices(situation: Situation, node: NodeInfo) -> bool:
    """Returns whether the node has fewer devices than a claim of the pod asks for, free or not, or does not reach
    those that a claim was allocated."""
    claims = _claims_on(situation, node)
    if claims is None or DynamicResources.name not in situation.rejecting[node.name]:
        return False
    is_away = bool(claims.unavailable(node))
    return is_away or any(len(each.devices) < each.wanted for each in requests_on(situation, node))


def _claims_on(situation: Situation, node: NodeInfo) -> PodClaims | None:
    """Returns the pod's claims, with what it asks for as extended resources on this node."""
    state = situation.state.states.get(DynamicResources.name)
    there = state.on(node) if isinstance(state, PodClaims) else None
    return None if isinstance(there, Status) else there
