# SPDX-License-Identifier: Apache-2.0
"""Shards: a run that is split over processes or machines that know nothing of each other, and its one report.

``--shard 3/8`` runs the third of eight parts of the tests; which tests these are depends on the tests alone. The
JSON report of a part holds its evidence: what every test found. From the evidence of all parts comes the report of
the whole, the same as if it had been one run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, field, frozen
from cattrs.preconf.json import make_converter

from refsched.errors import InputError
from refsched.suite.level import Level
from refsched.suite.reports.verdicts import (
    NOT_EXERCISED,
    Result,
    ended_by_rules,
    ended_early,
    faults_seen,
    late,
    left_out,
    rule_verdicts,
)
from refsched.suite.session.baseline import stale
from refsched.suite.session.bench import Rule
from refsched.suite.session.budget import Planned, power_of
from refsched.suite.session.kept_rules import Change, Untried, kept_by, untried_by
from refsched.suite.session.outcome import Outcome
from refsched.suite.session.runner import About
from refsched.tools.reading.documents import read_json, read_text

MEMBER = "evidence"
"""The JSON report of a part has this member."""

MOST = 10_000
"""A run has at most this many parts."""

_CONVERTER = make_converter()
_SHAPE = re.compile(r"([1-9][0-9]{0,4})/([1-9][0-9]{0,4})", re.ASCII)


@frozen
class Shard:
    """A Shard is the part ``number`` of ``of``, from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def takes(self, tests: Sequence[Planned]) -> set[str]:
        """Returns the names of the tests of this part: the most expensive are dealt out first, each to the part
        with the least work."""
        load = [0.0] * self.of
        mine: set[str] = set()
        for test in sorted(tests, key=lambda test: (-test.cost, test.name)):
            lightest = load.index(min(load))
            load[lightest] += test.cost
            if lightest == self.number - 1:
                mine.add(test.name)
        return mine


def read_shard(text: str) -> Shard:
    """Reads ``3/8``. Raises InputError if the text is no part."""
    found = _SHAPE.fullmatch(text)
    if found is None or not int(found[1]) <= int(found[2]) <= MOST:
        raise InputError(f"expected a part such as 3/8, found {text!r:.60}", where="--shard")
    return Shard(int(found[1]), int(found[2]))


@frozen
class Evidence:
    """An Evidence is what a run, or a part of one, has seen, and what it was asked to do: enough for its whole
    report.

    ``rules`` are those of the release that decides, in the order of the catalogue; ``changes`` say which of them
    would have been seen broken, ``untried`` of which nobody knows; ``known`` are those that the baseline lists,
    ``later`` those that the release asked for does not have; ``others_failed`` that a test failed that is not the
    suite's; ``selected`` are the options that chose the tests, and how many examples each had; ``arguments`` those
    of ``refsched conformance`` with which the whole runs again."""

    implementation: str
    level: Level
    seed: str
    about: About
    rules: tuple[Rule, ...]
    outcomes: tuple[Outcome, ...]
    changes: tuple[Change, ...] = ()
    untried: tuple[Untried, ...] = ()
    known: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    command: str = ""
    selected: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = ""
    replayed: str = ""
    unfinished: int = 0
    interrupted: bool = False
    others_failed: bool = False
    shard: Shard | None = field(default=None)


