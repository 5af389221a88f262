# SPDX-License-Identifier: Apache-2.0
"""Results: what is written into a claim's status once devices were found for it.

Promised: what an allocation says is documented with the status of the ResourceClaim API.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go, Allocate,
createNodeSelector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import NAMESPACE_OID, uuid5

from attrs import evolve, frozen

from refsched.devices.constraints import RequestName
from refsched.devices.errors import AllocationError
from refsched.devices.in_use import Amounts
from refsched.devices.pools import OfferedDevice
from refsched.devices.requests import RequestKey, SizedRequest
from refsched.objects.dra import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    DeviceToleration,
    ResourceClaim,
)
from refsched.objects.node import Node
from refsched.objects.selectors import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from refsched.rules import ErrorReason, applies

NO_NODE_SELECTOR = ErrorReason("create NodeSelector for claim {}: {}", "R-DRA-62")
TOO_MANY_TERMS = ErrorReason("unsupported ResourceSlice.NodeSelector with {} terms", "R-DRA-62")

Requirements = tuple[NodeSelectorRequirement, ...]
Configs = tuple[DeviceAllocationConfiguration, ...]
ConfigsOf = Callable[[ResourceClaim, int, Mapping[RequestKey, SizedRequest]], Configs]


@frozen
class ChosenDevice:
    """A ChosenDevice is a device that was found for a request, or a share of one: then ``consumed`` is what it
    consumes. ``takes_counters`` says that the counters of the device were consumed with it."""

    request: RequestName
    offered: OfferedDevice
    admin_access: bool
    tolerations: tuple[DeviceToleration, ...] = ()
    consumed: Amounts | None = None
    takes_counters: bool = False

    def result(self, share_id: str) -> DeviceRequestAllocationResult:
        """R-DRA-63 (decides claimShares, claimCapacity): A device that allows multiple allocations is allocated in
        shares, each of which has an id and says what it consumes.
        R-DRA-64 (decides claimTolerations, claimConditions, claimFailureConditions): The tolerations of the
        request and the binding conditions of the device are copied into the allocation."""
        device = self.offered.device
        applies("R-DRA-63", when=self.consumed is not None)
        applies("R-DRA-64", when=self.tolerations or device.binding_conditions)
        return DeviceRequestAllocationResult(
            str(self.request),
            *self.offered.id,
            admin_access=True if self.admin_access else None,
            tolerations=self.tolerations,
            binding_conditions=device.binding_conditions,
            binding_failure_conditions=device.binding_failure_conditions,
            share_id=share_id if self.consumed is not None else None,
            consumed_capacity=self.consumed or {},
        )


def allocation_result(
    claim: ResourceClaim,
    index: int,
    sized: Mapping[RequestKey, SizedRequest],
    chosen: Sequence[ChosenDevice],
    node: Node,
    configs_of: ConfigsOf,
) -> AllocationResult:
    """Returns the result for a claim. ``index`` is its position among those that ``sized`` knows."""
    results = tuple(device.result(_share_id(claim, number)) for number, device in enumerate(chosen))
    configs = configs_of(claim, index, sized)
    try:
        selector = _node_selector(chosen, node)
    except AllocationError as error:
        raise AllocationError(NO_NODE_SELECTOR.of(claim.name, error)) from None
    return AllocationResult(DeviceAllocationResult(results, configs), selector)


def _share_id(claim: ResourceClaim, number: int) -> str:
    """Returns the id of a claim's share, which no other share has. kube-scheduler draws it at random."""
    return str(uuid5(NAMESPACE_OID, f"{claim.key} {claim.uid} {number}"))


# --- Configuration --------------------------------------------------------------------------------


