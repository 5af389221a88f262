# SPDX-License-Identifier: Apache-2.0
"""Search: one device after the other is chosen for the requests of a pod's claims, depth first.

Promised: requests and their alternatives are documented with the ResourceClaim API, KEP-4381 and KEP-4816.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go, allocateOne,
allocateDevice, rollbackDevice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from attrs import define, field

from refsched.devices.capacity import NO_AMOUNT, NOTHING, consumed_capacity, has_capacity
from refsched.devices.constraints import Constraint
from refsched.devices.counters import Counters
from refsched.devices.errors import AllocationError
from refsched.devices.ids import DeviceID
from refsched.devices.in_use import Amounts, InUse, added
from refsched.devices.pools import OfferedDevice, Pool
from refsched.devices.requests import MAX_RESULTS, Matcher, RequestKey, SizedRequest
from refsched.devices.results import ChosenDevice
from refsched.devices.search_memory import SearchMemory
from refsched.devices.steps import AllocatorSteps
from refsched.devices.taints import is_kept_away
from refsched.objects.dra import ResourceClaim
from refsched.rules import ErrorReason, applies

TOO_MANY_RESULTS = ErrorReason("allocation max size exceeded", "R-DRA-53")
CONSTRAINT_IS_NOT_MET = ErrorReason(
    "{}: cannot add device {} because a claim constraint would not be satisfied", "R-DRA-58"
)


class TooManyDevices(Exception):  # noqa: N818  (not an error to the caller: it steers the search)
    """A TooManyDevices is raised if from here on every choice gives a claim more devices than it may hold."""


class Place(NamedTuple):
    """A Place says for what a device is looked for, by positions: the claim, the request in it, the alternative of
    the request (``sub``), and which of its devices this is. The devices from ``start`` on are tried."""

    claim: int = 0
    request: int = 0
    sub: int = 0
    device: int = 0
    start: int = 0

    @property
    def key(self) -> RequestKey:
        return RequestKey(self.claim, self.request, self.sub)


@define
class Search:
    """A Search is a depth-first search for one device after the other, which backtracks from choices without
    a solution.

    ``held_by`` says for which claims of the pod (by position) a device has been chosen so far, and ``shared`` what
    the chosen shares of a device consume."""

    claims: Sequence[ResourceClaim]
    pools: Sequence[Pool]
    in_use: InUse
    matcher: Matcher
    sized: dict[RequestKey, SizedRequest]
    constraints: Sequence[Sequence[Constraint]]
    steps: AllocatorSteps
    memory: SearchMemory
    counters: Counters
    is_enough: ClassVar = staticmethod(has_capacity)
    consumed: ClassVar = staticmethod(consumed_capacity)
    chosen: list[list[ChosenDevice]] = field(init=False)
    held_by: dict[DeviceID, set[int]] = field(factory=dict)
    shared: dict[DeviceID, list[Amounts]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.chosen = [[] for _ in self.claims]

    def run(self) -> bool:
        try:
            return self._go_on(Place())
        except TooManyDevices:
            raise AllocationError(TOO_MANY_RESULTS) from None

    def _go_on(self, place: Place, *, in_alternative: bool = False) -> bool:
        """Finds the devices from this place to the end, and returns whether this is possible."""
        if place.claim >= len(self.claims):
            return True
        if place.request >= len(self.claims[place.claim].spec.devices.requests):
            return self._next_claim(place)
        sized = self.sized[place.key]
        if sized.name.sub and not in_alternative:
            return self._first_available(place)
        if sized.wants_all and not sized.all_devices:
            return False
        if place.device >= sized.count:
            return self._go_on(Place(place.claim, place.request + 1))
        if len(self.chosen[place.claim]) + sized.count - place.device > MAX_RESULTS:
            raise TooManyDevices
        if sized.wants_all:
            return self._take_next_of_all(place, sized, in_alternative=in_alternative)
        return self._take_any(place, sized, in_alternative=in_alternative)

    def _next_claim(self, place: Place) -> bool:
        """R-DRA-52: If a claim would need too many devices, an earlier claim is allocated other devices."""
        try:
            return self._go_on(Place(place.claim + 1))
        except TooManyDevices:
            applies("R-DRA-52")
            return False

    def _first_available(self, place: Place) -> bool:
        """R-DRA-53: The alternatives of a request are tried in order, and the request needs too many devices if
        all of them do."""
        too_many = True
        request = self.claims[place.claim].spec.devices.requests[place.request]
        for index in range(len(request.first_available)):
            try:
                found = self._go_on(place._replace(sub=index), in_alternative=True)
            except TooManyDevices:
                continue
            too_many = False
            if found:
                applies("R-DRA-53")
                self.sized[place.key].selected = index
                return True
        if too_many:
            raise TooManyDevices
        return False

    def _take_next_of_all(self, place: Place, sized: SizedRequest, *, in_alternative: bool) -> bool:
        """R-DRA-54: A request for all devices is allocated every device that matches, or nothing."""
        applies("R-DRA-54")
        offered = sized.all_devices[place.device]
        if not self._take(place, sized, offered, must=True):
            return False
        alternative = self.steps.continued_in(place.sub)
        further = Place(place.claim, place.request, alternative, place.device + 1)
        return self._go_on_with(place, sized, offered, further, in_alternative=in_alternative)

    def _take_any(self, place: Place, sized: SizedRequest, *, in_alternative: bool) -> bool:
        """R-DRA-57 (observed: in which order devices are tried is not part of the API): The devices of a
        request are allocated in the order in which they are tried: after one of them only later ones are tried
        for the same request."""
        for position, offered in self.devices_from(place.start):
            further = place._replace(device=place.device + 1, start=self.next_start(position))
            if (
                self._is_free(place, sized, offered)
                and self.matcher.matches(place.key, sized, offered)
                and self.has_capacity(place, sized, offered)
                and self._take(place, sized, offered, must=False)
                and self._go_on_with(place, sized, offered, further, in_alternative=in_alternative)
            ):
                return True
        return False

    def devices_from(self, start: int) -> Iterable[tuple[int, OfferedDevice]]:
        """R-DRA-27 (observed: a scheduler may take the devices that are there): No device is allocated from a
        pool that is incomplete or invalid."""
        applies("R-DRA-27", when=any(pool.is_broken for pool in self.pools))
        offered = [each for pool in self.pools if not pool.is_broken for each in pool.devices]
        return list(enumerate(offered))[start:]

    def next_start(self, position: int) -> int:
        """Returns the position from which the next device of the same request is looked for."""
        applies("R-DRA-57")
        return position + 1

    def _go_on_with(
        self,
        place: Place,
        sized: SizedRequest,
        offered: OfferedDevice,
        further: Place,
        *,
        in_alternative: bool,
    ) -> bool:
        """Chooses this device and continues, and gives the device up again if there is no solution with it."""
        state = self.memory.state((further, in_alternative), self.chosen)
        try:
            found = not self.memory.holds(state) and self._go_on(further, in_alternative=in_alternative)
        except TooManyDevices:
            self._give_back(place, sized, offered)
            raise
        if not found:
            self.memory.add(state)
            self._give_back(place, sized, offered)
        return found

    # --- One device -------------------------------------------------------------------------------

    def _is_free(self, place: Place, sized: SizedRequest, offered: OfferedDevice) -> bool:
        """R-DRA-56: A device is allocated once, except that a request with admin access may be allocated
        devices of other claims."""
        holders = self.held_by.get(offered.id, set())
        applies("R-DRA-56", when=holders or offered.id in self.in_use.devices)
        if sized.admin_access:
            return place.claim not in holders
        return offered.id not in self.in_use.devices and not holders

    def has_capacity(self, place: Place, sized: SizedRequest, offered: OfferedDevice) -> bool:
        """Returns whether enough is left of the device's capacity. Raises AllocationError if the amount that
        the request would consume is invalid."""
        in_use = self.in_use.capacity.get(offered.id, NOTHING)
        try:
            return self.is_enough(sized.asked.capacity, offered.device, in_use, self._chosen_of(offered))
        except AllocationError as error:
            raise AllocationError(NO_AMOUNT.of(self._request(place, sized), offered.id, error)) from None

    def _chosen_of(self, offered: OfferedDevice) -> Amounts:
        total: Amounts = NOTHING
        for amounts in self.shared.get(offered.id, ()):
            total = added(total, amounts)
        return total

    def _request(self, place: Place, sized: SizedRequest) -> str:
        return f"claim {self.claims[place.claim].key}, request {sized.name.sub or sized.name.base}"

    def _take(self, place: Place, sized: SizedRequest, offered: OfferedDevice, *, must: bool) -> bool:
        """Allocates the device for now, if nothing speaks against it, and returns whether it did."""
        if not self._is_free(place, sized, offered):
            return False
        self.memory.count()
        takes_counters = self._takes_counters(offered)
        if takes_counters and not self.counters.take(offered):
            return False
        if is_kept_away(offered.device, sized.asked.tolerations) or not self._adds(
            place, sized, offered, must=must
        ):
            if takes_counters:
                self.counters.give_back(offered)
            return False
        consumed = None
        if offered.device.allow_multiple_allocations:
            consumed = self.consumed(sized.asked.capacity, offered.device)
            self.shared.setdefault(offered.id, []).append(consumed)
        else:
            self.held_by.setdefault(offered.id, set()).add(place.claim)
        taken = ChosenDevice(
            sized.name, offered, sized.admin_access, sized.asked.tolerations, consumed, takes_counters
        )
        self.chosen[place.claim].append(taken)
        return True

    def _takes_counters(self, offered: OfferedDevice) -> bool:
        """R-DRA-39: A device that allows multiple allocations consumes its counters once, with its first
        share."""
        if not offered.device.consumes_counters:
            return False
        is_shared = offered.device.allow_multiple_allocations and self.is_shared(offered.id)
        return not applies("R-DRA-39", when=is_shared)

    def is_shared(self, device: DeviceID) -> bool:
        """Returns whether a share of this device is allocated, or about to be."""
        return self.in_use.is_shared(device) or bool(self.shared.get(device))

    def _adds(self, place: Place, sized: SizedRequest, offered: OfferedDevice, *, must: bool) -> bool:
        """R-DRA-58 (observed: a scheduler may try other devices, alternatives or nodes if a constraint does not
        hold): A device that does not satisfy every constraint of the claim is not allocated."""
        constraints = self.constraints[place.claim]
        for index, constraint in enumerate(constraints):
            if constraint.add(sized.name, offered):
                continue
            applies("R-DRA-58")
            if must:
                where = self._request(place, sized)
                self.steps.unmet_constraint(CONSTRAINT_IS_NOT_MET.of(where, offered.id))
            self._remove(constraints[:index], sized, offered)
            return False
        if self.has_capacity(place, sized, offered):
            return True
        self._remove(constraints, sized, offered)
        return False

    @staticmethod
    def _remove(constraints: Sequence[Constraint], sized: SizedRequest, offered: OfferedDevice) -> None:
        for constraint in constraints:
            constraint.remove(sized.name, offered)

    def _give_back(self, place: Place, sized: SizedRequest, offered: OfferedDevice) -> None:
        self._remove(self.constraints[place.claim], sized, offered)
        given_up = self.chosen[place.claim].pop()
        if given_up.consumed is None:
            self.held_by[offered.id].discard(place.claim)
        else:
            self.shared[offered.id].pop()
        if given_up.takes_counters:
            self.counters.give_back(offered)
