# SPDX-License-Identifier: Apache-2.0
"""Resource allocation: what a node has of a resource, and what would be requested there, for the scores of
v1.19.

Observed: which requests and defaults count in a score is not part of the API.
Shows in: score.
Used by: NodeResourcesLeastAllocated, NodeResourcesMostAllocated, NodeResourcesBalancedAllocation,
RequestedToCapacityRatio.
Source: plugins/noderesources/resource_allocation.go; pkg/scheduler/util/non_zero.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import frozen

from refsched.framework.node_info import NodeInfo
from refsched.objects.pod import Container, Pod
from refsched.objects.quantity import Quantity
from refsched.objects.resources import (
    CPU,
    DEFAULT_MEMORY_REQUEST,
    DEFAULT_MILLI_CPU_REQUEST,
    EPHEMERAL_STORAGE,
    MEMORY,
    amount,
    is_scalar_resource,
)
from refsched.plugins.resource_scoring import ResourceSpec
from refsched.rules import applies

_ZERO = Quantity()
_DEFAULTS = {CPU: DEFAULT_MILLI_CPU_REQUEST, MEMORY: DEFAULT_MEMORY_REQUEST}


@frozen
class Allocation:
    """An Allocation is a resource on a node as it would be with the pod there: milli-CPU, bytes, or whole
    units."""

    requested: int
    capacity: int


def allocation(resource: str, pod: Pod, node: NodeInfo) -> Allocation:
    """R-ALLOC-01: For cpu and memory, the pods on a node count with their requests or, for each container
    without one, a default; for any other resource they count with their requests, and a name that is not a
    resource of nodes counts as 0 of a capacity of 0."""
    if resource not in (CPU, MEMORY, EPHEMERAL_STORAGE) and not is_scalar_resource(resource):
        return Allocation(0, 0)
    counted = node.requested
    if resource in _DEFAULTS:
        applies("R-ALLOC-01")
        counted = node.non_zero_requested
    return Allocation(amount(counted, resource) + request(pod, resource), amount(node.allocatable, resource))


def request(pod: Pod, resource: str) -> int:
    """R-ALLOC-02: For the score, a pod asks for the sum of its containers' requests or, if more, for the largest
    request of an init container, where a container without a cpu or memory request asks for 100 milli-CPU or
    200 MiB.
    R-ALLOC-03 (observed: that overhead counts in whole CPUs is an accident of v1.19): For the score, the cpu of a
    pod's overhead is rounded up to whole CPUs, each of which counts as one milli-CPU of the request.
    Source: calculatePodResourceRequest, where Value() stands for MilliValue()."""
    together = sum(_container_request(container, resource) for container in pod.spec.containers)
    largest = max((_container_request(c, resource) for c in pod.spec.init_containers), default=0)
    overhead = pod.spec.overhead.get(resource, _ZERO).value
    applies("R-ALLOC-03", when=overhead and resource == CPU)
    return max(together, largest) + overhead


def _container_request(container: Container, resource: str) -> int:
    asked = container.resources.requests.get(resource)
    if asked is None:
        applies("R-ALLOC-02", when=resource in _DEFAULTS)
        return _DEFAULTS.get(resource, 0)
    return asked.milli_value if resource == CPU else asked.value


Score = Callable[[Allocation], int]


def weighted_mean(score: Score, resources: Iterable[ResourceSpec], pod: Pod, node: NodeInfo) -> int:
    """R-ALLOC-04 (promised: that the scores of resources are weighted is documented with resource bin packing): A
    node's score is the mean of the scores of all resources, each with its weight, cut to an integer; a resource
    that the node does not have, or that the pod does not ask for, counts with its weight.

    If a resource is listed twice, its last weight counts.
    """
    weights = {resource.name: resource.weight for resource in resources}
    scored = {name: score(allocation(name, pod, node)) for name in weights}
    applies("R-ALLOC-04")
    return sum(scored[name] * weight for name, weight in weights.items()) // sum(weights.values())
