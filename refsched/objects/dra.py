# SPDX-License-Identifier: Apache-2.0
"""Devices: the devices that a driver has (ResourceSlice), their classes, and the claims on them.

Fields behind a feature gate that is off by default are refused (refsched/tools/reading/alpha_fields.py).
Source: api/resource/v1/types.go (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import evolve, field, frozen

from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.quantity import Quantity
from refsched.objects.selectors import NodeSelector

DELETE_PROTECTION = "resource.kubernetes.io/delete-protection"
"""A claim has this finalizer while devices are allocated to it."""

EXACT_COUNT = "ExactCount"
ALL = "All"

# --- What is offered ------------------------------------------------------------------------------


@frozen
class DeviceAttribute:
    """A DeviceAttribute has one value: an integer, a boolean, a string or a semantic version."""

    int_: int | None = None
    bool_: bool | None = None
    string: str | None = None
    version: str | None = None


@frozen
class DeviceCapacity:
    value: Quantity = Quantity()


@frozen
class Device:
    name: str = ""
    attributes: Mapping[str, DeviceAttribute] = field(factory=dict)
    capacity: Mapping[str, DeviceCapacity] = field(factory=dict)


@frozen
class ResourcePool:
    """The slices of a driver and pool that have the highest ``generation`` are the pool, if there are as many of
    them as ``resource_slice_count`` says."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


@frozen
class ResourceSliceSpec:
    """One of ``node_name``, ``node_selector`` and ``all_nodes`` is set."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    devices: tuple[Device, ...] = ()


@frozen
class ResourceSlice(ApiObject):
    kind: ClassVar[str] = "ResourceSlice"
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSliceSpec = ResourceSliceSpec()


# --- What is asked for ----------------------------------------------------------------------------


@frozen
class CELDeviceSelector:
    expression: str = ""


@frozen
class DeviceSelector:
    cel: CELDeviceSelector | None = None


@frozen
class OpaqueDeviceConfiguration:
    driver: str = ""
    parameters: Mapping[str, Any] = field(factory=dict)


@frozen
class DeviceClassConfiguration:
    opaque: OpaqueDeviceConfiguration | None = None


@frozen
class DeviceClassSpec:
    selectors: tuple[DeviceSelector, ...] = ()
    config: tuple[DeviceClassConfiguration, ...] = ()


@frozen
class DeviceClass(ApiObject):
    kind: ClassVar[str] = "DeviceClass"
    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceClassSpec = DeviceClassSpec()


@frozen
class ExactDeviceRequest:
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = EXACT_COUNT
    count: int = 1
    admin_access: bool | None = None


@frozen
class DeviceSubRequest:
    """A DeviceSubRequest is one alternative of a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = EXACT_COUNT
    count: int = 1


@frozen
class DeviceRequest:
    """A DeviceRequest is either ``exactly`` one request, or the ``first_available`` of a list."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] = ()


@frozen
class DeviceConstraint:
    """A DeviceConstraint must hold for the devices of these requests together, or of all requests of the claim
    if none is named."""

    requests: tuple[str, ...] = ()
    match_attribute: str | None = None


@frozen
class DeviceClaimConfiguration:
    requests: tuple[str, ...] = ()
    opaque: OpaqueDeviceConfiguration | None = None


@frozen
class DeviceClaim:
    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[DeviceClaimConfiguration, ...] = ()


@frozen
class ResourceClaimSpec:
    devices: DeviceClaim = DeviceClaim()


# --- What was given -------------------------------------------------------------------------------


@frozen
class DeviceRequestAllocationResult:
    """This is one device. ``request`` is ``request/subrequest`` if the request had alternatives."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None


@frozen
class DeviceAllocationConfiguration:
    """``source`` is FromClass or FromClaim."""

    source: str = ""
    requests: tuple[str, ...] = ()
    opaque: OpaqueDeviceConfiguration | None = None


@frozen
class DeviceAllocationResult:
    results: tuple[DeviceRequestAllocationResult, ...] = ()
    config: tuple[DeviceAllocationConfiguration, ...] = ()


@frozen
class AllocationResult:
    """An AllocationResult has the devices, and says where they can be used: everywhere, if it has no
    ``node_selector``."""

    devices: DeviceAllocationResult = DeviceAllocationResult()
    node_selector: NodeSelector | None = None


@frozen
class ResourceClaimConsumerReference:
    resource: str = ""
    name: str = ""
    uid: str = ""
    api_group: str = ""


@frozen
class ResourceClaimStatus:
    allocation: AllocationResult | None = None
    reserved_for: tuple[ResourceClaimConsumerReference, ...] = ()
    devices: tuple[Mapping[str, Any], ...] = ()


@frozen
class ResourceClaim(ApiObject):
    kind: ClassVar[str] = "ResourceClaim"
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()

    @property
    def is_allocated(self) -> bool:
        return self.status.allocation is not None

    def is_reserved_for(self, uid: str) -> bool:
        return any(consumer.uid == uid for consumer in self.status.reserved_for)

    def allocated(self, allocation: AllocationResult) -> ResourceClaim:
        return evolve(self, status=evolve(self.status, allocation=allocation))


@frozen
class ResourceClaimTemplateSpec:
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()


@frozen
class ResourceClaimTemplate(ApiObject):
    """A controller makes a pod's own claims from a ResourceClaimTemplate; the scheduler waits for those."""

    kind: ClassVar[str] = "ResourceClaimTemplate"
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimTemplateSpec = ResourceClaimTemplateSpec()
