# SPDX-License-Identifier: Apache-2.0
"""VolumeZone: a pod runs in the zone and the region that the labels of its bound volumes name.

Promised: the labels of zones and regions are documented with the well-known labels.
Shows in: volumes.
Source: plugins/volumezone/volume_zone.go.
"""

from __future__ import annotations

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
    claim_names,
)
from refsched.objects.store import ObjectStore
from refsched.plugins.signatures import sign_volumes
from refsched.rules import Reason, applies
from refsched.volumes.csi_migration import MULTI_ZONE_DELIMITER

TOPOLOGY_LABELS = (LEGACY_ZONE_LABEL, LEGACY_REGION_LABEL, ZONE_LABEL, REGION_LABEL)
SUCCESSORS = {LEGACY_ZONE_LABEL: ZONE_LABEL, LEGACY_REGION_LABEL: REGION_LABEL}

CLAIM_WITHOUT_NAME = Reason("PersistentVolumeClaim had no name", "R-VOLZONE-02")
CLAIM_NOT_FOUND = Reason('persistentvolumeclaim "{}" not found', "R-VOLZONE-02")
VOLUME_NOT_FOUND = Reason('persistentvolume "{}" not found', "R-VOLZONE-02")
NO_VOLUME_AND_NO_CLASS = Reason("PersistentVolumeClaim had no pv name and storageClass name", "R-VOLZONE-02")
CLASS_NOT_FOUND = Reason('storageclass.storage.k8s.io "{}" not found', "R-VOLZONE-02")
NOT_BOUND = Reason("PersistentVolume had no name", "R-VOLZONE-02")
OTHER_ZONE = Reason("node(s) had no available volume zone", "R-VOLZONE-05")


@frozen
class VolumeTopology:
    """A VolumeTopology is a topology label of a volume, and the values that a node may have for it."""

    key: str
    values: frozenset[str]


Topologies = tuple[VolumeTopology, ...]


@frozen
class VolumeZone:
    name = "VolumeZone"
    POINTS = ("preFilter", "filter")
    READS = ("Pod.spec.volumes", "PersistentVolume", "PersistentVolumeClaim", "StorageClass")
    sign = sign_volumes

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Topologies] | Skip | Reject:
        """R-VOLZONE-01: A pod skips Filter of VolumeZone if none of its claims is bound to a volume with zone or
        region labels; claims of ephemeral volumes are not looked at."""
        topologies: list[VolumeTopology] = []
        for name in claim_names(pod.pod):
            found = topologies_of_claim(name, pod.pod.namespace, snapshot.objects)
            if isinstance(found, Status):
                return Reject(found)
            topologies += found
        if not topologies:
            applies("R-VOLZONE-01")
            return Skip()
        return Continue(tuple(topologies))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Topologies, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLZONE-04: A node without any zone or region label is not rejected by VolumeZone.
        R-VOLZONE-05: A node with a zone or region label is rejected as UnschedulableAndUnresolvable if, for a zone
        or region label of one of the pod's volumes, it does not have one of the values that the volume's label
        lists.
        R-VOLZONE-06: If a volume has a legacy zone or region label (failure-domain.beta.kubernetes.io) that the
        node lacks, the node's topology.kubernetes.io label is compared with it."""
        labels = node.existing_node.metadata.labels
        if not any(key in labels for key in TOPOLOGY_LABELS):
            applies("R-VOLZONE-04")
            return SUCCESS
        for topology in state:
            applies(
                "R-VOLZONE-06", when=topology.key not in labels and SUCCESSORS.get(topology.key) in labels
            )
            value = labels.get(topology.key, labels.get(SUCCESSORS.get(topology.key, topology.key)))
            if value not in topology.values:
                return unresolvable(OTHER_ZONE)
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_class_creation(self, pod: Pod, before: None, after: StorageClass, objects: ObjectStore) -> bool:
        """R-VOLZONE-07 (observed: queueing hints may only save attempts, KEP-4247): The creation of a StorageClass
        with volumeBindingMode WaitForFirstConsumer requeues a pod that VolumeZone rejected."""
        return applies("R-VOLZONE-07", when=after.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER)

    def after_claim_change(
        self,
        pod: Pod,
        before: PersistentVolumeClaim | None,
        after: PersistentVolumeClaim,
        objects: ObjectStore,
    ) -> bool:
        """R-VOLZONE-08 (observed: queueing hints may only save attempts, KEP-4247): The creation or update of a
        claim that the pod names requeues a pod that VolumeZone rejected."""
        is_named = after.namespace == pod.namespace and after.name in claim_names(pod)
        return applies("R-VOLZONE-08", when=is_named)

    def after_volume_change(
        self, pod: Pod, before: PersistentVolume | None, after: PersistentVolume, objects: ObjectStore
    ) -> bool:
        """R-VOLZONE-09 (observed: queueing hints may only save attempts, KEP-4247): The creation of any
        PersistentVolume, and a change of the zone or region labels of one, requeues a pod that VolumeZone
        rejected."""
        has_changed = before is None or topologies_of(before) != topologies_of(after)
        return applies("R-VOLZONE-09", when=has_changed)

    EVENTS = (
        EventHint(
            STORAGE_CLASS, ActionType.ADD, after_class_creation, "the class of a claim may have been missing"
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL,
            None,
            "a node may have been added to the zone",
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


def topologies_of_claim(name: str, namespace: str, objects: ObjectStore) -> Topologies | Status:
    """R-VOLZONE-02: A pod is rejected as UnschedulableAndUnresolvable if a claim that it names does not exist or
    is not bound to a volume that exists, unless the unbound claim's StorageClass has volumeBindingMode
    WaitForFirstConsumer. Source: getPVbyPod."""
    if not name:
        return unresolvable(CLAIM_WITHOUT_NAME)
    claim = objects.get(PersistentVolumeClaim, name, namespace)
    if claim is None:
        return unresolvable(CLAIM_NOT_FOUND.of(name))
    if not claim.spec.volume_name:
        rejected = _rejection_of_unbound(claim.class_name, objects)
        return () if rejected is None else rejected
    volume = objects.get(PersistentVolume, claim.spec.volume_name)
    if volume is None:
        return unresolvable(VOLUME_NOT_FOUND.of(claim.spec.volume_name))
    return topologies_of(volume)


def _rejection_of_unbound(class_name: str, objects: ObjectStore) -> Status | None:
    if not class_name:
        return unresolvable(NO_VOLUME_AND_NO_CLASS)
    storage_class = objects.get(StorageClass, class_name)
    if storage_class is None:
        return unresolvable(CLASS_NOT_FOUND.of(class_name))
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        applies("R-VOLZONE-02")
        return None
    return unresolvable(NOT_BOUND)


def topologies_of(volume: PersistentVolume) -> Topologies:
    """R-VOLZONE-03: A zone or region label of a volume lists its values separated by ``__``; a label with an empty
    value among them is ignored.
    Source: getPVTopologies; cloud-provider/volume/helpers/zones.go, LabelZonesToSet.
    """
    listed = {
        key: frozenset(zone.strip() for zone in volume.metadata.labels[key].split(MULTI_ZONE_DELIMITER))
        for key in TOPOLOGY_LABELS
        if key in volume.metadata.labels
    }
    applies("R-VOLZONE-03", when=any(len(values) > 1 or "" in values for values in listed.values()))
    return tuple(VolumeTopology(key, values) for key, values in listed.items() if "" not in values)
