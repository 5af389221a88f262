# SPDX-License-Identifier: Apache-2.0
"""Storage: volumes, the claims on them, and the objects that say where volumes can be provisioned and attached.

Source: api/core/v1/types.go, api/storage/v1/types.go; component-helpers/storage/volume/helpers.go,
GetPersistentVolumeClaimClass, GetPersistentVolumeClass, CheckNodeAffinity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import evolve, field, frozen

from refsched.objects.meta import ApiObject, LabelSelector, ObjectMeta
from refsched.objects.pod import Pod, ResourceRequirements
from refsched.objects.quantity import Quantity
from refsched.objects.selectors import NodeSelector, is_label_value
from refsched.objects.volumes import InTreeSources

STORAGE = "storage"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
"""This is the provisioner of a class whose volumes are all made by hand."""

BETA_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
"""These are annotations of claims and volumes; the last is one of a CSINode."""


@frozen
class ObjectReference:
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""


# --- Volumes --------------------------------------------------------------------------------------


@frozen
class VolumeNodeAffinity:
    required: NodeSelector | None = None

    def allows(self, node_labels: Mapping[str, str]) -> bool:
        """Returns whether it allows a node with these labels. A term's matchFields are ignored."""
        return self.required is None or any(
            not term.is_empty and term.matches_labels(node_labels)
            for term in self.required.node_selector_terms
        )


@frozen
class CSIPersistentVolumeSource:
    driver: str = ""
    volume_handle: str = ""


@frozen
class PersistentVolumeSpec(InTreeSources):
    capacity: Mapping[str, Quantity] = field(factory=dict)
    access_modes: tuple[str, ...] = ()
    storage_class_name: str = ""
    claim_ref: ObjectReference | None = None
    node_affinity: VolumeNodeAffinity | None = None
    volume_mode: str = "Filesystem"
    volume_attributes_class_name: str = ""
    csi: CSIPersistentVolumeSource | None = None


@frozen
class PersistentVolumeStatus:
    """``phase`` is Pending, Available, Bound, Released or Failed."""

    phase: str = "Pending"


@frozen
class PersistentVolume(ApiObject):
    kind: ClassVar[str] = "PersistentVolume"
    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()

    @property
    def class_name(self) -> str:
        return self.metadata.annotations.get(BETA_STORAGE_CLASS, self.spec.storage_class_name)

    @property
    def capacity(self) -> Quantity:
        return self.spec.capacity.get(STORAGE, Quantity())

    def reaches(self, node_labels: Mapping[str, str]) -> bool:
        """Returns whether its node affinity allows a node with these labels."""
        return self.spec.node_affinity is None or self.spec.node_affinity.allows(node_labels)

    def is_bound_to(self, claim: PersistentVolumeClaim) -> bool:
        """Returns whether the volume is bound or pre-bound to the claim: a claimRef without a uid means any
        claim of that name."""
        ref = self.spec.claim_ref
        return (
            ref is not None
            and (ref.namespace, ref.name) == (claim.namespace, claim.name)
            and ref.uid in ("", claim.uid)
        )


# --- Claims ---------------------------------------------------------------------------------------


@frozen
class PersistentVolumeClaimSpec:
    access_modes: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    selector: LabelSelector | None = None
    storage_class_name: str = ""
    volume_name: str = ""
    volume_mode: str = "Filesystem"
    volume_attributes_class_name: str = ""


@frozen
class PersistentVolumeClaimStatus:
    """``phase`` is Pending, Bound or Lost."""

    phase: str = "Pending"


@frozen
class PersistentVolumeClaim(ApiObject):
    kind: ClassVar[str] = "PersistentVolumeClaim"
    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()

    @property
    def class_name(self) -> str:
        return self.metadata.annotations.get(BETA_STORAGE_CLASS, self.spec.storage_class_name)

    @property
    def requested(self) -> Quantity:
        return self.spec.resources.requests.get(STORAGE, Quantity())

    @property
    def is_fully_bound(self) -> bool:
        return bool(self.spec.volume_name) and BIND_COMPLETED in self.metadata.annotations

    def is_made_for(self, pod: Pod) -> bool:
        """Returns whether the pod is its controller (component-helpers/storage/ephemeral, VolumeIsForPod)."""
        return self.namespace == pod.namespace and self.metadata.is_controlled_by(pod.uid)

    def annotated(self, key: str, value: str) -> PersistentVolumeClaim:
        annotations = {**self.metadata.annotations, key: value}
        return evolve(self, metadata=evolve(self.metadata, annotations=annotations))


