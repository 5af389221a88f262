# SPDX-License-Identifier: Apache-2.0
"""What is in use: the devices, and the shares of devices, that claims hold.

Promised: that a device is allocated once is documented with the ResourceClaim API, KEP-4381.
Shows in: devices.
Source: plugins/dynamicresources/allocateddevices.go; dra_manager.go, GatherAllocatedState;
dynamic-resource-allocation/structured/schedulerapi (ConsumedCapacityCollection).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from attrs import define, field, frozen

from refsched.devices.ids import DeviceID
from refsched.objects.dra import DeviceRequestAllocationResult, ResourceClaim
from refsched.objects.quantity import Quantity
from refsched.rules import applies

Amounts = Mapping[str, Quantity]
"""Amounts are quantities by the name of a capacity."""


class Share(NamedTuple):
    """A Share is a part of a device that allows multiple allocations."""

    device: DeviceID
    id: str


@frozen
class InUse:
    """``devices`` are allocated as a whole, ``shares`` are those of devices that allow multiple allocations,
    and ``capacity`` is what the shares of a device consume together."""

    devices: frozenset[DeviceID] = frozenset()
    shares: frozenset[Share] = frozenset()
    capacity: Mapping[DeviceID, Amounts] = field(factory=dict)

    def is_allocated(self, device: DeviceID) -> bool:
        """Returns whether the device is allocated, or a share of it."""
        return device in self.devices or self.is_shared(device)

    def is_shared(self, device: DeviceID) -> bool:
        return device in self.capacity or any(share.device == device for share in self.shares)

    def with_claims(self, claims: Iterable[ResourceClaim]) -> InUse:
        """Returns what is in use with these claims. If one of them counts already, what its shares consume counts
        twice."""
        ledger = DeviceLedger(set(self.devices), set(self.shares), dict(self.capacity))
        for claim in claims:
            for result in _held(claim):
                ledger.add(result)
        return ledger.in_use


def added(to: Amounts, amounts: Amounts) -> Amounts:
    return {**to, **{name: to.get(name, Quantity()) + amount for name, amount in amounts.items()}}


def subtracted(from_: Amounts, amounts: Amounts) -> Amounts:
    left = {
        name: Quantity(amount.nano - amounts.get(name, Quantity()).nano) for name, amount in from_.items()
    }
    return left if any(amount.nano for amount in left.values()) else {}


@define
class DeviceLedger:
    """A DeviceLedger has what claims hold, as kube-scheduler keeps it: without counting how many claims hold a
    device."""

    kind: ClassVar[str] = ResourceClaim.kind
    taken: set[DeviceID] = field(factory=set)
    shares: set[Share] = field(factory=set)
    capacity: dict[DeviceID, Amounts] = field(factory=dict)

    def changed(self, before: ResourceClaim | None, after: ResourceClaim | None) -> None:
        """R-DRA-85 (observed: what becomes of a device that two claims hold, which they should not, is an
        accident): A device that two claims hold is free as soon as one of them is deallocated.

        An allocation never changes.

        Source: allocateddevices.go, onUpdate, onDelete."""
        was_allocated = before is not None and before.is_allocated
        is_allocated = after is not None and after.is_allocated
        if is_allocated and not was_allocated:
            for result in _held(after):
                self.add(result)
        if was_allocated and not is_allocated:
            applies("R-DRA-85")
            for result in _held(before):
                self._remove(result)

    def add(self, result: DeviceRequestAllocationResult) -> None:
        device = _device_of(result)
        if result.share_id is None:
            self.taken.add(device)
            return
        self.shares.add(Share(device, result.share_id))
        if result.consumed_capacity:
            self.capacity[device] = added(self.capacity.get(device, {}), result.consumed_capacity)

    def _remove(self, result: DeviceRequestAllocationResult) -> None:
        """R-DRA-86: What a share consumed is available again when its claim is deallocated; the device itself
        is never in use as a whole. Source: ConsumedCapacityCollection.Remove."""
        device = _device_of(result)
        if result.share_id is None:
            self.taken.discard(device)
            return
        applies("R-DRA-86")
        self.shares.discard(Share(device, result.share_id))
        left = subtracted(self.capacity.pop(device, {}), result.consumed_capacity)
        if left:
            self.capacity[device] = left

    @property
    def in_use(self) -> InUse:
        return InUse(frozenset(self.taken), frozenset(self.shares), dict(self.capacity))


def _device_of(result: DeviceRequestAllocationResult) -> DeviceID:
    return DeviceID(result.driver, result.pool, result.device)


def _held(claim: ResourceClaim | None) -> Iterable[DeviceRequestAllocationResult]:
    """R-DRA-84: A device is not in use because it is allocated with admin access.
    Source: foreachAllocatedDevice."""
    if claim is not None and claim.status.allocation is not None:
        for result in claim.status.allocation.devices.results:
            if result.admin_access:
                applies("R-DRA-84")
            else:
                yield result
