# SPDX-License-Identifier: Apache-2.0
"""Pools: the devices that can be reached from a node.

Promised: pools, their slices and their generations are documented with the ResourceSlice API.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

from attrs import evolve, field, frozen

from refsched.cel.values import CelDevice
from refsched.devices.cel_device import cel_device
from refsched.devices.ids import DeviceID, PoolID
from refsched.objects.dra import Counter, CounterSet, Device, ResourceSlice
from refsched.objects.node import Node
from refsched.objects.selectors import NodeSelector
from refsched.rules import ErrorReason, applies

DUPLICATE_DEVICE = ErrorReason("duplicate device name {}", "R-DRA-22")


@frozen(eq=False)
class OfferedDevice:
    """An OfferedDevice is a device, and the slice that has it."""

    id: DeviceID
    device: Device
    slice: ResourceSlice

    @property
    def pool(self) -> PoolID:
        return PoolID(self.id.driver, self.id.pool)

    @cached_property
    def as_cel(self) -> CelDevice:
        return cel_device(self.id.driver, self.device)


@frozen
class Pool:
    """A Pool is a driver's pool as far as the node reaches it. Devices are in the order in which they are
    tried.

    ``unreached`` are the slices of the same generation that the node does not reach; ``is_superseded`` says
    that the pool has a newer generation among those that it does not reach. ``listed_first`` is the slice that
    says how many slices the pool has, if that is not the first of ``slices``."""

    driver: str
    name: str
    slices: tuple[ResourceSlice, ...]
    unreached: tuple[ResourceSlice, ...] = ()
    is_superseded: bool = False
    listed_first: ResourceSlice | None = None
    devices: tuple[OfferedDevice, ...] = field(init=False, eq=False)

    @devices.default
    def _all_devices(self) -> tuple[OfferedDevice, ...]:
        return tuple(self._devices_of(self.slices))

    def _devices_of(self, slices: Iterable[ResourceSlice]) -> Iterator[OfferedDevice]:
        for piece in slices:
            for device in piece.spec.devices:
                yield OfferedDevice(DeviceID(self.driver, self.name, device.name), device, piece)

    @property
    def id(self) -> PoolID:
        return PoolID(self.driver, self.name)

    @property
    def all_devices(self) -> Iterator[OfferedDevice]:
        """Yields the devices of the pool on all nodes."""
        yield from self.devices
        yield from self._devices_of(self.unreached)

    @cached_property
    def counter_sets(self) -> Mapping[str, Mapping[str, Counter]]:
        """Returns the counters that the pool's devices share, by CounterSet."""
        return {each.name: each.counters for each in self._counter_sets()}

    def _counter_sets(self) -> Iterator[CounterSet]:
        for piece in (*self.slices, *self.unreached):
            yield from piece.spec.shared_counters

    @cached_property
    def is_incomplete(self) -> bool:
        """R-DRA-21: A pool is incomplete if its slices, with those that the node does not reach, are fewer
        than the first slice says."""
        if self._stated_count in (len(self.slices), len(self.slices) + len(self.unreached)):
            return False
        applies("R-DRA-21")
        return True

    @property
    def _stated_count(self) -> int:
        return (self.listed_first or self.slices[0]).spec.pool.resource_slice_count

    @property
    def is_passed_over(self) -> bool:
        """Returns whether the pool does not count: it has a newer generation elsewhere, and the node does not
        reach all of the old one."""
        return self.is_superseded and len(self.slices) != self._stated_count

    @cached_property
    def invalid_reason(self) -> str:
        """R-DRA-22: A pool in which two devices have the same name is invalid.

        Returns "" if the pool is valid."""
        seen: set[str] = set()
        for offered in self.devices:
            if offered.device.name in seen:
                applies("R-DRA-22")
                return DUPLICATE_DEVICE.of(offered.device.name)
            seen.add(offered.device.name)
        return self._why_counters_are_invalid()

    def _why_counters_are_invalid(self) -> str:
        """R-DRA-28: A pool is invalid if two of its CounterSets have the same name, or if a device consumes a
        counter that none of them has."""
        names = [each.name for each in self._counter_sets()]
        twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
        if twice is not None:
            applies("R-DRA-28")
            return f"duplicate counter set name {twice}"
        for offered in self.all_devices:
            for consumed in offered.device.consumes_counters:
                known = self.counter_sets.get(consumed.counter_set)
                if known is None or not known.keys() >= consumed.counters.keys():
                    applies("R-DRA-28")
                    return f"a device consumes counters that {consumed.counter_set} does not have"
        return ""

    @cached_property
    def is_broken(self) -> bool:
        """Returns whether the pool is incomplete or invalid."""
        return self.is_incomplete or bool(self.invalid_reason)

    @property
    def has_binding_conditions(self) -> bool:
        return any(offered.device.binding_conditions for offered in self.devices)

    def __str__(self) -> str:
        return str(self.id)


Pools = tuple[Pool, ...]


def in_fixed_order(pools: Iterable[Pool], node: Node) -> Sequence[Pools]:
    """R-DRA-26 (observed: in which order pools are tried is not part of the API): Pools are tried in the order
    of the names of driver and pool, and after them in the same order those that have a device with binding
    conditions; the slices of a pool are tried in the order of their names.

    Returns the pools in this order, once for each choice of the numbers of slices that count (R-DRA-124).
    Source: sortPoolsByID, sortSlicesByName."""
    found = [_with_each_count(pool, node) for pool in sorted(pools, key=lambda pool: pool.id)]
    applies("R-DRA-26", when=len(found) > 1 or any(len(pool.slices) > 1 for pool, *_ in found))
    return [_late_last(each) for each in product(*found)]


