# SPDX-License-Identifier: Apache-2.0
"""VolumeRestrictions: a disk that only one may write, or a claim for one pod alone, is not given to two.

Rules: R-VOLRESTR-01 … R-VOLRESTR-07.   Source: plugins/volumerestrictions/volume_restrictions.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from attrs import evolve, frozen

from refsched.framework.events import NODE, PERSISTENT_VOLUME_CLAIM, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.storage import READ_WRITE_ONCE_POD, PersistentVolumeClaim
from refsched.objects.store import ObjectStore
from refsched.objects.volumes import RBD, Volume


@frozen
class Sharing:
    """The pod's claims that one pod alone may use, and how often others use them."""

    exclusive_claims: frozenset[str]
    uses: int


@frozen
class VolumeRestrictions:
    name: ClassVar[str] = "VolumeRestrictions"
    READS: ClassVar[tuple[str, ...]] = ("Pod.spec.volumes", "PersistentVolumeClaim")

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Sharing] | Skip | Reject:
        """R-VOLRESTR-01: every claim that the pod names must exist.
        R-VOLRESTR-02: without a disk that can be in conflict, and with no ReadWriteOncePod claim in use
        anywhere in the cluster, nothing is filtered."""
        exclusive: set[str] = set()
        for name in _claim_names(pod.pod):
            claim = snapshot.objects.get(PersistentVolumeClaim, name, pod.pod.namespace)
            if claim is None:
                return Reject(unresolvable(f'persistentvolumeclaim "{name}" not found'))
            if READ_WRITE_ONCE_POD in claim.spec.access_modes:
                exclusive.add(name)
        uses = sum(_is_used(name, pod.pod.namespace, snapshot) for name in exclusive)
        if not uses and not any(map(_may_conflict, pod.pod.spec.volumes)):
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
        """R-VOLRESTR-03: a disk in conflict with one of a pod that is there refuses the node.
        R-VOLRESTR-04: a ReadWriteOncePod claim in use refuses every node; evicting its user cures it."""
        if _conflicts(pod.pod, (other.pod for other in node.pods)):
            return unschedulable("node(s) had no available disk")
        if state.uses > 0:
            return unschedulable(
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
                "already in-use by another pod"
            )
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_deletion(self, pod: Pod, before: Pod, after: None, objects: ObjectStore) -> bool:
        """R-VOLRESTR-06: a pod of the same namespace that had a disk in conflict, or a claim in common."""
        if before.namespace != pod.namespace:
            return False
        shared = set(_claim_names(pod)) & set(_claim_names(before))
        return bool(shared) or _conflicts(pod, [before])

    def after_claim_creation(
        self, pod: Pod, before: None, after: PersistentVolumeClaim, objects: ObjectStore
    ) -> bool:
        """R-VOLRESTR-07: one of the pod's claims."""
        return after.namespace == pod.namespace and after.name in _claim_names(pod)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(POD, ActionType.DELETE, after_pod_deletion, "the disk or the claim may be free now"),
        EventHint(NODE, ActionType.ADD, None, "nobody on a new node is in conflict"),
        EventHint(
            PERSISTENT_VOLUME_CLAIM,
            ActionType.ADD,
            after_claim_creation,
            "the claim that was missing may have come",
        ),
    )


# --- Claims ---------------------------------------------------------------------------------------


def _claim_names(pod: Pod) -> list[str]:
    """Ephemeral volumes do not count: no other pod can use their claims."""
    claims = (volume.persistent_volume_claim for volume in pod.spec.volumes)
    return [claim.claim_name for claim in claims if claim is not None]


def _is_used(name: str, namespace: str, snapshot: Snapshot) -> bool:
    return any(
        other.pod.namespace == namespace and name in _claim_names(other.pod)
        for node in snapshot.nodes
        for other in node.pods
    )


def _uses(state: Sharing, other: Pod) -> int:
    """How often a pod uses one of the claims. Its namespace is not looked at (conflictingPVCRefCountForPod):
    evicting a pod of another namespace, with a claim of the same name, counts as freeing it."""
    return sum(name in state.exclusive_claims for name in _claim_names(other))


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
    """R-VOLRESTR-05: the same GCE disk, iSCSI target or RBD image, unless both only read it; the same EBS
    volume in any case. An RBD image is the same where a monitor, the pool and the name are.

    Source: isVolumeConflict.
    """
    disk, other_disk = a.gce_persistent_disk, b.gce_persistent_disk
    if disk and other_disk and disk.pd_name == other_disk.pd_name:
        return not (disk.read_only and other_disk.read_only)
    if a.aws_elastic_block_store and a.aws_elastic_block_store == b.aws_elastic_block_store:
        return True
    if a.iscsi and b.iscsi and a.iscsi.iqn == b.iscsi.iqn:
        return not (a.iscsi.read_only and b.iscsi.read_only)
    if a.rbd and b.rbd and _same_image(a.rbd, b.rbd):
        return not (a.rbd.read_only and b.rbd.read_only)
    return False


def _same_image(a: RBD, b: RBD) -> bool:
    return (a.pool, a.image) == (b.pool, b.image) and not set(a.monitors).isdisjoint(b.monitors)
