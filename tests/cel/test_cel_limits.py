# SPDX-License-Identifier: Apache-2.0
"""CEL: whatever is written, it is answered, and soon."""

from __future__ import annotations

import pytest
from device_world import DRIVER, device

from refsched.cel import CelError, compile_selector, limits
from refsched.cel.limits import MAX_COST, Meter
from refsched.devices.cel_device import cel_device
from refsched.errors import InputError
from refsched.objects.dra import Device
from refsched.objects.reading import read_as

DEVICE = cel_device(DRIVER, read_as(Device, device("d0")))
TEN = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"


def problem(expression: str) -> str:
    with pytest.raises((CelError, InputError)) as refused:
        compile_selector(expression).matches(DEVICE)
    return str(refused.value)


def nested(levels: int) -> str:
    """A macro in a macro in a macro: ten times as much to do with each level."""
    inner = "true"
    for level in range(levels):
        inner = f"{TEN}.all(x{level}, {inner})"
    return inner


def test_macros_that_cost_little_are_evaluated() -> None:
    assert compile_selector(nested(3)).matches(DEVICE)
    assert compile_selector(f"{TEN}.map(x, x > 3, x).size() == 6").matches(DEVICE)


@pytest.mark.parametrize("around", ["{}", "{} || true"])
def test_macros_in_each_other_are_cut_off_where_they_cost_too_much(
    around: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_COST", 10_000)
    assert problem(around.format(nested(9))) == (
        "CEL runtime error: operation cancelled: actual cost limit exceeded"
    )


def test_text_that_is_doubled_again_and_again_is_cut_off() -> None:
    expression = "x40 == ''"
    for number in range(40, 0, -1):
        expression = f"cel.bind(x{number}, x{number - 1} + x{number - 1}, {expression})"
    assert "cost limit exceeded" in problem(f"cel.bind(x0, 'a', {expression})")


def test_a_list_that_is_doubled_again_and_again_is_not_specified() -> None:
    expression = "x40 == []"
    for number in range(40, 0, -1):
        expression = f"cel.bind(x{number}, x{number - 1} + x{number - 1}, {expression})"
    assert "a CEL list of more than 10,000,000 elements" in problem(f"cel.bind(x0, [1], {expression})")


def test_the_cost_of_an_evaluation_begins_anew_with_the_next() -> None:
    meter = Meter(MAX_COST)
    with pytest.raises(CelError, match="cost limit exceeded"):
        meter.spend()
    program = compile_selector(nested(4))
    assert all(program.matches(DEVICE) for _ in range(3))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(" * 5000 + "true" + ")" * 5000, "nested too deeply"),
        ("!" * 5001 + "true", "nested too deeply"),
        ("1" + "+1" * 5000 + " == 1", "nested too deeply"),
        ("1" * 5000 + " == 1", "invalid int literal"),
        ("1" * 5000 + "u == 1u", "invalid uint literal"),
        (r"'\U00110000' == 'a'", "invalid unicode code point"),
        (r"'\ud800' == 'a'", "invalid unicode code point"),
        ("{[1]: 2} == {}", "whose key is a list or a map"),
        ("{{1: 1}: 2} == {}", "whose key is a list or a map"),
    ],
)
def test_what_is_too_deep_or_odd_is_refused(expression: str, expected: str) -> None:
    assert expected in problem(expression)
