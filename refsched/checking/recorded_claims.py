# SPDX-License-Identifier: Apache-2.0
"""Recorded claims: whether the claims for devices were written as the rules require.

The devices and what is allocated with them are compared with the specification's claim. The users of a claim,
its finalizers, and the devices whose drivers report a status change from one write to the next, so one of the
specification's writes has to be the same. A claim that is recorded with its uid is complete; in any other
claim, a member that is absent proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import Factory, define

from refsched.checking.agreement import Disagreement
from refsched.checking.recorded_devices import device_of, devices_of
from refsched.devices.claims import InFlightAllocation
from refsched.objects.dra import (
    DeviceAllocationConfiguration,
    DeviceRequestAllocationResult,
    ResourceClaim,
)
from refsched.objects.reading import read_as
from refsched.objects.selectors import NodeSelectorRequirement
from refsched.objects.store import ObjectStore
from refsched.records import Create, Record, Update, Write

# --- What a claim was given -----------------------------------------------------------------------


def allocation_disagreements(expected: ResourceClaim, got: ResourceClaim) -> Iterator[Disagreement]:
    """Yields one disagreement if the devices differ. If they are the same, the rest of the allocation is
    compared member by member."""
    mine, theirs = devices_of(expected), devices_of(got)
    if mine != theirs:
        yield Disagreement(f"write.{got.key}", mine, theirs)
        return
    for member, of_result in _OF_RESULTS.items():
        yield from _of_part(member, partial(_of_results, of_result), expected, got)
    yield from _of_part("claimConfig", _config_of, expected, got)
    yield from _of_part("claimNodes", _nodes_of, expected, got)


def _of_part(
    member: str,
    part: Callable[[ResourceClaim], Sequence[object]],
    expected: ResourceClaim,
    got: ResourceClaim,
) -> Iterator[Disagreement]:
    mine, theirs = part(expected), part(got)
    if mine != theirs and (theirs or got.metadata.uid):
        yield Disagreement(f"{member}.{got.key}", mine, theirs)


OfResult = Callable[[DeviceRequestAllocationResult], object]


def _of_results(of_result: OfResult, claim: ResourceClaim) -> list[str]:
    """Returns what this says of each device that the claim was given, if it says anything."""
    allocation = claim.status.allocation
    results = allocation.devices.results if allocation is not None else ()
    return sorted(f"{device_of(each)} {said}" for each in results if (said := of_result(each)))


def _tolerations_of(result: DeviceRequestAllocationResult) -> list[str]:
    return [
        " ".join(filter(None, (each.key, each.operator or "Equal", each.value, each.effect)))
        for each in result.tolerations
    ]


_OF_RESULTS: Mapping[str, OfResult] = {
    "claimAdmin": lambda result: result.admin_access,
    "claimTolerations": _tolerations_of,
    "claimConditions": lambda result: [*result.binding_conditions],
    "claimFailureConditions": lambda result: [*result.binding_failure_conditions],
    "claimShares": lambda result: result.share_id is not None,
    "claimCapacity": lambda result: {
        name: each.nano for name, each in sorted(result.consumed_capacity.items())
    },
}
"""What is compared of each device; the id of a share may be any."""


def _config_of(claim: ResourceClaim) -> tuple[DeviceAllocationConfiguration, ...]:
    """Returns the configuration of the allocation, in the order in which drivers apply it."""
    allocation = claim.status.allocation
    return allocation.devices.config if allocation is not None else ()


def _nodes_of(claim: ResourceClaim) -> list[list[str]]:
    """Returns what the claim requires of a node. The order within a term does not matter."""
    allocation = claim.status.allocation
    selector = allocation.node_selector if allocation is not None else None
    return [
        sorted(
            (
                *(f"field {_spelled(one)}" for one in term.match_fields),
                *(f"label {_spelled(one)}" for one in term.match_expressions),
            )
        )
        for term in (selector.node_selector_terms if selector is not None else ())
    ]


def _spelled(one: NodeSelectorRequirement) -> str:
    return f"{one.key} {one.operator} {sorted(set(one.values))}"


# --- From one write to the next -------------------------------------------------------------------


@define
class ClaimWrites:
    """ClaimWrites have what the specification wrote into each claim so far. A write that is recorded before the
    specification made one of its kind proves nothing; nor does a uid that no input contained, since the API
    server may have assigned it.

    ``are_reported`` says that every write into a claim is reported. An implementation that has reported one of
    them is expected to report all. ``deleted`` are the claims that the specification has deleted, as they were.
    ``contested`` are the claims that somebody else has changed while the scheduler was about to allocate them, and
    ``is_lost`` says that one of these was not written, so that it is open what became of it.
    """

    are_reported: bool = False
    deleted: dict[str, ResourceClaim] = Factory(dict)
    _written: dict[str, list[ResourceClaim]] = Factory(dict)
    _expected: list[ResourceClaim] = Factory(list)
    contested: set[str] = Factory(set)
    is_lost: bool = False
    _input_uids: set[str] = Factory(set)

    def specify(self, record: Record) -> None:
        """Takes note of a record of the specification, which may write or delete a claim."""
        if not isinstance(record, Write) or record.object["kind"] != ResourceClaim.kind:
            return
        claim = read_as(ResourceClaim, record.object)
        if record.verb == "delete":
            self.deleted[claim.key] = claim
            return
        self._written.setdefault(claim.key, []).append(claim)
        if claim.is_allocated:
            self._expected.append(claim)

    def missing(self) -> list[Disagreement]:
        """Returns the claims that should have been given devices by now and were not written."""
        left, self._expected = self._expected if self.are_reported else [], []
        self.is_lost |= any(claim.key in self.contested for claim in left)
        return [
            Disagreement(f"write.{claim.key}", devices_of(claim), None)
            for claim in left
            if claim.key not in self.contested
        ]

    def note_input(self, record: Record, objects: ObjectStore) -> None:
        """Takes note of the uids that an input contains, and of a claim that it changes although the scheduler is
        about to allocate it."""
        match record:
            case Create({"kind": "Pod" | "ResourceClaim"} as value) | Update(
                {"kind": "Pod" | "ResourceClaim"} as value
            ):
                self._input_uids.update(_uids_in(value))
        if isinstance(record, Update) and record.object["kind"] == ResourceClaim.kind:
            self.contested.update(
                flight.claim.key
                for flight in objects.list_latest(InFlightAllocation)
                if flight.claim.name == record.object["metadata"]["name"]
            )

    def take(self, got: ResourceClaim, stored: ResourceClaim) -> Iterator[Disagreement]:
        """Compares a claim that the other scheduler wrote. If it is as it is ``stored``, the write was none: a
        scheduler may take back what somebody else has taken back."""
        self.are_reported = True
        same = next((one for one in self._expected if got.is_allocated and one.key == got.key), None)
        if same is not None:
            self._expected.remove(same)
        if _compared(got) != _compared(stored):
            yield from self._disagreements(got)

    def _disagreements(self, got: ResourceClaim) -> Iterator[Disagreement]:
        alike = [one for one in self._written.get(got.key, ()) if one.is_allocated == got.is_allocated]
        if not alike:
            return
        last, is_whole = alike[-1], bool(got.metadata.uid)
        if (got.status.reserved_for or is_whole) and not any(self._same_users(one, got) for one in alike):
            yield Disagreement(f"claimUsers.{got.key}", _users(last), _users(got))
        finalizers = sorted(got.metadata.finalizers)
        if (finalizers or is_whole) and all(finalizers != sorted(one.metadata.finalizers) for one in alike):
            yield Disagreement(f"claimFinalizers.{got.key}", sorted(last.metadata.finalizers), finalizers)
        reported = _reported_devices(got)
        if (reported or is_whole) and all(reported != _reported_devices(one) for one in alike):
            yield Disagreement(f"claimDevices.{got.key}", _reported_devices(last), reported)

    def _same_users(self, expected: ResourceClaim, got: ResourceClaim) -> bool:
        uids = {user.uid for user in expected.status.reserved_for}
        theirs = {user.uid for user in got.status.reserved_for} & self._input_uids
        return _users_of(expected) == _users_of(got) and theirs <= uids


def _compared(claim: ResourceClaim) -> tuple[object, ...]:
    """Returns what a write is judged by, besides the devices that it allocates."""
    users, finalizers = claim.status.reserved_for, sorted(claim.metadata.finalizers)
    return claim.is_allocated, users, finalizers, _reported_devices(claim)


def _users_of(claim: ResourceClaim) -> list[tuple[str, str, str]]:
    return sorted((user.api_group, user.resource, user.name) for user in claim.status.reserved_for)


def _reported_devices(claim: ResourceClaim) -> list[str]:
    """Returns the devices whose drivers have reported a status."""
    return sorted(
        f"{each.get('driver')}/{each.get('pool')}/{each.get('device')}" for each in claim.status.devices
    )


def _uids_in(value: dict[str, Any]) -> Iterable[str]:
    users = (value.get("status") or {}).get("reservedFor") or ()
    return (each["uid"] for each in (value["metadata"], *users) if each.get("uid"))


def _users(claim: ResourceClaim) -> list[dict[str, str]]:
    return [{"name": user.name, "uid": user.uid} for user in claim.status.reserved_for]