def _late_last(pools: Pools) -> Pools:
    late = [pool for pool in pools if pool.has_binding_conditions and not pool.is_broken]
    return (*(pool for pool in pools if pool not in late), *late)


def _with_each_count(pool: Pool, node: Node) -> Pools:
    """R-DRA-124 (observed: how many slices a pool has is said by all of them alike, once its driver is done): If
    the slices of a pool say different numbers of slices, the number that counts is one that a slice which names
    the node says or, without such a slice, one that any of them says. Source: allocator_incubating.go,
    NewAllocator, Allocate."""
    slices = tuple(sorted(pool.slices, key=lambda piece: piece.name))
    named = [piece for piece in slices if piece.spec.node_name == node.name]
    says = {piece.spec.pool.resource_slice_count: piece for piece in reversed(named or slices)}
    applies("R-DRA-124", when=len({piece.spec.pool.resource_slice_count for piece in slices}) > 1)
    return tuple(evolve(pool, slices=slices, listed_first=says[count]) for count in reversed(says))


def only_node(piece: ResourceSlice) -> str:
    """Returns the name of the only node that may reach the slice, or ``""`` if others may."""
    return piece.spec.node_name or ""


class SlicesByNode:
    """SlicesByNode have for each node the slices of the pools that it may reach: those with a slice that names the
    node, or that names none. They are made once in a scheduling cycle, since a cluster may have a pool for each of
    its nodes."""

    def __init__(
        self, slices: Iterable[ResourceSlice], only_node: Callable[[ResourceSlice], str] = only_node
    ) -> None:
        self._of_pool: dict[PoolID, list[ResourceSlice]] = {}
        self._pools: dict[str, dict[PoolID, None]] = {}
        for piece in slices:
            pool = _pool_of(piece)
            self._of_pool.setdefault(pool, []).append(piece)
            self._pools.setdefault(only_node(piece), {})[pool] = None

    def of(self, node: Node) -> Iterator[ResourceSlice]:
        """Yields all slices of these pools."""
        applies("R-DRA-25", when=self._of_pool)
        for pool in {**self._pools.get(node.name, {}), **self._pools.get("", {})}:
            yield from self._of_pool[pool]


def gather_pools(
    slices: Iterable[ResourceSlice],
    node: Node,
    reaches: Callable[[ResourceSlice, Node], bool],
    out_of_reach: Callable[[Sequence[ResourceSlice]], Sequence[ResourceSlice]],
) -> Pools:
    """R-DRA-20: Of the slices of a pool that the node reaches, only those of the highest generation count.
    Source: GatherPools, addSlice, checkSlicesInPool."""
    pools: dict[PoolID, list[ResourceSlice]] = {}
    unreached: list[ResourceSlice] = []
    for piece in slices:
        if not reaches(piece, node):
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
    others = out_of_reach(unreached)
    return tuple(_pool(tuple(kept), others) for kept in pools.values())


def _pool(slices: tuple[ResourceSlice, ...], unreached: Sequence[ResourceSlice]) -> Pool:
    owner = _pool_of(slices[0])
    generation = _generation(slices[0])
    others = [piece for piece in unreached if _pool_of(piece) == owner]
    is_superseded = any(_generation(piece) > generation for piece in others)
    same = tuple(piece for piece in others if _generation(piece) == generation)
    return Pool(*owner, slices, same, is_superseded)


def _pool_of(piece: ResourceSlice) -> PoolID:
    return PoolID(piece.spec.driver, piece.spec.pool.name)


def _generation(piece: ResourceSlice) -> int:
    return piece.spec.pool.generation


# --- Which devices a node reaches -----------------------------------------------------------------


def node_reaches(piece: ResourceSlice, node: Node) -> bool:
    """R-DRA-25: A node reaches the devices of a ResourceSlice if the slice names the node, selects it, or is
    for all nodes. Source: NodeMatches."""
    applies("R-DRA-25")
    spec = piece.spec
    if spec.per_device_node_selection and not _selects_nodes(piece):
        return any(reaches_device(device, node) for device in spec.devices)
    return _matches(node, spec.node_name, spec.node_selector, all_nodes=spec.all_nodes)


def _selects_nodes(piece: ResourceSlice) -> bool:
    return bool(piece.spec.node_name or piece.spec.all_nodes or piece.spec.node_selector)


def reaches_device(device: Device, node: Node) -> bool:
    return _matches(node, device.node_name, device.node_selector, all_nodes=device.all_nodes)


def is_reached(offered: OfferedDevice, node: Node) -> bool:
    """R-DRA-29: If a ResourceSlice selects nodes for each device (perDeviceNodeSelection), the node reaches
    those devices that name it, select it, or are for all nodes. Source: isSelectable."""
    if not offered.slice.spec.per_device_node_selection:
        return True
    return not applies("R-DRA-29", when=not reaches_device(offered.device, node))


def _matches(node: Node, name: str | None, selector: NodeSelector | None, *, all_nodes: bool) -> bool:
    if name:
        return name == node.name
    return all_nodes or (selector is not None and selector.matches(node))
