# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit: a pod runs where enough of each resource is free; the node's score depends on this as
well.

Promised: requests and allocatable resources are documented with the Pod and the Node API.
Source: plugins/noderesources/fit.go, resource_allocation.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from refsched.config.args import PluginArgs
from refsched.framework.events import DEVICE_CLASS, NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue
from refsched.framework.left_out import ERROR_READING
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.dra import DeviceClass
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.resources import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    SCORING_DEFAULTS,
    Resource,
    amount,
    has_pod_level_requests,
    is_extended_resource,
    is_scalar_resource,
    pod_requests,
    requests_in_events,
    requests_of_spec,
    resource_of,
)
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_extended import OF_A_CLASS, served
from refsched.plugins.node_resources_fit_args import NodeResourcesFitArgs
from refsched.plugins.resource_scoring import (
    DEFAULT_RESOURCES,
    ResourceSpec,
    Use,
    UtilizationShapePoint,
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
)
from refsched.plugins.resource_scoring_devices import CountedDevices, counted_devices, devices_instead
from refsched.plugins.signatures import sign_requests
from refsched.rules import Reason, applies

TOO_MANY_PODS = Reason("Too many pods", "R-FIT-02")
INSUFFICIENT = Reason("Insufficient {}", "R-FIT-02")


@frozen
class Wanted:
    """A Wanted is what a pod requests. ``served`` are the resources among it that a DeviceClass serves."""

    requests: Resource
    served: frozenset[str]


@frozen
class Scored:
    """A Scored is what counts of a pod's requests when nodes are scored. ``devices`` are those that count, if a
    DeviceClass serves one of the resources that count."""

    requests: Resource
    devices: CountedDevices | None


