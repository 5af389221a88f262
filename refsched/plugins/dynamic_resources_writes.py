# SPDX-License-Identifier: Apache-2.0
"""What DynamicResources writes into ResourceClaims.

Promised: how claims are allocated and reserved is documented with dynamic resource allocation, KEP-4381.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go, bindClaim.
"""

from __future__ import annotations

from attrs import evolve

from refsched.framework.interface import Api
from refsched.objects.dra import (
    DELETE_PROTECTION,
    AllocationResult,
    ResourceClaim,
    ResourceClaimConsumerReference,
)
from refsched.objects.pod import Pod
from refsched.plugins.dynamic_resources_extended import Mapped
from refsched.rules import applies


def protected(claim: ResourceClaim) -> ResourceClaim:
    """Returns the claim with the finalizer that keeps it while devices are allocated to it."""
    finalizers = claim.metadata.finalizers
    if DELETE_PROTECTION in finalizers:
        return claim
    return evolve(claim, metadata=evolve(claim.metadata, finalizers=(*finalizers, DELETE_PROTECTION)))


def bind_claim(claim: ResourceClaim, allocation: AllocationResult | None, pod: Pod, api: Api) -> str:
    """Writes the reservation, and a new allocation if there is one, into the claim as it is now. The
    finalizer is written before. Returns what went wrong, or "". Source: bindClaim."""
    current = api.objects.latest(ResourceClaim, claim.name, claim.namespace)
    if current is None:
        return f"{_first_step(claim, allocation)} claim {claim.key}: {_not_found(claim)}"
    if current.metadata.deletion_timestamp is not None:
        return f"claim {claim.key} got deleted in the meantime"
    if allocation is not None:
        if current.is_allocated:
            return f"claim {claim.key} got allocated elsewhere in the meantime"
        if protected(current) != current:
            current = protected(current)
            write(current, api)
        current = current.allocated(allocation)
    consumer = ResourceClaimConsumerReference(resource="pods", name=pod.name, uid=pod.uid)
    reserved = evolve(current.status, reserved_for=(*current.status.reserved_for, consumer))
    write(evolve(current, status=reserved), api)
    return ""


def bind_special_claim(
    claim: ResourceClaim,
    allocation: AllocationResult | None,
    mappings: tuple[Mapped, ...],
    pod: Pod,
    api: Api,
) -> str:
    """R-DRA-96: PreBind of DynamicResources creates the special claim, allocates it to the pod, and notes in
    the status of the pod what it serves; if it serves nothing, this is an error.

    Returns what went wrong, or "".
    Source: bindClaim, createExtendedResourceClaimInAPI, patchPodExtendedResourceClaimStatus."""
    applies("R-DRA-96")
    created = api.write("create", evolve(claim, metadata=evolve(claim.metadata, name="", uid="")))
    api.objects.assume(created)
    problem = bind_claim(created, allocation, pod, api)
    if problem or mappings:
        return problem
    return f"nil or empty request mappings, no update of pod {pod.key} ExtendedResourceClaimStatus"


def delete(claim: ResourceClaim, api: Api) -> None:
    """Deletes the claim, after it has lost its finalizer. Source: deleteClaim."""
    finalizers = tuple(each for each in claim.metadata.finalizers if each != DELETE_PROTECTION)
    freed = evolve(claim, metadata=evolve(claim.metadata, finalizers=finalizers))
    write(freed, api)
    api.write("delete", freed)
    api.objects.restore(ResourceClaim, claim.name, claim.namespace)


def _first_step(claim: ResourceClaim, allocation: AllocationResult | None) -> str:
    if allocation is None:
        return "add reservation to"
    return "add allocation and reservation to" if protected(claim) == claim else "add finalizer to"


def _not_found(claim: ResourceClaim) -> str:
    return f'resourceclaims.resource.k8s.io "{claim.name}" not found'


def write(claim: ResourceClaim, api: Api) -> None:
    """Writes the claim, which counts at once, even before the API server has shown it."""
    api.write("update", claim)
    api.objects.assume(claim)
