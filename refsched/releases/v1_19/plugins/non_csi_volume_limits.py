# SPDX-License-Identifier: Apache-2.0
"""EBSLimits, GCEPDLimits, AzureDiskLimits and CinderLimits: a node gets no more disks than its cloud can
attach.

These are plugins of v1.19; for the CSI drivers that replaced them NodeVolumeLimits has the limits.
Promised: the limits of disks are documented with node-specific volume limits.
Shows in: volumes.
Source: plugins/nodevolumelimits/non_csi.go; pkg/volume/util/attach_limit.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import frozen

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from refsched.objects.store import ObjectStore
from refsched.objects.volumes import InTreeSources
from refsched.rules import Reason, applies

TOO_MANY = Reason("node(s) exceed max volume count", "R-CLOUDLIMIT-01")
NO_NAME = "PersistentVolumeClaim had no name"

_INSTANCE_TYPE_LABELS = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
_NITRO = re.compile("^[cmr]5.*|t3|z1d")
_MAX_EBS_VOLUMES = 39
_MAX_NITRO_VOLUMES = 25


@frozen
class CloudDisks:
    """CloudDisks describes the disks of one cloud: the plugin that counts them, the provisioner that makes
    them, the resource by which a node's status states its limit, a disk's name in a volume's source (None for
    another source), and the limit of a node that states none."""

    plugin: str
    provisioner: str
    limit_key: str
    disk_name: Callable[[InTreeSources], str | None]
    default_limit: Callable[[Node], int]


def _ebs(source: InTreeSources) -> str | None:
    return source.aws_elastic_block_store.volume_id if source.aws_elastic_block_store else None


def _gce(source: InTreeSources) -> str | None:
    return source.gce_persistent_disk.pd_name if source.gce_persistent_disk else None


def _azure(source: InTreeSources) -> str | None:
    return source.azure_disk.disk_name if source.azure_disk else None


def _cinder(source: InTreeSources) -> str | None:
    return source.cinder.volume_id if source.cinder else None


def _max_ebs_volumes(node: Node) -> int:
    """R-CLOUDLIMIT-03: A node without a stated limit attaches 39 EBS volumes, or 25 if its instance type is one of
    c5, m5, r5, t3 or z1d; 16 GCE disks; 16 Azure disks; and 256 Cinder volumes."""
    labels = node.metadata.labels
    instance_type = next((labels[key] for key in _INSTANCE_TYPE_LABELS if key in labels), "")
    applies("R-CLOUDLIMIT-03")
    return _MAX_NITRO_VOLUMES if _NITRO.search(instance_type) else _MAX_EBS_VOLUMES


EBS = CloudDisks("EBSLimits", "kubernetes.io/aws-ebs", "attachable-volumes-aws-ebs", _ebs, _max_ebs_volumes)
GCE_PD = CloudDisks("GCEPDLimits", "kubernetes.io/gce-pd", "attachable-volumes-gce-pd", _gce, lambda node: 16)
AZURE_DISK = CloudDisks(
    "AzureDiskLimits", "kubernetes.io/azure-disk", "attachable-volumes-azure-disk", _azure, lambda node: 16
)
CINDER = CloudDisks(
    "CinderLimits", "kubernetes.io/cinder", "attachable-volumes-cinder", _cinder, lambda node: 256
)


@frozen
class NonCSIVolumeLimits:
    @property
    def name(self) -> str:
        return self.disks.plugin

    POINTS = ("filter",)
    READS = ("Pod.spec.volumes", "PersistentVolume", "PersistentVolumeClaim", "StorageClass")
    disks: CloudDisks

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[ObjectStore]:
        """Returns the objects that Filter looks up. The plugin of kube-scheduler has no PreFilter."""
        return Continue(snapshot.objects)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, objects: ObjectStore, pod: PodInfo, node: NodeInfo) -> Status:
        """R-CLOUDLIMIT-01: A node is rejected as Unschedulable if the disks of one cloud that the pods there use,
        and those of the pod that none of them uses, are more than the node's limit.
        R-CLOUDLIMIT-02: A node's limit for the disks of a cloud is what its status lists as allocatable of the
        cloud's attachable-volumes resource, or else the cloud's default."""
        wanted = self._disks_of(pod.pod, objects)
        if isinstance(wanted, Status):
            return wanted
        if not wanted:
            return SUCCESS
        used: set[str] = set()
        for other in node.pods:
            found = self._disks_of(other.pod, objects)
            if isinstance(found, Status):
                return found
            used |= found
        limit = node.allocatable.scalar.get(self.disks.limit_key)
        if limit is None:
            limit = self.disks.default_limit(node.existing_node)
        else:
            applies("R-CLOUDLIMIT-02")
        return unschedulable(TOO_MANY) if len(used | wanted) > limit else SUCCESS

    def _disks_of(self, pod: Pod, objects: ObjectStore) -> set[str] | Status:
        """Returns the names of the pod's disks. Source: filterVolumes."""
        disks: set[str] = set()
        for volume in pod.spec.volumes:
            disk = self.disks.disk_name(volume)
            if disk is None and volume.persistent_volume_claim is not None:
                name = volume.persistent_volume_claim.claim_name
                if not name:
                    return error(NO_NAME)
                disk = self._claimed_disk(name, pod.namespace, objects)
            if disk is not None:
                disks.add(disk)
        return disks

    def _claimed_disk(self, name: str, namespace: str, objects: ObjectStore) -> str | None:
        """R-CLOUDLIMIT-04: A claim without a volume that exists counts as one disk of the cloud whose provisioner
        its class names; a claim that does not exist counts nothing."""
        claim = objects.get(PersistentVolumeClaim, name, namespace)
        if claim is None:
            return None
        volume = objects.get(PersistentVolume, claim.spec.volume_name) if claim.spec.volume_name else None
        if volume is not None:
            return self.disks.disk_name(volume.spec)
        storage_class = objects.get(StorageClass, claim.spec.storage_class_name)
        if storage_class is None or storage_class.provisioner != self.disks.provisioner:
            return None
        applies("R-CLOUDLIMIT-04")
        return f"\0{claim.key}"
