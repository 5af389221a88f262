# SPDX-License-Identifier: Apache-2.0
"""Recorded devices: which of the ways that are open to DynamicResources a scheduler must have gone.

The status of a node tells how Filter went there, and the claims that were written tell the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from refsched.checking.agreement import says_the_same
from refsched.cycle.attempt import node_status
from refsched.framework.status import Code, Status
from refsched.objects.dra import AllocationResult, ResourceClaim
from refsched.objects.reading import read_as
from refsched.plugins.dynamic_resources import Allocations
from refsched.records import Attempt, Record, Write

MAX_WAYS = 5040
"""How many ways are looked at for the one that was recorded: all those of seven pools."""


def written_claims(records: Iterable[Record]) -> tuple[ResourceClaim, ...]:
    """What the ``write`` records tell, in their order."""
    written = [record.object for record in records if isinstance(record, Write) and record.verb == "update"]
    return tuple(read_as(ResourceClaim, each) for each in written if each.get("kind") == ResourceClaim.kind)


def recorded_status(record: Attempt, node: str, statuses: Sequence[Status]) -> Status:
    """What the record says of the node, if Filter may say so."""
    said = (record.filter or {}).get(node)
    if said is None:
        return statuses[0]
    found = (each for each in islice(statuses, MAX_WAYS) if says_the_same(said, node_status(each)))
    return next(found, statuses[0])


def recorded_trial(record: Attempt, options: Sequence[Status]) -> Status:
    """Only the error that ended preemption is told; else the pod fits where it can."""
    statuses = list(islice(options, MAX_WAYS))
    told = [each for each in statuses if each.code is Code.ERROR and each.message in (record.message or "")]
    fits = [each for each in statuses if each.is_success]
    return (*told, *fits, *statuses)[0]


def _first_of_each(option: Allocations) -> dict[str, AllocationResult]:
    return {claim.key: allocation for claim, allocation in reversed(option) if allocation}


def allocated_claims(options: Sequence[Allocations]) -> set[str]:
    """Those that are given devices (``namespace/name``)."""
    return set(_first_of_each(options[0]))


def recorded_allocation(written: Sequence[ResourceClaim], options: Sequence[Allocations]) -> Allocations:
    """The devices that were written first for each of these claims, in that order if it can be. A claim that the
    pod names twice is allocated twice and written once: the second fails."""
    claims = allocated_claims(options)
    told = {
        claim.key: claim.status.allocation.devices.results
        for claim in reversed(written)
        if claim.status.allocation is not None and claim.key in claims
    }
    for alike in (tuple, frozenset):
        for option in options:
            made = _first_of_each(option)
            if all(alike(made[key].devices.results) == alike(results) for key, results in told.items()):
                return option
    return options[0]


def devices_of(claim: ResourceClaim | None) -> tuple[str, ...]:
    """What a claim holds, as ``request: driver/pool/device``, in no particular order."""
    allocation = claim.status.allocation if claim is not None else None
    results = allocation.devices.results if allocation is not None else ()
    return tuple(sorted(f"{each.request}: {each.driver}/{each.pool}/{each.device}" for each in results))


def recorded_claim(written: Sequence[ResourceClaim], options: Sequence[ResourceClaim]) -> ResourceClaim:
    """The one of these claims that was deallocated."""
    freed = {claim.key for claim in written if not claim.is_allocated}
    return next((claim for claim in options if claim.key in freed), options[0])
