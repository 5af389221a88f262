# SPDX-License-Identifier: Apache-2.0
"""Finding: which volumes a pod's claims have, or could have, on a node.

Source: plugins/volumebinding/binder.go, GetPodVolumeClaims, FindPodVolumes (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

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
from refsched.volume_binding.csi_migration import translated
from refsched.volume_binding.matching import Binding, find_matching_volume
from refsched.volume_binding.provisioning import NOT_ENOUGH_SPACE, NOTHING_TO_BIND, refusal_to_provision

OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
VOLUME_IS_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
_IN_ORDER = (OUT_OF_REACH, NOTHING_TO_BIND, NOT_ENOUGH_SPACE, VOLUME_IS_GONE)

Volumes = tuple[PersistentVolume, ...]
Claims = tuple[PersistentVolumeClaim, ...]

# --- The pod's claims -----------------------------------------------------------------------------


@frozen
class PodClaims:
    """A pod's claims by what is to be done for them, and the volumes of the classes of those that wait for
    their first consumer (``delayed``). What is ``immediate`` and yet unbound is not the scheduler's to bind."""

    bound: Claims = ()
    delayed: Claims = ()
    immediate: Claims = ()
    volumes: Mapping[str, Volumes] = {}


def claims_of(pod: Pod, objects: ObjectStore) -> PodClaims:
    """R-VOLBIND-04: a claim is bound once it names its volume and carries ``bind-completed``. An unbound claim
    is delayed where its class waits for the first consumer; it is immediate without a class, with a class
    that does not exist, and where it names a volume. All claims must exist."""
    names = (volume.claim_name(pod.name) for volume in pod.spec.volumes)
    latest = (
        objects.latest(PersistentVolumeClaim, name, pod.namespace) for name in names if name is not None
    )
    claims = [claim for claim in latest if claim is not None]
    delayed = tuple(c for c in claims if not c.is_fully_bound and _is_delayed(c, objects))
    return PodClaims(
        bound=tuple(c for c in claims if c.is_fully_bound),
        delayed=delayed,
        immediate=tuple(c for c in claims if not c.is_fully_bound and not _is_delayed(c, objects)),
        volumes=_volumes_by_class({claim.class_name for claim in delayed}, objects),
    )


def _is_delayed(claim: PersistentVolumeClaim, objects: ObjectStore) -> bool:
    storage_class = objects.get(StorageClass, claim.class_name)
    return (
        storage_class is not None
        and storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
        and not claim.spec.volume_name
    )


def _volumes_by_class(classes: Iterable[str], objects: ObjectStore) -> Mapping[str, Volumes]:
    """As the scheduler assumes them: a volume that another pod is about to bind is no longer free."""
    wanted = set(classes)
    volumes = objects.list_latest(PersistentVolume) if wanted else ()
    return {name: tuple(v for v in volumes if v.class_name == name) for name in wanted}


# --- On a node ------------------------------------------------------------------------------------


@frozen
class PodVolumes:
    """What is to be done so that the pod has its volumes on a node: volumes to bind, claims to provision."""

    bindings: tuple[Binding, ...] = ()
    provisions: Claims = ()


@frozen
class Refused:
    reasons: tuple[str, ...]


def find_pod_volumes(
    claims: PodClaims, node: Node, objects: ObjectStore, *, attributes_classes: bool
) -> PodVolumes | Refused:
    """R-VOLBIND-06: bound claims and unbound ones are looked at both, and each may say why not. Raises
    VolumeError."""
    bound = _refusal_of_bound(claims.bound, node, objects)
    unbound = _for_delayed(claims, node, objects, attributes_classes=attributes_classes)
    if bound is None and isinstance(unbound, PodVolumes):
        return unbound
    reasons = {bound, unbound}
    return Refused(tuple(reason for reason in _IN_ORDER if reason in reasons))


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


def _for_delayed(
    claims: PodClaims, node: Node, objects: ObjectStore, *, attributes_classes: bool
) -> PodVolumes | str:
    """R-VOLBIND-08: a claim that was sent to be provisioned for a node is for that node alone.
    R-VOLBIND-09: for the others volumes are searched, the smallest claim first; what none is found for must
    be provisioned."""
    selected = [claim for claim in claims.delayed if SELECTED_NODE in claim.metadata.annotations]
    if any(claim.metadata.annotations[SELECTED_NODE] != node.name for claim in selected):
        return NOTHING_TO_BIND
    bindings: list[Binding] = []
    provisions = list(selected)
    searching = [claim for claim in claims.delayed if SELECTED_NODE not in claim.metadata.annotations]
    for claim in sorted(searching, key=lambda claim: claim.requested):
        volume = find_matching_volume(
            claim,
            claims.volumes[claim.class_name],
            node.metadata.labels,
            {binding.volume.name for binding in bindings},
            attributes_classes=attributes_classes,
        )
        if volume is None:
            provisions.append(claim)
        else:
            bindings.append(Binding(volume, claim))
    refusal = refusal_to_provision(provisions, node, objects)
    return refusal if refusal is not None else PodVolumes(tuple(bindings), tuple(provisions))
