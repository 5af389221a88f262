# SPDX-License-Identifier: Apache-2.0
"""What DynamicResources writes into ResourceClaims.

Promised: how claims are allocated and reserved is documented with dynamic resource allocation, KEP-4381.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go, bindClaim.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from attrs import evolve, frozen

from refsched.devices.claims import end_allocation
from refsched.framework.interface import Api
from refsched.objects.dra import (
    DELETE_PROTECTION,
    AllocationResult,
    ResourceClaim,
    ResourceClaimConsumerReference,
)
from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.plugins.dynamic_resources_extended import IN_MEMORY, Mapped, created_claim
from refsched.rules import ErrorReason, applies

CANNOT_RESERVE = ErrorReason("add reservation to claim {}: {}", "R-DRA-11")
CANNOT_ALLOCATE = ErrorReason("add allocation and reservation to claim {}: {}", "R-DRA-11")
CANNOT_PROTECT = ErrorReason("add finalizer to claim {}: {}", "R-DRA-11")
NO_SUCH_CLAIM = ErrorReason('resourceclaims.resource.k8s.io "{}" not found', "R-DRA-11")
CLAIM_WAS_DELETED = ErrorReason("claim {} got deleted in the meantime", "R-DRA-11")
ALLOCATED_ELSEWHERE = ErrorReason("claim {} got allocated elsewhere in the meantime", "R-DRA-11")
DEALLOCATED_ELSEWHERE = ErrorReason("claim {} got deallocated elsewhere in the meantime", "R-DRA-11")
SERVES_NOTHING = ErrorReason(
    "nil or empty request mappings, no update of pod {} ExtendedResourceClaimStatus", "R-DRA-96"
)


def protected(claim: ResourceClaim) -> ResourceClaim:
    """Returns the claim with the finalizer that keeps it while devices are allocated to it."""
    finalizers = claim.metadata.finalizers
    if DELETE_PROTECTION in finalizers:
        return claim
    return evolve(claim, metadata=evolve(claim.metadata, finalizers=(*finalizers, DELETE_PROTECTION)))


def bind_claims(state: PodClaims, pod: Pod, api: Api, time: datetime | None) -> ErrorReason | None:
    """Writes the pod's reservations, and the new allocations with this time, if any. Returns what went wrong, if
    anything did."""
    allocations = state.allocations or (None,) * len(state.claims)
    for claim, allocation in zip(state.claims, allocations, strict=True):
        if claim.is_reserved_for(pod.uid):
            continue
        applies("R-DRA-11")
        if claim.name == IN_MEMORY:
            problem = bind_special_claim(claim, allocation, state.mappings, pod, api, time)
        else:
            problem = bind_claim(claim, allocation, pod, api, time)
        if problem is not None:
            return problem
    return None


def bound_claims(state: PodClaims, pod: Pod, api: Api) -> list[tuple[str, str]]:
    """Returns the namespaces and the names of the pod's claims once they are bound."""
    created = (
        created_claim(pod, api.objects) if claim.name == IN_MEMORY else claim for claim in state.claims
    )
    return [(claim.namespace, claim.name) for claim in created if claim is not None]


def bind_claim(
    claim: ResourceClaim, allocation: AllocationResult | None, pod: Pod, api: Api, time: datetime | None
) -> ErrorReason | None:
    """Writes the reservation, and a new allocation if there is one, into the claim as it is now. The
    finalizer is written before. An allocation without a time gets this one, if there is one. Returns what went
    wrong, if anything did. Source: bindClaim."""
    before = api.stored(claim)
    if before is None:
        return _failed_first(claim, allocation).of(claim.key, NO_SUCH_CLAIM.of(claim.name))
    current = before
    if current.metadata.deletion_timestamp is not None:
        return CLAIM_WAS_DELETED.of(claim.key)
    if allocation is not None:
        if current.is_allocated:
            return ALLOCATED_ELSEWHERE.of(claim.key)
        if protected(current) != current:
            current = protected(current)
            write(current, api)
        current = current.allocated(allocation)
    if time is not None:
        if current.status.allocation is None:
            return DEALLOCATED_ELSEWHERE.of(claim.key)
        if current.status.allocation.allocation_timestamp is None:
            current = current.allocated(evolve(current.status.allocation, allocation_timestamp=time))
    consumer = ResourceClaimConsumerReference(resource="pods", name=pod.name, uid=pod.uid)
    reserved = evolve(current.status, reserved_for=(*current.status.reserved_for, consumer))
    bound = evolve(current, status=reserved)
    write(bound, api)
    remember_written(bound, before, api.objects)
    return None


