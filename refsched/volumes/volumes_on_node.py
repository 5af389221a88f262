# SPDX-License-Identifier: Apache-2.0
"""Volumes on a node: those that a pod's claims have, or could have, on a node.

Promised: volumeBindingMode and the node affinity of volumes are documented with the storage API.
Shows in: volumes.
Source: plugins/volumebinding/binder.go, GetPodVolumeClaims, FindPodVolumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter

from attrs import evolve, field, frozen

from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import (
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies
from refsched.volumes.csi_migration import translated
from refsched.volumes.matching import Volumes, candidates, find_matching_volume, preference
from refsched.volumes.provisioning import NOT_ENOUGH_SPACE, NOTHING_TO_BIND, why_not_provisioned

OUT_OF_REACH = Reason("node(s) didn't match PersistentVolume's node affinity", "R-VOLBIND-07")
VOLUME_IS_MISSING = Reason(
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", "R-VOLBIND-07"
)
SELECTED_ELSEWHERE = Reason(NOTHING_TO_BIND, "R-VOLBIND-08")
_IN_ORDER: tuple[str, ...] = (OUT_OF_REACH, NOTHING_TO_BIND, NOT_ENOUGH_SPACE, VOLUME_IS_MISSING)

Claims = tuple[PersistentVolumeClaim, ...]
ClassOf = Callable[[PersistentVolume], str]

# --- The pod's claims -----------------------------------------------------------------------------


@frozen
class PodVolumeClaims:
    """PodVolumeClaims are a pod's claims by what is to be done for them. The scheduler does not bind those
    that are ``immediate``.

    ``delayed`` are those that wait for their first consumer. ``classes`` has their classes by name, and
    ``candidates`` for each of them (by its key) the volumes that it could have, the best first. ``searching``
    are those of them that are not yet to be provisioned for a node, in the order in which they choose.
    """

    bound: Claims = ()
    delayed: Claims = ()
    searching: Claims = ()
    immediate: Claims = ()
    classes: Mapping[str, StorageClass] = field(factory=dict)
    candidates: Mapping[str, Volumes] = field(factory=dict)

    def beginning_with(self, names: Sequence[str]) -> PodVolumeClaims:
        """Returns the same claims, for which among equal volumes these come first, in this order."""
        places = {name: place for place, name in enumerate(names)}
        ordered = {
            claim.key: tuple(
                sorted(
                    self.candidates[claim.key],
                    key=lambda volume: (*preference(volume, claim), places.get(volume.name, len(places))),
                )
            )
            for claim in self.delayed
        }
        return evolve(self, candidates=ordered)


def claims_of(
    pod: Pod, objects: ObjectStore, listed_under: ClassOf = attrgetter("class_name")
) -> PodVolumeClaims:
    """R-VOLBIND-04: A claim is bound once it names its volume and has the annotation ``bind-completed``; an
    unbound claim waits for its first consumer if its StorageClass says so and the claim names no volume yet, and
    is to be bound by others otherwise.

    Claims and volumes are looked up as the scheduler assumes them: a volume that another pod is about to bind is
    no longer free. A claim could have the volumes that are listed under its class.
    """
    claims = _claims_named_by(pod, objects)
    unbound = [claim for claim in claims if not claim.is_fully_bound]
    classes = _waiting_classes([claim.class_name for claim in unbound], objects)
    delayed = [claim for claim in unbound if claim.class_name in classes and not claim.spec.volume_name]
    applies("R-VOLBIND-04", when=unbound)
    searching = (claim for claim in delayed if SELECTED_NODE not in claim.metadata.annotations)
    volumes = objects.list_latest(PersistentVolume) if delayed else ()
    return PodVolumeClaims(
        bound=tuple(claim for claim in claims if claim.is_fully_bound),
        delayed=tuple(delayed),
        searching=tuple(sorted(searching, key=lambda claim: claim.requested)),
        immediate=tuple(claim for claim in unbound if claim not in delayed),
        classes=classes,
        candidates={
            claim.key: candidates(claim, (v for v in volumes if listed_under(v) == claim.class_name))
            for claim in delayed
        },
    )


def _claims_named_by(pod: Pod, objects: ObjectStore) -> Claims:
    """Returns the claims in the order in which the pod names them, and as often as it does."""
    names = (volume.claim_name(pod.name) for volume in pod.spec.volumes)
    found = (objects.latest(PersistentVolumeClaim, name, pod.namespace) for name in names if name is not None)
    return tuple(claim for claim in found if claim is not None)


def _waiting_classes(names: Iterable[str], objects: ObjectStore) -> Mapping[str, StorageClass]:
    """Returns the classes with volumeBindingMode WaitForFirstConsumer."""
    found = {name: objects.get(StorageClass, name) for name in names}
    return {
        name: each
        for name, each in found.items()
        if each is not None and each.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
    }


# --- On a node ------------------------------------------------------------------------------------


@frozen
class Match:
    """A Match is a volume that a claim is to have."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim


@frozen
class PodVolumes:
    """PodVolumes say what is to be done so that the pod has its volumes on a node: volumes to bind, and
    claims to provision."""

    matches: tuple[Match, ...] = ()
    provisions: Claims = ()


def find_pod_volumes(claims: PodVolumeClaims, node: Node) -> PodVolumes | None:
    """R-VOLBIND-08: A node is rejected if one of the pod's claims is to be provisioned for another node, as its
    annotation selected-node says.
    R-VOLBIND-09: Matching volumes are searched for the claims without a selected node, the claim that requests
    least first, and of those that request equally much any one first; a claim without a matching volume must be
    provisioned.

    Returns None if the node is rejected.
    """
    selected = [claim for claim in claims.delayed if SELECTED_NODE in claim.metadata.annotations]
    if any(claim.metadata.annotations[SELECTED_NODE] != node.name for claim in selected):
        return None
    applies("R-VOLBIND-09", when=claims.searching)
    matches: list[Match] = []
    provisions = list(selected)
    for claim in claims.searching:
        taken = {match.volume.name for match in matches}
        volume = find_matching_volume(claim, claims.candidates[claim.key], node.metadata.labels, taken)
        if volume is None:
            provisions.append(claim)
        else:
            matches.append(Match(volume, claim))
    return PodVolumes(tuple(matches), tuple(provisions))


def rejections(claims: PodVolumeClaims, node: Node, objects: ObjectStore) -> tuple[Reason, ...]:
    """R-VOLBIND-06: A node is checked for the bound claims and for the unbound ones, and is rejected with a reason
    for each of the two. Raises VolumeError."""
    of_bound = _why_not_bound(claims.bound, node, objects)
    of_delayed = _why_not_delayed(claims, node, objects)
    applies("R-VOLBIND-06", when=of_bound is not None and of_delayed is not None)
    reasons = (reason for reason in (of_bound, of_delayed) if reason is not None)
    return tuple(sorted(reasons, key=_IN_ORDER.index))


def _why_not_bound(claims: Claims, node: Node, objects: ObjectStore) -> Reason | None:
    """R-VOLBIND-07: A node is rejected if the volume of a bound claim does not exist or its node affinity does not
    match the node; if the volume's in-tree plugin has been migrated on the node, the CSI driver's topology counts.
    """
    csi_node = objects.get(CSINode, node.name)
    for claim in claims:
        volume = objects.latest(PersistentVolume, claim.spec.volume_name)
        if volume is None:
            return VOLUME_IS_MISSING
        if not translated(volume, csi_node).reaches(node.metadata.labels):
            return OUT_OF_REACH
    return None


def _why_not_delayed(claims: PodVolumeClaims, node: Node, objects: ObjectStore) -> Reason | None:
    found = find_pod_volumes(claims, node)
    if found is None:
        return SELECTED_ELSEWHERE
    return why_not_provisioned(found.provisions, claims.classes, node, objects)
