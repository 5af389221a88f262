# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding: a pod runs where the volumes of its claims are, or can be bound or made.

Claims of classes that wait for their first consumer get their volumes with the pod's node: Reserve assumes
them, PreBind writes what was assumed and waits for the volume controller. Where StorageCapacityScoring is off,
as it is by default, the plugin scores nothing.

Rules: R-VOLBIND-01 … R-VOLBIND-28, some of them in refsched/volume_binding.
Source: plugins/volumebinding/volume_binding.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import evolve, frozen

from refsched.framework.events import (
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    NODE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    STORAGE_CLASS,
    ActionType,
    EventHint,
)
from refsched.framework.interface import Api, Continue, Reject, Skip, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.storage import (
    MIGRATED_PLUGINS,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolumeClaim,
    StorageClass,
    claims_named,
)
from refsched.objects.store import ObjectStore
from refsched.objects.volumes import Volume
from refsched.volumes.binding import Changes, are_bound, assume, restore, unchanged, write
from refsched.volumes.errors import VolumeError
from refsched.volumes.finding import PodClaims, claims_of, find_pod_volumes, refusals
from refsched.volumes.orders import volume_orders


@frozen
class PodState:
    """A pod's claims as PreFilter found them, and, once Reserve has assumed it, what is to be written."""

    claims: PodClaims
    objects: ObjectStore
    changes: Changes | None = None
    is_reserved: bool = False


