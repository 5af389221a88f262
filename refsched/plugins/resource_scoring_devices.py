# SPDX-License-Identifier: Apache-2.0
"""Devices in scores: an extended resource that devices serve counts with how many devices the node reaches.

Used by: NodeResourcesFit, NodeResourcesBalancedAllocation.

Observed: how devices count for the score is not documented.
Source: plugins/noderesources/resource_allocation.go, calculateDRAResourceTotals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve, frozen

from refsched.cel import CelError, CelSteps, compile_selector
from refsched.cel.values import CelDevice
from refsched.devices.cel_device import cel_device
from refsched.devices.claims import devices_in_use
from refsched.devices.ids import DeviceID
from refsched.devices.in_use import InUse
from refsched.devices.pools import OfferedDevice, SlicesByNode, is_reached, node_reaches
from refsched.framework.node_info import NodeInfo
from refsched.objects.dra import DeviceClass, ResourceSlice
from refsched.objects.node import Node
from refsched.objects.resources import amount
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_extended import class_of
from refsched.rules import applies


@frozen(eq=False)
class CountedDevices:
    """CountedDevices are the devices of all nodes as PreScore finds them, and what of them is in use."""

    slices: SlicesByNode
    in_use: InUse
    objects: ObjectStore
    cel: CelSteps = CelSteps()

    def count(self, resource: str, node: Node) -> tuple[int, int] | None:
        """Returns how many of the devices of the node that the DeviceClass of the resource selects are allocated,
        and how many there are: none if a selector fails. Returns None if no class serves the resource."""
        device_class = class_of(resource, self.objects)
        if device_class is None:
            return None
        try:
            selected = [offered.id for offered in self._reached(node) if self._selects(device_class, offered)]
        except CelError:
            return 0, 0
        return sum(map(self.in_use.is_allocated, selected)), len(selected)

    def _reached(self, node: Node) -> Iterator[OfferedDevice]:
        for piece in self.slices.of(node):
            if not node_reaches(piece, node):
                continue
            for device in piece.spec.devices:
                named = DeviceID(piece.spec.driver, piece.spec.pool.name, device.name)
                offered = OfferedDevice(named, device, piece)
                if is_reached(offered, node):
                    yield offered

    def _selects(self, device_class: DeviceClass, offered: OfferedDevice) -> bool:
        return all(
            compile_selector(selector.cel.expression, self.cel).matches(_as_selectors_see(offered))
            for selector in device_class.spec.selectors
            if selector.cel is not None
        )


def _as_selectors_see(offered: OfferedDevice) -> CelDevice:
    """R-FIT-16: For the score, the selectors of a DeviceClass see each device as one that may not be allocated
    more than once, whatever it says. Source: deviceMatchesClass."""
    if not applies("R-FIT-16", when=offered.device.allow_multiple_allocations):
        return offered.as_cel
    return cel_device(offered.id.driver, evolve(offered.device, allow_multiple_allocations=False))


def counted_devices(resources: Iterable[str], objects: ObjectStore) -> CountedDevices | None:
    """Returns the devices, or None if no DeviceClass serves any of these resources, which count for the score."""
    if all(class_of(name, objects) is None for name in resources):
        return None
    return CountedDevices(SlicesByNode(objects.list(ResourceSlice)), devices_in_use(objects), objects)


def devices_instead(resource: str, devices: CountedDevices | None, node: NodeInfo) -> tuple[int, int] | None:
    """Returns how many of the devices that count for the resource are allocated, and how many there are; None if
    the node's allocatable has some of the resource, or if no DeviceClass serves it."""
    if devices is None or amount(node.allocatable, resource) != 0:
        return None
    return devices.count(resource, node.existing_node)
