# SPDX-License-Identifier: Apache-2.0
"""Finding: which volumes a pod's claims have, or could have, on a node.

Source: plugins/volumebinding/binder.go, GetPodVolumeClaims, FindPodVolumes (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
from refsched.preemption.go_sort import sort_slice
from refsched.volumes.csi_migration import translated
from refsched.volumes.matching import Volumes, candidates, find_matching_volume, preference
from refsched.volumes.provisioning import NOT_ENOUGH_SPACE, NOTHING_TO_BIND, refusal_to_provision

OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
VOLUME_IS_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
_IN_ORDER = (OUT_OF_REACH, NOTHING_TO_BIND, NOT_ENOUGH_SPACE, VOLUME_IS_GONE)

Claims = tuple[PersistentVolumeClaim, ...]

# --- The pod's claims -----------------------------------------------------------------------------


@frozen
class PodClaims:
    """A pod's claims by what is to be done for them. What is ``immediate`` and yet unbound is not the scheduler's
    to bind.

    Of those that wait for their first consumer (``delayed``): their classes by name, and for each (by its key)
    the volumes that it could have, the best first.
    """

    bound: Claims = ()
    delayed: Claims = ()
    immediate: Claims = ()
    classes: Mapping[str, StorageClass] = field(factory=dict)
    candidates: Mapping[str, Volumes] = field(factory=dict)

    def beginning_with(self, names: Sequence[str]) -> PodClaims:
        """The same, but of equal volumes these are looked at first, in this order."""
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


def claims_of(pod: Pod, objects: ObjectStore) -> PodClaims:
    """R-VOLBIND-04: a claim is bound once it names its volume and carries ``bind-completed``. An unbound claim
    is delayed where its class waits for the first consumer; it is immediate without a class, with a class
    that does not exist, and where it names a volume.

    Claims and volumes are taken as the scheduler assumes them: a volume that another pod is about to bind is no
    longer free.
    """
    claims = _claims_named_by(pod, objects)
    unbound = [claim for claim in claims if not claim.is_fully_bound]
    classes = _waiting_classes({claim.class_name for claim in unbound}, objects)
    delayed = [claim for claim in unbound if claim.class_name in classes and not claim.spec.volume_name]
    volumes = objects.list_latest(PersistentVolume) if delayed else ()
    return PodClaims(
        bound=tuple(claim for claim in claims if claim.is_fully_bound),
        delayed=tuple(delayed),
        immediate=tuple(claim for claim in unbound if claim not in delayed),
        classes=classes,
        candidates={
            claim.key: candidates(claim, (v for v in volumes if v.class_name == claim.class_name))
            for claim in delayed
        },
    )


def _claims_named_by(pod: Pod, objects: ObjectStore) -> Claims:
    """In the order in which the pod names them, as often as it does."""
    names = (volume.claim_name(pod.name) for volume in pod.spec.volumes)
    found = (objects.latest(PersistentVolumeClaim, name, pod.namespace) for name in names if name is not None)
    return tuple(claim for claim in found if claim is not None)


def _waiting_classes(names: Iterable[str], objects: ObjectStore) -> Mapping[str, StorageClass]:
    """Those that wait for the first consumer."""
    found = {name: objects.get(StorageClass, name) for name in names}
    return {
        name: each
        for name, each in found.items()
        if each is not None and each.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
    }


# --- On a node ------------------------------------------------------------------------------------


@frozen
class Match:
    """A volume that a claim is to have."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim


@frozen
class PodVolumes:
    """What is to be done so that the pod has its volumes on a node: volumes to bind, claims to provision."""

    matches: tuple[Match, ...] = ()
    provisions: Claims = ()


def find_pod_volumes(claims: PodClaims, node: Node) -> PodVolumes | None:
    """R-VOLBIND-08: a claim that was sent to be provisioned for a node is for that node alone (None for others).
    R-VOLBIND-09: for the others volumes are searched, the smallest claim first; what none is found for must
    be provisioned."""
    selected = [claim for claim in claims.delayed if SELECTED_NODE in claim.metadata.annotations]
    if any(claim.metadata.annotations[SELECTED_NODE] != node.name for claim in selected):
        return None
    searching = [claim for claim in claims.delayed if SELECTED_NODE not in claim.metadata.annotations]
    matches: list[Match] = []
    provisions = list(selected)
    for claim in sort_slice(searching, lambda a, b: a.requested < b.requested):
        taken = {match.volume.name for match in matches}
        volume = find_matching_volume(claim, claims.candidates[claim.key], node.metadata.labels, taken)
        if volume is None:
            provisions.append(claim)
        else:
            matches.append(Match(volume, claim))
    return PodVolumes(tuple(matches), tuple(provisions))


def refusals(claims: PodClaims, node: Node, objects: ObjectStore) -> tuple[str, ...]:
    """R-VOLBIND-06: bound claims and unbound ones are looked at both, and each may say why not. Raises
    VolumeError."""
    found = (_refusal_of_bound(claims.bound, node, objects), _refusal_of_delayed(claims, node, objects))
    return tuple(reason for reason in _IN_ORDER if reason in found)


def _refusal_of_bound(claims: Claims, node: Node, objects: ObjectStore) -> str | None:
    """R-VOLBIND-07: the volume of a bound claim must exist, and its node affinity allow the node. Where a CSI
    driver stands in for its plugin on the node, it is the driver's topology that counts."""
    csi_node = objects.get(CSINode, node.name)
    for claim in claims:
        volume = objects.latest(PersistentVolume, claim.spec.volume_name)
        if volume is None:
            return VOLUME_IS_GONE
        if not translated(volume, csi_node).reaches(node.metadata.labels):
            return OUT_OF_REACH
    return None


def _refusal_of_delayed(claims: PodClaims, node: Node, objects: ObjectStore) -> str | None:
    found = find_pod_volumes(claims, node)
    if found is None:
        return NOTHING_TO_BIND
    return refusal_to_provision(found.provisions, claims.classes, node, objects)
