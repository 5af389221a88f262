# SPDX-License-Identifier: Apache-2.0
"""Finds the clusters on which two releases decide differently.

    python -m conformance.campaigns.differing_clusters

For each line of ``lines.json`` the smallest history is kept in which both rules are applied and the line's member
differs between the specifications of both releases: of the examples of all rules, of the cases, and of histories
drawn from all areas. It is made smaller: steps and fields without which this still holds are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from conformance.campaigns.recording import histories_of
from conformance.cases import (
    node_affinity,
    pod_affinity,
    preemption,
    resources,
    spread,
    taints,
    volumes,
)
from conformance.strategies import AREAS
from refsched.releases import DEFAULT, RELEASES
from refsched.rules import listening
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.differences.clusters import Difference, write
from refsched.suite.differences.judging import broken_rule
from refsched.suite.differences.lines import Line, Run, lines, run_of
from refsched.suite.histories.history import Create, History, Schedule, Step, Update
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.histories.trial import try_history
from refsched.tools.rulebook.examples import read_example
from refsched.tools.shipped_files import examples_folder

Json = dict[str, Any]

EXAMPLES = 10
"""From each area so many histories are drawn."""


def main(examples: int = EXAMPLES) -> None:
    older, newer = lines()[0].rules
    pair = Pair(older, newer)
    smallest: dict[int, Difference] = {}
    for history in _histories(examples):
        runs = pair.runs(history)
        for number, line in enumerate(lines()):
            known = smallest.get(number)
            if known is None or _size(history) < _size(known.history):
                rules = pair.shown(line, runs) if runs is not None else None
                if rules is not None and pair.is_distinct(history):
                    smallest[number] = Difference(rules, history, line.change, line.differs)
    found: dict[tuple[str, ...], Difference] = {}
    for number, line in enumerate(lines()):
        if number in smallest:
            smaller = pair.smaller(line, smallest[number])
            found.setdefault(tuple(smaller.rules.values()), smaller)
        print(line.rules, "shown" if number in smallest else "not found", file=sys.stderr, flush=True)
    write(tuple(sorted(found.values(), key=lambda each: (each.rules[newer], each.rules[older]))))


def steps_of(difference: Difference) -> str:
    return repr((difference.history.config, steps_as_json(difference.history)))


def _histories(examples: int) -> Iterator[History]:
    for path in sorted(examples_folder().glob("*.yaml")):
        yield read_example(path).history
    for module in (resources, taints, node_affinity, pod_affinity, spread, volumes, preemption):
        for case in module.CASES:
            yield case.history
    for area in AREAS:
        yield from histories_of(area, 0, examples)
        print(area, file=sys.stderr, flush=True)


def _size(history: History) -> tuple[int, int]:
    return len(history.steps), len(repr(steps_as_json(history)))


@frozen
class Ran:
    """``did`` is what a release did, and ``applied`` are the rules that it applied."""

    did: Run
    applied: frozenset[str]


class Pair:
    """A Pair is two releases, each as its specification decides."""

    def __init__(self, *releases: str) -> None:
        self._adapters: dict[str, Adapter] = {name: connect(f"{REFERENCE}:{name}") for name in releases}

    def runs(self, history: History) -> Mapping[str, Ran] | None:
        """Returns what each release does, or None if one of them cannot run the history, or not to its end."""
        if history.config.get("apiVersion") not in DEFAULT.api_versions or history.feature_gates:
            return None
        ran: dict[str, Ran] = {}
        for name, adapter in self._adapters.items():
            applied: set[str] = set()
            try:
                with listening(applied.add):
                    transcript = try_history(adapter, history)
            except Exception:
                return None
            if transcript.ended:
                return None
            ran[name] = Ran(run_of(transcript), frozenset(applied))
        return ran

    def shown(self, line: Line, runs: Mapping[str, Ran]) -> Mapping[str, str] | None:
        """Returns the rules of the line that the runs show, or None if they do not show the line."""
        one, other = runs.values()
        if not line.member_shown(one.did, other.did)[0]:
            return None
        return line.named({name: ran.applied for name, ran in runs.items()})

    def is_distinct(self, history: History) -> bool:
        """Returns whether each release breaks a rule of the other one, as the suite judges it."""
        return all(
            broken_rule(adapter, history, RELEASES[other])
            for name, adapter in self._adapters.items()
            for other in self._adapters
            if other != name
        )

    def smaller(self, line: Line, difference: Difference) -> Difference:
        """Returns the same difference on a history from which nothing more can be left out: what comes before
        the last part that was left out is tried again at the end."""
        history, place, last = difference.history, 0, 0
        while True:
            candidates = list(_smaller(history))
            for number in range(place, len(candidates)):
                runs = self.runs(candidates[number])
                shown = self.shown(line, runs) if runs is not None else None
                if shown == difference.rules and self.is_distinct(candidates[number]):
                    history, place, last = candidates[number], number, number
                    break
            else:
                if not last:
                    return evolve(difference, history=history)
                place = last = 0


# --- Leaving out ----------------------------------------------------------------------------------


def _smaller(history: History) -> Iterable[History]:
    """Yields the history with one step or one field left out, the largest parts first."""
    steps = history.steps
    for number in reversed(range(len(steps))):
        yield evolve(history, steps=steps[:number] + steps[number + 1 :])
    for number, step in enumerate(steps):
        for smaller in _smaller_step(step):
            yield evolve(history, steps=(*steps[:number], smaller, *steps[number + 1 :]))


def _smaller_step(step: Step) -> Iterator[Step]:
    match step:
        case Schedule(times) if times > 1:
            yield Schedule(1)
        case Create(value) | Update(value):
            for field in ("metadata", "spec", "status"):
                for smaller in _without_one(value.get(field)):
                    yield evolve(step, object={**value, field: smaller})


def _without_one(value: Any) -> Iterator[Any]:
    """Yields the value with one of its members left out, or one member of these."""
    if isinstance(value, dict):
        for name in value:
            if name not in ("name", "containers", "allocatable"):
                yield {key: member for key, member in value.items() if key != name}
        for name, member in value.items():
            for smaller in _without_one(member):
                yield {**value, name: smaller}
    elif isinstance(value, list):
        for index, member in enumerate(value):
            if len(value) > 1:
                yield [*value[:index], *value[index + 1 :]]
            for smaller in _without_one(member):
                yield [*value[:index], smaller, *value[index + 1 :]]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
