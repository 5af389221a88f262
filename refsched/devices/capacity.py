# SPDX-License-Identifier: Apache-2.0
"""Capacity: how much of a device's capacity a request consumes, and whether that much is left.

A device that allows multiple allocations is allocated in shares, each of which consumes some of its capacity.
While feature gate DRAFractionalCapacityRange is off, a range is computed in whole units.

Promised: shares of devices and their capacities are documented with the ResourceSlice API, KEP-5075.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/consumable_capacity.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from refsched.devices.errors import AllocationError
from refsched.devices.in_use import Amounts
from refsched.objects.dra import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    CapacityRequirements,
    Device,
)
from refsched.objects.quantity import MAX_VALUE, Quantity
from refsched.rules import ErrorReason, applies

NO_AMOUNT = ErrorReason("{}: checking capacity for device {}: {}", "R-DRA-49")
NEGATIVE = ErrorReason('capacity "{}": capacity value is negative', "R-DRA-49")
TOO_LARGE = ErrorReason(
    'capacity "{}": capacity request cannot be represented in the device\'s range arithmetic: rounding request'
    " {} up to the next step passes MaxInt64",
    "R-DRA-49",
)

_ZERO = Quantity()
NOTHING: Mapping[str, Quantity] = {}


def consumed_capacity(
    asked: CapacityRequirements | None, device: Device, *, unchecked: bool = False
) -> dict[str, Quantity]:
    """R-DRA-46: A share consumes of each capacity of its device what was requested; if nothing was, what the
    policy of the capacity has as default, or else all of it. Source: GetConsumedCapacityFromRequest.

    Raises AllocationError if an amount cannot be computed, or is negative (R-DRA-49), unless it is ``unchecked``
    in 64 bits: then what is too large for them is negative, and a negative amount is consumed as it is."""
    requests = asked.requests if asked is not None else {}
    consumed = {}
    for name, capacity in device.capacity.items():
        amount, policy = requests.get(name), capacity.request_policy
        if amount is None:
            applies("R-DRA-46", when=device.allow_multiple_allocations)
            default = policy.default if policy is not None else None
            consumed[name] = capacity.value if default is None else default
        else:
            consumed[name] = amount if policy is None else _rounded_up(name, amount, policy, unchecked)
        if consumed[name].nano < 0 and not unchecked:
            raise AllocationError(NEGATIVE.of(name))
    return consumed


def has_capacity(
    asked: CapacityRequirements | None,
    device: Device,
    in_use: Amounts,
    chosen: Amounts,
    *,
    unchecked: bool = False,
) -> bool:
    """R-DRA-47: A device is not allocated if the request asks for a capacity that it does not have, or for an
    amount that the policy of a capacity does not allow, or if less is left of a capacity than would be
    consumed.

    ``in_use`` is what allocated shares consume, and ``chosen`` what those do that are about to be allocated.
    Source: CmpRequestOverCapacity."""
    requests = asked.requests if asked is not None else {}
    if not requests.keys() <= device.capacity.keys():
        applies("R-DRA-47")
        return False
    for name, amount in consumed_capacity(asked, device, unchecked=unchecked).items():
        capacity = device.capacity[name]
        left = capacity.value.nano - in_use.get(name, _ZERO).nano - chosen.get(name, _ZERO).nano
        if _is_not_allowed(amount, capacity.request_policy) or amount.nano > left:
            applies("R-DRA-47")
            return False
    return True


def _rounded_up(name: str, amount: Quantity, policy: CapacityRequestPolicy, unchecked: bool) -> Quantity:
    """R-DRA-48: A requested amount is rounded up to the next one that the policy of the capacity allows.
    Source: calculateConsumedCapacity, roundUpRange, roundUpValidValues."""
    allowed = policy.valid_range
    if allowed is not None and allowed.min is not None:
        if amount < allowed.min:
            applies("R-DRA-48")
            return allowed.min
        return _in_steps(name, amount, allowed, unchecked)
    enough = (value for value in policy.valid_values if value >= amount)
    rounded = next(enough, amount)
    applies("R-DRA-48", when=rounded != amount)
    return rounded


def _in_steps(name: str, amount: Quantity, allowed: CapacityRequestPolicyRange, unchecked: bool) -> Quantity:
    """R-DRA-49 (observed: a scheduler may try another device): A pod fails with an error if an amount that it
    requests cannot be rounded up within 64 bits, or if an amount is negative."""
    if not _has_steps(allowed):
        return amount
    least, step = _whole(allowed.min), _whole(allowed.step)
    rounded = least - (least - amount.value) // step * step
    if rounded > MAX_VALUE and not unchecked:
        raise AllocationError(TOO_LARGE.of(name, _in_decimal_units(amount.value)))
    applies("R-DRA-48", when=rounded != amount.value)
    return Quantity.of(rounded if rounded <= MAX_VALUE else rounded - 2**64)


def _in_decimal_units(amount: int) -> str:
    """Returns the amount as kube-scheduler writes one that was given in decimal units (k, M, G, ...)."""
    units = iter("kMGTPE")
    unit = ""
    while amount % 1000 == 0:
        amount, unit = amount // 1000, next(units)
    return f"{amount}{unit}"


def _is_not_allowed(amount: Quantity, policy: CapacityRequestPolicy | None) -> bool:
    if policy is None or amount == policy.default:
        return False
    allowed = policy.valid_range
    if allowed is None:
        return bool(policy.valid_values) and amount not in policy.valid_values
    if allowed.max is not None and amount > allowed.max:
        return True
    return _has_steps(allowed) and (amount.value - _whole(allowed.min)) % _whole(allowed.step) != 0


def _has_steps(allowed: CapacityRequestPolicyRange) -> bool:
    return _whole(allowed.step) > 0


def _whole(amount: Quantity | None) -> int:
    return amount.value if amount is not None else 0