def bind_special_claim(
    claim: ResourceClaim,
    allocation: AllocationResult | None,
    mappings: tuple[Mapped, ...],
    pod: Pod,
    api: Api,
    time: datetime | None,
) -> ErrorReason | None:
    """R-DRA-96: PreBind of DynamicResources creates the special claim, allocates it to the pod, and notes in
    the status of the pod what it serves; if it serves nothing, this is an error.

    Returns what went wrong, if anything did.
    Source: bindClaim, createExtendedResourceClaimInAPI, patchPodExtendedResourceClaimStatus."""
    applies("R-DRA-96")
    created = api.write("create", evolve(claim, metadata=evolve(claim.metadata, name="", uid="")))
    api.objects.assume(created)
    problem = bind_claim(created, allocation, pod, api, time)
    if problem is not None or mappings:
        return problem
    return SERVES_NOTHING.of(pod.key)


@frozen
class WrittenClaim(ApiObject):
    """A WrittenClaim is a claim as PreBind wrote it, and as it was ``before``. It is assumed under the name of the
    claim and never shown by the API server."""

    kind: ClassVar[str] = "WrittenClaim"
    metadata: ObjectMeta
    claim: ResourceClaim
    before: ResourceClaim


def remember_written(claim: ResourceClaim, before: ResourceClaim, objects: ObjectStore) -> None:
    """Remembers that the claim is as PreBind wrote it. If PreBind had written it before, and nobody has changed it
    in between, the state to go back to stays the one before both.

    Source: pkg/scheduler/util/assumecache/assume_cache.go, Assume."""
    earlier = objects.latest(WrittenClaim, claim.name, claim.namespace)
    if earlier is not None and earlier.claim == before:
        before = earlier.before
    metadata = ObjectMeta(name=claim.name, namespace=claim.namespace)
    objects.assume(WrittenClaim(metadata, claim, before))


def give_up_allocation(claim: ResourceClaim, api: Api) -> None:
    """R-DRA-100 (observed: it is an accident that a claim is for a moment as it was, KEP-5007): When binding fails
    while an allocation counts as about to be written, and nothing changed the claim since PreBind wrote it, the
    claim is for a moment as it was before, which requeues the pods that wait for it or for its devices.

    kube-scheduler goes back to the claim as it was before it was written, and sees what it wrote only with the
    next change, which is that the reservation goes. It looks the claim up by its name, so that this may be another
    one, which was created meanwhile and reserved for another pod. Source: Unreserve;
    pkg/scheduler/util/assumecache/assume_cache.go, Restore."""
    latest = api.objects.latest(ResourceClaim, claim.name, claim.namespace)
    written = api.objects.latest(WrittenClaim, claim.name, claim.namespace)
    end_allocation(claim, api.objects)
    api.objects.restore(ResourceClaim, claim.name, claim.namespace)
    api.objects.restore(WrittenClaim, claim.name, claim.namespace)
    if written is not None and written.claim == latest:
        applies("R-DRA-100")
        api.go_back(written.claim, written.before)


def take_back(state: PodClaims, pod: Pod, api: Api) -> None:
    """R-DRA-10: When binding fails, an allocated claim that is reserved for the pod loses the reservation
    and stays allocated, also if PreBind reserved and allocated it just now. Source: Unreserve.
    R-DRA-94: When binding fails, the special claim that was created for the pod, in this attempt or an earlier
    one, is deleted.

    Source: unreserveExtendedResourceClaim."""
    for claim in state.of_the_user:
        current = api.stored(claim)
        if current is None or not current.is_allocated or not current.is_reserved_for(pod.uid):
            continue
        applies("R-DRA-10")
        others = tuple(user for user in current.status.reserved_for if user.uid != pod.uid)
        write(evolve(current, status=evolve(current.status, reserved_for=others)), api)
    created = created_claim(pod, api.objects) if state.special is not None else None
    if created is not None:
        applies("R-DRA-94")
        delete(created, api)


def delete(claim: ResourceClaim, api: Api) -> None:
    """Deletes the claim, after it has lost its finalizer. Source: deleteClaim."""
    finalizers = tuple(each for each in claim.metadata.finalizers if each != DELETE_PROTECTION)
    freed = evolve(claim, metadata=evolve(claim.metadata, finalizers=finalizers))
    write(freed, api)
    api.write("delete", freed)
    api.objects.restore(ResourceClaim, claim.name, claim.namespace)


def _failed_first(claim: ResourceClaim, allocation: AllocationResult | None) -> ErrorReason:
    if allocation is None:
        return CANNOT_RESERVE
    return CANNOT_ALLOCATE if protected(claim) == claim else CANNOT_PROTECT


def write(claim: ResourceClaim, api: Api) -> None:
    """Writes the claim, which counts at once, even before the API server has shown it."""
    api.write("update", claim)
    api.objects.assume(claim)
