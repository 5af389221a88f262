# SPDX-License-Identifier: Apache-2.0
"""Extended resources that devices serve: which DeviceClass serves one, and the special claim that a pod gets
for them.

The special claim exists in memory until PreBind creates it in the API server.

Promised: extended resources that devices serve are documented with the DeviceClass API, KEP-5004.
Shows in: devices.
Source: plugins/dynamicresources/extendeddynamicresources.go;
dynamic-resource-allocation/deviceclass/extendedresourcecache/extendedresourcecache.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from attrs import define, evolve, field

from refsched.objects.dra import (
    EXTENDED_RESOURCE_CLAIM,
    DeviceClaim,
    DeviceClass,
    DeviceRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
)
from refsched.objects.meta import ObjectMeta, OwnerReference
from refsched.objects.pod import Container, Pod
from refsched.objects.quantity import NANO, Quantity
from refsched.objects.resources import Resource, is_extended_resource, requests_of_spec
from refsched.objects.store import ObjectStore
from refsched.rules import applies

OF_A_CLASS = "deviceclass.resource.kubernetes.io/"
"""With this prefix, the name of a DeviceClass is the name of an extended resource that it serves."""

IN_MEMORY = "<extended-resources>"
"""The special claim has this name until it is created."""


# --- The DeviceClass of an extended resource ------------------------------------------------------


@define
class ServedResources:
    """ServedResources have the DeviceClass that serves each extended resource, as kube-scheduler keeps it: an
    update of a class has no effect while another class that goes before it, or the class itself as it was, serves
    its extendedResourceName."""

    kind: ClassVar[str] = DeviceClass.kind
    by_resource: dict[str, DeviceClass] = field(factory=dict)

    def changed(self, before: DeviceClass | None, after: DeviceClass | None) -> None:
        """R-DRA-90: An extended resource is served by the DeviceClass that has it as extendedResourceName, by
        the newest if more than one has it, and by the first by name of equally old ones; each DeviceClass serves
        the resource deviceclass.resource.kubernetes.io/ with its own name. Source: updateResourceName2class."""
        if after is None:
            self._forget(before)
            return
        named = after.spec.extended_resource_name
        other = self.by_resource.get(named) if named is not None else None
        if other is not None and _rank(after) >= _rank(other):
            return
        self._forget(before)
        if named is not None:
            self.by_resource[named] = after
        self.by_resource[f"{OF_A_CLASS}{after.name}"] = after

    def _forget(self, device_class: DeviceClass | None) -> None:
        if device_class is not None:
            self.by_resource.pop(f"{OF_A_CLASS}{device_class.name}", None)
            self.by_resource.pop(device_class.spec.extended_resource_name or "", None)


def _rank(device_class: DeviceClass) -> tuple[float, str]:
    created = device_class.metadata.creation_timestamp
    return (-created.timestamp() if created is not None else 0.0, device_class.name)


def class_of(resource: str, objects: ObjectStore) -> DeviceClass | None:
    """Returns the DeviceClass that serves the resource, if any does."""
    return objects.ledger(ServedResources).by_resource.get(resource) if may_be_served(resource) else None


def served(wanted: Resource, objects: ObjectStore) -> frozenset[str]:
    """Returns the extended resources of which some is requested and which a DeviceClass serves."""
    return frozenset(
        name for name, amount in wanted.scalar.items() if amount and class_of(name, objects) is not None
    )


def may_be_served(resource: str) -> bool:
    """Returns whether the resource has a name that a DeviceClass may serve."""
    return is_extended_resource(resource) or resource.startswith(OF_A_CLASS)


# --- The special claim ----------------------------------------------------------------------------


def special_claim(pod: Pod, objects: ObjectStore) -> ResourceClaim | None:
    """R-DRA-91: A pod that requests an extended resource that a DeviceClass serves has a claim of its own for
    it: the one that an earlier attempt created, or a new one. Source: preFilterExtendedResources."""
    if not served(requests_of_spec(pod), objects):
        return None
    applies("R-DRA-91")
    return created_claim(pod, objects) or ResourceClaim(
        ObjectMeta(
            name=IN_MEMORY,
            namespace=pod.namespace,
            uid=f"{pod.uid} {IN_MEMORY}",
            generate_name=f"{pod.name}-extended-resources-",
            owner_references=(OwnerReference("v1", "Pod", pod.name, pod.uid, controller=True),),
            annotations={EXTENDED_RESOURCE_CLAIM: "true"},
        )
    )


def created_claim(pod: Pod, objects: ObjectStore) -> ResourceClaim | None:
    """R-DRA-157: A special claim is the pod's own if one of its owner references has the name and the uid of the
    pod and says that the owner controls the claim.

    Returns the pod's special claim in the API server, if there is one. Source: findExtendedResourceClaim."""
    for claim in objects.list_latest(ResourceClaim):
        if claim.metadata.annotations.get(EXTENDED_RESOURCE_CLAIM) != "true":
            continue
        for owner in claim.metadata.owner_references:
            if owner.name != pod.name:
                continue
            applies("R-DRA-157")
            if owner.controller and owner.uid == pod.uid:
                return claim
    return None


