# SPDX-License-Identifier: Apache-2.0
"""The allocator of devices before 1.37.

Changed by: kubernetes #140435 (counters belong to a driver's pool), #140437 (the counters of a device that is
shared are not consumed again), #140600 (distinctAttribute holds between the devices of one request), #140442
(an amount that is out of range is an error), #140769 (a request for all devices fails if one of them has no
capacity left), #139731 and #139814 (configuration that is for all requests names none).
After the upgrade: Devices that are shared, or partitioned by counters, are counted as they are documented; earlier
releases allocate some of them too often, and others not at all (R-DRA-103, R-DRA-105, R-DRA-107).
What to do: see with refsched upgrade which claims can no longer be allocated.

Observed: these are defects, or words, of earlier releases.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go,
pools_incubating.go, constraint.go, consumable_capacity.go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

from attrs import define, field, frozen

from refsched.devices import allocator, constraints, counters, pools, requests, search
from refsched.devices.capacity import NOTHING, consumed_capacity, has_capacity
from refsched.devices.constraints import RequestName, concerns, look_up
from refsched.devices.errors import AllocationError
from refsched.devices.ids import DeviceID, PoolID
from refsched.devices.pools import OfferedDevice, node_reaches
from refsched.devices.requests import MAX_RESULTS, RequestKey, SizedRequest
from refsched.devices.results import Configs, class_configs, selected
from refsched.objects.dra import (
    CapacityRequirements,
    Device,
    DeviceAllocationConfiguration,
    DeviceAttribute,
    ResourceClaim,
    ResourceSlice,
)
from refsched.objects.node import Node
from refsched.objects.quantity import Quantity
from refsched.releases.v1_36.cel import CEL
from refsched.rules import ErrorReason, applies

SELECTOR_FAILED = ErrorReason("{}: selector #{}: {}", "R-WORDS-54")
TOO_MANY_DEVICES = ErrorReason(
    "claim {}: number of requested devices {} exceeds the claim limit of {}", "R-DRA-104"
)


def reaches(piece: ResourceSlice, node: Node) -> bool:
    """R-DRA-101: Every node reaches a ResourceSlice with CounterSets, so
    that it reaches the pool too, even without devices."""
    return applies("R-DRA-101", when=piece.spec.shared_counters) or node_reaches(piece, node)


def only_node(piece: ResourceSlice) -> str:
    return "" if piece.spec.shared_counters else pools.only_node(piece)


@define
class DistinctAttribute(constraints.DistinctAttribute):
    _of_requests: dict[str, DeviceAttribute] = field(factory=dict)

    def add(self, request: RequestName, offered: OfferedDevice) -> bool:
        """R-DRA-102 (instead of R-DRA-31): Of the devices of one request only the one that was allocated last
        counts for distinctAttribute."""
        if not concerns(self.requests, request):
            return True
        value = look_up(offered, self.attribute)
        if value is None or (self._values and value in self._of_requests.values()):
            applies("R-DRA-102")
            return False
        applies("R-DRA-102", when=request.base in self._of_requests)
        self._of_requests[request.base] = value
        self._values.append(value)
        return True

    def remove(self, request: RequestName, offered: OfferedDevice) -> None:
        if concerns(self.requests, request):
            self._of_requests.pop(request.base, None)
            self._values.pop()


@define
class Counters(counters.Counters):
    def left_in(self, pool: PoolID) -> dict[tuple[str, str], int]:
        """R-DRA-103: The counters of the
        pool from which a device was tried first count for both."""
        first = next((known for known in self._left if known.pool == pool.pool), pool)
        applies("R-DRA-103", when=first != pool)
        return super().left_in(first)


@define
class Matcher(requests.Matcher):
    cel = CEL

    def problem_of(self, whose: str, index: int, offered: OfferedDevice, problem: str) -> ErrorReason:
        """R-WORDS-54 (instead of R-WORDS-04): The error of a selector does not name the device."""
        return SELECTOR_FAILED.of(whose, index, problem)


@frozen
class Sizer(requests.Sizer):
    def size_claim(self, claim_index: int) -> dict[RequestKey, SizedRequest]:
        """R-DRA-104 (instead of R-DRA-42): A claim that needs more than 32 devices, whichever alternatives are
        taken, is an error that names no request."""
        claim = self.claims[claim_index]
        sized: dict[RequestKey, SizedRequest] = {}
        fewest = 0
        for index, request in enumerate(claim.spec.devices.requests):
            alternatives = self.size_request(claim, RequestKey(claim_index, index, 0), request)
            fewest += min(one.count for one in alternatives.values())
            sized |= alternatives
        if fewest > MAX_RESULTS:
            raise AllocationError(TOO_MANY_DEVICES.of(claim.key, fewest, MAX_RESULTS))
        return sized

    def large_enough(
        self, where: str, sized: SizedRequest, matching: Iterable[OfferedDevice]
    ) -> Iterable[OfferedDevice]:
        """R-DRA-105 (instead of R-DRA-38): A request for all devices does not ask for those that have not
        enough capacity left."""
        for offered in matching:
            in_use = self.in_use.capacity.get(offered.id, NOTHING)
            if enough(sized.asked.capacity, offered.device, in_use, NOTHING):
                yield offered
            else:
                applies("R-DRA-105")


enough = partial(has_capacity, unchecked=True)


def consumed(
    asked: CapacityRequirements | None, device: Device, *, unchecked: bool = True
) -> dict[str, Quantity]:
    """R-DRA-106 (instead of R-DRA-49): Amounts are rounded up in 64 bits, in which one that is too large is
    negative, and a negative amount is consumed as it is."""
    amounts = consumed_capacity(asked, device, unchecked=unchecked)
    applies("R-DRA-106", when=any(amount.nano < 0 for amount in amounts.values()))
    return amounts


@define
class Search(search.Search):
    is_enough: ClassVar = staticmethod(enough)
    consumed: ClassVar = staticmethod(consumed)

    def is_shared(self, device: DeviceID) -> bool:
        """R-DRA-107: Shares that consume no capacity, and
        are allocated, do not count, so that the device consumes its counters again."""
        is_unseen = device not in self.in_use.capacity and self.in_use.is_shared(device)
        applies("R-DRA-107", when=is_unseen)
        return device in self.in_use.capacity or bool(self.shared.get(device))


def configs_of(claim: ResourceClaim, index: int, sized: Mapping[RequestKey, SizedRequest]) -> Configs:
    """R-DRA-61 (instead of R-DRA-65, R-DRA-66; promised: what an allocation says is documented with the status
    of the ResourceClaim API): The configuration of the claim follows that of the classes, once for each request
    that it names and that was allocated, or once if it names none."""
    configs = []
    for config in claim.spec.devices.config:
        applies("R-DRA-61")
        made = DeviceAllocationConfiguration("FromClaim", config.requests, config.opaque)
        if not config.requests:
            configs.append(made)
            continue
        for request in range(len(claim.spec.devices.requests)):
            name = selected(index, request, sized).name
            if name.base in config.requests or str(name) in config.requests:
                configs.append(made)
    return (*class_configs(claim, index, sized), *configs)


@frozen
class Allocator(allocator.Allocator):
    matcher = Matcher
    sizer = Sizer
    search = Search
    counters = Counters
    distinct = DistinctAttribute
    reaches = staticmethod(reaches)
    only_node = staticmethod(only_node)
    configs_of = staticmethod(configs_of)
