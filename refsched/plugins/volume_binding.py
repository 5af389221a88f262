# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding: a pod runs where the volumes of its claims are, or can be bound or provisioned.

Claims of classes that wait for their first consumer get their volumes together with the pod's node: Reserve
assumes them, and PreBind writes what was assumed and waits for the volume controller.

Promised: volumeBindingMode and the node affinity of volumes are documented with the storage API.
Shows in: volumes.
Source: plugins/volumebinding/volume_binding.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, refused_by
from refsched.errors import InputError
from refsched.framework.choices import Choices
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
from refsched.plugins.resource_scoring import (
    MAX_CUSTOM_PRIORITY_SCORE,
    MAX_UTILIZATION,
    Shape,
    UtilizationShapePoint,
    check_shape,
)
from refsched.plugins.signatures import sign_volumes
from refsched.rules import ErrorReason, Reason, applies
from refsched.volumes.binding import Changes, WaitSteps, are_bound, assume, restore, unchanged, write
from refsched.volumes.errors import VolumeError
from refsched.volumes.orders import VolumeSteps, volume_orders
from refsched.volumes.scoring import storage_scores
from refsched.volumes.volumes_on_node import (
    PodVolumeClaims,
    PodVolumes,
    claims_of,
    find_pod_volumes,
    rejections,
)

NOT_CREATED_YET = Reason(
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "{}"', "R-VOLBIND-02"
)
CLAIM_NOT_FOUND = Reason('persistentvolumeclaim "{}" not found', "R-VOLBIND-02")
LOST = Reason('persistentvolumeclaim "{}" bound to non-existent persistentvolume "{}"', "R-VOLBIND-02")
BEING_DELETED = Reason('persistentvolumeclaim "{}" is being deleted', "R-VOLBIND-02")
CLAIM_OF_ANOTHER = Reason("PVC {} was not created for pod {} (pod is not owner)", "R-VOLBIND-02")
UNBOUND_IMMEDIATE = Reason("pod has unbound immediate PersistentVolumeClaims", "R-VOLBIND-03")
NOTHING_FOUND = ErrorReason('no pod volume found for node "{}"', "R-FRAMEWORK-12")
NOTHING_RESERVED = ErrorReason('failed to get cached bindings for pod "{}"', "R-VOLBIND-23")
NOT_BOUND = ErrorReason("binding volumes: {}", "R-VOLBIND-19")
TIMED_OUT = ErrorReason("binding volumes: context deadline exceeded", "R-VOLBIND-23")

DEFAULT_SHAPE = (
    UtilizationShapePoint(0, MAX_CUSTOM_PRIORITY_SCORE),
    UtilizationShapePoint(MAX_UTILIZATION, 0),
)
"""By this shape a node scores the more, the less of its storage the pod would take."""


@frozen
class PodState:
    """A PodState has a pod's claims as PreFilter found them, and, once Reserve has assumed volumes, what is
    to be written."""

    claims: PodVolumeClaims
    objects: ObjectStore
    choices: Choices
    changes: Changes | None = None
    is_reserved: bool = False

    def found_on(self, node: NodeInfo) -> PodVolumes | None:
        """Returns what is to be done so that the pod has its volumes on the node; None if it cannot have them."""
        return find_pod_volumes(self.claims, node.existing_node)


@frozen
class VolumeBindingArgs(PluginArgs):
    bind_timeout_seconds: int = 600
    shape: Shape | None = None

    def with_defaults(self) -> Self:
        """R-ARGS-18 (shows in config): VolumeBinding's shape, if none is given or if it is empty, gives 10 at a
        utilization of 0 and 0 at one of 100."""
        applies("R-ARGS-18", when=not self.shape)
        return evolve(self, shape=self.shape or DEFAULT_SHAPE)

    def validate(self) -> None:
        if self.bind_timeout_seconds < 0:
            raise InputError("is negative", "bindTimeoutSeconds")
        with refused_by("R-ARGS-15"):
            check_shape(self.shape or (), "shape")


