# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit: a pod runs where what it requests is still free; how full a node is gives its score.

Rules: R-FIT-01 … R-FIT-08.   Source: plugins/noderesources/fit.go, resource_allocation.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.quantity import Quantity
from refsched.objects.resources import (
    CPU,
    DEFAULT_MEMORY_REQUEST,
    DEFAULT_MILLI_CPU_REQUEST,
    EPHEMERAL_STORAGE,
    MEMORY,
    Resource,
    amount,
    is_extended_resource,
    is_scalar_resource,
    pod_requests,
    resource_of,
)
from refsched.plugins.resource_scoring import (
    ResourceSpec,
    Use,
    UtilizationShapePoint,
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
)

_SCORING_DEFAULTS = {
    CPU: Quantity.milli(DEFAULT_MILLI_CPU_REQUEST),
    MEMORY: Quantity.of(DEFAULT_MEMORY_REQUEST),
}


@frozen
class NodeResourcesFit:
    """``strategy`` is LeastAllocated, MostAllocated or RequestedToCapacityRatio, which has a ``shape``."""

    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    strategy: str = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = (ResourceSpec(CPU), ResourceSpec(MEMORY))
    shape: tuple[UtilizationShapePoint, ...] = ()
    name: ClassVar[str] = "NodeResourcesFit"

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Resource]:
        """R-FIT-01: what the spec requests counts, pod-level requests included; the status does not."""
        return Continue(resource_of(pod_requests(pod.pod, use_status=False)))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, wanted: Resource, pod: PodInfo, node: NodeInfo) -> Status:
        """R-FIT-02: every resource that falls short is named, and too many pods as well.
        R-FIT-03: where a request is more than the whole node has, evicting pods would not help."""
        reasons = ["Too many pods"] if len(node.pods) + 1 > node.allocatable.allowed_pod_number else []
        hopeless = False
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar):
            asked, capacity = amount(wanted, resource), amount(node.allocatable, resource)
            if asked == 0 or self._ignores(resource) or asked <= capacity - amount(node.requested, resource):
                continue
            reasons.append(f"Insufficient {resource}")
            hopeless = hopeless or asked > capacity
        if not reasons:
            return SUCCESS
        return unresolvable(*reasons) if hopeless else unschedulable(*reasons)

    def _ignores(self, resource: str) -> bool:
        """R-FIT-04: extended resources may be ignored, by name or by the group before the slash."""
        if not is_extended_resource(resource):
            return False
        group, _, _ = resource.partition("/")
        return resource in self.ignored_resources or group in self.ignored_resource_groups

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Continue[Resource]:
        """R-FIT-05: for the score a container that asks for no cpu or memory counts with a default, and
        pod-level requests are left out."""
        requests = pod_requests(pod.pod, _SCORING_DEFAULTS, pod_level=False, use_status=False)
        return Continue(resource_of(requests))

    def score(self, wanted: Resource, pod: PodInfo, node: NodeInfo) -> int:
        uses = [use for spec in self.resources if (use := self._use(spec, wanted, node)) is not None]
        match self.strategy:
            case "LeastAllocated":
                return least_allocated(uses)
            case "MostAllocated":
                return most_allocated(uses)
        return requested_to_capacity_ratio(self.shape, uses)

    @staticmethod
    def _use(spec: ResourceSpec, wanted: Resource, node: NodeInfo) -> Use | None:
        """None where the node has none of it, or the pod asks for none of a scalar resource."""
        asked, capacity = amount(wanted, spec.name), amount(node.allocatable, spec.name)
        if capacity == 0 or (asked == 0 and is_scalar_resource(spec.name)):
            return None
        counted = node.non_zero_requested if spec.name in (CPU, MEMORY) else node.requested
        return Use(amount(counted, spec.name) + asked, capacity, spec.weight)
