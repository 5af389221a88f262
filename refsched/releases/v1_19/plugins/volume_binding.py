# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding in v1.19: the plugin has no CSI migration, and does not read the capacity that drivers
report.

Both are feature gates that are off by default in v1.19 (CSIMigrationAWS and the like, CSIStorageCapacity).
Promised: volumeBindingMode and the node affinity of volumes are documented with the storage API.
Shows in: volumes.
Source: plugins/volumebinding/volume_binding.go; pkg/controller/volume/scheduling/scheduler_binder.go and
scheduler_assume_cache.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from attrs import evolve, field, frozen

from refsched.config.args import PluginArgs, check_positive
from refsched.framework.interface import Api, Continue, Reject, Skip, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import PersistentVolume
from refsched.objects.store import ObjectStore
from refsched.plugins import volume_binding as current
from refsched.releases.v1_34.plugins.volume_binding import EarlierWords
from refsched.rules import ErrorReason, Reason
from refsched.volumes.binding import Changes, WaitSteps, are_all_bound, write
from refsched.volumes.csi_migration import untranslated
from refsched.volumes.errors import VolumeError
from refsched.volumes.orders import volume_orders
from refsched.volumes.provisioning import NOTHING_TO_BIND, why_not_provisioned
from refsched.volumes.volumes_on_node import Claims, PodVolumeClaims, PodVolumes, claims_of, find_pod_volumes

UNBOUND = Reason("pod has unbound immediate PersistentVolumeClaims", "R-VOLBIND-51")
NODE_CONFLICT = Reason("node(s) had volume node affinity conflict", "R-VOLBIND-52")
VOLUME_NOT_FOUND = Reason("pvc(s) bound to non-existent pv(s)", "R-VOLBIND-52")
CANNOT_BIND = Reason(NOTHING_TO_BIND, "R-VOLBIND-53")
NOT_FOUND_ON_NODE = ErrorReason('no pod volumes found for node "{}"', "R-VOLBIND-54")
NO_BINDINGS = ErrorReason('failed to get cached bindings for pod "{}"', "R-VOLBIND-54")
NO_PROVISIONS = ErrorReason('failed to get cached claims to provision for pod "{}"', "R-VOLBIND-54")
NODE_NOT_FOUND = ErrorReason('failed to get node "{}": node "{}" not found', "R-VOLBIND-54")
POD_NOT_FOUND = ErrorReason('pod "{}" does not exist any more', "R-VOLBIND-54")
NO_MATCHING_TERMS = ErrorReason("No matching NodeSelectorTerms", "R-VOLBIND-54")
NOT_BOUND = ErrorReason("Failed to bind volumes: {}", "R-VOLBIND-54")
TIMED_OUT = ErrorReason("Failed to bind volumes: timed out waiting for the condition", "R-VOLBIND-54")
_NO_CAPACITIES = ObjectStore()
_WAIT = WaitSteps(untranslated, EarlierWords(), NO_MATCHING_TERMS)


@frozen
class PodState(current.PodState):
    """Volumes are listed for each claim on each node, in the order of a Go map: ``on_node`` has the claims with
    their volumes in the order of each node, if that makes a difference. Source: findMatchingVolumes, ListPVs."""

    on_node: Mapping[str, PodVolumeClaims] = field(factory=dict, kw_only=True)

    def found_on(self, node: NodeInfo) -> PodVolumes | None:
        return find_pod_volumes(self.on_node.get(node.name, self.claims), node.existing_node)


@frozen
class VolumeBindingArgs(PluginArgs):
    bind_timeout_seconds: int = 600

    def validate(self) -> None:
        check_positive(self.bind_timeout_seconds, "bindTimeoutSeconds")


