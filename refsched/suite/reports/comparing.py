# SPDX-License-Identifier: Apache-2.0
"""Comparing: what has changed from one JSON report of the suite to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from refsched.errors import counted
from refsched.suite.reports.reading import ReadReport
from refsched.suite.results.verdicts import VERDICTS

NOWHERE = "not reported"
"""This stands in place of the verdict on a rule that only the other report has."""


@frozen
class ReportDifference:
    """A ReportDifference has the rules with another verdict in ``changed``, with the one before and the one after.
    ``new`` and ``vanished`` are failures of rules, and ``other`` those that show in another way."""

    before: ReadReport
    after: ReadReport
    changed: Mapping[str, tuple[str, str]]
    new: tuple[str, ...]
    vanished: tuple[str, ...]
    other: tuple[str, ...]

    @property
    def has_verdicts_of_before(self) -> bool:
        """Returns whether the run and each rule have the same verdict, however a broken rule shows."""
        return not self.changed and self.before.verdict == self.after.verdict

    @property
    def is_none(self) -> bool:
        """Returns whether the reports say the same. How many tests and histories there were does not count."""
        same_faults = set(self.before.faults) == set(self.after.faults)
        return same_faults and not self.other and self.has_verdicts_of_before


def compared(before: ReadReport, after: ReadReport) -> ReportDifference:
    """Returns what has changed from one report to the other."""
    one, other = before.verdicts, after.verdicts
    ids = list(dict.fromkeys((*one, *other)))
    changed = {
        id: (one.get(id, NOWHERE), other.get(id, NOWHERE)) for id in ids if one.get(id) != other.get(id)
    }
    failed, fails = before.failures, after.failures
    return ReportDifference(
        before,
        after,
        changed,
        new=tuple(id for id in fails if id not in failed),
        vanished=tuple(id for id in failed if id not in fails),
        other=tuple(id for id in fails if id in failed and fails[id] != failed[id]),
    )


def as_value(found: ReportDifference) -> dict[str, Any]:
    """Returns the difference for JSON."""
    return {
        "verdict": {"before": found.before.verdict, "after": found.after.verdict},
        "rules": {id: {"before": was, "after": now} for id, (was, now) in found.changed.items()},
        "newFailures": list(found.new),
        "vanishedFailures": list(found.vanished),
        "otherFailures": list(found.other),
    }


def lines(found: ReportDifference) -> Iterator[str]:
    """Yields the difference in words."""
    before, after = found.before, found.after
    for of, was, now in (
        ("scheduler", before.scheduler, after.scheduler),
        ("refsched", before.suite.version, after.suite.version),
    ):
        if was and now and was != now:
            yield f"{of}: {was} → {now}"
    for title, ids in (
        ("new failures", found.new),
        ("failures that vanished", found.vanished),
        ("failures that show in another way", found.other),
    ):
        if ids:
            yield f"{title}: {', '.join(ids)}"
    width = max(map(len, found.changed), default=0)
    for id, (was, now) in found.changed.items():
        yield f"{id:{width}}  {was} → {now}"
    for seen, faults in (("no longer seen", before.faults), ("new", after.faults)):
        others = after.faults if faults is before.faults else before.faults
        for fault in faults:
            if fault not in others:
                yield f"{seen} fault of the {fault.whose}: {fault.problem.splitlines()[0]}"
    for verdict in VERDICTS:
        yield _count(verdict, *(list(each.verdicts.values()).count(verdict) for each in (before, after)))
    yield _count("tests", before.run.tests, after.run.tests)
    yield _count("histories", before.run.examples, after.run.examples)
    if before.verdict != after.verdict:
        yield f"the run: {before.verdict} → {after.verdict}"
    yield "the same" if found.is_none else counted(len(found.changed), "rule") + " with another verdict"


def _count(of: str, was: int, now: int) -> str:
    return f"{of + ':':14} {was:,}" + (f" → {now:,}" if was != now else "")
