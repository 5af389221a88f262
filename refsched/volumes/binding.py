# SPDX-License-Identifier: Apache-2.0
"""Binding: what the scheduler assumes in Reserve, writes in PreBind, and then waits for.

Source: plugins/volumebinding/binder.go, AssumePodVolumes, bindAPIUpdate, checkBindings (v1.34.2);
component-helpers/storage/volume/pv_helpers.go, GetBindVolumeToClaim (v0.34.2).
"""

from __future__ import annotations

from typing import TypeVar

from attrs import evolve, frozen

from refsched.framework.interface import Api
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import (
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    CSINode,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
)
from refsched.objects.store import ObjectStore
from refsched.volumes.csi_migration import Translate, translated
from refsched.volumes.errors import VolumeError
from refsched.volumes.finding import Match, PodVolumes

T = TypeVar("T", PersistentVolume, PersistentVolumeClaim)


@frozen
class VolumeChange:
    """A volume that is to name its claim. ``shown`` is what the API server showed when it was prepared."""

    shown: PersistentVolume
    wanted: PersistentVolume
    claim: PersistentVolumeClaim


@frozen
class ClaimChange:
    """A claim that is to be provisioned for a node."""

    shown: PersistentVolumeClaim
    wanted: PersistentVolumeClaim


@frozen
class Changes:
    """What is to be written before the pod is bound: volumes first, then claims."""

    volumes: tuple[VolumeChange, ...] = ()
    claims: tuple[ClaimChange, ...] = ()

    @property
    def in_order(self) -> tuple[VolumeChange | ClaimChange, ...]:
        return *self.volumes, *self.claims


# --- Assume ---------------------------------------------------------------------------------------


def assume(found: PodVolumes, node: str, objects: ObjectStore) -> Changes:
    """R-VOLBIND-16: from now on each volume is its claim's own, and the claims that need one are the node's.
    Raises VolumeError where something is gone, or has changed since it was found."""
    changes = Changes(
        tuple(
            VolumeChange(_unchanged(match.volume, objects), prepared(match), match.claim)
            for match in found.matches
        ),
        tuple(
            ClaimChange(_unchanged(claim, objects), claim.annotated(SELECTED_NODE, node))
            for claim in found.provisions
        ),
    )
    for change in changes.in_order:
        objects.assume(change.wanted)
    return changes


def unchanged(found: PodVolumes) -> Changes:
    """What a write without an assumption sends: every object as it was found."""
    return Changes(
        tuple(VolumeChange(match.volume, evolve(match.volume), match.claim) for match in found.matches),
        tuple(ClaimChange(claim, evolve(claim)) for claim in found.provisions),
    )


def restore(found: PodVolumes, objects: ObjectStore) -> None:
    """R-VOLBIND-17: what was assumed is taken back, by whomever it was assumed: another pod that shares the
    claim loses its assumption too. Source: RevertAssumedPodVolumes."""
    for match in found.matches:
        objects.restore(PersistentVolume, match.volume.name)
    for claim in found.provisions:
        objects.restore(PersistentVolumeClaim, claim.name, claim.namespace)


def prepared(match: Match) -> PersistentVolume:
    """The volume as it names the claim, and tells who made it do so. One that named the claim before, by the
    name alone, is given the claim's uid."""
    volume, claim = match.volume, match.claim
    annotations = dict(volume.metadata.annotations)
    if not volume.is_bound_to(claim):
        annotations.setdefault(BOUND_BY_CONTROLLER, "yes")
    ref = volume.spec.claim_ref
    if ref is None or ref.uid != claim.metadata.uid:
        ref = ObjectReference(claim.kind, claim.namespace, claim.name, claim.metadata.uid, "v1")
    metadata = evolve(volume.metadata, annotations=annotations)
    return evolve(volume, metadata=metadata, spec=evolve(volume.spec, claim_ref=ref))


def _unchanged(found: T, objects: ObjectStore) -> T:
    """As the API server shows it. Source: assume_cache.go, Assume, which names versions too."""
    kind, name, namespace = type(found), found.metadata.name, found.metadata.namespace
    shown = _shown(kind, name, namespace, objects)
    if objects.latest(kind, name, namespace) is not found:
        raise VolumeError(f'v1.{found.kind} "{_key(name, namespace)}" is out of sync')
    return shown


# --- Write ----------------------------------------------------------------------------------------


