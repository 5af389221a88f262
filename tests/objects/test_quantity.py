# SPDX-License-Identifier: Apache-2.0
"""Quantity: every spelling that Kubernetes accepts, exact to the nano."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsched.errors import InputError
from refsched.objects.quantity import MAX_VALUE, NANO, Quantity, parse_quantity


@pytest.mark.parametrize(
    ("text", "nano"),
    [
        ("0", 0),
        ("1", NANO),
        ("500m", NANO // 2),
        ("100n", 100),
        ("3u", 3000),
        ("1e3", 1000 * NANO),
        ("129e6", 129_000_000 * NANO),
        ("5E-1", NANO // 2),
        ("1E", 10**18 * NANO),
        ("2k", 2000 * NANO),
        ("0.5Gi", 2**29 * NANO),
        ("1.5", 3 * NANO // 2),
        (".5", NANO // 2),
        ("1.", NANO),
        ("+2", 2 * NANO),
        ("-1", -NANO),
        ("0.1n", 1),
        ("-0.1n", -1),
        ("9e30", MAX_VALUE * NANO),
        (3, 3 * NANO),
        (0.25, NANO // 4),
    ],
)
def test_amounts_are_read_exactly(text: Any, nano: int) -> None:
    assert parse_quantity(text).nano == nano


@pytest.mark.parametrize(
    "text", ["", "x", "1x", "1 Gi", "1e", "--1", "1Ki2", "1e999", "9" * 200, "٣", True, None, []]
)
def test_what_kubernetes_refuses_is_refused(text: Any) -> None:
    with pytest.raises(InputError, match="quantity"):
        parse_quantity(text)


def test_a_coarser_unit_rounds_up() -> None:
    assert (parse_quantity("100n").milli_value, parse_quantity("1m").value) == (1, 1)
    assert (parse_quantity("1500m").value, parse_quantity("1500m").milli_value) == (2, 1500)


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_amounts_add_and_compare_as_numbers(left: int, right: int) -> None:
    assert Quantity.milli(left) + Quantity.milli(right) == Quantity.milli(left + right)
    assert (Quantity.of(left) < Quantity.of(right)) is (left < right)
