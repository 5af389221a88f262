# SPDX-License-Identifier: Apache-2.0
"""Resources: what a pod requests, and how amounts of resources are added up.

Promised: what a pod requests is documented with the Pod API, KEP-753, KEP-1287 and KEP-2837.
Used by: NodeResourcesFit, NodeResourcesBalancedAllocation.
Source: component-helpers/resource/helpers.go, PodRequests, AggregateContainerRequests;
pkg/scheduler/framework/types.go, Resource.Add, PodInfo.CalculateResource.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field, frozen

from refsched.objects.pod import (
    Container,
    DisabledRequirements,
    Pod,
    ResourceRequirements,
    desired_requests,
)
from refsched.objects.quantity import Quantity, ResourceList, largest
from refsched.rules import applies

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"
HUGE_PAGES_PREFIX = "hugepages-"
ATTACHABLE_VOLUMES_PREFIX = "attachable-volumes-"
NATIVE_DOMAIN = "kubernetes.io/"

DEFAULT_MILLI_CPU_REQUEST = 100
DEFAULT_MEMORY_REQUEST = 200 * 1024 * 1024
"""A container without a request counts this much when nodes are scored: milli-CPU and bytes."""
SCORING_DEFAULTS = {
    CPU: Quantity.milli(DEFAULT_MILLI_CPU_REQUEST),
    MEMORY: Quantity.of(DEFAULT_MEMORY_REQUEST),
}

_NATIVE = (CPU, MEMORY, EPHEMERAL_STORAGE, PODS)
_MILLI_CPU, _UNIT = Quantity.milli(1), Quantity.of(1)

# --- What a pod requests --------------------------------------------------------------------------


def pod_requests(
    pod: Pod, non_missing: ResourceList | None = None, *, pod_level: bool = True, use_status: bool = True
) -> dict[str, Quantity]:
    """Returns what a pod requests as a whole.

    R-REQUEST-05: A pod-level request for cpu, memory or huge pages replaces what the pod's containers request of
    that resource.

    ``non_missing`` are defaults for the requests that a container lacks. Without ``use_status`` only the spec
    counts, as for a pod that is to be scheduled.
    """
    requests = _requests_of_containers(pod, non_missing, use_status)
    if pod_level and has_pod_level_requests(pod):
        applies("R-REQUEST-05")
        requests = _with_pod_level(pod, requests, use_status)
    return _with_overhead(pod, requests)


def requests_of_spec(pod: Pod) -> Resource:
    """Returns what the spec of a pod requests; what its status reports does not count."""
    return resource_of(pod_requests(pod, use_status=False))


def requests_in_events(pod: Pod) -> dict[str, Quantity]:
    """Returns what a pod requests as a whole when its states before and after an event are compared: pod-level
    requests count there even without the gate PodLevelResources.
    Source: framework/events.go, extractPodScaleDown; noderesources/fit.go, isSchedulableAfterPodScaleDown."""
    requests = _requests_of_containers(pod, None, use_status=True)
    if _names_pod_level(pod.spec.resources):
        requests = _with_pod_level(pod, requests, use_status=True)
    return _with_overhead(pod, requests)


def _with_pod_level(pod: Pod, requests: ResourceList, use_status: bool) -> ResourceList:
    asked = pod.spec.resources.requests if pod.spec.resources is not None else {}
    counted = pod.status.pod_level_requests(asked) if use_status else asked
    return {**requests, **{name: amount for name, amount in counted.items() if is_pod_level_resource(name)}}


def _with_overhead(pod: Pod, requests: ResourceList) -> dict[str, Quantity]:
    """R-REQUEST-04: A pod requests its overhead in addition to what its containers, or the pod as a whole,
    request."""
    applies("R-REQUEST-04", when=pod.spec.overhead)
    return _sum(requests, pod.spec.overhead)


def has_pod_level_requests(pod: Pod) -> bool:
    """Returns whether the pod as a whole requests anything; it does not without the gate PodLevelResources."""
    resources = pod.spec.resources
    return not isinstance(resources, DisabledRequirements) and _names_pod_level(resources)


def _names_pod_level(resources: ResourceRequirements | None) -> bool:
    return resources is not None and any(map(is_pod_level_resource, resources.requests))


def is_pod_level_resource(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith(HUGE_PAGES_PREFIX)


def _requests_of_containers(pod: Pod, non_missing: ResourceList | None, use_status: bool) -> ResourceList:
    """R-REQUEST-12: Of each resource, a running pod that is resized requests the largest of what its containers
    request together as it is desired, as it is allocated, and as it is in use."""

    def total(asked: Callable[[Container], ResourceList]) -> ResourceList:
        return _container_requests(pod, asked, non_missing)

    if not use_status:
        return total(desired_requests)
    first, *others = pod.status.sums(total)
    requests = largest(first, *others)
    applies("R-REQUEST-12", when=requests != first)
    return requests


def _container_requests(
    pod: Pod, asked: Callable[[Container], ResourceList], non_missing: ResourceList | None
) -> ResourceList:
    """R-REQUEST-01 (decides nodes): The requests of all containers of a pod are added up.
    R-REQUEST-02: Of each resource a pod requests at least the largest request of one of its init containers, since
    init containers run one after the other and before its containers.
    R-REQUEST-03: A sidecar (an init container with restartPolicy Always) counts in addition to the containers, and
    in addition to each init container that starts after it."""
    applies("R-REQUEST-01", when=len(pod.spec.containers) > 1)
    running: dict[str, Quantity] = {}
    for container in pod.spec.containers:
        running = _sum(running, _with_missing(asked(container), non_missing))
    sidecars: dict[str, Quantity] = {}
    initializing: dict[str, Quantity] = {}
    for container in pod.spec.init_containers:
        requests = _with_missing(asked(container), non_missing)
        if container.is_sidecar:
            applies("R-REQUEST-03")
            running = _sum(running, requests)
            sidecars = _sum(sidecars, requests)
            initializing = largest(initializing, sidecars)
        else:
            initializing = largest(initializing, _sum(requests, sidecars))
    requested = largest(running, initializing)
    applies("R-REQUEST-02", when=requested != running)
    return requested


def _with_missing(requests: ResourceList, non_missing: ResourceList | None) -> ResourceList:
    """R-REQUEST-08 (observed: the requests that count by default are constants of the source; shows in score):
    When nodes are scored, a container without a request for cpu counts with 100m, and one without a request for
    memory with 200 MiB."""
    if non_missing is None or non_missing.keys() <= requests.keys():
        return requests
    applies("R-REQUEST-08")
    return {**non_missing, **requests}


def _sum(left: ResourceList, right: ResourceList) -> dict[str, Quantity]:
    total = dict(left)
    for name, quantity in right.items():
        total[name] = total[name] + quantity if name in total else quantity
    return total


# --- Amounts that are counted -----------------------------------------------------------------------------


@frozen
class Resource:
    """A Resource has the amounts that the scheduler computes with: milli-CPU, bytes, bytes, pods, and whole
    units of the others."""

    milli_cpu: int = 0
    memory: int = 0
    ephemeral_storage: int = 0
    allowed_pod_number: int = 0
    scalar: Mapping[str, int] = field(factory=dict)

    def plus(self, other: Resource, sign: int = 1) -> Resource:
        scalar = self.scalar
        if other.scalar:
            scalar = dict(scalar)
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
    """R-REQUEST-09: Cpu counts in thousandths and any other resource in whole units, rounded up.
    R-REQUEST-10: A name in a resource list that is not cpu, memory, ephemeral-storage, pods, or a scalar resource
    does not count."""
    for name, quantity in amounts.items():
        if name not in _NATIVE and not is_scalar_resource(name):
            applies("R-REQUEST-10")
        elif quantity.nano % (_MILLI_CPU if name == CPU else _UNIT).nano:
            applies("R-REQUEST-09")
    zero = Quantity()
    return Resource(
        milli_cpu=amounts.get(CPU, zero).milli_value,
        memory=amounts.get(MEMORY, zero).value,
        ephemeral_storage=amounts.get(EPHEMERAL_STORAGE, zero).value,
        allowed_pod_number=amounts.get(PODS, zero).value,
        scalar={name: quantity.value for name, quantity in amounts.items() if is_scalar_resource(name)},
    )


def is_scalar_resource(name: str) -> bool:
    """Returns whether the name is that of an extended, huge page, prefixed native or attachable volume resource
    (util.IsScalarResourceName)."""
    return (
        is_extended_resource(name)
        or name.startswith((HUGE_PAGES_PREFIX, ATTACHABLE_VOLUMES_PREFIX))
        or NATIVE_DOMAIN in name
    )


def is_extended_resource(name: str) -> bool:
    """Returns whether the name has a domain that is not Kubernetes' own, and is not a quota's ``requests.``
    name."""
    return "/" in name and NATIVE_DOMAIN not in name and not name.startswith("requests.")


def amount(of: Resource, resource: str) -> int:
    """Returns the amount of one resource: milli-CPU, bytes, or whole units."""
    match resource:
        case "cpu":
            return of.milli_cpu
        case "memory":
            return of.memory
        case "ephemeral-storage":
            return of.ephemeral_storage
    return of.scalar.get(resource, 0)
