# SPDX-License-Identifier: Apache-2.0
"""Differing members: in which member of a record two releases differ, each with the rules of both sides.

They are kept as data, and a cluster is searched for each. An entry says in which member the rules differ, and
which change of Kubernetes made the difference, where that is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from refsched.reading.record_json import to_json
from refsched.records import Input
from refsched.suite.histories.judgement import Judgement

FILE = Path(__file__).parent / "differing_members.json"

FOLLOWS = (
    "attempt.message",
    "attempt.scores.*",
    "attempt.totals.*",
    "attempt.nominatedNode",
    "bind.message",
    "*.unschedulablePlugins*",
)
"""These members differ in nearly every attempt, so that a later difference need not follow from them."""

SCORES = "attempt.scores."
FILTER = "attempt.filter."
ONLY_ONE_HAS = ("attempt.pod", "write.verb")

Run = Sequence[Mapping[str, Any]]


@frozen
class DifferingMember:
    """``rules`` has for each release, by its minor version, the rules of which the first that is applied is named.
    ``differs`` is a pattern (fnmatch) of the member, such as ``attempt.filter.*.code``. The rules of ``without``
    must not be applied, since they make the same member differ. ``never`` says why there can be no cluster."""

    rules: Mapping[str, Sequence[str]]
    differs: str
    change: str = ""
    without: Sequence[str] = ()
    never: str = ""

    def named(self, applied: Mapping[str, frozenset[str]]) -> dict[str, str] | None:
        """Returns the rule of each release that is named, or None if none of a release was applied."""
        if any(rule in known for rule in self.without for known in applied.values()):
            return None
        rules = {
            release: next((rule for rule in known if rule in applied[release]), "")
            for release, known in self.rules.items()
        }
        return rules if all(rules.values()) else None

    def member_shown(self, one: Run, other: Run) -> tuple[str, int]:
        """Returns the member, and the number of its record, if two runs differ in it before they differ in
        another one, but for those of FOLLOWS, or else ``""``. What Filter says of a node differs only where both
        say something, and scores only where both have some. Where only one run has an attempt, or a write, they
        differ in ``attempt.pod`` or ``write.verb``."""
        for number, (record, counterpart) in enumerate(zip(one, other, strict=False)):
            names = record.keys() | counterpart.keys()
            differing = sorted(name for name in names if record.get(name) != counterpart.get(name))
            both = record.keys() & counterpart.keys()
            if not both:
                is_shown = self.differs in ONLY_ONE_HAS and self.differs in names
                return (self.differs, number) if is_shown else ("", -1)
            matching = [name for name in differing if name in both or not name.startswith(FILTER)]
            if not all(any(name.startswith(SCORES) for name in each) for each in (record, counterpart)):
                matching = [name for name in matching if not name.startswith(SCORES)]
            shown = next((name for name in matching if fnmatchcase(name, self.differs)), "")
            if shown:
                return shown, number
            if not all(any(fnmatchcase(name, pattern) for pattern in FOLLOWS) for name in differing):
                break
        return "", -1


@cache
def differing_members(path: Path = FILE) -> tuple[DifferingMember, ...]:
    return tuple(DifferingMember(**each) for each in json.loads(path.read_text("utf-8")))


def run_of(judgement: Judgement) -> Run:
    """Returns what an implementation did, each record as its members by their paths: ``queues.active``."""
    return [
        dict(_members(to_json(seen.record), ""))
        for seen in judgement.seen
        if not isinstance(seen.record, Input)
    ]


def _members(value: Any, path: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return [(path, value)]
    return [
        member
        for name, inner in value.items()
        for member in _members(inner, f"{path}.{name}" if path else str(name))
    ]