@frozen
class VolumeBinding(current.VolumeBinding):
    POINTS = ("preFilter", "filter", "reserve", "preBind")
    ARGS = VolumeBindingArgs
    wait: WaitSteps = _WAIT

    @classmethod
    def of_args(  # type: ignore[override]  # The arguments are others.
        cls, args: VolumeBindingArgs
    ) -> VolumeBinding:
        return cls(args.bind_timeout_seconds)

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[current.PodState] | Skip | Reject:
        """R-VOLBIND-51 (instead of R-VOLBIND-03): In v1.19 a pod with an unbound claim that does not wait for its
        first consumer is rejected on every node as UnschedulableAndUnresolvable; volumes are looked up by the
        class in their spec, whatever their annotation says. Source: pvStorageClassIndexFunc."""
        if all(volume.persistent_volume_claim is None for volume in pod.pod.spec.volumes):
            return Skip()
        claims = claims_of(pod.pod, snapshot.objects, attrgetter("spec.storage_class_name"))
        if claims.immediate:
            return Reject(unresolvable(UNBOUND))
        orders = volume_orders(claims, self.steps)
        if len(orders) == 1:
            return Continue(PodState(claims, snapshot.objects, snapshot.choices))
        on_node = {
            node.name: snapshot.choices.choose(
                "volumes", [evolve(order, node=node.name) for order in orders]
            ).claims
            for node in snapshot.nodes
        }
        return Continue(PodState(claims, snapshot.objects, snapshot.choices, on_node=on_node))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: current.PodState, pod: PodInfo, node: NodeInfo) -> Status:
        found = (
            _rejection_by_bound(state.claims.bound, node.existing_node, state.objects),
            _rejection_by_delayed(state, node),
        )
        reasons = [reason for reason in found if reason is not None]
        return unresolvable(*reasons) if reasons else SUCCESS

    # --- Reserve ----------------------------------------------------------------------------------

    def without_reserve(self, state: object, node: NodeInfo) -> Status | None:
        """Returns an error if Filter found no volumes, even for a pod without claims: only Reserve says that
        there is nothing to bind."""
        return error(NOT_FOUND_ON_NODE.of(node.name)) if state is None else None

    # --- PreBind ----------------------------------------------------------------------------------

    def pre_bind(
        self, state: current.PodState | None, pod: PodInfo, node: NodeInfo, api: Api
    ) -> Status | WaitFor:
        """R-VOLBIND-54 (instead of R-VOLBIND-23): In v1.19 too, what was assumed is written, and the pod waits
        until all of it is bound, or until bindTimeoutSeconds are over; if Reserve is disabled, what Filter found
        is written unchanged, and it is an error if that is no volume to bind or no claim to provision."""
        if state is None:
            return SUCCESS
        changes = state.changes if state.is_reserved else current.not_assumed(state, node)
        if changes is None:
            return SUCCESS
        if not state.is_reserved and not changes.volumes:
            return error(NO_BINDINGS.of(pod.pod.key))
        if not state.is_reserved and not changes.claims:
            return error(NO_PROVISIONS.of(pod.pod.key))
        try:
            write(changes, api)
        except VolumeError as problem:
            return error(str(problem))

        def check(objects: ObjectStore) -> Status | None:
            try:
                return SUCCESS if _are_bound(changes, pod.pod, node.name, objects) else None
            except VolumeError as problem:
                return error(NOT_BOUND.of(problem))

        return WaitFor(check, self.bind_timeout_seconds, error(TIMED_OUT))


def _rejection_by_bound(claims: Claims, node: Node, objects: ObjectStore) -> str | None:
    """R-VOLBIND-52 (instead of R-VOLBIND-07): In v1.19 a node is rejected as UnschedulableAndUnresolvable if the
    volume of a bound claim does not exist, or if its node affinity does not allow the node."""
    for claim in claims:
        volume = objects.latest(PersistentVolume, claim.spec.volume_name)
        if volume is None:
            return VOLUME_NOT_FOUND
        if not volume.reaches(node.metadata.labels):
            return NODE_CONFLICT
    return None


def _rejection_by_delayed(state: current.PodState, node: NodeInfo) -> str | None:
    """R-VOLBIND-53 (instead of R-VOLBIND-05, R-VOLBIND-08, R-VOLBIND-14): In v1.19 a node is rejected as
    UnschedulableAndUnresolvable if a claim that is to be bound with the pod's node finds no volume there and
    cannot be provisioned for the node. Which one of equal volumes a claim finds is open anew on each node."""
    found = state.found_on(node)
    if found is None:
        return CANNOT_BIND
    rejection = why_not_provisioned(
        found.provisions, state.claims.classes, node.existing_node, _NO_CAPACITIES
    )
    return None if rejection is None else CANNOT_BIND


def _are_bound(changes: Changes, pod: Pod, node_name: str, objects: ObjectStore) -> bool:
    node = objects.get(Node, node_name)
    if node is None:
        raise VolumeError(NODE_NOT_FOUND.of(node_name, node_name))
    if objects.get(Pod, pod.name, pod.namespace) is None:
        raise VolumeError(POD_NOT_FOUND.of(pod.key))
    return are_all_bound(changes, node, objects, _WAIT)