class Mapped(NamedTuple):
    """A Mapped says which request of the special claim serves an extended resource of a container."""

    container: str
    resource: str
    request: str


def requesting(
    claim: ResourceClaim, pod: Pod, resources: Iterable[str], objects: ObjectStore
) -> tuple[ResourceClaim, tuple[Mapped, ...]]:
    """R-DRA-92: The special claim has one request for each container and extended resource; init containers
    that end before others start use the devices of these, and what they need beyond that is requested once, for
    the one that needs most. Source: createRequestsAndMappings."""
    applies("R-DRA-92")
    requests: list[DeviceRequest] = []
    mappings: list[Mapped] = []
    for resource in sorted(resources):
        device_class = class_of(resource, objects)
        if device_class is not None:
            of_resource, mapped = _of_resource(pod, resource, device_class.name)
            requests += of_resource
            mappings += mapped
    in_order = tuple(sorted(requests, key=lambda request: request.name))
    return evolve(claim, spec=ResourceClaimSpec(DeviceClaim(requests=in_order))), tuple(mappings)


def _of_resource(pod: Pod, resource: str, class_name: str) -> tuple[list[DeviceRequest], list[Mapped]]:
    containers = (*pod.spec.init_containers, *pod.spec.containers)
    short = [index for index, each in enumerate(pod.spec.init_containers) if not each.is_sidecar]
    requests: list[DeviceRequest | None] = [None] * len(containers)
    long_mapped: list[Mapped] = []
    for index, container in enumerate(containers):
        if index not in short:
            requests[index], mapped = _of_container(index, container, resource, class_name, ())
            long_mapped += mapped
    largest: DeviceRequest | None = None
    names: set[str] = set()
    short_mapped: list[Mapped] = []
    for index in short:
        made, mapped = _of_container(index, containers[index], resource, class_name, requests[index:])
        if made is not None:
            names.add(made.name)
            largest = made if largest is None or _count(largest) < _count(made) else largest
        short_mapped += mapped
    if largest is not None:
        short_mapped = [
            each._replace(request=largest.name) if each.request in names else each for each in short_mapped
        ]
    return [each for each in (largest, *requests) if each is not None], long_mapped + short_mapped


def _of_container(
    index: int,
    container: Container,
    resource: str,
    class_name: str,
    reusable: Sequence[DeviceRequest | None],
) -> tuple[DeviceRequest | None, list[Mapped]]:
    """Returns the request for what the container needs beyond those that it can use, if it needs more, and the
    requests that serve it."""
    wanted: Mapping[str, Quantity] = container.resources.requests
    amount = wanted.get(resource, Quantity())
    if not amount.nano or amount.nano % NANO:
        return None, []
    mapped: list[Mapped] = []
    left = amount.value
    for request in reusable:
        if request is not None:
            left -= _count(request)
            mapped.append(Mapped(container.name, resource, request.name))
            if left <= 0:
                return None, mapped
    name = f"container-{index}-request-{sorted(wanted).index(resource)}"
    made = DeviceRequest(name, ExactDeviceRequest(device_class_name=class_name, count=left))
    return made, [*mapped, Mapped(container.name, resource, name)]


def _count(request: DeviceRequest) -> int:
    return request.exactly.count if request.exactly is not None else 0
