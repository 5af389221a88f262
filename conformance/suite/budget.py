# SPDX-License-Identifier: Apache-2.0
"""Budget: from a time to a fixed number of examples for each test.

The numbers come from a table of what tests cost and what they kill, never from a clock: the same budget selects
the same examples on every machine and for every implementation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import frozen

ROUNDING = 1e-9
FEWEST = 10
"""Examples below which a property test is not worth its start."""

TABLE = Path(__file__).with_name("weights.json")


@frozen
class Weight:
    """``seconds`` for one example of the specification on one core; ``kills`` of the planted bugs."""

    seconds: float = 0.01
    kills: int = 1


@frozen
class Planned:
    """A test, the examples that it runs by default, and what those are worth. ``draws`` is false for a test that
    runs once, as it is."""

    name: str
    examples: int
    weight: Weight
    draws: bool = True

    @property
    def cost(self) -> float:
        return self.examples * self.weight.seconds

    @property
    def fewest(self) -> int:
        return min(FEWEST, self.examples) if self.draws else 1


@cache
def weights() -> Mapping[str, Weight]:
    if not TABLE.exists():
        return {}
    rows = json.loads(TABLE.read_text("utf-8"))
    return {name: Weight(row["seconds"], row["kills"]) for name, row in rows.items()}


def weight_of(name: str) -> Weight:
    return weights().get(name.partition("[")[0], Weight())


def by_power(tests: Sequence[Planned]) -> list[Planned]:
    """What kills most for its time comes first."""
    return sorted(tests, key=lambda test: (-test.weight.kills / (test.cost or 1.0), test.name))


def plan(tests: Sequence[Planned], seconds: float) -> dict[str, int]:
    """How many examples each test gets; tests that get none are left out."""
    total = sum(test.cost for test in tests)
    if seconds >= total:
        return {test.name: _scaled(test, seconds / total if total else 1.0) for test in tests}
    chosen: dict[str, int] = {}
    left = seconds
    ordered = by_power(tests)
    for test in ordered:
        cost = test.fewest * test.weight.seconds
        if cost <= left or not chosen:
            chosen[test.name] = test.fewest
            left -= cost
    for test in ordered:
        if test.name in chosen and test.draws and left > 0:
            more = min(test.examples - chosen[test.name], int(left / test.weight.seconds + ROUNDING))
            chosen[test.name] += more
            left -= more * test.weight.seconds
    return chosen


def _scaled(test: Planned, factor: float) -> int:
    return int(test.examples * factor) if test.draws else 1
