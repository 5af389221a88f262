# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit: a pod runs where what it requests is still free; how full a node is gives its score.

Rules: R-FIT-01 … R-FIT-12.   Source: plugins/noderesources/fit.go, resource_allocation.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
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
    requests_in_events,
    resource_of,
)
from refsched.objects.store import ObjectStore
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
    """``strategy`` is LeastAllocated, MostAllocated or RequestedToCapacityRatio, which has a ``shape``.
    ``in_place_scaling`` is feature gate InPlacePodVerticalScaling."""

    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    strategy: str = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = (ResourceSpec(CPU), ResourceSpec(MEMORY))
    shape: tuple[UtilizationShapePoint, ...] = ()
    in_place_scaling: bool = True
    name: ClassVar[str] = "NodeResourcesFit"

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Resource]:
        """R-FIT-01: what the spec requests counts, pod-level requests included; the status does not."""
        return Continue(_wanted(pod.pod))

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

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_change(self, pod: Pod, before: Pod, after: Pod | None, objects: ObjectStore) -> bool:
        """R-FIT-09: a pod gone from the node that it ran on, or was nominated to, may help any other.
        R-FIT-10: so may a running pod that now asks for less of what the pod asks for too, or the pod
        itself, where it asks for less of anything; but without InPlacePodVerticalScaling it does not.
        Pod-level requests count here without their gate too."""
        if after is None:
            return bool(before.spec.node_name or before.status.nominated_node_name)
        if not self.in_place_scaling:
            return False
        if after.uid == pod.uid:
            return True
        return bool(after.spec.node_name) and _asks_for_less(before, after, pod)

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-FIT-11: the pod must fit on the node as if it were empty, even for what this plugin ignores.
        R-FIT-12: a node that was there before must also have more than it had: of what the pod asks for, or
        room for more pods."""
        wanted = _wanted(pod)
        if not NodeResourcesFit().filter(wanted, PodInfo(pod), _empty(after)).is_success:
            return False
        return before is None or _has_grown(_empty(before).allocatable, _empty(after).allocatable, wanted)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            POD,
            ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN,
            after_pod_change,
            "resources may have been given back, or fewer be asked for",
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_ALLOCATABLE,
            after_node_change,
            "a node may have come, or have more to give",
        ),
    )


def _wanted(pod: Pod) -> Resource:
    return resource_of(pod_requests(pod, use_status=False))


def _empty(node: Node) -> NodeInfo:
    return NodeInfo(node, allocatable=resource_of(node.status.allocatable))


def _asks_for_less(before: Pod, after: Pod, pod: Pod) -> bool:
    """Of any resource that ``pod`` asks for. Source: isSchedulableAfterPodScaleDown."""
    had, has, asked = (resource_of(requests_in_events(each)) for each in (before, after, pod))
    return any(
        amount(had, resource) > amount(has, resource)
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *asked.scalar)
        if amount(asked, resource)
    )


def _has_grown(before: Resource, after: Resource, wanted: Resource) -> bool:
    """Source: haveAnyRequestedResourcesIncreased."""
    if after.allowed_pod_number > before.allowed_pod_number:
        return True
    return any(
        amount(after, resource) > amount(before, resource)
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar)
        if amount(wanted, resource)
    )
