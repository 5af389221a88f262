# SPDX-License-Identifier: Apache-2.0
"""Pools: the devices that can be reached from a node.

Rules: R-DRA-20 … R-DRA-23.
Source: dynamic-resource-allocation/structured/internal/experimental/pools_experimental.go (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from attrs import field, frozen

from refsched.dra.cel_values import CelDevice, cel_device
from refsched.objects.dra import Device, ResourceSlice
from refsched.objects.node import Node


class DeviceID(NamedTuple):
    """A device's full name; str() is as messages spell it."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return "/".join(self)


@frozen(eq=False)
class OfferedDevice:
    """A device, and the slice that offers it."""

    id: DeviceID
    device: Device
    slice: ResourceSlice

    @cached_property
    def as_cel(self) -> CelDevice:
        return cel_device(self.id.driver, self.device)


@frozen
class Pool:
    """A driver's pool as far as the node reaches it. Devices stand in the order in which they are tried."""

    driver: str
    name: str
    slices: tuple[ResourceSlice, ...]
    devices: tuple[OfferedDevice, ...] = field(init=False, eq=False)

    @devices.default
    def _all_devices(self) -> tuple[OfferedDevice, ...]:
        return tuple(
            OfferedDevice(DeviceID(self.driver, self.name, device.name), device, piece)
            for piece in self.slices
            for device in piece.spec.devices
        )

    @property
    def is_incomplete(self) -> bool:
        """R-DRA-21: the first slice says how many the pool has; slices the node cannot reach are missing too."""
        return len(self.slices) != self.slices[0].spec.pool.resource_slice_count

    @property
    def invalid_reason(self) -> str:
        """R-DRA-22: a pool in which two devices bear one name is invalid. Empty where it is not."""
        seen: set[str] = set()
        for offered in self.devices:
            if offered.device.name in seen:
                return f"duplicate device name {offered.device.name}"
            seen.add(offered.device.name)
        return ""

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


def gather_pools(slices: Iterable[ResourceSlice], node: Node) -> tuple[Pool, ...]:
    """R-DRA-20: of each pool only the slices of the highest generation count, of those the node reaches.
    R-DRA-23: slices with devices that have binding conditions are tried last.

    The real one lists slices and walks pools in the order of Go maps, which is random; here they stand by
    the names of slices. Source: GatherPools, addSlice.
    """
    reached = sorted(
        (piece for piece in slices if _reaches(piece, node)),
        key=_has_binding_conditions,
    )
    pools: dict[tuple[str, str], list[ResourceSlice]] = {}
    for piece in reached:
        spec = piece.spec
        kept = pools.setdefault((spec.driver, spec.pool.name), [])
        if kept and spec.pool.generation < kept[0].spec.pool.generation:
            continue
        if kept and spec.pool.generation > kept[0].spec.pool.generation:
            kept.clear()
        kept.append(piece)
    gathered = [Pool(driver, name, tuple(kept)) for (driver, name), kept in pools.items()]
    return tuple(sorted(gathered, key=lambda pool: any(map(_has_binding_conditions, pool.slices))))


def _reaches(piece: ResourceSlice, node: Node) -> bool:
    """Slices that select nodes per device are left out, as long as DRAPartitionableDevices is off."""
    spec = piece.spec
    if spec.per_device_node_selection is not None:
        return False
    if spec.node_name:
        return spec.node_name == node.name
    if spec.all_nodes:
        return True
    return spec.node_selector is not None and spec.node_selector.matches(node)


def _has_binding_conditions(piece: ResourceSlice) -> bool:
    return any(device.binding_conditions for device in piece.spec.devices)