@frozen
class NodeResourcesFit:
    """``strategy`` is LeastAllocated, MostAllocated or RequestedToCapacityRatio, which has a ``shape``.
    ``in_place_scaling`` is feature gate InPlacePodVerticalScaling."""

    name = "NodeResourcesFit"
    POINTS = ("preFilter", "filter", "preScore", "score")
    READS = ("Node.status.allocatable",)
    ARGS: ClassVar[type[PluginArgs]] = NodeResourcesFitArgs
    WITHOUT_PRE_FILTER = error(ERROR_READING.of(name))
    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    strategy: str = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    shape: tuple[UtilizationShapePoint, ...] = ()
    in_place_scaling: bool = True

    @classmethod
    def of_args(cls, args: NodeResourcesFitArgs) -> NodeResourcesFit:
        strategy = args.scoring_strategy
        ratio = strategy.requested_to_capacity_ratio
        return cls(
            frozenset(args.ignored_resources),
            frozenset(args.ignored_resource_groups),
            strategy.type,
            strategy.resources,
            ratio.shape if ratio is not None else (),
        )

    sign = sign_requests
    counted_devices = staticmethod(counted_devices)

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Wanted]:
        """R-FIT-01: What the spec of a pod requests, pod-level requests included, must be free on a node; what
        its status reports does not count for the pod that is scheduled."""
        requests = requests_of_spec(pod.pod)
        applies("R-FIT-01", when=requests != pod.requests or has_pod_level_requests(pod.pod))
        return Continue(Wanted(requests, self.served(requests, snapshot.objects)))

    def served(self, wanted: Resource, objects: ObjectStore) -> frozenset[str]:
        """Returns the resources that devices may serve, because a DeviceClass does."""
        return served(wanted, objects)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, wanted: Wanted, pod: PodInfo, node: NodeInfo) -> Status:
        """R-FIT-02: A node is rejected with one reason per insufficient resource, and with "Too many pods" if
        it has no pod slot left.
        R-FIT-03: A node is rejected as UnschedulableAndUnresolvable if the pod requests more of a resource than
        the node's allocatable, since evicting pods would not help, and as Unschedulable otherwise.
        R-FIT-13: An extended resource that a DeviceClass serves does not reject a node whose allocatable has
        none of it. Source: shouldDelegateResourceToDRA."""
        reasons = [] if _has_pod_slot(node) else [TOO_MANY_PODS]
        exceeds_allocatable = False
        by_devices = _by_devices(wanted.served, node)
        for resource in _insufficient(wanted.requests, node):
            if resource in by_devices:
                applies("R-FIT-13")
                continue
            if self._ignores(resource):
                applies("R-FIT-04")
                continue
            reasons.append(INSUFFICIENT.of(resource))
            if amount(wanted.requests, resource) > amount(node.allocatable, resource):
                exceeds_allocatable = True
        if not reasons:
            return SUCCESS
        if exceeds_allocatable:
            applies("R-FIT-03")
            return unresolvable(*reasons)
        return unschedulable(*reasons)

    def _ignores(self, resource: str) -> bool:
        """R-FIT-04 (needs config): An extended resource does not reject a node if ignoredResources names it or
        ignoredResourceGroups names the part of its name before the slash."""
        if not is_extended_resource(resource):
            return False
        group, _, _ = resource.partition("/")
        return resource in self.ignored_resources or group in self.ignored_resource_groups

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Continue[Scored]:
        """R-FIT-05 (observed: the requests that count by default are constants of the source): For the score of
        NodeResourcesFit, a container without a cpu request counts with 100m and one without a memory request
        with 200 MiB, and the pod-level requests of the pod do not count."""
        requests = pod_requests(pod.pod, SCORING_DEFAULTS, pod_level=False, use_status=False)
        counted = resource_of(requests)
        applies("R-FIT-05", when=counted != requests_of_spec(pod.pod))
        devices = self.counted_devices([spec.name for spec in self.resources], snapshot.objects)
        return Continue(Scored(counted, devices))

    def score(self, scored: Scored, pod: PodInfo, node: NodeInfo) -> int:
        uses = [use for spec in self.resources if (use := self._use(spec, scored, node)) is not None]
        match self.strategy:
            case "LeastAllocated":
                return least_allocated(uses)
            case "MostAllocated":
                return most_allocated(uses)
        return requested_to_capacity_ratio(self.shape, uses)

    @staticmethod
    def _use(spec: ResourceSpec, scored: Scored, node: NodeInfo) -> Use | None:
        """R-FIT-15 (observed: how devices count for the score is not documented): For the score of
        NodeResourcesFit, an extended resource that a DeviceClass serves and of which the node's allocatable has
        none counts with the devices of the node that the class selects.

        Returns the use of the resource, or None if the node has none of it, or if the pod requests none of a
        scalar resource."""
        asked, capacity = amount(scored.requests, spec.name), amount(node.allocatable, spec.name)
        if asked == 0 and is_scalar_resource(spec.name):
            return None
        instead = devices_instead(spec.name, scored.devices, node)
        if instead is not None and applies("R-FIT-15", when=instead[1] > 0):
            allocated, count = instead
            return Use(allocated + asked, count, spec.weight)
        if capacity == 0:
            return None
        counted = node.non_zero_requested if spec.name in (CPU, MEMORY) else node.requested
        return Use(amount(counted, spec.name) + asked, capacity, spec.weight)

    # --- Events -----------------------------------------------------------------------------------

    def after_device_class_change(
        self, pod: Pod, before: DeviceClass | None, after: DeviceClass, objects: ObjectStore
    ) -> bool:
        """R-FIT-14 (observed: queueing hints may only save attempts, KEP-4247): A pod that NodeResourcesFit
        rejected is requeued when a DeviceClass is created, or gets another extendedResourceName, that serves a
        resource that the pod requests."""
        named = after.spec.extended_resource_name
        if before is not None and (before.spec.extended_resource_name or "") == (named or ""):
            return False
        requests = pod_requests(pod)
        is_served = named in requests or (before is None and f"{OF_A_CLASS}{after.name}" in requests)
        return applies("R-FIT-14", when=is_served)

    def after_pod_change(self, pod: Pod, before: Pod, after: Pod | None, objects: ObjectStore) -> bool:
        """R-FIT-09 (observed: queueing hints may only save attempts, KEP-4247): The deletion of a pod that ran
        on a node, or was nominated to one, requeues any pod that NodeResourcesFit rejected.
        R-FIT-10 (observed: queueing hints may only save attempts, KEP-4247): With InPlacePodVerticalScaling a
        pod that NodeResourcesFit rejected is requeued when it requests less of any resource itself, or when a
        running pod requests less of a resource that it requests; pod-level requests count here even without the
        gate PodLevelResources."""
        if after is None:
            placed = before.spec.node_name or before.status.nominated_node_name
            return applies("R-FIT-09", when=placed)
        if not self.in_place_scaling:
            return False
        is_smaller = after.uid == pod.uid or (after.spec.node_name and _requests_less(before, after, pod))
        return applies("R-FIT-10", when=is_smaller)

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-FIT-11 (observed: queueing hints may only save attempts, KEP-4247): An added node requeues a pod
        that NodeResourcesFit rejected if the pod would fit there without any other pod, ignored resources
        included.
        R-FIT-12 (observed: queueing hints may only save attempts, KEP-4247): An updated node requeues a pod
        that NodeResourcesFit rejected only if the pod would fit there without any other pod, and the node's
        allocatable has grown in a resource that the pod requests or in its number of pods."""
        wanted = requests_of_spec(pod)
        alone = NodeInfo.without_pods(after)
        by_devices = _by_devices(self.served(wanted, objects), alone)
        if not _has_pod_slot(alone) or {*_insufficient(wanted, alone)} - by_devices:
            return False
        if before is None:
            return applies("R-FIT-11")
        has_grown = bool(by_devices) or _has_grown(
            resource_of(before.status.allocatable), alone.allocatable, wanted
        )
        return applies("R-FIT-12", when=has_grown)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            POD,
            ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN,
            after_pod_change,
            "resources may be free now, or the pod may request less",
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_ALLOCATABLE,
            after_node_change,
            "a node may have been added, or its allocatable may have grown",
        ),
        EventHint(
            DEVICE_CLASS,
            ActionType.ADD | ActionType.UPDATE,
            after_device_class_change,
            "devices may serve what the pod requests",
        ),
    )


def _by_devices(names: frozenset[str], node: NodeInfo) -> frozenset[str]:
    """Returns those of the resources that the node has none of, so that devices serve them there."""
    return frozenset(name for name in names if not node.allocatable.scalar.get(name))


def _has_pod_slot(node: NodeInfo) -> bool:
    return len(node.pods) + 1 <= node.allocatable.allowed_pod_number


def _insufficient(wanted: Resource, node: NodeInfo) -> list[str]:
    """Returns the resources of which the pod requests more than is free on the node."""
    return [
        resource
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar)
        if (asked := amount(wanted, resource)) > 0
        and asked > amount(node.allocatable, resource) - amount(node.requested, resource)
    ]


def _requests_less(before: Pod, after: Pod, pod: Pod) -> bool:
    """Returns whether the pod requests less than before of a resource that ``pod`` requests.
    Source: isSchedulableAfterPodScaleDown."""
    had, has, asked = (resource_of(requests_in_events(each)) for each in (before, after, pod))
    return any(
        amount(had, resource) > amount(has, resource)
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *asked.scalar)
        if amount(asked, resource)
    )


def _has_grown(before: Resource, after: Resource, wanted: Resource) -> bool:
    """Returns whether the node's allocatable has grown in a resource that the pod requests, or in its number
    of pods.
    Source: haveAnyRequestedResourcesIncreased."""
    if after.allowed_pod_number > before.allowed_pod_number:
        return True
    return any(
        amount(after, resource) > amount(before, resource)
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar)
        if amount(wanted, resource)
    )
