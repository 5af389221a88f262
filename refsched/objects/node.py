# SPDX-License-Identifier: Apache-2.0
"""Node: a machine with its labels, taints, resources and images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import field, frozen

from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.quantity import Quantity

ZONE_LABEL = "topology.kubernetes.io/zone"
REGION_LABEL = "topology.kubernetes.io/region"
LEGACY_ZONE_LABEL = "failure-domain.beta.kubernetes.io/zone"
LEGACY_REGION_LABEL = "failure-domain.beta.kubernetes.io/region"
HOSTNAME_LABEL = "kubernetes.io/hostname"


@frozen
class Taint:
    """``effect`` is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    effect: str
    value: str = ""


@frozen
class NodeSpec:
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


@frozen
class ContainerImage:
    """A ContainerImage is an image on a node: all its names, and its size in bytes."""

    names: tuple[str, ...] = ()
    size_bytes: int = 0


@frozen
class NodeCondition:
    type: str
    status: str


@frozen
class NodeStatus:
    allocatable: Mapping[str, Quantity] = field(factory=dict)
    capacity: Mapping[str, Quantity] = field(factory=dict)
    images: tuple[ContainerImage, ...] = ()
    conditions: tuple[NodeCondition, ...] = ()
    declared_features: tuple[str, ...] = ()


@frozen
class Node(ApiObject):
    kind: ClassVar[str] = "Node"
    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def zone(self) -> tuple[str, str]:
        """Returns the node's region and zone, each empty if the node names none. If a legacy label is present,
        even with an empty value, the newer one is not read. Source: component-helpers, GetZoneKey."""
        labels = self.metadata.labels
        region = labels.get(LEGACY_REGION_LABEL, labels.get(REGION_LABEL, ""))
        return region, labels.get(LEGACY_ZONE_LABEL, labels.get(ZONE_LABEL, ""))
