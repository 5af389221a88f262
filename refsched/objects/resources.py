# SPDX-License-Identifier: Apache-2.0
"""Resources: what a pod asks for, and how amounts of several resources are counted together.

Source: component-helpers/resource/helpers.go, PodRequests, AggregateContainerRequests (v0.34.2);
pkg/scheduler/framework/types.go, Resource.Add, PodInfo.CalculateResource (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from refsched.objects.pod import Container, DisabledRequirements, Pod, ResourceRequirements
from refsched.objects.quantity import Quantity

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"
HUGE_PAGES_PREFIX = "hugepages-"
ATTACHABLE_VOLUMES_PREFIX = "attachable-volumes-"
NATIVE_DOMAIN = "kubernetes.io/"

DEFAULT_MILLI_CPU_REQUEST = 100
DEFAULT_MEMORY_REQUEST = 200 * 1024 * 1024
"""What a container without a request counts as when nodes are scored: milli-CPU and bytes."""

ResourceList = Mapping[str, Quantity]

# --- What a pod requests --------------------------------------------------------------------------


def pod_requests(
    pod: Pod, non_missing: ResourceList | None = None, *, pod_level: bool = True, use_status: bool = True
) -> dict[str, Quantity]:
    """The whole request of a pod: containers and sidecars together or, if more, the hungriest init
    container with the sidecars started before it; pod-level requests instead, where given; and overhead.

    ``non_missing`` stands in for a container's missing requests. Without ``use_status`` only the spec
    counts, as for a pod that is yet to be placed.
    """
    requests = _container_requests(pod, non_missing, use_status)
    if pod_level:
        requests |= _pod_level_requests(pod)
    return _sum(requests, pod.spec.overhead)


def requests_in_events(pod: Pod) -> dict[str, Quantity]:
    """The whole request of a pod as an event's before and after are compared: pod-level requests count there
    without the gate PodLevelResources too. Source: framework/events.go, extractPodScaleDown;
    noderesources/fit.go, isSchedulableAfterPodScaleDown."""
    containers = _container_requests(pod, None, use_status=True)
    return _sum(containers | _pod_level(pod.spec.resources), pod.spec.overhead)


def has_pod_level_requests(pod: Pod) -> bool:
    return bool(_pod_level_requests(pod))


def _pod_level_requests(pod: Pod) -> dict[str, Quantity]:
    """Those of the pod as a whole: none without the gate PodLevelResources."""
    return {} if isinstance(pod.spec.resources, DisabledRequirements) else _pod_level(pod.spec.resources)


def _pod_level(resources: ResourceRequirements | None) -> dict[str, Quantity]:
    if resources is None:
        return {}
    return {name: asked for name, asked in resources.requests.items() if is_pod_level_resource(name)}


def is_pod_level_resource(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith(HUGE_PAGES_PREFIX)


def _container_requests(pod: Pod, non_missing: ResourceList | None, use_status: bool) -> dict[str, Quantity]:
    def asked(container: Container) -> ResourceList:
        return _effective_requests(pod, container) if use_status else container.resources.requests

    running: dict[str, Quantity] = {}
    for container in pod.spec.containers:
        running = _sum(running, _with_missing(asked(container), non_missing))
    sidecars: dict[str, Quantity] = {}
    initializing: dict[str, Quantity] = {}
    for container in pod.spec.init_containers:
        if container.is_sidecar:
            requests = _with_missing(asked(container), non_missing)
            running = _sum(running, requests)
            sidecars = _sum(sidecars, requests)
            initializing = _max(initializing, sidecars)
        else:
            requests = _with_missing(container.resources.requests, non_missing)
            initializing = _max(initializing, _sum(requests, sidecars))
    return _max(running, initializing)


def _effective_requests(pod: Pod, container: Container) -> ResourceList:
    """While a resize is under way, the largest of what is asked, granted and in use; an infeasible
    resize asks for nothing more. Source: helpers.go, determineContainerReqs."""
    told = (*pod.status.container_statuses, *pod.status.init_container_statuses)
    status = {status.name: status for status in told}.get(container.name)
    if status is None or status.resources is None:
        return container.resources.requests
    held = _max(status.resources.requests, status.allocated_resources)
    return held if _is_resize_infeasible(pod) else _max(container.resources.requests, held)


def _is_resize_infeasible(pod: Pod) -> bool:
    pending = next((c for c in pod.status.conditions if c.type == "PodResizePending"), None)
    return pending is not None and pending.reason == "Infeasible"


def _with_missing(requests: ResourceList, non_missing: ResourceList | None) -> ResourceList:
    return {**non_missing, **requests} if non_missing else requests


def _sum(left: ResourceList, right: ResourceList) -> dict[str, Quantity]:
    total = dict(left)
    for name, quantity in right.items():
        total[name] = total[name] + quantity if name in total else quantity
    return total


def _max(left: ResourceList, right: ResourceList) -> dict[str, Quantity]:
    larger = dict(left)
    for name, quantity in right.items():
        larger[name] = max(larger[name], quantity) if name in larger else quantity
    return larger


# --- Counted together -----------------------------------------------------------------------------


@frozen
class Resource:
    """Amounts the scheduler counts with: milli-CPU, bytes, bytes, pods, and whole units of the rest."""

    milli_cpu: int = 0
    memory: int = 0
    ephemeral_storage: int = 0
    allowed_pod_number: int = 0
    scalar: Mapping[str, int] = field(factory=dict)

    def plus(self, other: Resource, sign: int = 1) -> Resource:
        scalar = dict(self.scalar)
        for name, amount in other.scalar.items():
            scalar[name] = scalar.get(name, 0) + sign * amount
        return Resource(
            self.milli_cpu + sign * other.milli_cpu,
            self.memory + sign * other.memory,
            self.ephemeral_storage + sign * other.ephemeral_storage,
            self.allowed_pod_number,
            scalar,
        )


def resource_of(amounts: ResourceList) -> Resource:
    """Count a resource list; names that are no resource the scheduler knows are left out."""
    zero = Quantity()
    return Resource(
        milli_cpu=amounts.get(CPU, zero).milli_value,
        memory=amounts.get(MEMORY, zero).value,
        ephemeral_storage=amounts.get(EPHEMERAL_STORAGE, zero).value,
        allowed_pod_number=amounts.get(PODS, zero).value,
        scalar={name: quantity.value for name, quantity in amounts.items() if is_scalar_resource(name)},
    )


def is_scalar_resource(name: str) -> bool:
    """Extended, huge page, prefixed native and attachable volume resources (util.IsScalarResourceName)."""
    return (
        is_extended_resource(name)
        or name.startswith((HUGE_PAGES_PREFIX, ATTACHABLE_VOLUMES_PREFIX))
        or NATIVE_DOMAIN in name
    )


def is_extended_resource(name: str) -> bool:
    """A name with a domain that is not Kubernetes' own, and not a quota's ``requests.`` name."""
    return "/" in name and NATIVE_DOMAIN not in name and not name.startswith("requests.")


def amount(of: Resource, resource: str) -> int:
    """How much of one resource: milli-CPU, bytes, or whole units."""
    match resource:
        case "cpu":
            return of.milli_cpu
        case "memory":
            return of.memory
        case "ephemeral-storage":
            return of.ephemeral_storage
    return of.scalar.get(resource, 0)