@frozen
class VolumeBinding:
    name = "VolumeBinding"
    POINTS: ClassVar[tuple[str, ...]] = ("preFilter", "filter", "preScore", "score", "reserve", "preBind")
    READS = (
        "Pod.spec.volumes",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
        "CSINode",
        "CSIDriver",
        "CSIStorageCapacity",
    )
    ARGS: ClassVar[type[PluginArgs]] = VolumeBindingArgs
    WITHOUT_PRE_FILTER = error("not found")
    bind_timeout_seconds: float = 600.0
    steps: VolumeSteps = VolumeSteps()
    shape: Shape = DEFAULT_SHAPE
    wait: WaitSteps = WaitSteps()

    @classmethod
    def of_args(cls, args: VolumeBindingArgs) -> VolumeBinding:
        return cls(args.bind_timeout_seconds, shape=args.shape or DEFAULT_SHAPE)

    sign = sign_volumes

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[PodState] | Skip | Reject:
        """R-VOLBIND-01: A pod without PersistentVolumeClaims and ephemeral volumes skips Filter of VolumeBinding.
        R-VOLBIND-03: A pod with an unbound claim that does not wait for its first consumer is rejected as
        UnschedulableAndUnresolvable."""
        named = _volumes_with_claims(pod.pod)
        for volume in named:
            problem = _problem_of(volume, pod.pod, snapshot.objects)
            if problem is not None:
                return Reject(unresolvable(problem))
        if not named:
            applies("R-VOLBIND-01")
            return Skip()
        claims = claims_of(pod.pod, snapshot.objects)
        if claims.immediate:
            return Reject(unresolvable(UNBOUND_IMMEDIATE))
        order = snapshot.choices.choose("volumes", volume_orders(claims, self.steps))
        return Continue(PodState(order.claims, snapshot.objects, snapshot.choices))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: PodState, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLBIND-05: A node on which not all claims of the pod have, or can get, their volumes is rejected as
        UnschedulableAndUnresolvable."""
        try:
            reasons = rejections(state.claims, node.existing_node, state.objects)
        except VolumeError as problem:
            return error(problem.reason)
        if not reasons:
            return SUCCESS
        applies("R-VOLBIND-05")
        return unresolvable(*reasons)

    # --- Score ------------------------------------------------------------------------------------

    SCORES_BY_PRE_FILTER = True

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[None] | Skip:
        return Continue(None)

    def score(self, state: PodState | None, pod: PodInfo, node: NodeInfo) -> int:
        """Returns the score of the volumes that Filter found on the node. If they may be provisioned from one
        CSIStorageCapacity or another, the score by either may be chosen: their order is that of a Go map."""
        if state is None or (found := state.found_on(node)) is None:
            return 0
        scores = storage_scores(found, state.claims.classes, node.existing_node, state.objects, self.shape)
        return scores[0] if len(scores) == 1 else state.choices.choose("capacity", scores)

    # --- Reserve ----------------------------------------------------------------------------------

    def without_filter(self, state: object) -> None:
        """Returns None: without Filter no volumes were found, and there are none to reserve."""

    def without_reserve(self, state: object, node: NodeInfo) -> Status | None:
        """Returns an error if Filter found no volumes, even for a pod without claims: only Reserve says that
        there is nothing to bind."""
        return error(NOTHING_FOUND.of(node.name)) if state is None else None

    def reserve(
        self, state: PodState | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[PodState | None] | Reject:
        """Assumes what Filter found on the node; if all claims are bound, there is nothing to do."""
        if state is None:
            return Continue(None)
        found = state.found_on(node)
        if found is None or not state.claims.delayed:
            return Continue(evolve(state, is_reserved=True))
        try:
            return Continue(
                evolve(state, changes=assume(found, node.name, objects, self.wait.words), is_reserved=True)
            )
        except VolumeError as problem:
            return Reject(error(problem.reason))

    def unreserve(self, state: PodState | None, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        found = state.found_on(node) if state is not None else None
        if found is not None:
            restore(found, api.objects)

    # --- PreBind ----------------------------------------------------------------------------------

    def pre_flight(self, state: PodState | None) -> bool:
        """R-VOLBIND-34 (observed: when a nomination precedes the binding is not part of the API; shows in
        volumes): PreBind of VolumeBinding has nothing to do for a pod whose claims were all bound when Reserve
        looked at them."""
        has_work = state is not None and (state.changes is not None or not state.is_reserved)
        applies("R-VOLBIND-34", when=state is not None and not has_work)
        return has_work

    def pre_bind(self, state: PodState | None, pod: PodInfo, node: NodeInfo, api: Api) -> Status | WaitFor:
        """R-VOLBIND-23: PreBind of VolumeBinding writes what Reserve assumed and waits until all claims are bound,
        and fails with an error after bindTimeoutSeconds; if Reserve is disabled, it writes unchanged what Filter
        found, and fails if Filter found no volumes."""
        if state is None:
            return SUCCESS
        changes = state.changes if state.is_reserved else not_assumed(state, node)
        if changes is None:
            return SUCCESS
        if not state.is_reserved and not changes.volumes:
            return error(NOTHING_RESERVED.of(pod.pod.key))
        applies("R-VOLBIND-23")
        try:
            write(changes, api)
        except VolumeError as problem:
            return error(problem.reason)

        def check(objects: ObjectStore) -> Status | None:
            try:
                return SUCCESS if are_bound(changes, pod.pod, node.name, objects, self.wait) else None
            except VolumeError as problem:
                return error(ErrorReason(NOT_BOUND.format(problem), problem.reason.rule))

        return WaitFor(check, self.bind_timeout_seconds, error(TIMED_OUT))

    # --- Events -----------------------------------------------------------------------------------

    def after_class_change(
        self, pod: Pod, before: StorageClass | None, after: StorageClass, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-24 (observed: queueing hints may only save attempts, KEP-4247): The creation of a
        StorageClass, and a change of its allowedTopologies, requeues a pod that VolumeBinding rejected."""
        has_changed = before is None or before.allowed_topologies != after.allowed_topologies
        return applies("R-VOLBIND-24", when=has_changed)

    def after_claim_change(
        self,
        pod: Pod,
        before: PersistentVolumeClaim | None,
        after: PersistentVolumeClaim,
        objects: ObjectStore,
    ) -> bool:
        """R-VOLBIND-25 (observed: queueing hints may only save attempts, KEP-4247): The creation or update of one
        of the pod's claims, that of an ephemeral volume included, requeues a pod that VolumeBinding rejected."""
        is_own = after.namespace == pod.namespace and claims_named(pod, after.name)
        return applies("R-VOLBIND-25", when=is_own)

    def after_csi_node_change(
        self, pod: Pod, before: CSINode | None, after: CSINode, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-26 (observed: queueing hints may only save attempts, KEP-4247): The creation of a CSINode, and
        a change of its annotation of migrated plugins, requeues a pod that VolumeBinding rejected."""
        if before is None:
            return applies("R-VOLBIND-26")
        old, new = (node.metadata.annotations.get(MIGRATED_PLUGINS, "") for node in (before, after))
        return applies("R-VOLBIND-26", when=old != new)

    def after_driver_change(
        self, pod: Pod, before: CSIDriver, after: CSIDriver, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-27 (observed: queueing hints may only save attempts, KEP-4247): An update of a CSIDriver that
        turns off storageCapacity requeues a pod that VolumeBinding rejected if the pod has an inline volume of
        this driver; the drivers of its claims, whose capacity Filter checks, are not regarded."""
        is_inline = any(v.csi is not None and v.csi.driver == after.name for v in pod.spec.volumes)
        is_turned_off = before.spec.storage_capacity and not after.spec.storage_capacity
        return applies("R-VOLBIND-27", when=is_inline and is_turned_off)

    def after_capacity_change(
        self, pod: Pod, before: CSIStorageCapacity | None, after: CSIStorageCapacity, objects: ObjectStore
    ) -> bool:
        """R-VOLBIND-28 (observed: queueing hints may only save attempts, KEP-4247): The creation of a
        CSIStorageCapacity, and an update that raises the largest volume that it allows, requeues a pod that
        VolumeBinding rejected."""
        if before is None:
            return applies("R-VOLBIND-28")
        old, new = before.volume_limit, after.volume_limit
        has_grown = new is not None and (old is None or new.value > old.value)
        return applies("R-VOLBIND-28", when=has_grown)

    EVENTS = (
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
            "the claim may have been created or bound",
        ),
        EventHint(
            PERSISTENT_VOLUME,
            ActionType.ADD | ActionType.UPDATE,
            None,
            "a volume may be free, or be reachable from a node",
        ),
        EventHint(NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL, None, "a volume may reach the node"),
        EventHint(
            CSI_NODE,
            ActionType.ADD | ActionType.UPDATE,
            after_csi_node_change,
            "the topology of a CSI driver may count now",
        ),
        EventHint(
            CSI_DRIVER,
            ActionType.UPDATE,
            after_driver_change,
            "the capacity of the driver may no longer be checked",
        ),
        EventHint(
            CSI_STORAGE_CAPACITY,
            ActionType.ADD | ActionType.UPDATE,
            after_capacity_change,
            "there may be capacity for the volume",
        ),
    )


def not_assumed(state: PodState, node: NodeInfo) -> Changes:
    found = state.found_on(node)
    assert found is not None, "Filter let the node pass"
    return unchanged(found)


def _volumes_with_claims(pod: Pod) -> list[Volume]:
    return [volume for volume in pod.spec.volumes if volume.claim_name(pod.name) is not None]


def _problem_of(volume: Volume, pod: Pod, objects: ObjectStore) -> Reason | None:
    """R-VOLBIND-02: A pod is rejected as UnschedulableAndUnresolvable if one of its claims does not exist, is Lost
    or is being deleted, or if the claim of one of its ephemeral volumes belongs to another pod.
    Source: podHasPVCs."""
    name = volume.claim_name(pod.name) or ""
    claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
    if claim is None:
        if volume.persistent_volume_claim is None:
            return NOT_CREATED_YET.of(name)
        return CLAIM_NOT_FOUND.of(name)
    if claim.status.phase == "Lost":
        return LOST.of(name, claim.spec.volume_name)
    if claim.metadata.deletion_timestamp is not None:
        return BEING_DELETED.of(name)
    if volume.persistent_volume_claim is None and not claim.is_made_for(pod):
        return CLAIM_OF_ANOTHER.of(claim.key, pod.key)
    return None
