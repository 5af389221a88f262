# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit before 1.37: the selectors of the classes of devices that count for the score are in the CEL of
that time."""

from __future__ import annotations

from attrs import evolve, frozen

from refsched.objects.store import ObjectStore
from refsched.plugins import node_resources_fit as current
from refsched.plugins.resource_scoring_devices import CountedDevices
from refsched.releases.v1_36.cel import CEL


@frozen
class NodeResourcesFit(current.NodeResourcesFit):
    def counted_devices(self, objects: ObjectStore) -> CountedDevices | None:
        devices = super().counted_devices(objects)
        return None if devices is None else evolve(devices, cel=CEL)
