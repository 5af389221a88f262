# SPDX-License-Identifier: Apache-2.0
"""Budget: from a time to a fixed number of examples for each test.

The numbers come from a table of what tests cost and what they kill, never from a clock: the same budget selects
the same examples on every machine and for every implementation, but for one that speaks to an API server
(clock.py).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from refsched.releases import DEFAULT
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.statistics import Power, Unseen

SHOW_NOTHING = frozenset({"api", "config", "hold"})
"""These capabilities say how an implementation is asked, and not what it decides."""

ROUNDING = 1e-9
"""A number of seconds, or of examples, that is smaller than this is an error of rounding."""

FEWEST_EXAMPLES = 10
"""A property test with fewer examples is not worth its start."""

TABLE = Path(__file__).with_name("weights.json")
"""``python -m conformance.wrong try planted --keep`` writes this file."""


@frozen
class Weight:
    """A Weight says what a test costs and what it is worth: the ``seconds`` that one example of the specification
    takes on one core, and how many of the planted wrong schedulers it ``kills``, each at the example whose number
    stands in ``at``. If ``at`` is empty, they are assumed to be killed at equal distances."""

    seconds: float = 0.01
    kills: int = 1
    at: tuple[int, ...] = ()


@frozen
class Planned:
    """A Planned is a test with the examples that it runs by default, and what those are worth. ``draws`` is false
    for a test that runs once, as a case does; ``configures`` is true of a case with a configuration of its own."""

    name: str
    examples: int
    weight: Weight
    draws: bool = True
    configures: bool = False

    @property
    def cost(self) -> float:
        return self.examples * self.weight.seconds

    @property
    def fewest(self) -> int:
        return min(FEWEST_EXAMPLES, self.examples) if self.draws else 1

    def killed_by(self, examples: int) -> float:
        """Returns how many wrong schedulers this many of its examples kill."""
        weight = self.weight
        if not self.draws:
            return weight.kills if examples else 0
        if weight.at:
            return bisect_right(weight.at, examples)
        return weight.kills * examples / self.examples


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(TABLE.read_text("utf-8"))
    return table


@cache
def weights() -> Mapping[str, Weight]:
    """Returns the weights of the tests that were measured, by name."""
    rows: Mapping[str, Any] = _table()["tests"]
    return {
        name: Weight(row["seconds"], row["kills"], tuple(row.get("at", ()))) for name, row in rows.items()
    }


def weight_of(name: str) -> Weight:
    """Returns the weight of a test. One with parameters costs the same with each of them, unless it was measured;
    a parameter without a row kills nothing."""
    test, bracket, _ = name.partition("[")
    if name in weights() or not bracket or test not in weights():
        return weights().get(name, Weight())
    return Weight(weights()[test].seconds, kills=0)


# --- Plan -----------------------------------------------------------------------------------------


def plan(tests: Sequence[Planned], seconds: float) -> dict[str, int]:
    """Returns how many examples each test runs in this many seconds; tests that run none are left out. What kills
    most in its time is taken first, and then what kills most of the rest."""
    total = sum(test.cost for test in tests)
    if seconds >= total:
        return {test.name: _scaled(test, seconds / total if total else 1.0) for test in tests}
    chosen: dict[str, int] = {}
    left = seconds
    while steps := [step for test in tests for step in _steps(test, chosen.get(test.name, 0), left)]:
        best = min(steps, key=lambda step: (-step.worth, step.test.name, -step.examples))
        left -= best.cost
        chosen[best.test.name] = best.examples
    if not chosen and tests:
        most = min(tests, key=lambda test: (test.fewest * test.weight.seconds, test.name))
        return {most.name: most.fewest}
    return chosen


@frozen
class _Step:
    """A _Step is a larger number of examples of a test, and what it adds."""

    test: Planned
    examples: int
    cost: float
    worth: float


def _steps(test: Planned, chosen: int, left: float) -> Iterator[_Step]:
    """Yields the numbers of examples at which the test kills one more, as far as the time lasts."""
    lasts = chosen + int(left / test.weight.seconds + ROUNDING) if test.weight.seconds else test.examples
    most = min(test.examples, lasts) if test.draws else min(1, lasts)
    for examples in sorted({test.fewest, most, *test.weight.at}):
        if not max(chosen + 1, test.fewest) <= examples <= most:
            continue
        cost = (examples - chosen) * test.weight.seconds
        gain = test.killed_by(examples) - test.killed_by(chosen if chosen else 0)
        yield _Step(test, examples, cost, gain / (cost or ROUNDING))


def _scaled(test: Planned, factor: float) -> int:
    return int(test.examples * factor) if test.draws else 1


# --- Power ----------------------------------------------------------------------------------------


def power_of(done: Iterable[tuple[str, int]], about: JudgedImplementation) -> Power | None:
    """Returns the power of tests that have run this many examples. Returns None if nothing is known of any of
    them, or of the release by which the implementation decides. The power was measured with the default seed; with
    another seed it is an estimate."""
    if about.kubernetes != DEFAULT.name:
        return None
    if about.lacks:
        return _power_of_part(dict(done), about)
    counts = [(weights()[name], examples) for name, examples in done if name in weights()]
    killed = sum(bisect_right(weight.at, examples) for weight, examples in counts)
    return Power(killed, _table()["planted"], unseen=Unseen(**_table()["written"])) if killed else None


def _power_of_part(done: Mapping[str, int], about: JudgedImplementation) -> Power | None:
    """Returns the power by the largest profile that the implementation claims as a whole. Only those wrong
    schedulers count of which every broken rule can show in what it reports."""
    parts: Mapping[str, Sequence[Mapping[str, Any]]] = _table()["parts"]
    claimed = [name for name in parts if PROFILES[name] <= frozenset(about.capabilities)]
    if not claimed:
        return None
    profile = max(claimed, key=lambda name: len(PROFILES[name]))
    tried = [row for row in parts[profile] if about.lacks.keys().isdisjoint(row["breaks"])]
    killed = sum("test" in row and row["at"] <= done.get(row["test"], 0) for row in tried)
    beyond = sorted(set(about.capabilities) - PROFILES[profile] - SHOW_NOTHING)
    return Power(killed, len(tried), profile, tuple(beyond)) if killed else None
