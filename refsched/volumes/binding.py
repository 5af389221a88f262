# SPDX-License-Identifier: Apache-2.0
"""Binding: the volumes that are assumed in Reserve, written in PreBind, and then waited for.

Promised: how claims and volumes are bound is documented with the storage API.
Shows in: volumes.
Source: plugins/volumebinding/binder.go, AssumePodVolumes, bindAPIUpdate, checkBindings;
component-helpers/storage/volume/pv_helpers.go, GetBindVolumeToClaim.
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
from refsched.rules import ErrorReason, applies
from refsched.volumes.csi_migration import Translate, translated
from refsched.volumes.errors import VolumeError
from refsched.volumes.volumes_on_node import Match, PodVolumes

NOT_FOUND = ErrorReason('{}s "{}" not found', "R-VOLBIND-18")
OUT_OF_SYNC = ErrorReason('"{}" is out of sync', "R-VOLBIND-16")
WRITTEN_BY_OTHERS = ErrorReason(
    'Operation cannot be fulfilled on {} "{}": the object has been modified; please apply your changes to the'
    " latest version and try again",
    "R-VOLBIND-18",
)
NODE_NOT_FOUND = ErrorReason('failed to get node "{}": node "{}" not found', "R-VOLBIND-19")
POD_NOT_FOUND = ErrorReason('pod does not exist any more: pod "{}" not found', "R-VOLBIND-19")
BINDING_NOT_CHECKED = ErrorReason("failed to check binding: {}", "R-VOLBIND-20")
NOT_TRANSLATED = ErrorReason("failed to translate pv to csi: {}", "R-VOLBIND-20")
REFERENCE_WAS_RESET = ErrorReason('ClaimRef got reset for pv "{}"', "R-VOLBIND-20")
OUT_OF_REACH = ErrorReason('pv "{}" node affinity doesn\'t match node "{}": {}', "R-VOLBIND-20")
NO_MATCHING_TERMS = ErrorReason("no matching NodeSelectorTerms", "R-VOLBIND-20")
PROVISIONING_NOT_CHECKED = ErrorReason("failed to check provisioning pvc: {}", "R-VOLBIND-21")
NODE_IS_NOT_SELECTED = ErrorReason('selectedNode annotation reset for PVC "{}"', "R-VOLBIND-21")
NOT_PROVISIONED = ErrorReason('provisioning failed for PVC "{}"', "R-VOLBIND-21")

T = TypeVar("T", PersistentVolume, PersistentVolumeClaim)


@frozen
class VolumeChange:
    """A VolumeChange is a volume that is to be bound to its claim. ``shown`` is what the API server had when
    Reserve ran."""

    shown: PersistentVolume
    wanted: PersistentVolume
    claim: PersistentVolumeClaim


@frozen
class ClaimChange:
    """A ClaimChange is a claim that is to be provisioned for a node."""

    shown: PersistentVolumeClaim
    wanted: PersistentVolumeClaim


@frozen
class Changes:
    """Changes are what is to be written before the pod is bound: volumes first, then claims."""

    volumes: tuple[VolumeChange, ...] = ()
    claims: tuple[ClaimChange, ...] = ()

    @property
    def in_order(self) -> tuple[VolumeChange | ClaimChange, ...]:
        return *self.volumes, *self.claims


# --- Words ----------------------------------------------------------------------------------------


@frozen
class Words:
    """Words say of a volume or a claim, by kind and key, that it is not there or was changed."""

    def not_found(self, kind: str, key: str) -> ErrorReason:
        return NOT_FOUND.of(kind.lower(), key)

    def out_of_sync(self, kind: str, key: str) -> ErrorReason:
        return OUT_OF_SYNC.of(key)


# --- Assume ---------------------------------------------------------------------------------------


def assume(found: PodVolumes, node: str, objects: ObjectStore, words: Words | None = None) -> Changes:
    """R-VOLBIND-16 (decides annotations): Reserve of VolumeBinding assumes each matching volume to be bound to its
    claim, with the annotation ``bound-by-controller`` unless it was pre-bound to the claim, and each other claim
    to be provisioned for the node; it fails with an error if a volume or claim was deleted or changed since Filter
    found it. Raises VolumeError."""
    words = words or Words()
    changes = Changes(
        tuple(
            VolumeChange(_unchanged(match.volume, objects, words), prepared(match), match.claim)
            for match in found.matches
        ),
        tuple(
            ClaimChange(_unchanged(claim, objects, words), claim.annotated(SELECTED_NODE, node))
            for claim in found.provisions
        ),
    )
    for change in changes.in_order:
        applies("R-VOLBIND-16")
        objects.assume(change.wanted)
    return changes


def unchanged(found: PodVolumes) -> Changes:
    """Returns what is written if nothing was assumed: every object as it was found."""
    return Changes(
        tuple(VolumeChange(match.volume, evolve(match.volume), match.claim) for match in found.matches),
        tuple(ClaimChange(claim, evolve(claim)) for claim in found.provisions),
    )


def restore(found: PodVolumes, objects: ObjectStore) -> None:
    """R-VOLBIND-17 (observed: that what another pod assumed is undone is an accident): Unreserve of VolumeBinding
    restores the volumes and claims that Filter found to what the API server has, even if another pod that shares a
    claim assumed them. Source: RevertAssumedPodVolumes."""
    applies("R-VOLBIND-17", when=found.matches or found.provisions)
    for match in found.matches:
        objects.restore(PersistentVolume, match.volume.name)
    for claim in found.provisions:
        objects.restore(PersistentVolumeClaim, claim.name, claim.namespace)


def prepared(match: Match) -> PersistentVolume:
    """Returns the volume with a reference to the claim and the annotation that the controller bound it. A
    volume that was pre-bound by name gets the claim's uid."""
    volume, claim = match.volume, match.claim
    annotations = dict(volume.metadata.annotations)
    if not volume.is_bound_to(claim):
        annotations.setdefault(BOUND_BY_CONTROLLER, "yes")
    ref = volume.spec.claim_ref
    if ref is None or ref.uid != claim.uid:
        ref = ObjectReference(claim.kind, claim.namespace, claim.name, claim.uid, "v1")
    metadata = evolve(volume.metadata, annotations=annotations)
    return evolve(volume, metadata=metadata, spec=evolve(volume.spec, claim_ref=ref))


