# SPDX-License-Identifier: Apache-2.0
"""Pools: the devices that can be reached from a node.

Promised: pools, their slices and their generations are documented with the ResourceSlice API.
Source: dynamic-resource-allocation/structured/internal/experimental/pools_experimental.go (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import factorial, prod
from typing import NamedTuple, TypeVar

from attrs import evolve, field, frozen

from refsched.cel.values import CelDevice
from refsched.devices.cel_device import cel_device
from refsched.devices.steps import AS_PROMISED, AllocatorSteps
from refsched.objects.dra import Device, ResourceSlice
from refsched.objects.node import Node
from refsched.rules import applies


class DeviceID(NamedTuple):
    """A DeviceID is a device's full name; str() spells it as messages do."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return "/".join(self)


@frozen(eq=False)
class OfferedDevice:
    """An OfferedDevice is a device, and the slice that has it."""

    id: DeviceID
    device: Device
    slice: ResourceSlice

    @cached_property
    def as_cel(self) -> CelDevice:
        return cel_device(self.id.driver, self.device)


@frozen
class Pool:
    """A Pool is a driver's pool as far as the node reaches it. Devices are in the order in which they are
    tried.

    ``out_of_reach`` counts the slices of the same generation that the node does not reach; ``is_superseded``
    says that the pool has a newer generation among those that it does not reach.
    """

    driver: str
    name: str
    slices: tuple[ResourceSlice, ...]
    out_of_reach: int = 0
    is_superseded: bool = False
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
        """R-DRA-21: A pool is incomplete if its slices, with those that the node does not reach, are fewer
        than the first slice says."""
        stated = self.slices[0].spec.pool.resource_slice_count
        if stated in (len(self.slices), len(self.slices) + self.out_of_reach):
            return False
        applies("R-DRA-21")
        return True

    @property
    def is_passed_over(self) -> bool:
        """Returns whether the pool does not count: it has a newer generation elsewhere, and the node does not
        reach all of the old one."""
        return self.is_superseded and len(self.slices) != self.slices[0].spec.pool.resource_slice_count

    @property
    def invalid_reason(self) -> str:
        """R-DRA-22: A pool in which two devices have the same name is invalid.

        Returns "" if the pool is valid."""
        seen: set[str] = set()
        for offered in self.devices:
            if offered.device.name in seen:
                applies("R-DRA-22")
                return f"duplicate device name {offered.device.name}"
            seen.add(offered.device.name)
        return ""

    @property
    def is_broken(self) -> bool:
        """Returns whether a request for all devices of the pool cannot be satisfied."""
        return self.is_incomplete or bool(self.invalid_reason)

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


Pools = tuple[Pool, ...]


@frozen
class PoolOrders:
    """PoolOrders are all the orders of ``pools``, and of the slices of each, by number. In the first, slices are
    sorted by name."""

    pools: Pools

    def __len__(self) -> int:
        return prod(
            factorial(len(shuffled)) for shuffled in (self.pools, *(pool.slices for pool in self.pools))
        )

    def __getitem__(self, index: int) -> Pools:
        """R-DRA-24: Pools, and the slices of a pool, are tried in any order: kube-scheduler iterates over maps."""
        applies("R-DRA-24")
        number, in_order = _permuted(self.pools, range(len(self))[index])
        pools = []
        for pool in in_order:
            number, slices = _permuted(pool.slices, number)
            pools.append(evolve(pool, slices=tuple(slices)))
        return tuple(pools)


_T = TypeVar("_T")


def _permuted(items: Sequence[_T], number: int) -> tuple[int, list[_T]]:
    """Returns the order of these items that the number stands for, and what is left of the number to choose
    other orders by."""
    left, chosen = list(items), []
    while left:
        number, position = divmod(number, len(left))
        chosen.append(left.pop(position))
    return number, chosen


def gather_pools(
    slices: Iterable[ResourceSlice], node: Node, steps: AllocatorSteps = AS_PROMISED
) -> PoolOrders:
    """R-DRA-20: Of the slices of a pool that the node reaches, only those of the highest generation count.
    Source: GatherPools, addSlice."""
    pools: dict[tuple[str, str], list[ResourceSlice]] = {}
    unreached: list[ResourceSlice] = []
    for piece in slices:
        if not _reaches(piece, node):
            unreached.append(piece)
            continue
        kept = pools.setdefault(_pool_of(piece), [])
        if kept and _generation(piece) < _generation(kept[0]):
            applies("R-DRA-20")
            continue
        if kept and _generation(piece) > _generation(kept[0]):
            applies("R-DRA-20")
            kept.clear()
        kept.append(piece)
    others = steps.out_of_reach(unreached)
    return PoolOrders(tuple(_pool(tuple(kept), others) for kept in pools.values()))


def _pool(slices: tuple[ResourceSlice, ...], unreached: Sequence[ResourceSlice]) -> Pool:
    driver, name = _pool_of(slices[0])
    generation = _generation(slices[0])
    others = [_generation(piece) for piece in unreached if _pool_of(piece) == (driver, name)]
    is_superseded = any(other > generation for other in others)
    return Pool(driver, name, slices, others.count(generation), is_superseded)


def _pool_of(piece: ResourceSlice) -> tuple[str, str]:
    return piece.spec.driver, piece.spec.pool.name


def _generation(piece: ResourceSlice) -> int:
    return piece.spec.pool.generation


def _reaches(piece: ResourceSlice, node: Node) -> bool:
    """R-DRA-25: A node reaches the devices of a ResourceSlice if the slice names the node, selects it, or is
    for all nodes. Source: NodeMatches (dynamic-resource-allocation/structured/internal/experimental,
    v0.34.2)."""
    applies("R-DRA-25")
    spec = piece.spec
    if spec.node_name:
        return spec.node_name == node.name
    if spec.all_nodes:
        return True
    return spec.node_selector is not None and spec.node_selector.matches(node)
