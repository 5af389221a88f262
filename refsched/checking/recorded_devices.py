# SPDX-License-Identifier: Apache-2.0
"""Recorded devices: which of the allowed allocations of DynamicResources the followed scheduler made.

The status of a node shows how its Filter ended, and the claims that were written show which devices were
allocated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from refsched.checking.agreement import says_the_same
from refsched.cycle.attempt import node_status
from refsched.framework.status import Code, Status
from refsched.objects.dra import AllocationResult, DeviceRequestAllocationResult, ResourceClaim
from refsched.objects.reading import read_as
from refsched.plugins.dynamic_resources_claims import Allocations
from refsched.records import Attempt, Record, Write

MAX_WAYS = 5040
"""At most this many options are searched for the recorded one: this covers all orders of seven pools."""


def written_claims(records: Iterable[Record]) -> tuple[ResourceClaim, ...]:
    """Returns the claims in the ``write`` records, in their order."""
    written = [record.object for record in records if isinstance(record, Write) and record.verb == "update"]
    return tuple(read_as(ResourceClaim, each) for each in written if each.get("kind") == ResourceClaim.kind)


def recorded_status(record: Attempt, node: str, statuses: Sequence[Status]) -> Status:
    """Returns the recorded status of the node, if it is one that Filter may give."""
    said = (record.filter or {}).get(node)
    if said is None:
        return statuses[0]
    found = (each for each in islice(statuses, MAX_WAYS) if says_the_same(said, node_status(each)))
    return next(found, statuses[0])


def recorded_trial(record: Attempt, options: Sequence[Status]) -> Status:
    """Returns the status of a dry run. Only the error that ended preemption is recorded; without one, the pod
    fits if it can."""
    statuses = list(islice(options, MAX_WAYS))
    failed = [each for each in statuses if each.code is Code.ERROR and each.message in (record.message or "")]
    fits = [each for each in statuses if each.is_success]
    return (*failed, *fits, *statuses)[0]


def _first_of_each(option: Allocations) -> dict[str, AllocationResult]:
    return {claim.key: allocation for claim, allocation in reversed(option) if allocation}


def allocated_claims(options: Sequence[Allocations]) -> set[str]:
    """Returns the claims (``namespace/name``) that are given devices."""
    return set(_first_of_each(options[0]))


def recorded_allocation(written: Sequence[ResourceClaim], options: Sequence[Allocations]) -> Allocations:
    """Returns the option that gives each of these claims the devices that were written first, in the recorded
    order if possible. A claim that the pod names twice is allocated twice and written once, because the second
    allocation fails."""
    claims = allocated_claims(options)
    written_by_key = {
        claim.key: _devices_in(claim.status.allocation)
        for claim in reversed(written)
        if claim.status.allocation is not None and claim.key in claims
    }
    for alike in (tuple, sorted):
        for option in options:
            made = _first_of_each(option)
            if all(alike(_devices_in(made[key])) == alike(found) for key, found in written_by_key.items()):
                return option
    return options[0]


def devices_of(claim: ResourceClaim | None) -> tuple[str, ...]:
    """Returns the devices of a claim as ``request: driver/pool/device``, sorted."""
    allocation = claim.status.allocation if claim is not None else None
    return tuple(sorted(_devices_in(allocation))) if allocation is not None else ()


def _devices_in(allocation: AllocationResult) -> list[str]:
    return [device_of(result) for result in allocation.devices.results]


def device_of(result: DeviceRequestAllocationResult) -> str:
    """Returns ``request: driver/pool/device``."""
    return f"{result.request}: {result.driver}/{result.pool}/{result.device}"


def recorded_claim(written: Sequence[ResourceClaim], options: Sequence[ResourceClaim]) -> ResourceClaim:
    """Returns the one of these claims that was deallocated."""
    freed = {claim.key for claim in written if not claim.is_allocated}
    return next((claim for claim in options if claim.key in freed), options[0])