def claim_names(pod: Pod) -> list[str]:
    """Returns the claims that the pod names, without those of its ephemeral volumes, which no other pod uses."""
    claims = (volume.persistent_volume_claim for volume in pod.spec.volumes)
    return [claim.claim_name for claim in claims if claim is not None]


def claims_named(pod: Pod, name: str) -> bool:
    """Returns whether the pod names this claim, directly or by an ephemeral volume."""
    return any(volume.claim_name(pod.name) == name for volume in pod.spec.volumes)


# --- Where volumes can be had ---------------------------------------------------------------------


@frozen
class TopologySelectorLabelRequirement:
    key: str
    values: tuple[str, ...] = ()


@frozen
class TopologySelectorTerm:
    match_label_expressions: tuple[TopologySelectorLabelRequirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Returns whether all labels of the term are there with one of the values. A term without any matches
        nothing, and neither does one with a value that no label can have."""
        return bool(self.match_label_expressions) and all(
            all(map(is_label_value, r.values)) and labels.get(r.key) in r.values
            for r in self.match_label_expressions
        )


@frozen
class StorageClass(ApiObject):
    kind: ClassVar[str] = "StorageClass"
    metadata: ObjectMeta = ObjectMeta()
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()

    def allows(self, node_labels: Mapping[str, str]) -> bool:
        """Returns whether a volume may be provisioned for a node with these labels
        (v1helper.MatchTopologySelectorTerms)."""
        return not self.allowed_topologies or any(t.matches(node_labels) for t in self.allowed_topologies)


@frozen
class CSIDriverSpec:
    """If ``storage_capacity``, the driver reports in CSIStorageCapacity objects how much capacity it has where. If
    ``prevent_pod_scheduling_if_missing``, no pod with its volumes is placed on a node that does not have it."""

    storage_capacity: bool = False
    prevent_pod_scheduling_if_missing: bool = False


@frozen
class CSIDriver(ApiObject):
    kind: ClassVar[str] = "CSIDriver"
    metadata: ObjectMeta = ObjectMeta()
    spec: CSIDriverSpec = CSIDriverSpec()


@frozen
class CSIStorageCapacity(ApiObject):
    """A CSIStorageCapacity says how much of a class is available on the nodes of ``node_topology``; without one,
    on no node."""

    kind: ClassVar[str] = "CSIStorageCapacity"
    metadata: ObjectMeta = ObjectMeta()
    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None

    @property
    def volume_limit(self) -> Quantity | None:
        """Returns the size of the largest volume that can be provisioned: the maximum size if it is given
        (binder.go, volumeLimit)."""
        return self.maximum_volume_size if self.maximum_volume_size is not None else self.capacity


# --- Where volumes can be attached ----------------------------------------------------------------


@frozen
class VolumeNodeResources:
    count: int | None = None


@frozen
class CSINodeDriver:
    name: str = ""
    allocatable: VolumeNodeResources | None = None

    @property
    def limit(self) -> int | None:
        """Returns how many volumes the driver can attach there, or None if there is no limit."""
        return self.allocatable.count if self.allocatable is not None else None


@frozen
class CSINodeSpec:
    drivers: tuple[CSINodeDriver, ...] = ()


@frozen
class CSINode(ApiObject):
    """A CSINode has the CSI drivers on the node of the same name."""

    kind: ClassVar[str] = "CSINode"
    metadata: ObjectMeta = ObjectMeta()
    spec: CSINodeSpec = CSINodeSpec()

    @property
    def migrated_plugins(self) -> frozenset[str]:
        """Returns the in-tree plugins that CSI drivers replace on this node."""
        return frozenset(self.metadata.annotations.get(MIGRATED_PLUGINS, "").split(",")) - {""}


@frozen
class VolumeAttachmentSource:
    persistent_volume_name: str | None = None


@frozen
class VolumeAttachmentSpec:
    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


@frozen
class VolumeAttachment(ApiObject):
    """A VolumeAttachment says that this volume is, or is to be, attached to this node by this driver."""

    kind: ClassVar[str] = "VolumeAttachment"
    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