def configs_of(claim: ResourceClaim, index: int, sized: Mapping[RequestKey, SizedRequest]) -> Configs:
    """R-DRA-65: Configuration of the allocation that applies to every request of the claim names no request."""
    names = [selected(index, request, sized).name for request in range(len(claim.spec.devices.requests))]
    configs = []
    for config in (*class_configs(claim, index, sized), *_claim_configs(claim, index, sized)):
        is_for_all = all(name.base in config.requests or str(name) in config.requests for name in names)
        applies("R-DRA-65", when=config.requests and is_for_all)
        configs.append(evolve(config, requests=()) if is_for_all else config)
    return tuple(configs)


def selected(index: int, request: int, sized: Mapping[RequestKey, SizedRequest]) -> SizedRequest:
    """Returns the request, or the one of its alternatives that was chosen."""
    first = sized[RequestKey(index, request, 0)]
    return sized[RequestKey(index, request, first.selected)]


def class_configs(
    claim: ResourceClaim, index: int, sized: Mapping[RequestKey, SizedRequest]
) -> list[DeviceAllocationConfiguration]:
    """R-DRA-60: The configuration of a device class stands once in the allocation, with all requests that use
    the class."""
    by_class: dict[str, list[DeviceAllocationConfiguration]] = {}
    for request in range(len(claim.spec.devices.requests)):
        one = selected(index, request, sized)
        name = (str(one.name),)
        configs = by_class.get(one.device_class.name)
        if configs is not None:
            applies("R-DRA-60")
            configs[:] = [evolve(config, requests=config.requests + name) for config in configs]
            continue
        by_class[one.device_class.name] = [
            DeviceAllocationConfiguration("FromClass", name, config.opaque)
            for config in one.device_class.spec.config
        ]
    return [config for configs in by_class.values() for config in configs]


def _claim_configs(
    claim: ResourceClaim, index: int, sized: Mapping[RequestKey, SizedRequest]
) -> list[DeviceAllocationConfiguration]:
    """R-DRA-66: The configuration of the claim follows that of the classes, once if it names no request or one
    that was allocated."""
    configs = []
    names = [selected(index, request, sized).name for request in range(len(claim.spec.devices.requests))]
    for config in claim.spec.devices.config:
        if config.requests and not any({name.base, str(name)} & {*config.requests} for name in names):
            continue
        applies("R-DRA-66")
        configs.append(DeviceAllocationConfiguration("FromClaim", config.requests, config.opaque))
    return configs


# --- Where the devices can be used ----------------------------------------------------------------


def _node_selector(chosen: Sequence[ChosenDevice], node: Node) -> NodeSelector | None:
    """R-DRA-62: An allocation with a device of a single node, or one that binds to a node, is usable on that
    node only; otherwise it requires of a node all that the slices of its devices require, or the devices where
    a slice selects nodes for each of them, without repetition."""
    fields: Requirements = ()
    expressions: Requirements = ()
    for one in chosen:
        device, spec = one.offered.device, one.offered.slice.spec
        where = device if spec.per_device_node_selection else spec
        if where.node_name is not None or device.binds_to_node:
            applies("R-DRA-62")
            by_name = NodeSelectorRequirement("metadata.name", "In", (node.name,))
            return NodeSelector((NodeSelectorTerm(match_fields=(by_name,)),))
        terms = where.node_selector.node_selector_terms if where.node_selector is not None else ()
        if len(terms) > 1:
            raise AllocationError(TOO_MANY_TERMS.of(len(terms)))
        for term in terms:
            fields = _joined(fields, term.match_fields)
            expressions = _joined(expressions, term.match_expressions)
    if not fields and not expressions:
        return None
    applies("R-DRA-62")
    return NodeSelector((NodeSelectorTerm(expressions, fields),))


def _joined(requirements: Requirements, more: Requirements) -> Requirements:
    """Returns all requirements. One that is among them already is not added; values are compared as sets."""
    known = {(r.key, r.operator, frozenset(r.values)): r for r in requirements}
    for requirement in more:
        known.setdefault((requirement.key, requirement.operator, frozenset(requirement.values)), requirement)
    return tuple(known.values())
