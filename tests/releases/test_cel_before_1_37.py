# SPDX-License-Identifier: Apache-2.0
"""CEL selectors as releases before 1.37 took them."""

from __future__ import annotations

import pytest
from device_world import DRIVER, allocator, claim, device, devices, one, piece

from refsched.devices.errors import AllocationError

A = f"device.attributes['{DRIVER}']"
SLICE = piece("s1", device("d0", numa=1, ecc=True))


def is_selected(expression: str, release: str) -> bool:
    """Returns whether the device is allocated. Raises AllocationError."""
    return devices(allocator(SLICE, release=release), claim("c", one("r", expression))) is not None


@pytest.mark.parametrize("expression", ["dyn(true)", f"[{A}.ecc, dyn(true)].exists(x, x)"])
def test_dyn_was_no_type_of_an_attribute(expression: str) -> None:
    assert is_selected(expression, "1.37")
    with pytest.raises(AllocationError, match="CEL compile error"):
        is_selected(expression, "1.36")


def test_a_macro_over_an_attribute_was_not_compiled() -> None:
    assert is_selected(f"true || {A}.numa.exists(x, true)", "1.37")
    with pytest.raises(AllocationError, match="CEL compile error"):
        is_selected(f"true || {A}.numa.exists(x, true)", "1.36")
    assert is_selected("dyn([1]).exists(x, x == 1)", "1.36")


@pytest.mark.parametrize(
    "expression", [f"{A}.numa.orValue(2) == 1", f"{A}.ecc.or(optional.of(false)) == dyn(true)"]
)
def test_what_is_no_optional_was_its_own_value(expression: str) -> None:
    assert is_selected(expression, "1.36")
    with pytest.raises(AllocationError, match="CEL runtime error: no such overload"):
        is_selected(expression, "1.37")


@pytest.mark.parametrize("expression", [f"{A}.`numa` == 1", f"[1].all(device, .device.driver == '{DRIVER}')"])
def test_a_field_in_backquotes_and_a_leading_dot_were_not_understood(expression: str) -> None:
    assert is_selected(expression, "1.37")
    with pytest.raises(AllocationError, match="CEL compile error"):
        is_selected(expression, "1.36")


def test_a_leading_dot_meant_nothing() -> None:
    assert is_selected("[1].all(x, .x == 1)", "1.36")
