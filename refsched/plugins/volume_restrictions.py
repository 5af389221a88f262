# SPDX-License-Identifier: Apache-2.0
"""VolumeRestrictions: two pods do not share a disk that only one may write, or a ReadWriteOncePod claim.

Promised: ReadWriteOncePod and the sharing of disks are documented with the volumes of the API, KEP-2485.
Shows in: volumes.
Source: plugins/volumerestrictions/volume_restrictions.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import evolve, frozen

from refsched.framework.events import NODE, PERSISTENT_VOLUME_CLAIM, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.left_out import CANNOT_READ
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.storage import READ_WRITE_ONCE_POD, PersistentVolumeClaim, claim_names
from refsched.objects.store import ObjectStore
from refsched.objects.volumes import RBD, Volume
from refsched.plugins.signatures import sign_volumes
from refsched.rules import Reason, applies

CLAIM_NOT_FOUND = Reason('persistentvolumeclaim "{}" not found', "R-VOLRESTR-01")
DISK_CONFLICT = Reason("node(s) had no available disk", "R-VOLRESTR-03")
CLAIM_IN_USE = Reason(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod",
    "R-VOLRESTR-04",
)


@frozen
class Sharing:
    """A Sharing has the pod's ReadWriteOncePod claims, and how many of them other pods use."""

    exclusive_claims: frozenset[str]
    uses: int


def used_on_a_node(name: str, namespace: str, snapshot: Snapshot) -> bool:
    """Returns whether a pod on any node uses this claim."""
    return any(
        other.pod.namespace == namespace and name in claim_names(other.pod)
        for node in snapshot.nodes
        for other in node.pods
    )


@frozen
class SharingSteps:
    """``is_used`` returns whether any pod in the cluster uses the claim of this name and namespace."""

    is_used: Callable[[str, str, Snapshot], bool] = used_on_a_node


