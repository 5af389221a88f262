# SPDX-License-Identifier: Apache-2.0
"""SearchMemory: which states of a long search for devices have no solution, and when the search is given up.

kube-scheduler does not remember such states, and gives a search up after filterTimeout. What it finds within
that time is the same: if no selector and no constraint can distinguish two devices, either both lead to a
solution or neither does.

Observed: how long a search for devices may take is a setting.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go, allocateOne;
plugins/dynamicresources/dynamicresources.go, Filter.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from attrs import define, field

from refsched.devices.constraints import look_up
from refsched.devices.errors import AllocationError, SearchTooLong
from refsched.devices.ids import DeviceID
from refsched.devices.pools import OfferedDevice
from refsched.devices.requests import Matcher, RequestKey, SizedRequest
from refsched.devices.results import ChosenDevice
from refsched.errors import InputError
from refsched.objects.dra import ResourceClaim
from refsched.rules import Reason, applies

TIMED_OUT = Reason("timed out trying to allocate devices", "R-DRA-59")

LONG = 10
"""A search remembers states once it has chosen this many devices, those that were given up again included. Most
searches end before that, and where many nodes have one device too few, the others end soon after it."""

MAX_CHOSEN = 30_000
"""A search is given up once it has chosen this many devices. How far kube-scheduler comes in ten seconds
depends on its machine, but a search that takes longer than this, though nothing is tried twice, mostly takes
far longer."""


@define
class SearchMemory:
    """A SearchMemory holds the states from which one search has found nothing. ``is_timed`` says that
    kube-scheduler would end a search that takes too long."""

    claims: Sequence[ResourceClaim]
    sized: Mapping[RequestKey, SizedRequest]
    matcher: Matcher
    is_timed: bool
    _chosen: int = 0
    _states: set[Hashable] = field(factory=set)
    _numbers: dict[DeviceID, int] = field(factory=dict)
    _kinds: dict[Hashable, int] = field(factory=dict)

    def count(self) -> None:
        """R-DRA-59: A search for devices on a node that is not over after filterTimeout is given up; without
        filterTimeout it goes on for as long as it takes."""
        self._chosen += 1
        if self._chosen <= MAX_CHOSEN:
            return
        if not self.is_timed:
            claims = ", ".join(claim.key for claim in self.claims)
            problem = f"the search for devices tries more than {MAX_CHOSEN:,}, and has no filterTimeout"
            raise InputError(f"{problem}: that is not specified here", where=f"ResourceClaim {claims}")
        applies("R-DRA-59")
        raise SearchTooLong(TIMED_OUT)

    def state(self, place: Hashable, chosen: Sequence[Sequence[ChosenDevice]]) -> Hashable | None:
        """Returns what decides whether the search finds anything from here on, or None while the search is
        short."""
        if self._chosen < LONG:
            return None
        held = tuple(
            tuple(sorted((str(each.request), self._number(each.offered)) for each in of_claim))
            for of_claim in chosen
        )
        return place, held

    def holds(self, state: Hashable | None) -> bool:
        """Returns whether the search has found nothing from this state."""
        return state in self._states

    def add(self, state: Hashable | None) -> None:
        if state is not None:
            self._states.add(state)

    def _number(self, offered: OfferedDevice) -> int:
        """Returns a number that is the same for devices that the search cannot distinguish."""
        if offered.id not in self._numbers:
            kind = self._kind(offered)
            self._numbers[offered.id] = self._kinds.setdefault(kind, len(self._kinds))
        return self._numbers[offered.id]

    def _kind(self, offered: OfferedDevice) -> Hashable:
        """Returns all that the search can find out about a device. A device whose selectors fail equals no
        other, nor does one of which more than its attributes counts. If one device may be allocated twice, none
        equals another; nor if a constraint meets a request for all devices, which fails in different ways if
        its next device is in use or violates the constraint. An alternative for all devices takes them in their
        order, and a release may look for the later ones elsewhere."""
        device = offered.device
        if device.taints or device.consumes_counters or device.allow_multiple_allocations:
            return offered.id
        if device.capacity and any(sized.asked.capacity is not None for sized in self.sized.values()):
            return offered.id
        constrained = any(claim.spec.devices.constraints for claim in self.claims)
        if any(sized.admin_access or (constrained and sized.wants_all) for sized in self.sized.values()):
            return offered.id
        try:
            matches = tuple(self.matcher.matches(key, sized, offered) for key, sized in self.sized.items())
        except (AllocationError, InputError):
            return offered.id
        values = tuple(
            look_up(offered, constraint.match_attribute or constraint.distinct_attribute or "")
            for claim in self.claims
            for constraint in claim.spec.devices.constraints
        )
        return matches, values, tuple(_place_among_all(sized, offered) for sized in self.sized.values())


def _place_among_all(sized: SizedRequest, offered: OfferedDevice) -> int:
    """Returns the place of a device among those that a request for all devices takes, as far as it counts, and -1
    if it is none of them."""
    if offered not in sized.all_devices:
        return -1
    return sized.all_devices.index(offered) if sized.name.sub else 0
