# SPDX-License-Identifier: Apache-2.0
"""A device as the CEL expressions of selectors read it.

Promised: what a selector sees of a device is documented with the ResourceClaim API.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go, DeviceMatches.
"""

from __future__ import annotations

from refsched.cel.values import CelDevice, CelValueError, Domains, Semver, parse_semver, runtime_error
from refsched.objects.dra import Device, DeviceAttribute
from refsched.rules import applies


def cel_device(driver: str, device: Device) -> CelDevice:
    """Returns what a selector can read of a device. Raises CelError for an attribute without a value, or
    whose version is no semantic version."""
    attributes, capacity = Domains(), Domains()
    for name, attribute in device.attributes.items():
        domain, identifier = _qualified(name, driver)
        try:
            attributes.setdefault(domain, {})[identifier] = _attribute_value(attribute)
        except CelValueError as error:
            raise runtime_error(f"attribute {name}: {error}") from None
    for name, amount in device.capacity.items():
        domain, identifier = _qualified(name, driver)
        capacity.setdefault(domain, {})[identifier] = amount.value
    return {
        "driver": driver,
        "attributes": attributes,
        "capacity": capacity,
        "allowMultipleAllocations": device.allow_multiple_allocations,
    }


def _qualified(name: str, driver: str) -> tuple[str, str]:
    """R-DRA-70: An attribute or capacity whose name has no domain belongs to the domain of the device's
    driver."""
    domain, slash, identifier = name.partition("/")
    if slash:
        return domain, identifier
    applies("R-DRA-70")
    return driver, name


def _attribute_value(attribute: DeviceAttribute) -> int | bool | str | Semver:
    for value in (attribute.int_, attribute.bool_, attribute.string):
        if value is not None:
            return value
    if attribute.version is None:
        raise CelValueError("unsupported attribute value")
    try:
        return parse_semver(attribute.version)
    except CelValueError as error:
        raise CelValueError(f"parse semantic version: {error}") from None
