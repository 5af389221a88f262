# SPDX-License-Identifier: Apache-2.0
"""Constraints: what the devices of a claim must have in common, or must not.

A constraint is asked about each device that is about to be allocated. One that it admits counts for the next ones,
until the search gives it up.
Promised: matchAttribute and distinctAttribute are documented with the ResourceClaim API.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go,
matchAttributeConstraint; constraint.go, distinctAttributeConstraint.
"""

from __future__ import annotations

from typing import Protocol

from attrs import define, field, frozen

from refsched.devices.pools import OfferedDevice
from refsched.objects.dra import DeviceAttribute
from refsched.rules import applies


@frozen
class RequestName:
    """A RequestName is the name of a request, and of its subrequest if one of its alternatives is meant."""

    base: str
    sub: str = ""

    def __str__(self) -> str:
        return f"{self.base}/{self.sub}" if self.sub else self.base


class Constraint(Protocol):
    """``add`` is called with each device that is about to be allocated, and returns whether it may be; ``remove``
    is called with each that is given up."""

    def add(self, request: RequestName, offered: OfferedDevice) -> bool: ...

    def remove(self, request: RequestName, offered: OfferedDevice) -> None: ...


@define
class MatchAttribute:
    """A MatchAttribute is the constraint matchAttribute. The first device sets the value, which stays set if
    that device is removed."""

    requests: frozenset[str]
    attribute: str
    _value: DeviceAttribute | None = None
    _devices: int = 0

    def add(self, request: RequestName, offered: OfferedDevice) -> bool:
        """R-DRA-30: A device violates matchAttribute if it does not have the attribute, or not with the type
        and value of the devices allocated before it for the same requests (all requests, if none is named)."""
        if not concerns(self.requests, request):
            return True
        value = look_up(offered, self.attribute)
        if value is None:
            applies("R-DRA-30")
            return False
        if self._devices == 0:
            self._value = value
        elif self._value != value or value == DeviceAttribute():
            applies("R-DRA-30")
            return False
        self._devices += 1
        return True

    def remove(self, request: RequestName, offered: OfferedDevice) -> None:
        if concerns(self.requests, request):
            self._devices -= 1


@define
class DistinctAttribute:
    """A DistinctAttribute is the constraint distinctAttribute."""

    requests: frozenset[str]
    attribute: str
    _values: list[DeviceAttribute] = field(factory=list)

    def add(self, request: RequestName, offered: OfferedDevice) -> bool:
        """R-DRA-31: A device violates distinctAttribute if it does not have the attribute, or with the type and
        value of a device allocated before it for the same requests (all requests, if none is named)."""
        if not concerns(self.requests, request):
            return True
        value = look_up(offered, self.attribute)
        if value is None or value in self._values:
            applies("R-DRA-31")
            return False
        self._values.append(value)
        return True

    def remove(self, request: RequestName, offered: OfferedDevice) -> None:
        if concerns(self.requests, request):
            self._values.pop()


def concerns(requests: frozenset[str], request: RequestName) -> bool:
    return not requests or request.base in requests or str(request) in requests


def look_up(offered: OfferedDevice, name: str) -> DeviceAttribute | None:
    """R-DRA-32: An attribute of a constraint whose domain is the driver's name also names the attribute that a
    device has without a domain. Source: lookupAttribute."""
    attributes = offered.device.attributes
    domain, slash, identifier = name.partition("/")
    if name in attributes:
        return attributes[name]
    if not slash or domain != offered.id.driver:
        return None
    applies("R-DRA-32")
    return attributes.get(identifier)
