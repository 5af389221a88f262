# SPDX-License-Identifier: Apache-2.0
"""Baseline: the rules that an implementation is known to break.

One id a line; what follows ``#`` is for people. A listed rule that passes is stale, and fails the run, so that the
list never outlives what it excuses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from refsched.errors import InputError
from refsched.reading.documents import read_text
from refsched.suite.results.verdicts import PASS, RuleVerdict


def read_baseline(path: Path, rules: Collection[str]) -> frozenset[str]:
    """Returns the ids that the file lists. Raises InputError if a line names no rule of the catalogue, or one that
    is listed already."""
    listed: set[str] = set()
    for number, line in enumerate(read_text(path.read_bytes(), str(path)).splitlines(), 1):
        name = line.partition("#")[0].strip()
        if not name:
            continue
        where = f"{path}: line {number}"
        if name not in rules:
            raise InputError(
                f"expected the id of a rule, such as R-TAINT-01, found {name!r:.60}", where=where
            )
        if name in listed:
            raise InputError(f"{name} stands twice", where=where)
        listed.add(name)
    return frozenset(listed)


def stale(listed: Collection[str], verdicts: Iterable[RuleVerdict]) -> tuple[str, ...]:
    """Returns the listed rules that passed. A rule that was not exercised stays listed, since nothing is known of
    it."""
    return tuple(each.rule.id for each in verdicts if each.rule.id in listed and each.verdict == PASS)
