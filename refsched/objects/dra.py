# SPDX-License-Identifier: Apache-2.0
"""Devices: the devices that a driver has (ResourceSlice), their classes, and the claims on them.

Fields behind a feature gate that is off by default are refused (refsched/reading/alpha_fields.py).
Source: api/resource/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from attrs import evolve, field, frozen

from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.quantity import Quantity
from refsched.objects.selectors import NodeSelector

DELETE_PROTECTION = "resource.kubernetes.io/delete-protection"
"""A claim has this finalizer while devices are allocated to it."""

EXACT_COUNT = "ExactCount"
ALL = "All"

EXTENDED_RESOURCE_CLAIM = "resource.kubernetes.io/extended-resource-claim"
"""This annotation marks the claim that the scheduler makes for the extended resources of a pod."""

# --- What is offered ------------------------------------------------------------------------------


@frozen
class DeviceAttribute:
    """A DeviceAttribute has one value: an integer, a boolean, a string or a semantic version."""

    int_: int | None = None
    bool_: bool | None = None
    string: str | None = None
    version: str | None = None


@frozen
class CapacityRequestPolicyRange:
    """A CapacityRequestPolicyRange allows amounts from ``min`` to ``max``, at a distance from ``min`` that is a
    multiple of ``step``."""

    min: Quantity | None = None
    max: Quantity | None = None
    step: Quantity | None = None


@frozen
class CapacityRequestPolicy:
    """A CapacityRequestPolicy says how much of a capacity a share may consume: ``default`` if its request names
    nothing, and otherwise one of ``valid_values`` or an amount in ``valid_range``."""

    default: Quantity | None = None
    valid_values: tuple[Quantity, ...] = ()
    valid_range: CapacityRequestPolicyRange | None = None


@frozen
class DeviceCapacity:
    value: Quantity = Quantity()
    request_policy: CapacityRequestPolicy | None = None


@frozen
class Counter:
    value: Quantity = Quantity()


@frozen
class CounterSet:
    """The devices of a pool consume counters of its CounterSets."""

    name: str = ""
    counters: Mapping[str, Counter] = field(factory=dict)


@frozen
class DeviceCounterConsumption:
    counter_set: str = ""
    counters: Mapping[str, Counter] = field(factory=dict)


NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"


@frozen
class DeviceTaint:
    """``effect`` is "None", "NoSchedule" or "NoExecute"."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: datetime | None = None


@frozen
class Device:
    """One of ``node_name``, ``node_selector`` and ``all_nodes`` is set if the slice selects nodes for each
    device.

    A device with ``allow_multiple_allocations`` is allocated in shares, one of whose ``capacity`` a claim
    gets."""

    name: str = ""
    attributes: Mapping[str, DeviceAttribute] = field(factory=dict)
    capacity: Mapping[str, DeviceCapacity] = field(factory=dict)
    consumes_counters: tuple[DeviceCounterConsumption, ...] = ()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    taints: tuple[DeviceTaint, ...] = ()
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    allow_multiple_allocations: bool = False


@frozen
class ResourcePool:
    """The slices of a driver and pool that have the highest ``generation`` are the pool, if there are as many
    of them as ``resource_slice_count`` says."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


@frozen
class ResourceSliceSpec:
    """One of ``node_name``, ``node_selector``, ``all_nodes`` and ``per_device_node_selection`` is set. A slice
    has devices or ``shared_counters``."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    devices: tuple[Device, ...] = ()
    per_device_node_selection: bool = False
    shared_counters: tuple[CounterSet, ...] = ()


@frozen
class ResourceSlice(ApiObject):
    kind: ClassVar[str] = "ResourceSlice"
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSliceSpec = ResourceSliceSpec()


@frozen
class DeviceTaintSelector:
    """A DeviceTaintSelector selects the devices of this driver, of this pool, of this name: each if it is
    set."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None


@frozen
class DeviceTaintRuleSpec:
    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = DeviceTaint()


@frozen
class DeviceTaintRule(ApiObject):
    """A DeviceTaintRule adds a taint to the devices that it selects."""

    kind: ClassVar[str] = "DeviceTaintRule"
    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceTaintRuleSpec = DeviceTaintRuleSpec()


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
    extended_resource_name: str | None = None


@frozen
class DeviceClass(ApiObject):
    kind: ClassVar[str] = "DeviceClass"
    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceClassSpec = DeviceClassSpec()


@frozen
class DeviceToleration:
    """``operator`` is Exists, or Equal if it is not set."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


@frozen
class CapacityRequirements:
    requests: Mapping[str, Quantity] = field(factory=dict)


@frozen
class ExactDeviceRequest:
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = EXACT_COUNT
    count: int = 1
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


@frozen
class DeviceSubRequest:
    """A DeviceSubRequest is one alternative of a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = EXACT_COUNT
    count: int = 1
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


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
    distinct_attribute: str | None = None


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
    """This is one device, or one share of it if it has a ``share_id``. ``request`` is ``request/subrequest`` if
    the request had alternatives."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    share_id: str | None = None
    consumed_capacity: Mapping[str, Quantity] = field(factory=dict, hash=False)


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
    allocation_timestamp: datetime | None = None


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

    def deallocated(self) -> ResourceClaim:
        """Returns the claim without its allocation, and without what goes with one."""
        return evolve(self, status=evolve(self.status, allocation=None, reserved_for=(), devices=()))


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