def result_of(evidence: Evidence) -> Result:
    """Returns the verdicts on all rules, from everything that was seen."""
    catalogue = {rule.id: rule for rule in evidence.rules}
    outcomes = sorted(evidence.outcomes, key=lambda outcome: outcome.test)
    rules = rule_verdicts(
        catalogue,
        outcomes,
        evidence.level,
        evidence.known,
        evidence.later,
        evidence.about.lacks,
        kept_by(evidence.changes),
    )
    applied = [each.rule.id for each in rules if each.verdict == NOT_EXERCISED and each.decisive]
    selected = [rule for rule in evidence.rules if evidence.level.counts(rule.level)]
    return Result(
        about=evidence.about,
        implementation=evidence.implementation,
        level=evidence.level,
        seed=evidence.seed,
        rules=rules,
        faults=faults_seen(outcomes),
        tests=sum(outcome.is_claimed and not outcome.is_untried for outcome in outcomes),
        examples=sum(outcome.examples for outcome in outcomes),
        choices=sum(outcome.choices for outcome in outcomes),
        single=sum(outcome.single for outcome in outcomes),
        untested=len({rule.id for rule in selected} - {each.rule.id for each in rules}),
        ended=ended_early(outcomes),
        late=late(outcomes),
        ending=ended_by_rules(outcomes),
        without=left_out(outcomes),
        power=power_of(((outcome.test, outcome.done) for outcome in outcomes), evidence.about),
        stale=stale(evidence.known, rules),
        replayed=evidence.replayed,
        command=evidence.command,
        selected=evidence.selected,
        arguments=evidence.arguments,
        folder=evidence.folder,
        unfinished=evidence.unfinished,
        interrupted=evidence.interrupted,
        untried=untried_by(evidence.untried, evidence.changes, applied),
        untestable=_untestable(selected, evidence.about),
        of_plugins=tuple(
            (plugin, tuple(rule.id for rule in evidence.rules if rule.plugins == (plugin,)))
            for plugin in evidence.about.plugins
        ),
    )


def _untestable(rules: Sequence[Rule], about: About) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.plugins and rule.untestable and rule.id not in about.lacks)


# --- Merging --------------------------------------------------------------------------------------


def to_plain(evidence: Evidence) -> dict[str, Any]:
    plain: dict[str, Any] = _CONVERTER.unstructure(evidence)
    return plain


def read_evidence(path: Path) -> Evidence:
    """Reads the evidence in the JSON report of a part. Raises InputError if the file has none."""
    where = str(path)
    try:
        value = read_json(read_text(path.read_bytes(), where))
        evidence = value.get(MEMBER) if isinstance(value, Mapping) else None
        if not isinstance(evidence, Mapping):
            raise InputError("is not a report of a part (--shard 1/2 --report FILE.json)", where=where)
        return _CONVERTER.structure(evidence, Evidence)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=where) from None
    except json.JSONDecodeError as error:
        raise InputError(f"{error.msg} (line {error.lineno})", where=where) from None
    except (ValueError, TypeError, AttributeError, cattrs.BaseValidationError):
        raise InputError("its evidence was not written by this release of the suite", where=where) from None


def merged(parts: Mapping[str, Evidence]) -> Evidence:
    """Returns the evidence of the whole run from that of its parts, each with the name of its file. Raises
    InputError if a part is missing, or belongs to another run."""
    (first, evidence), *others = parts.items()
    for name, other in others:
        for member in ("implementation", "about", "level", "seed", "rules", "known", "later"):
            if getattr(other, member) != getattr(evidence, member):
                raise InputError(f"is of another run than {first}: its {member} differs", where=name)
    _check_complete(parts)
    every = parts.values()
    return evolve(
        evidence,
        outcomes=tuple(outcome for part in every for outcome in part.outcomes),
        changes=tuple(sorted(change for part in every for change in part.changes)),
        untried=tuple(sorted(each for part in every for each in part.untried)),
        unfinished=sum(part.unfinished for part in every),
        interrupted=any(part.interrupted for part in every),
        others_failed=any(part.others_failed for part in every),
        shard=None,
    )


def _check_complete(parts: Mapping[str, Evidence]) -> None:
    seen: dict[int, str] = {}
    of = None
    for name, part in parts.items():
        shard = part.shard or Shard(1, 1)
        of = of or shard.of
        if shard.of != of:
            raise InputError(f"is part {shard}, and the first file is one of {of}", where=name)
        if shard.number in seen:
            raise InputError(f"is part {shard}, as {seen[shard.number]} is", where=name)
        seen[shard.number] = name
    missing = [str(number) for number in range(1, (of or 1) + 1) if number not in seen]
    if missing:
        raise InputError(f"of {of} parts there is no part {', '.join(missing[:10])}")