@frozen
class VolumeBinding:
    name: ClassVar[str] = "VolumeBinding"
    READS: ClassVar[tuple[str, ...]] = (
        "Pod.spec.volumes",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
        "CSINode",
        "CSIDriver",
        "CSIStorageCapacity",
    )
    bind_timeout_seconds: float = 600.0

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[PodState] | Skip | Reject:
        """R-VOLBIND-01: a pod without claims is not filtered.
        R-VOLBIND-03: claims that are to be bound before any pod uses them must be."""
        named = [volume for volume in pod.pod.spec.volumes if volume.claim_name(pod.pod.name) is not None]
        for volume in named:
            problem = _problem_of(volume, pod.pod, snapshot.objects)
            if problem:
                return Reject(unresolvable(problem))
        if not named:
            return Skip()
        claims = claims_of(pod.pod, snapshot.objects)
        if claims.immediate:
            return Reject(unresolvable("pod has unbound immediate PersistentVolumeClaims"))
        order = snapshot.choices.choose("volumes", volume_orders(claims, snapshot))
        return Continue(PodState(order.claims, snapshot.objects))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: PodState, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLBIND-05: all claims must have their volumes there; evicting pods never helps."""
        try:
            reasons = refusals(state.claims, node.existing_node, state.objects)
        except VolumeError as problem:
            return error(str(problem))
        return unresolvable(*reasons) if reasons else SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Skip:
        """R-VOLBIND-22: without StorageCapacityScoring no node is better than another."""
        return Skip()

    def score(self, state: None, pod: PodInfo, node: NodeInfo) -> int:
        """Asked only where PreScore is disabled."""
        return 0

    # --- Reserve ----------------------------------------------------------------------------------

    def reserve(
        self, state: PodState | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[PodState | None] | Reject:
        """Assume what Filter found on the node; where all claims are bound, there is nothing to do."""
        if state is None:
            return Continue(None)
        found = find_pod_volumes(state.claims, node.existing_node)
        if found is None or not state.claims.delayed:
            return Continue(evolve(state, is_reserved=True))
        try:
            return Continue(evolve(state, changes=assume(found, node.name, objects), is_reserved=True))
        except VolumeError as problem:
            return Reject(error(str(problem)))

    def unreserve(self, state: PodState | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore) -> None:
        found = find_pod_volumes(state.claims, node.existing_node) if state is not None else None
        if found is not None:
            restore(found, objects)

    # --- PreBind ----------------------------------------------------------------------------------

    def pre_bind(self, state: PodState | None, pod: PodInfo, node: NodeInfo, api: Api) -> Status | WaitFor:
        """R-VOLBIND-23: what was assumed is written, and the pod waits until all of it is bound, or its
        patience ends. Where Reserve is disabled, what Filter found is written as it is, and changes nothing; to
        have found no volume is an error then."""
        if state is None:
            return SUCCESS
        changes = state.changes if state.is_reserved else _not_assumed(state, node)
        if changes is None:
            return SUCCESS
        if not state.is_reserved and not changes.volumes:
            return error(f'failed to get cached bindings for pod "{pod.pod.key}"')
        try:
            write(changes, api)
        except VolumeError as problem:
            return error(str(problem))

        def check(objects: ObjectStore) -> Status | None:
            try:
                return SUCCESS if are_bound(changes, pod.pod, node.name, objects) else None
            except VolumeError as problem:
                return error(f"binding volumes: {problem}")

        timed_out = error("binding volumes: context deadline exceeded")
        return WaitFor(check, self.bind_timeout_seconds, timed_out)

    # --- Events -----------------------------------------------------------------------------------

    def after_class_change(
        self, pod: Pod, before: StorageClass | None, after: StorageClass, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-24: a new class, or other topologies; nothing else of a class can change."""
        return before is None or before.allowed_topologies != after.allowed_topologies

    def after_claim_change(
        self,
        pod: Pod,
        before: PersistentVolumeClaim | None,
        after: PersistentVolumeClaim,
        objects: ObjectStore,
    ) -> bool:
        """R-VOLBIND-25: one of the pod's claims, an ephemeral volume's included."""
        return after.namespace == pod.namespace and claims_named(pod, after.name)

    def after_csi_node_change(
        self, pod: Pod, before: CSINode | None, after: CSINode, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-26: drivers stand in for other plugins than before."""
        if before is None:
            return True
        old, new = (node.metadata.annotations.get(MIGRATED_PLUGINS, "") for node in (before, after))
        return old != new

    def after_driver_change(
        self, pod: Pod, before: CSIDriver, after: CSIDriver, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-27: the driver of an inline volume, oddly, no longer tells its capacity. The drivers of the
        pod's claims, whose capacity is what Filter looks at, are not thought of."""
        is_inline = any(v.csi is not None and v.csi.driver == after.metadata.name for v in pod.spec.volumes)
        return is_inline and before.spec.storage_capacity and not after.spec.storage_capacity

    def after_capacity_change(
        self, pod: Pod, before: CSIStorageCapacity | None, after: CSIStorageCapacity, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-28: larger volumes can be had."""
        if before is None:
            return True
        old, new = before.volume_limit, after.volume_limit
        return new is not None and (old is None or new.value > old.value)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            STORAGE_CLASS,
            ActionType.ADD | ActionType.UPDATE,
            after_class_change,
            "the class may have been missing, or may allow more nodes",
        ),
        EventHint(
            PERSISTENT_VOLUME_CLAIM,
            ActionType.ADD | ActionType.UPDATE,
            after_claim_change,
            "the claim may have come, or been bound",
        ),
        EventHint(
            PERSISTENT_VOLUME, ActionType.ADD | ActionType.UPDATE, None, "a volume may be free, or in reach"
        ),
        EventHint(NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL, None, "a volume may reach the node"),
        EventHint(
            CSI_NODE,
            ActionType.ADD | ActionType.UPDATE,
            after_csi_node_change,
            "another topology may count",
        ),
        EventHint(CSI_DRIVER, ActionType.UPDATE, after_driver_change, "capacity may no longer be looked at"),
        EventHint(
            CSI_STORAGE_CAPACITY,
            ActionType.ADD | ActionType.UPDATE,
            after_capacity_change,
            "there may be room for the volume",
        ),
    )


def _not_assumed(state: PodState, node: NodeInfo) -> Changes:
    found = find_pod_volumes(state.claims, node.existing_node)
    assert found is not None, "Filter let the node pass"
    return unchanged(found)


def _problem_of(volume: Volume, pod: Pod, objects: ObjectStore) -> str:
    """R-VOLBIND-02: a claim must exist, not be lost or on its way out, and, if it is an ephemeral volume's, be
    the pod's own. Source: podHasPVCs."""
    name = volume.claim_name(pod.name) or ""
    claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
    if claim is None:
        if volume.persistent_volume_claim is None:
            return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
        return f'persistentvolumeclaim "{name}" not found'
    if claim.status.phase == "Lost":
        gone = claim.spec.volume_name
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{gone}"'
    if claim.metadata.deletion_timestamp is not None:
        return f'persistentvolumeclaim "{name}" is being deleted'
    if volume.persistent_volume_claim is None and not claim.is_made_for(pod):
        return f"PVC {claim.key} was not created for pod {pod.key} (pod is not owner)"
    return ""