def _unchanged(found: T, objects: ObjectStore, words: Words) -> T:
    """Returns the object as the API server has it. Raises VolumeError if it was deleted or changed.
    Source: passive_assume_cache.go, Assume, whose message names versions too."""
    kind, name, namespace = type(found), found.name, found.namespace
    shown = _shown(kind, name, namespace, objects, "R-VOLBIND-16", words)
    if objects.latest(kind, name, namespace) is not found:
        raise VolumeError(words.out_of_sync(found.kind, _key(name, namespace)), "R-VOLBIND-16")
    return shown


# --- Write ----------------------------------------------------------------------------------------


def write(changes: Changes, api: Api) -> None:
    """R-VOLBIND-18: PreBind of VolumeBinding writes volumes and then claims one after the other, and fails with an
    error at the first that was deleted or changed meanwhile; what it wrote before stays.
    Raises VolumeError. Source: bindAPIUpdate.
    """
    written: set[tuple[str, str]] = set()
    for change in changes.in_order:
        wanted = change.wanted
        resource, name = f"{wanted.kind.lower()}s", wanted.name
        current = api.objects.get(type(wanted), name, wanted.namespace)
        if current is None:
            raise VolumeError(NOT_FOUND.of(wanted.kind.lower(), name))
        if current is not change.shown or (resource, name) in written:
            raise VolumeError(WRITTEN_BY_OTHERS.of(resource, name))
        applies("R-VOLBIND-18")
        api.write("update", wanted)
        written.add((resource, name))


# --- Wait -----------------------------------------------------------------------------------------


@frozen
class WaitSteps:
    """WaitSteps are what a release may do otherwise while it waits: how an in-tree volume becomes one of a driver,
    and the words for what is missing or for a volume whose node affinity does not match."""

    translate: Translate = translated
    words: Words = Words()
    no_match: str = NO_MATCHING_TERMS


