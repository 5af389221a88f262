# SPDX-License-Identifier: Apache-2.0
"""Results: what is written into a claim's status once devices were found for it.

Promised: what an allocation says is documented with the status of the ResourceClaim API.
Source: dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go, Allocate,
createNodeSelector (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from refsched.devices.constraints import RequestName
from refsched.devices.errors import AllocationError
from refsched.devices.pools import OfferedDevice
from refsched.devices.requests import RequestKey, SizedRequest
from refsched.objects.dra import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    ResourceClaim,
)
from refsched.objects.node import Node
from refsched.objects.selectors import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from refsched.rules import applies

Requirements = tuple[NodeSelectorRequirement, ...]


@frozen
class ChosenDevice:
    """A ChosenDevice is a device that was found for a request."""

    request: RequestName
    offered: OfferedDevice
    admin_access: bool

    @property
    def result(self) -> DeviceRequestAllocationResult:
        return DeviceRequestAllocationResult(
            str(self.request), *self.offered.id, admin_access=True if self.admin_access else None
        )


def allocation_result(
    claim: ResourceClaim,
    index: int,
    sized: Mapping[RequestKey, SizedRequest],
    chosen: Sequence[ChosenDevice],
    node: Node,
) -> AllocationResult:
    """Returns the result for a claim. ``index`` is its position among those that ``sized`` knows."""
    results = tuple(device.result for device in chosen)
    configs = (*_class_configs(claim, index, sized), *_claim_configs(claim, index, sized))
    try:
        selector = _node_selector(chosen, node)
    except AllocationError as error:
        raise AllocationError(f"create NodeSelector for claim {claim.name}: {error}") from None
    return AllocationResult(DeviceAllocationResult(results, configs), selector)


# --- Configuration --------------------------------------------------------------------------------


def _selected(index: int, request: int, sized: Mapping[RequestKey, SizedRequest]) -> SizedRequest:
    first = sized[RequestKey(index, request, 0)]
    return sized[RequestKey(index, request, first.selected)]


def _class_configs(
    claim: ResourceClaim, index: int, sized: Mapping[RequestKey, SizedRequest]
) -> list[DeviceAllocationConfiguration]:
    """R-DRA-60: The configuration of a device class stands once in the allocation, with all requests that use the
    class."""
    by_class: dict[str, list[DeviceAllocationConfiguration]] = {}
    for request in range(len(claim.spec.devices.requests)):
        one = _selected(index, request, sized)
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
    """R-DRA-61: The configuration of the claim follows that of the classes, once for each request that it names
    and that was allocated, or once if it names none."""
    configs = []
    for config in claim.spec.devices.config:
        applies("R-DRA-61")
        made = DeviceAllocationConfiguration("FromClaim", config.requests, config.opaque)
        if not config.requests:
            configs.append(made)
            continue
        for request in range(len(claim.spec.devices.requests)):
            name = _selected(index, request, sized).name
            if name.base in config.requests or str(name) in config.requests:
                configs.append(made)
    return configs


# --- Where the devices can be used ----------------------------------------------------------------


def _node_selector(chosen: Sequence[ChosenDevice], node: Node) -> NodeSelector | None:
    """R-DRA-62: An allocation with a device of a single node is usable on that node only; otherwise it requires of
    a node all that the slices of its devices require, without repetition."""
    fields: Requirements = ()
    expressions: Requirements = ()
    for device in chosen:
        spec = device.offered.slice.spec
        if spec.node_name is not None:
            applies("R-DRA-62")
            by_name = NodeSelectorRequirement("metadata.name", "In", (node.name,))
            return NodeSelector((NodeSelectorTerm(match_fields=(by_name,)),))
        terms = spec.node_selector.node_selector_terms if spec.node_selector is not None else ()
        if len(terms) > 1:
            raise AllocationError(f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms")
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
