# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit before 1.37: the selectors of the classes of devices that count for the score are in the CEL of
that time."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

from refsched.objects.store import ObjectStore
from refsched.plugins import node_resources_fit as current
from refsched.plugins import resource_scoring_devices
from refsched.releases.v1_36.cel import CEL


def counted_devices(
    resources: Iterable[str], objects: ObjectStore
) -> resource_scoring_devices.CountedDevices | None:
    """Returns the devices, or None if no DeviceClass serves any of these resources, which count for the score."""
    devices = resource_scoring_devices.counted_devices(resources, objects)
    return None if devices is None else evolve(devices, cel=CEL)


@frozen
class NodeResourcesFit(current.NodeResourcesFit):
    counted_devices = staticmethod(counted_devices)
