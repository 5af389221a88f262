# SPDX-License-Identifier: Apache-2.0
"""Claims: the claims that a pod uses, and the devices that claims hold.

Promised: how a pod names and shares its claims is documented with the ResourceClaim API, KEP-4381.
Shows in: devices.
Source: dynamic-resource-allocation/resourceclaim/resourceclaim.go;
pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, dra_manager.go.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.devices.in_use import DeviceLedger, InUse
from refsched.objects.dra import ResourceClaim
from refsched.objects.meta import ApiObject, ObjectMeta
from refsched.objects.pod import Pod, PodResourceClaim
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies

NO_CLAIM_IS_NAMED = Reason(
    'pod "{}", spec.resourceClaim "{}": none of the supported fields are set', "R-DRA-81"
)
NOT_CREATED_YET = Reason('pod "{}": ResourceClaim not created yet', "R-DRA-81")
NOT_FOUND = Reason('could not find ResourceClaim "{}/{}"', "R-DRA-80")
BEING_DELETED = Reason('resourceclaim "{}" is being deleted', "R-DRA-80")
CLAIM_OF_ANOTHER = Reason("ResourceClaim {} was not created for pod {} (pod is not owner)", "R-DRA-80")


class ClaimProblem(Exception):  # noqa: N818  (no error: the reason why a pod has to wait)
    """A ClaimProblem has the reason why a claim of the pod cannot be used yet."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


# --- The claims of a pod --------------------------------------------------------------------------


def claims_of(pod: Pod, objects: ObjectStore) -> tuple[ResourceClaim, ...]:
    """R-DRA-80: A pod cannot be scheduled while one of its claims does not exist, is being deleted, or was made
    from a template for another pod. Raises ClaimProblem. Source: foreachPodResourceClaim."""
    return tuple(
        _usable_claim(pod, named, name, objects)
        for named in pod.spec.resource_claims
        if (name := _claim_name(pod, named)) is not None
    )


def _claim_name(pod: Pod, named: PodResourceClaim) -> str | None:
    """R-DRA-81: The status of a pod says which claim was made from a template, or that none is needed."""
    if named.resource_claim_name is not None:
        return named.resource_claim_name
    if named.resource_claim_template_name is None:
        raise ClaimProblem(NO_CLAIM_IS_NAMED.of(pod.key, named.name))
    for status in pod.status.resource_claim_statuses:
        if status.name == named.name:
            applies("R-DRA-81")
            return status.resource_claim_name
    raise ClaimProblem(NOT_CREATED_YET.of(pod.key))


def _usable_claim(pod: Pod, named: PodResourceClaim, name: str, objects: ObjectStore) -> ResourceClaim:
    claim = objects.latest(ResourceClaim, name, pod.namespace)
    if claim is None:
        applies("R-DRA-80")
        raise ClaimProblem(NOT_FOUND.of(pod.namespace, name))
    if claim.metadata.deletion_timestamp is not None:
        applies("R-DRA-80")
        raise ClaimProblem(BEING_DELETED.of(name))
    if named.resource_claim_name is None and not claim.metadata.is_controlled_by(pod.uid):
        applies("R-DRA-80")
        raise ClaimProblem(CLAIM_OF_ANOTHER.of(claim.key, pod.key))
    return claim


# --- Devices that are taken -----------------------------------------------------------------------


@frozen
class InFlightAllocation(ApiObject):
    """An InFlightAllocation is a claim as Reserve allocated it, until PreBind is over. It is assumed
    under the claim's uid and never shown by the API server."""

    kind: ClassVar[str] = "InFlightAllocation"
    metadata: ObjectMeta
    claim: ResourceClaim


def start_allocation(claim: ResourceClaim, objects: ObjectStore) -> None:
    """Takes note of the devices with which the claim counts until they are written, or given up."""
    objects.assume(InFlightAllocation(ObjectMeta(name=claim.uid), claim))


def end_allocation(claim: ResourceClaim, objects: ObjectStore) -> None:
    objects.restore(InFlightAllocation, claim.uid)


def is_being_allocated(claim: ResourceClaim, objects: ObjectStore) -> bool:
    """Returns whether the claim's allocation is about to be written."""
    return objects.latest(InFlightAllocation, claim.uid) is not None


def devices_in_use(objects: ObjectStore) -> InUse:
    """R-DRA-83: A device is in use if a claim that holds it is allocated, assumed, or about to be allocated.
    Source: GatherAllocatedState."""
    in_flight = (flight.claim for flight in objects.list_latest(InFlightAllocation))
    in_use = objects.ledger(DeviceLedger).in_use.with_claims(in_flight)
    applies("R-DRA-83", when=in_use.devices or in_use.shares)
    return in_use
