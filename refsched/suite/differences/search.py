# SPDX-License-Identifier: Apache-2.0
"""``python -m refsched.suite.differences.search``: finds the clusters on which two releases decide differently.

The histories of all areas are run on the specification of each release and judged by the other's. For each rule
the smallest history is kept and made smaller: steps and fields without which the same rules are broken are left
out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from refsched.releases import DEFAULT, RELEASES
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.differences.clusters import Difference, write
from refsched.suite.differences.judging import broken_rule
from refsched.suite.histories.history import Create, History, Schedule, Step, Update
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.recording.command import histories_of
from refsched.tools.shipped import import_tests

Json = dict[str, Any]
Rules = Mapping[str, str]

EXAMPLES = 60
"""From each area so many histories are drawn."""


def main(examples: int = EXAMPLES) -> None:
    older, newer = (name for name in RELEASES)
    pair = Pair(older, newer)
    smallest: dict[tuple[str, str], Difference] = {}
    for history in _histories(examples):
        rules = pair.rules_broken(history)
        if not _names_a_difference(rules):
            continue
        for release, rule in rules.items():
            known = smallest.get((release, rule))
            if known is None or _size(history) < _size(known.history):
                smallest[release, rule] = Difference(rules, history)
    found: dict[str, Difference] = {}
    for one in smallest.values():
        smaller = pair.smaller(one)
        found.setdefault(steps_of(smaller), smaller)
        print(", ".join(smaller.rules.values()), file=sys.stderr, flush=True)
    write(tuple(sorted(found.values(), key=lambda each: (each.rules[newer], each.rules[older]))))


def _names_a_difference(rules: Rules) -> bool:
    """Returns whether one of the rules holds in one release only. Others were named for what follows from a
    difference."""
    return any(len(all_rules()[rule].releases) == 1 for rule in rules.values() if rule in all_rules())


def steps_of(difference: Difference) -> str:
    return repr((difference.history.config, steps_as_json(difference.history)))


def _histories(examples: int) -> Iterator[History]:
    for module in ("resources", "taints", "node_affinity", "pod_affinity", "spread", "volumes", "preemption"):
        for case in import_tests(f"cases.{module}").CASES:
            yield case.history
    for area in import_tests("strategies").AREAS:
        for history in histories_of(area, 0, examples):
            if history.config.get("apiVersion") in DEFAULT.api_versions and not history.feature_gates:
                yield history
        print(area, file=sys.stderr, flush=True)


def _size(history: History) -> tuple[int, int]:
    return len(history.steps), len(repr(steps_as_json(history)))


class Pair:
    """A Pair is two releases, each as its specification decides."""

    def __init__(self, *releases: str) -> None:
        self._adapters: dict[str, Adapter] = {
            name: connect(f"{REFERENCE}:{name}", in_process=True) for name in releases
        }

    def rules_broken(self, history: History) -> Rules:
        """Returns the rule of each release that the other one breaks; none unless each breaks one of the
        other's."""
        rules: dict[str, str] = {}
        for name in self._adapters:
            other = next(adapter for release, adapter in self._adapters.items() if release != name)
            try:
                rule = broken_rule(other, history, RELEASES[name])
            except Exception:
                return {}
            if not rule:
                return {}
            rules[name] = rule
        return rules

    def smaller(self, difference: Difference) -> Difference:
        """Returns the same difference on a history from which nothing more can be left out: what comes before
        the last part that was left out is tried again at the end."""
        history, place, last = difference.history, 0, 0
        while True:
            candidates = list(_smaller(history))
            for number in range(place, len(candidates)):
                if self.rules_broken(candidates[number]) == difference.rules:
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
