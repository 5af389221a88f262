# SPDX-License-Identifier: Apache-2.0
"""Finds the clusters on which two releases decide differently.

    python -m conformance.campaigns.differing_clusters

For each member of ``differing_members.json`` the smallest history is kept in which both rules are applied and this
member differs between the specifications of both releases. The examples of all rules, the cases and histories that
are drawn from all areas are searched. The history is made smaller: steps and fields without which this still holds
are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
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
from conformance.wrong.smallest.shrinking import Shrinking
from refsched.reading.shipped_files import examples_folder
from refsched.releases import DEFAULT, RELEASES
from refsched.rules import listening
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.differences.clusters import ReleaseDifference, write
from refsched.suite.differences.differing_members import DifferingMember, Run, differing_members, run_of
from refsched.suite.differences.judging import broken_rule
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.histories.trial import try_history
from refsched.tools.rulebook.examples import read_example

Json = dict[str, Any]

EXAMPLES = 10
"""From each area this many histories are drawn."""


def main(examples: int = EXAMPLES) -> None:
    """Searches the clusters, and writes them in place of those that there are."""
    older, newer = differing_members()[0].rules
    pair = Pair(older, newer)
    smallest: dict[int, ReleaseDifference] = {}
    for history in _histories(examples):
        runs = pair.runs(history)
        for number, member in enumerate(differing_members()):
            known = smallest.get(number)
            if known is None or _size(history) < _size(known.history):
                rules = pair.shown(member, runs) if runs is not None else None
                if rules is not None and pair.is_distinct(history):
                    smallest[number] = ReleaseDifference(rules, history, member.change, member.differs)
    found: dict[tuple[str, ...], ReleaseDifference] = {}
    for number, member in enumerate(differing_members()):
        if number in smallest:
            smaller = pair.smaller(member, smallest[number])
            found.setdefault(tuple(smaller.rules.values()), smaller)
        print(member.rules, "shown" if number in smallest else "not found", file=sys.stderr, flush=True)
    write(tuple(sorted(found.values(), key=lambda each: (each.rules[newer], each.rules[older]))))


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
                    judgement = try_history(adapter, history)
            except Exception:
                return None
            if judgement.ended:
                return None
            ran[name] = Ran(run_of(judgement), frozenset(applied))
        return ran

    def shown(self, member: DifferingMember, runs: Mapping[str, Ran]) -> Mapping[str, str] | None:
        """Returns the rules of the member if the runs differ in it, or None if they do not."""
        one, other = runs.values()
        if not member.member_shown(one.did, other.did)[0]:
            return None
        return member.named({name: ran.applied for name, ran in runs.items()})

    def is_distinct(self, history: History) -> bool:
        """Returns whether each release breaks a rule of the other one, as the suite judges it."""
        return all(
            broken_rule(adapter, history, RELEASES[other])
            for name, adapter in self._adapters.items()
            for other in self._adapters
            if other != name
        )

    def smaller(self, member: DifferingMember, difference: ReleaseDifference) -> ReleaseDifference:
        """Returns the same difference on a history from which nothing more can be left out."""

        def shows(history: History) -> bool:
            runs = self.runs(history)
            shown = self.shown(member, runs) if runs is not None else None
            return shown == difference.rules and self.is_distinct(history)

        return evolve(difference, history=Shrinking(difference.history, shows).smallest())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