def are_bound(
    changes: Changes, pod: Pod, node_name: str, objects: ObjectStore, steps: WaitSteps | None = None
) -> bool:
    """R-VOLBIND-19: PreBind of VolumeBinding waits until the volume controller has bound all claims, and fails
    with an error if the pod or its node has been deleted meanwhile. Raises VolumeError."""
    node = objects.get(Node, node_name)
    if node is None:
        raise VolumeError(NODE_NOT_FOUND.of(node_name, node_name))
    if objects.get(Pod, pod.name, pod.namespace) is None:
        raise VolumeError(POD_NOT_FOUND.of(pod.name))
    applies("R-VOLBIND-19")
    return are_all_bound(changes, node, objects, steps)


def are_all_bound(changes: Changes, node: Node, objects: ObjectStore, steps: WaitSteps | None = None) -> bool:
    """Returns whether all claims are bound. Raises VolumeError if one will never be."""
    steps = steps or WaitSteps()
    return all(_is_bound(change, node, objects, steps) for change in changes.volumes) and all(
        _is_provisioned(change, node, objects, steps) for change in changes.claims
    )


def _is_bound(change: VolumeChange, node: Node, objects: ObjectStore, steps: WaitSteps) -> bool:
    """R-VOLBIND-20: Waiting for a volume to be bound fails with an error if the volume or its claim is deleted,
    loses its reference to the claim, or has a node affinity that no longer matches the node."""
    rule = "R-VOLBIND-20"
    try:
        volume = _shown(PersistentVolume, change.wanted.name, "", objects, rule, steps.words)
        named = change.claim
        claim = _shown(PersistentVolumeClaim, named.name, named.namespace, objects, rule, steps.words)
    except VolumeError as missing:
        raise VolumeError(BINDING_NOT_CHECKED.of(missing)) from missing
    if volume is change.shown:
        return False
    try:
        volume = steps.translate(volume, objects.get(CSINode, node.name))
    except VolumeError as why:
        raise VolumeError(NOT_TRANSLATED.of(why)) from why
    _check_reach(volume, node, steps, rule)
    if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
        raise VolumeError(REFERENCE_WAS_RESET.of(volume.name))
    return claim.is_fully_bound


def _is_provisioned(change: ClaimChange, node: Node, objects: ObjectStore, steps: WaitSteps) -> bool:
    """R-VOLBIND-21: Waiting for a claim to be provisioned fails with an error if the claim is deleted, if the
    provisioner removes or changes its selected node, or if the node affinity of the new volume does not match the
    node; a volume that the claim names and that does not exist yet is waited for."""
    rule = "R-VOLBIND-21"
    try:
        named = change.wanted
        claim = _shown(PersistentVolumeClaim, named.name, named.namespace, objects, rule, steps.words)
    except VolumeError as missing:
        raise VolumeError(PROVISIONING_NOT_CHECKED.of(missing)) from missing
    if claim is change.shown:
        return False
    if not claim.metadata.annotations:
        raise VolumeError(NODE_IS_NOT_SELECTED.of(claim.name))
    if claim.metadata.annotations.get(SELECTED_NODE, "") != node.name:
        raise VolumeError(NOT_PROVISIONED.of(claim.name))
    if claim.spec.volume_name:
        volume = objects.get(PersistentVolume, claim.spec.volume_name)
        if volume is None:
            applies(rule)
            return False
        _check_reach(steps.translate(volume, objects.get(CSINode, node.name)), node, steps, rule)
    return claim.is_fully_bound


def _check_reach(volume: PersistentVolume, node: Node, steps: WaitSteps, rule: str) -> None:
    if not volume.reaches(node.metadata.labels):
        raise VolumeError(OUT_OF_REACH.of(volume.name, node.name, steps.no_match), rule)


def _shown(kind: type[T], name: str, namespace: str, objects: ObjectStore, rule: str, words: Words) -> T:
    shown = objects.get(kind, name, namespace)
    if shown is None:
        raise VolumeError(words.not_found(kind.kind, _key(name, namespace)), rule)
    return shown


def _key(name: str, namespace: str) -> str:
    return f"{namespace}/{name}" if namespace else name
