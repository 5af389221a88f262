# SPDX-License-Identifier: Apache-2.0
"""Allocator: the search for devices that satisfy all claims of a pod on one node.

With the default gates of v1.34.2 the scheduler uses the *experimental* allocator:
DRAResourceClaimDeviceStatus is on, and the stable and incubating ones do not support it
(structured/allocator.go, NewAllocator).

Promised: requests and their alternatives are documented with the ResourceClaim API, KEP-4381 and KEP-4816.
Source: dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go, Allocate,
allocateOne, allocateDevice (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attrs import define, field, frozen

from refsched.devices.constraints import MatchAttribute
from refsched.devices.errors import AllocationError
from refsched.devices.pools import DeviceID, OfferedDevice, Pool, PoolOrders, Pools, gather_pools
from refsched.devices.requests import (
    MAX_RESULTS,
    GetClass,
    Matcher,
    RequestKey,
    SizedRequest,
    Sizer,
)
from refsched.devices.results import ChosenDevice, allocation_result
from refsched.devices.search_memory import SearchMemory
from refsched.devices.steps import AllocatorSteps
from refsched.objects.dra import AllocationResult, ResourceClaim, ResourceSlice
from refsched.objects.node import Node
from refsched.rules import applies


@frozen
class Allocator:
    """An Allocator has all that an allocation depends on except the node. ``in_use`` are the devices that
    claims hold, and ``is_timed`` says that a long search is given up (filterTimeout)."""

    slices: Sequence[ResourceSlice]
    in_use: frozenset[DeviceID]
    get_class: GetClass = field(eq=False)
    steps: AllocatorSteps = AllocatorSteps()
    is_timed: bool = True

    def pool_orders(self, node: Node) -> PoolOrders:
        """Returns the orders in which the pools that the node reaches may be tried."""
        return gather_pools(self.slices, node, self.steps)

    def allocate(
        self,
        node: Node,
        claims: Sequence[ResourceClaim],
        pools: Pools | None = None,
    ) -> tuple[AllocationResult, ...] | None:
        """R-DRA-50: The first allocation that satisfies all claims of the pod is taken, with one result per claim.

        Returns None if there is none. Without ``pools``, the first of the orders of pools is used.

        Raises AllocationError.
        """
        gathered = pools if pools is not None else self.pool_orders(node)[0]
        pools = tuple(pool for pool in gathered if not pool.is_passed_over)
        matcher = Matcher(claims)
        sizer = Sizer(claims, pools, self.get_class, matcher, self.steps)
        sized: dict[RequestKey, SizedRequest] = {}
        constraints: list[list[MatchAttribute]] = []
        for index, claim in enumerate(claims):
            sized |= sizer.size_claim(index)
            constraints.append(_constraints(claim))
        matcher.forget()
        memory = SearchMemory(claims, sized, self.is_timed)
        search = _Search(claims, pools, self.in_use, matcher, sized, constraints, self.steps, memory)
        if not search.run():
            return None
        applies("R-DRA-50")
        return tuple(
            allocation_result(claim, index, sized, search.chosen[index], node)
            for index, claim in enumerate(claims)
        )


def _constraints(claim: ResourceClaim) -> list[MatchAttribute]:
    """R-DRA-51: A constraint of a claim that is of no known kind is an error."""
    made: list[MatchAttribute] = []
    for index, constraint in enumerate(claim.spec.devices.constraints):
        requests = frozenset(constraint.requests)
        if constraint.match_attribute is None:
            applies("R-DRA-51")
            problem = "empty constraint (unsupported constraint type?)"
            raise AllocationError(f"claim {claim.key}, constraint #{index}: {problem}")
        made.append(MatchAttribute(requests, constraint.match_attribute))
    return made


class _TooManyDevices(Exception):  # noqa: N818  (not an error to the caller: it steers the search)
    """A _TooManyDevices is raised if from here on every choice gives a claim more devices than it may hold."""


class _Place(NamedTuple):
    """A _Place says which device is looked for: its position in a request, and the positions of that and of
    the claim."""

    claim: int = 0
    request: int = 0
    sub: int = 0
    device: int = 0

    @property
    def key(self) -> RequestKey:
        return RequestKey(self.claim, self.request, self.sub)


@define
class _Search:
    """A _Search is a depth-first search for one device after the other, which backtracks from choices without
    a solution.

    ``held_by`` says for which claims of the pod (by position) a device has been chosen so far.
    """

    claims: Sequence[ResourceClaim]
    pools: Sequence[Pool]
    in_use: frozenset[DeviceID]
    matcher: Matcher
    sized: dict[RequestKey, SizedRequest]
    constraints: Sequence[Sequence[MatchAttribute]]
    steps: AllocatorSteps
    memory: SearchMemory
    chosen: list[list[ChosenDevice]] = field(init=False)
    held_by: dict[DeviceID, set[int]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.chosen = [[] for _ in self.claims]

    def run(self) -> bool:
        try:
            return self._go_on(_Place())
        except _TooManyDevices:
            raise AllocationError("allocation max size exceeded") from None

    def _go_on(self, place: _Place, *, in_alternative: bool = False) -> bool:
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
            return self._go_on(_Place(place.claim, place.request + 1))
        if len(self.chosen[place.claim]) + sized.count - place.device > MAX_RESULTS:
            raise _TooManyDevices
        if sized.wants_all:
            return self._take_next_of_all(place, sized, in_alternative=in_alternative)
        return self._take_any(place, sized, in_alternative=in_alternative)

    def _next_claim(self, place: _Place) -> bool:
        """R-DRA-52: If a claim would need too many devices, an earlier claim is allocated other devices."""
        try:
            return self._go_on(_Place(place.claim + 1))
        except _TooManyDevices:
            applies("R-DRA-52")
            return False

    def _first_available(self, place: _Place) -> bool:
        """R-DRA-53: The alternatives of a request are tried in order, and the request needs too many devices if
        all of them do."""
        too_many = True
        request = self.claims[place.claim].spec.devices.requests[place.request]
        for index in range(len(request.first_available)):
            try:
                found = self._go_on(place._replace(sub=index), in_alternative=True)
            except _TooManyDevices:
                continue
            too_many = False
            if found:
                applies("R-DRA-53")
                self.sized[place.key].selected = index
                return True
        if too_many:
            raise _TooManyDevices
        return False

    def _take_next_of_all(self, place: _Place, sized: SizedRequest, *, in_alternative: bool) -> bool:
        """R-DRA-54: A request for all devices is allocated every device that matches, or nothing."""
        applies("R-DRA-54")
        offered = sized.all_devices[place.device]
        if not self._take(place, sized, offered, must=True):
            return False
        alternative = self.steps.further_devices_of(place.sub)
        further = _Place(place.claim, place.request, alternative, place.device + 1)
        return self._go_on_with(place, sized, offered, further, in_alternative=in_alternative)

    def _take_any(self, place: _Place, sized: SizedRequest, *, in_alternative: bool) -> bool:
        """R-DRA-55 (observed: a scheduler may take another pool if the first one is invalid): Devices are tried
        pool by pool, and an invalid pool that is reached is an error, even if a later pool has a device that
        fits."""
        further = place._replace(device=place.device + 1)
        for pool in self.pools:
            if pool.invalid_reason:
                applies("R-DRA-55")
                raise AllocationError(f"pool {pool.name} is invalid: {pool.invalid_reason}")
            for offered in pool.devices:
                if (
                    self._is_free(place, sized, offered)
                    and self.matcher.matches(place.key, sized, offered)
                    and self._take(place, sized, offered, must=False)
                    and self._go_on_with(place, sized, offered, further, in_alternative=in_alternative)
                ):
                    return True
        return False

    def _go_on_with(
        self,
        place: _Place,
        sized: SizedRequest,
        offered: OfferedDevice,
        further: _Place,
        *,
        in_alternative: bool,
    ) -> bool:
        """Chooses this device and continues, and gives the device up again if there is no solution with it."""
        state = self.memory.state((further, in_alternative), self.chosen)
        try:
            found = not self.memory.holds(state) and self._go_on(further, in_alternative=in_alternative)
        except _TooManyDevices:
            self._give_back(place, sized, offered)
            raise
        if not found:
            self.memory.add(state)
            self._give_back(place, sized, offered)
        return found

    # --- One device -------------------------------------------------------------------------------

    def _is_free(self, place: _Place, sized: SizedRequest, offered: OfferedDevice) -> bool:
        """R-DRA-56: A device is allocated once, except that a request with admin access may be allocated devices
        of other claims."""
        holders = self.held_by.get(offered.id, set())
        applies("R-DRA-56", when=holders or offered.id in self.in_use)
        if sized.admin_access:
            return place.claim not in holders
        return offered.id not in self.in_use and not holders

    def _take(self, place: _Place, sized: SizedRequest, offered: OfferedDevice, *, must: bool) -> bool:
        """R-DRA-58 (observed: a scheduler may try other devices, alternatives or nodes if a constraint does not
        hold): A device that does not satisfy every constraint of the claim is not allocated."""
        if not self._is_free(place, sized, offered):
            return False
        self.memory.count()
        constraints = self.constraints[place.claim]
        for index, constraint in enumerate(constraints):
            if constraint.add(sized.name, offered):
                continue
            applies("R-DRA-58")
            if must:
                request = f"claim {self.claims[place.claim].key}, request {sized.name.sub or sized.name.base}"
                problem = f"cannot add device {offered.id} because a claim constraint would not be satisfied"
                self.steps.unmet_constraint(f"{request}: {problem}")
            for earlier in constraints[:index]:
                earlier.remove(sized.name, offered)
            return False
        self.held_by.setdefault(offered.id, set()).add(place.claim)
        self.chosen[place.claim].append(ChosenDevice(sized.name, offered, admin_access=sized.admin_access))
        return True

    def _give_back(self, place: _Place, sized: SizedRequest, offered: OfferedDevice) -> None:
        for constraint in self.constraints[place.claim]:
            constraint.remove(sized.name, offered)
        self.held_by[offered.id].discard(place.claim)
        self.chosen[place.claim].pop()
