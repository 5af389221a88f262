# SPDX-License-Identifier: Apache-2.0
"""Controllers: what other components do when the scheduler writes, in a cluster that works.

The kubelet of a victim ends it at once, the disruption controller counts it in the budgets, and the claims that
were made for it are deleted. The volume controller completes a binding that the scheduler began, and a provisioner
creates the volume of a claim. No controller creates a new pod in place of a deleted one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from attrs import evolve, frozen

from refsched.machine.scheduler import Scheduler
from refsched.objects.dra import ResourceClaim
from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.selectors import compile_selector
from refsched.objects.storage import (
    BIND_COMPLETED,
    SELECTED_NODE,
    STORAGE,
    CSIPersistentVolumeSource,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    StorageClass,
)
from refsched.records import Write

BOUND = "Bound"


@frozen
class VolumeBound:
    """A VolumeBound says that a claim got its volume; ``provisioned`` says that it was created for the claim."""

    claim: str
    volume: str
    provisioned: bool = False


@frozen
class Evicted:
    """An Evicted says that a victim was deleted from the node that it ran on."""

    pod: str
    node: str


Answer = VolumeBound | Evicted


def answer(scheduler: Scheduler, write: Write) -> Answer | None:
    """Does what the write asks for. None if no controller acts on it."""
    metadata: dict[str, Any] = write.object["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace", "")
    match write.verb, write.object["kind"]:
        case "delete", Pod.kind:
            return _evict(scheduler, name, namespace)
        case "update", PersistentVolume.kind:
            return _complete_binding(scheduler, name)
        case "update", PersistentVolumeClaim.kind:
            return _provision(scheduler, name, namespace)
    return None


def _evict(scheduler: Scheduler, name: str, namespace: str) -> Evicted | None:
    victim = scheduler.state.api.get(Pod, name, namespace)
    if victim is None:
        return None
    scheduler.delete(Pod, name, namespace)
    if has_own_claims(victim):
        _free_claims(scheduler, victim)
    for budget in scheduler.state.objects.list(PodDisruptionBudget):
        if _counted_as_healthy(budget, victim):
            left = max(0, budget.status.disruptions_allowed - 1)
            scheduler.update(evolve(budget, status=evolve(budget.status, disruptions_allowed=left)))
    return Evicted(victim.key, victim.spec.node_name)


def _counted_as_healthy(budget: PodDisruptionBudget, victim: Pod) -> bool:
    """Returns whether the budget has one healthy pod less now. A pod that does not say otherwise was ready."""
    is_ready = all(c.status == "True" for c in victim.status.conditions if c.type == "Ready")
    return (
        is_ready
        and budget.metadata.namespace == victim.namespace
        and victim.name not in budget.status.disrupted_pods
        and compile_selector(budget.spec.selector).matches(victim.labels)
    )


def _complete_binding(scheduler: Scheduler, name: str) -> VolumeBound | None:
    """Makes the claim name the volume that names it."""
    api = scheduler.state.api
    volume = api.get(PersistentVolume, name)
    ref = volume.spec.claim_ref if volume is not None else None
    if volume is None or ref is None:
        return None
    claim = api.get(PersistentVolumeClaim, ref.name, ref.namespace)
    if claim is None or claim.metadata.uid != ref.uid or claim.spec.volume_name:
        return None
    scheduler.update(evolve(volume, status=PersistentVolumeStatus(BOUND)))
    scheduler.update(bound_to(claim, name))
    return VolumeBound(claim.key, name)


def _provision(scheduler: Scheduler, name: str, namespace: str) -> VolumeBound | None:
    """Provisions a volume for a claim that waits for one on the node that the scheduler selected."""
    api = scheduler.state.api
    claim = api.get(PersistentVolumeClaim, name, namespace)
    if claim is None or claim.spec.volume_name or SELECTED_NODE not in claim.metadata.annotations:
        return None
    storage_class = api.get(StorageClass, claim.class_name)
    volume_name = _provisioned_name(claim)
    if storage_class is None or api.get(PersistentVolume, volume_name) is not None:
        return None
    scheduler.create(volume_for(claim, storage_class))
    scheduler.update(bound_to(claim, volume_name))
    return VolumeBound(claim.key, volume_name, provisioned=True)


def _provisioned_name(claim: PersistentVolumeClaim) -> str:
    return f"pvc-{claim.metadata.uid}"


def volume_for(claim: PersistentVolumeClaim, storage_class: StorageClass) -> PersistentVolume:
    """Returns a volume as large as the claim requests. It is reachable from every node, since its driver's
    topology is not known here."""
    name = _provisioned_name(claim)
    ref = ObjectReference(claim.kind, claim.namespace, claim.name, claim.metadata.uid, "v1")
    return PersistentVolume(
        ObjectMeta(name, uid=f"{name}-volume"),
        PersistentVolumeSpec(
            capacity={STORAGE: claim.requested},
            access_modes=claim.spec.access_modes,
            storage_class_name=storage_class.metadata.name,
            claim_ref=ref,
            volume_mode=claim.spec.volume_mode,
            volume_attributes_class_name=claim.spec.volume_attributes_class_name,
            csi=CSIPersistentVolumeSource(storage_class.provisioner, name),
        ),
        PersistentVolumeStatus(BOUND),
    )


def bound_to(claim: PersistentVolumeClaim, volume: str) -> PersistentVolumeClaim:
    return evolve(
        claim.annotated(BIND_COMPLETED, "yes"),
        spec=evolve(claim.spec, volume_name=volume),
        status=PersistentVolumeClaimStatus(BOUND),
    )


# --- Claims of a pod that has left ----------------------------------------------------------------


def has_own_claims(pod: Pod) -> bool:
    """Returns whether controllers make or free claims with the pod."""
    return bool(pod.spec.resource_claims) or any(v.ephemeral is not None for v in pod.spec.volumes)


def _free_claims(scheduler: Scheduler, victim: Pod) -> None:
    objects = scheduler.state.objects
    for claim in (*objects.list(ResourceClaim), *objects.list(PersistentVolumeClaim)):
        kept = without_pods(claim, (victim.uid,))
        if kept is None:
            scheduler.delete(type(claim), claim.name, claim.namespace)
        elif kept is not claim:
            scheduler.update(kept)


def without_pods(claim: ApiObject, left: Collection[str]) -> ApiObject | None:
    """Returns what becomes of a claim after the pods with these uids have left: None if one of them controlled it.
    A ResourceClaim that is reserved for nobody any more gives its devices back."""
    owner = claim.metadata.controller
    if owner is not None and owner.uid in left:
        return None
    if not isinstance(claim, ResourceClaim):
        return claim
    reserved = tuple(each for each in claim.status.reserved_for if each.uid not in left)
    if len(reserved) == len(claim.status.reserved_for):
        return claim
    return (
        evolve(claim, status=evolve(claim.status, reserved_for=reserved)) if reserved else claim.deallocated()
    )