def write(changes: Changes, api: Api) -> None:
    """R-VOLBIND-18: one after the other, up to one that is gone or was changed by somebody else; what was
    written before stays. Raises VolumeError. Source: bindAPIUpdate.
    """
    written: set[tuple[str, str]] = set()
    for change in changes.in_order:
        wanted = change.wanted
        resource, name = f"{wanted.kind.lower()}s", wanted.metadata.name
        current = api.objects.get(type(wanted), name, wanted.metadata.namespace)
        if current is None:
            raise VolumeError(f'{resource} "{name}" not found')
        if current is not change.shown or (resource, name) in written:
            raise VolumeError(
                f'Operation cannot be fulfilled on {resource} "{name}": the object has been modified; '
                "please apply your changes to the latest version and try again"
            )
        api.write("update", wanted)
        written.add((resource, name))


# --- Wait -----------------------------------------------------------------------------------------


def are_bound(changes: Changes, pod: Pod, node_name: str, objects: ObjectStore) -> bool:
    """R-VOLBIND-19: whether the volume controller has bound all claims. Raises VolumeError where it never will,
    or where the pod or its node is gone."""
    node = objects.get(Node, node_name)
    if node is None:
        raise VolumeError(f'failed to get node "{node_name}": node "{node_name}" not found')
    if objects.get(Pod, pod.name, pod.namespace) is None:
        raise VolumeError(f'pod does not exist any more: pod "{pod.name}" not found')
    return are_all_bound(changes, node, objects, translated)


def are_all_bound(changes: Changes, node: Node, objects: ObjectStore, translate: Translate) -> bool:
    """Whether each change has been answered. Raises VolumeError where one never will be."""
    return all(_is_bound(change, node, objects, translate) for change in changes.volumes) and all(
        _is_provisioned(change, node, objects, translate) for change in changes.claims
    )


def _is_bound(change: VolumeChange, node: Node, objects: ObjectStore, translate: Translate) -> bool:
    """R-VOLBIND-20: the volume must go on naming a claim, and reaching the node."""
    try:
        volume = _shown(PersistentVolume, change.wanted.name, "", objects)
        claim = _shown(PersistentVolumeClaim, change.claim.name, change.claim.namespace, objects)
    except VolumeError as gone:
        raise VolumeError(f"failed to check binding: {gone}") from gone
    if volume is change.shown:
        return False
    try:
        volume = translate(volume, objects.get(CSINode, node.name))
    except VolumeError as why:
        raise VolumeError(f"failed to translate pv to csi: {why}") from why
    _check_reach(volume, node)
    if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
        raise VolumeError(f'ClaimRef got reset for pv "{volume.name}"')
    return claim.is_fully_bound


def _is_provisioned(change: ClaimChange, node: Node, objects: ObjectStore, translate: Translate) -> bool:
    """R-VOLBIND-21: a provisioner that fails takes the selected node away again. A volume that the claim names,
    and that is not seen yet, is waited for."""
    try:
        claim = _shown(PersistentVolumeClaim, change.wanted.name, change.wanted.namespace, objects)
    except VolumeError as gone:
        raise VolumeError(f"failed to check provisioning pvc: {gone}") from gone
    if claim is change.shown:
        return False
    if not claim.metadata.annotations:
        raise VolumeError(f'selectedNode annotation reset for PVC "{claim.name}"')
    if claim.metadata.annotations.get(SELECTED_NODE, "") != node.name:
        raise VolumeError(f'provisioning failed for PVC "{claim.name}"')
    if claim.spec.volume_name:
        volume = objects.get(PersistentVolume, claim.spec.volume_name)
        if volume is None:
            return False
        _check_reach(translate(volume, objects.get(CSINode, node.name)), node)
    return claim.is_fully_bound


def _check_reach(volume: PersistentVolume, node: Node) -> None:
    if not volume.reaches(node.metadata.labels):
        raise VolumeError(
            f'pv "{volume.name}" node affinity doesn\'t match node "{node.name}": no matching NodeSelectorTerms'
        )


def _shown(kind: type[T], name: str, namespace: str, objects: ObjectStore) -> T:
    shown = objects.get(kind, name, namespace)
    if shown is None:
        raise VolumeError(f'could not find v1.{kind.kind} "{_key(name, namespace)}"')
    return shown


def _key(name: str, namespace: str) -> str:
    return f"{namespace}/{name}" if namespace else name
