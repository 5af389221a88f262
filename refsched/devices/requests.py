# SPDX-License-Identifier: Apache-2.0
"""Requests: what a claim requests, and the devices of a node's pools that it needs, determined before the
search.

Promised: what a request selects, and how many devices, is documented with the ResourceClaim API.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go, Allocate,
validateDeviceRequest, isSelectable, selectorsMatch; dynamic-resource-allocation/cel/errors.go,
EnhanceRuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, NamedTuple

from attrs import define, field, frozen

from refsched.cel import CelError, CelSteps, compile_selector
from refsched.devices.capacity import NO_AMOUNT, NOTHING, has_capacity
from refsched.devices.constraints import RequestName
from refsched.devices.errors import AllocationError
from refsched.devices.ids import DeviceID
from refsched.devices.in_use import InUse
from refsched.devices.pools import OfferedDevice, Pool, is_reached
from refsched.devices.steps import AllocatorSteps
from refsched.objects.dra import (
    ALL,
    EXACT_COUNT,
    DeviceClass,
    DeviceRequest,
    DeviceSelector,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
)
from refsched.objects.node import Node
from refsched.rules import ErrorReason, Reason, applies

TOO_MANY_DEVICES = ErrorReason(
    "claim {}, request {}: adding {} devices exceeds the claim limit of {}, with {} already accounted for",
    "R-DRA-42",
)
SELECTOR_IS_EMPTY = ErrorReason(
    "{}, selector #{}: CEL expression empty (unsupported selector type?)", "R-DRA-41"
)
SELECTOR_FAILED = ErrorReason("{}: selector #{}: {}", "R-DRA-41")
SELECTOR_FAILED_ON_DEVICE = ErrorReason("{}: selector #{} on device {}: {}", "R-WORDS-04")
NO_SUCH_KEY = ErrorReason(
    "{}no such key:{}. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with"
    " has() for optional fields",
    "R-WORDS-04",
)
NO_CLASS_IS_NAMED = ErrorReason("{}: missing device class name (unsupported request type?)", "R-DRA-12")
NO_SUCH_CLASS = ErrorReason(
    '{}: could not retrieve device class {}: deviceclass.resource.k8s.io "{}" not found', "R-DRA-12"
)
UNKNOWN_COUNT_MODE = ErrorReason("{}: unsupported count mode {}", "R-DRA-43")
POOL_IS_BROKEN = Reason("{}: asks for all devices, but resource pool {} is currently {}", "R-DRA-44")

MAX_RESULTS = 32
"""One claim may hold at most this many devices (resource.AllocationResultsMaxSize)."""

GetClass = Callable[[str], DeviceClass | None]


class RequestKey(NamedTuple):
    """A RequestKey is the position of a request. ``sub`` is 0 if the request has no alternatives."""

    claim: int
    request: int
    sub: int


@define
class SizedRequest:
    """A SizedRequest is a request, or one alternative of it, and how many devices it needs on this node.

    ``all_devices`` are those that a request for all of them needs. ``selected`` is, for a list of
    alternatives, the position of the one that was chosen.
    """

    name: RequestName
    asked: ExactDeviceRequest | DeviceSubRequest
    device_class: DeviceClass
    count: int = 0
    all_devices: tuple[OfferedDevice, ...] = ()
    selected: int = 0

    @property
    def wants_all(self) -> bool:
        return self.asked.allocation_mode == ALL

    @property
    def admin_access(self) -> bool:
        return isinstance(self.asked, ExactDeviceRequest) and bool(self.asked.admin_access)


# --- Which devices match --------------------------------------------------------------------------


@define
class Matcher:
    """A Matcher determines which devices match which requests on the node, and remembers the answers."""

    claims: Sequence[ResourceClaim]
    node: Node
    cel: ClassVar[CelSteps] = CelSteps()
    _known: dict[tuple[DeviceID, RequestKey], bool] = field(factory=dict)

    def matches(self, key: RequestKey, sized: SizedRequest, offered: OfferedDevice) -> bool:
        """R-DRA-40: A device matches a request if all selectors of the device class and of the request match
        it."""
        known = (offered.id, key)
        if known not in self._known:
            applies("R-DRA-40")
            of_class, of_request = sized.device_class, self.claims[key.claim]
            self._known[known] = (
                self._all_hold(of_class.spec.selectors, offered, f"class {of_class.name}")
                and self._all_hold(sized.asked.selectors, offered, f"claim {of_request.key}")
                and is_reached(offered, self.node)
            )
        return self._known[known]

    def _all_hold(self, selectors: Sequence[DeviceSelector], offered: OfferedDevice, whose: str) -> bool:
        """R-DRA-41: Selectors are evaluated in order until one does not match, and one that fails is an
        error."""
        for index, selector in enumerate(selectors):
            assert selector.cel is not None, "sizing a request has refused selectors without CEL"
            try:
                if not compile_selector(selector.cel.expression, self.cel).matches(offered.as_cel):
                    return False
            except CelError as error:
                applies("R-DRA-41")
                raise AllocationError(self.problem_of(whose, index, offered, str(error))) from None
        return True

    def problem_of(self, whose: str, index: int, offered: OfferedDevice, problem: str) -> ErrorReason:
        """R-WORDS-04 (observed: the wording of reasons and messages is not part of the API): The error of a
        selector names the device, unless the expression is invalid by itself, and says how a key that a device
        does not have may be read."""
        if not problem.startswith("CEL runtime error"):
            return SELECTOR_FAILED.of(whose, index, problem)
        before, found, key = problem.partition("no such key:")
        if found:
            problem = NO_SUCH_KEY.of(before, key)
        return SELECTOR_FAILED_ON_DEVICE.of(whose, index, offered.id, problem)


# --- How many devices are needed ------------------------------------------------------------------


@frozen
class Sizer:
    """A Sizer determines what the requests of claims need on one node."""

    claims: Sequence[ResourceClaim]
    pools: Sequence[Pool]
    get_class: GetClass
    matcher: Matcher
    steps: AllocatorSteps
    in_use: InUse

    def size_claim(self, claim_index: int) -> dict[RequestKey, SizedRequest]:
        """R-DRA-42: A claim that needs more than 32 devices, whichever alternatives are taken, is an error."""
        claim = self.claims[claim_index]
        sized: dict[RequestKey, SizedRequest] = {}
        fewest = 0
        for index, request in enumerate(claim.spec.devices.requests):
            alternatives = self.size_request(claim, RequestKey(claim_index, index, 0), request)
            least = min(one.count for one in alternatives.values())
            if least > MAX_RESULTS - fewest:
                raise AllocationError(
                    TOO_MANY_DEVICES.of(claim.key, request.name, least, MAX_RESULTS, fewest)
                )
            fewest += least
            sized |= alternatives
        return sized

    def size_request(
        self, claim: ResourceClaim, key: RequestKey, request: DeviceRequest
    ) -> dict[RequestKey, SizedRequest]:
        """R-DRA-45: Which devices match one alternative of a request does not depend on the other
        alternatives."""
        if not request.first_available:
            exactly = request.exactly or ExactDeviceRequest()
            return {key: self._size(claim, key, RequestName(request.name), exactly)}
        applies("R-DRA-45")
        return {
            key._replace(sub=index): self._size(
                claim,
                key._replace(sub=self.steps.matched_as(index)),
                RequestName(request.name, alternative.name),
                alternative,
            )
            for index, alternative in enumerate(request.first_available)
        }

    def _size(
        self,
        claim: ResourceClaim,
        key: RequestKey,
        name: RequestName,
        asked: ExactDeviceRequest | DeviceSubRequest,
    ) -> SizedRequest:
        where = f"claim {claim.key}, request {name.sub or name.base}"
        for index, selector in enumerate(asked.selectors):
            if selector.cel is None:
                raise AllocationError(SELECTOR_IS_EMPTY.of(where, index))
        named = asked.device_class_name
        if not named:
            raise AllocationError(NO_CLASS_IS_NAMED.of(where))
        device_class = self.get_class(named)
        if device_class is None:
            raise AllocationError(NO_SUCH_CLASS.of(where, named, named))
        if asked.allocation_mode == EXACT_COUNT:
            return SizedRequest(name, asked, device_class, asked.count)
        if asked.allocation_mode == ALL:
            return self._size_all(where, key, SizedRequest(name, asked, device_class))
        raise AllocationError(UNKNOWN_COUNT_MODE.of(where, asked.allocation_mode))

    def _size_all(self, where: str, key: RequestKey, sized: SizedRequest) -> SizedRequest:
        """R-DRA-43: A request for all devices asks for each matching device of the node's pools, in use or not.
        R-DRA-44 (observed: which pools must be complete for a node to be considered is not part of the API): A
        request for all devices cannot be satisfied on a node that reaches an incomplete or invalid pool,
        whether or not the devices of the pool match."""
        found: list[OfferedDevice] = []
        for pool in self.pools:
            if pool.is_broken:
                state = "being updated" if pool.is_incomplete else "invalid"
                raise self.steps.broken_pool(POOL_IS_BROKEN.of(where, pool, state))
            matching = (each for each in pool.devices if self.matcher.matches(key, sized, each))
            found += self.large_enough(where, sized, matching)
        applies("R-DRA-43")
        sized.all_devices = tuple(found)
        sized.count = len(found)
        return sized

    def large_enough(
        self, where: str, sized: SizedRequest, matching: Iterable[OfferedDevice]
    ) -> Iterable[OfferedDevice]:
        """R-DRA-38: A request for all devices does not ask for those whose whole capacity is less than it would
        consume."""
        for offered in matching:
            try:
                is_enough = has_capacity(sized.asked.capacity, offered.device, NOTHING, NOTHING)
            except AllocationError as error:
                raise AllocationError(NO_AMOUNT.of(where, offered.device.name, error)) from None
            if is_enough:
                yield offered
            else:
                applies("R-DRA-38")
