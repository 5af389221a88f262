# SPDX-License-Identifier: Apache-2.0
"""VolumeZone: a pod goes to the zone and the region that the labels of its bound volumes name.

Rules: R-VOLZONE-01 … R-VOLZONE-09.   Source: plugins/volumezone/volume_zone.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.events import (
    NODE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    STORAGE_CLASS,
    ActionType,
    EventHint,
)
from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import LEGACY_REGION_LABEL, LEGACY_ZONE_LABEL, REGION_LABEL, ZONE_LABEL
from refsched.objects.pod import Pod
from refsched.objects.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from refsched.objects.store import ObjectStore

TOPOLOGY_LABELS = (LEGACY_ZONE_LABEL, LEGACY_REGION_LABEL, ZONE_LABEL, REGION_LABEL)
SUCCESSORS = {LEGACY_ZONE_LABEL: ZONE_LABEL, LEGACY_REGION_LABEL: REGION_LABEL}
MULTI_ZONE_DELIMITER = "__"


@frozen
class VolumeTopology:
    """A topology label of a volume, and the values that a node may have for it."""

    key: str
    values: frozenset[str]


Topologies = tuple[VolumeTopology, ...]


@frozen
class VolumeZone:
    name: ClassVar[str] = "VolumeZone"
    READS: ClassVar[tuple[str, ...]] = (
        "Pod.spec.volumes",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
    )

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Topologies] | Skip | Reject:
        """R-VOLZONE-01: without a bound volume that has such labels, nothing is filtered. Claims of ephemeral
        volumes are not looked at."""
        topologies: list[VolumeTopology] = []
        for name in _claim_names(pod.pod):
            found = topologies_of_claim(name, pod.pod.namespace, snapshot.objects)
            if isinstance(found, Status):
                return Reject(found)
            topologies += found
        return Continue(tuple(topologies)) if topologies else Skip()

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Topologies, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLZONE-04: a node with none of the four labels is in no zone, and so in the right one.
        R-VOLZONE-05: any other must have, for each label of a volume, one of the volume's values.
        R-VOLZONE-06: where a node lacks the legacy label, its successor stands in."""
        labels = node.existing_node.metadata.labels
        if not any(key in labels for key in TOPOLOGY_LABELS):
            return SUCCESS
        for topology in state:
            value = labels.get(topology.key, labels.get(SUCCESSORS.get(topology.key, topology.key)))
            if value not in topology.values:
                return unresolvable("node(s) had no available volume zone")
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_class_creation(self, pod: Pod, before: None, after: StorageClass, objects: ObjectStore) -> bool:
        """R-VOLZONE-07: only a class that waits for its first consumer lets an unbound claim pass."""
        return after.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER

    def after_claim_change(
        self,
        pod: Pod,
        before: PersistentVolumeClaim | None,
        after: PersistentVolumeClaim,
        objects: ObjectStore,
    ) -> bool:
        """R-VOLZONE-08: one of the pod's claims was made, or may have been bound."""
        return after.namespace == pod.namespace and after.name in _claim_names(pod)

    def after_volume_change(
        self, pod: Pod, before: PersistentVolume | None, after: PersistentVolume, objects: ObjectStore
    ) -> bool:
        """R-VOLZONE-09: any new volume; an old one where its zone or region changed."""
        return before is None or topologies_of(before) != topologies_of(after)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            STORAGE_CLASS, ActionType.ADD, after_class_creation, "the class of a claim may have been missing"
        ),
        EventHint(
            NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL, None, "a node may have come to the zone"
        ),
        EventHint(
            PERSISTENT_VOLUME_CLAIM,
            ActionType.ADD | ActionType.UPDATE,
            after_claim_change,
            "the claim may have been missing, or unbound",
        ),
        EventHint(
            PERSISTENT_VOLUME,
            ActionType.ADD | ActionType.UPDATE,
            after_volume_change,
            "the volume may have been missing, or in another zone",
        ),
    )


def _claim_names(pod: Pod) -> list[str]:
    claims = (volume.persistent_volume_claim for volume in pod.spec.volumes)
    return [claim.claim_name for claim in claims if claim is not None]


def topologies_of_claim(name: str, namespace: str, objects: ObjectStore) -> Topologies | Status:
    """R-VOLZONE-02: a claim must exist and be bound to a volume that exists, or else its class must let it
    wait for its first consumer. Source: getPVbyPod."""
    if not name:
        return unresolvable("PersistentVolumeClaim had no name")
    claim = objects.get(PersistentVolumeClaim, name, namespace)
    if claim is None:
        return unresolvable(f'persistentvolumeclaim "{name}" not found')
    if not claim.spec.volume_name:
        refused = _refusal_of_unbound(claim.class_name, objects)
        return () if refused is None else refused
    volume = objects.get(PersistentVolume, claim.spec.volume_name)
    if volume is None:
        return unresolvable(f'persistentvolume "{claim.spec.volume_name}" not found')
    return topologies_of(volume)


def _refusal_of_unbound(class_name: str, objects: ObjectStore) -> Status | None:
    if not class_name:
        return unresolvable("PersistentVolumeClaim had no pv name and storageClass name")
    storage_class = objects.get(StorageClass, class_name)
    if storage_class is None:
        return unresolvable(f'storageclass.storage.k8s.io "{class_name}" not found')
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    return unresolvable("PersistentVolume had no name")


def topologies_of(volume: PersistentVolume) -> Topologies:
    """R-VOLZONE-03: a label may list several values, ``a__b``; one with an empty value among them is no
    label at all. Source: getPVTopologies; cloud-provider/volume/helpers/zones.go, LabelZonesToSet (v0.34.2).
    """
    listed = {
        key: frozenset(zone.strip() for zone in volume.metadata.labels[key].split(MULTI_ZONE_DELIMITER))
        for key in TOPOLOGY_LABELS
        if key in volume.metadata.labels
    }
    return tuple(VolumeTopology(key, values) for key, values in listed.items() if "" not in values)