@frozen
class VolumeRestrictions:
    name = "VolumeRestrictions"
    POINTS = ("preFilter", "filter")
    READS = ("Pod.spec.volumes", "PersistentVolumeClaim")
    WITHOUT_PRE_FILTER = error(CANNOT_READ.of(name))
    steps: SharingSteps = SharingSteps()

    sign = sign_volumes

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Sharing] | Skip | Reject:
        """R-VOLRESTR-01: A pod that names a PersistentVolumeClaim that does not exist is rejected as
        UnschedulableAndUnresolvable.
        R-VOLRESTR-02: A pod skips Filter of VolumeRestrictions if it has no inline disk that could be in conflict
        and none of its ReadWriteOncePod claims is used by another pod in the cluster."""
        exclusive: set[str] = set()
        for name in claim_names(pod.pod):
            claim = snapshot.objects.get(PersistentVolumeClaim, name, pod.pod.namespace)
            if claim is None:
                return Reject(unresolvable(CLAIM_NOT_FOUND.of(name)))
            if READ_WRITE_ONCE_POD in claim.spec.access_modes:
                exclusive.add(name)
        uses = sum(self.steps.is_used(name, pod.pod.namespace, snapshot) for name in exclusive)
        if not uses and not any(map(_may_conflict, pod.pod.spec.volumes)):
            applies("R-VOLRESTR-02")
            return Skip()
        return Continue(Sharing(frozenset(exclusive), uses))

    def add_pod(
        self, state: Sharing, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Sharing:
        return evolve(state, uses=state.uses + _uses(state, added.pod))

    def remove_pod(
        self, state: Sharing, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Sharing:
        return evolve(state, uses=state.uses - _uses(state, removed.pod))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Sharing, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLRESTR-04: While another pod in the cluster uses a ReadWriteOncePod claim of the pod, every node is
        rejected as Unschedulable; preemption may evict that pod."""
        conflict = self.filter_alone(pod, node)
        if conflict is not None:
            return conflict
        return unschedulable(CLAIM_IN_USE) if state.uses > 0 else SUCCESS

    def filter_alone(self, pod: PodInfo, node: NodeInfo) -> Status | None:
        """R-VOLRESTR-03: A node is rejected as Unschedulable if an inline disk of the pod conflicts with one of a
        pod on the node; disks are looked at first, and also if PreFilter is disabled."""
        has_conflict = _conflicts(pod.pod, (other.pod for other in node.pods))
        return unschedulable(DISK_CONFLICT) if has_conflict else None

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_deletion(self, pod: Pod, before: Pod, after: None, objects: ObjectStore) -> bool:
        """R-VOLRESTR-06 (observed: queueing hints may only save attempts, KEP-4247): The deletion of a pod of the
        same namespace requeues a pod that VolumeRestrictions rejected if their inline disks conflict or they name
        the same claim."""
        if before.namespace != pod.namespace:
            return False
        shared = set(claim_names(pod)) & set(claim_names(before))
        return applies("R-VOLRESTR-06", when=shared or _conflicts(pod, [before]))

    def after_claim_creation(
        self, pod: Pod, before: None, after: PersistentVolumeClaim, objects: ObjectStore
    ) -> bool:
        """R-VOLRESTR-07 (observed: queueing hints may only save attempts, KEP-4247): The creation of a claim that
        the pod names requeues a pod that VolumeRestrictions rejected."""
        is_named = after.namespace == pod.namespace and after.name in claim_names(pod)
        return applies("R-VOLRESTR-07", when=is_named)

    EVENTS = (
        EventHint(POD, ActionType.DELETE, after_pod_deletion, "the disk or the claim may be free now"),
        EventHint(NODE, ActionType.ADD, None, "a new node has no pods that could be in conflict"),
        EventHint(
            PERSISTENT_VOLUME_CLAIM,
            ActionType.ADD,
            after_claim_creation,
            "the claim that was missing may have been created",
        ),
    )


# --- Claims ---------------------------------------------------------------------------------------


def _uses(state: Sharing, other: Pod) -> int:
    """Returns how many of the claims the pod uses. Its namespace is not regarded
    (conflictingPVCRefCountForPod): evicting a pod of another namespace, with a claim of the same name, counts
    as freeing the claim."""
    return sum(name in state.exclusive_claims for name in claim_names(other))


# --- Disks ----------------------------------------------------------------------------------------


def _may_conflict(volume: Volume) -> bool:
    disks = (volume.gce_persistent_disk, volume.aws_elastic_block_store, volume.iscsi, volume.rbd)
    return any(disk is not None for disk in disks)


def _conflicts(pod: Pod, others: Iterable[Pod]) -> bool:
    mine = [volume for volume in pod.spec.volumes if _may_conflict(volume)]
    return bool(mine) and any(
        conflict(volume, theirs) for other in others for theirs in other.spec.volumes for volume in mine
    )


def conflict(a: Volume, b: Volume) -> bool:
    """R-VOLRESTR-05: Two inline volumes conflict if they are the same EBS volume, or if they are the same GCE
    disk, iSCSI target or RBD image and not both are read-only; RBD images are the same if pool and image name are
    equal and they share a monitor.

    Source: isVolumeConflict.
    """
    disk, other_disk = a.gce_persistent_disk, b.gce_persistent_disk
    if disk and other_disk and disk.pd_name == other_disk.pd_name:
        applies("R-VOLRESTR-05")
        return not (disk.read_only and other_disk.read_only)
    if a.aws_elastic_block_store and a.aws_elastic_block_store == b.aws_elastic_block_store:
        applies("R-VOLRESTR-05")
        return True
    if a.iscsi and b.iscsi and a.iscsi.iqn == b.iscsi.iqn:
        applies("R-VOLRESTR-05")
        return not (a.iscsi.read_only and b.iscsi.read_only)
    if a.rbd and b.rbd and _same_image(a.rbd, b.rbd):
        applies("R-VOLRESTR-05")
        return not (a.rbd.read_only and b.rbd.read_only)
    return False


def _same_image(a: RBD, b: RBD) -> bool:
    return (a.pool, a.image) == (b.pool, b.image) and not set(a.monitors).isdisjoint(b.monitors)
