# SPDX-License-Identifier: Apache-2.0
"""The order of a set differs from run to run: nothing goes through one where that could be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from set_iteration import set_iterations, set_iterations_of

ROOT = Path(__file__).parents[1]
PLACES = ("refsched", "conformance/strategies", "conformance/cases")


def test_neither_the_specification_nor_the_suite_goes_through_a_set_in_an_order_that_can_be_seen() -> None:
    paths = [path for place in PLACES for path in sorted((ROOT / place).rglob("*.py"))]
    assert len(paths) > 100
    assert set_iterations(paths) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for x in {1, 2}: print(x)", ["{1, 2}"]),
        ("a = set(b)\nc = [x for x in a]", ["a"]),
        ("def f(a: frozenset[str]) -> str: return ' '.join(a)", ["a"]),
        ("def f() -> set[int]: ...\nx = list(f())", ["f()"]),
        ("class A:\n    b: set[int]\ndef f(a): return {x: 1 for x in a.b | a.c}", ["a.b | a.c"]),
        ("def f(a):\n    for x in a: print(x)\nf({1, 2})", ["{1, 2}"]),
        ("def f(a: set[int] | None): return a.pop()", ["a"]),
        ("print(*{1, 2})", ["{1, 2}"]),
        ("x = next(iter({1, 2}))", ["{1, 2}"]),
        ("for x in sorted({1, 2}): print(x)", []),
        ("a = {1, 2}\nb = {x for x in a}", []),
        ("a = {1, 2}\nb = any(x for x in a)", []),
        ("a = {1, 2}\nb = {3, *a}", []),
        ("for x in {1: 2}: print(x)", []),
        ("class A:\n    b: set[int]\nclass B:\n    b: list[int]\ndef f(a): return list(a.b)", []),
        ("def f(a): return list(a)\nclass A:\n    def g(self, a: set[int]): return len(a)", []),
    ],
)
def test_what_goes_through_a_set_is_found(text: str, found: list[str]) -> None:
    assert set_iterations_of(text) == found
