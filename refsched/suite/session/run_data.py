# SPDX-License-Identifier: Apache-2.0
"""RunData: what a run of the suite was asked to do and has seen, and the result that follows from it.

The JSON report of a part of a run (``--shard``) holds its data. From the data of all parts comes the report of the
whole, the same as if it had been one run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, frozen
from cattrs.preconf.json import make_converter

from refsched.errors import InputError
from refsched.suite.adapters.faults import FINAL, MOST_FAULTS
from refsched.suite.reports.reading import read_value
from refsched.suite.results.invocation import Invocation
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.outcome import ADAPTER, Fault, Outcome
from refsched.suite.results.result import NotJudged, Result, Untried, faults_seen
from refsched.suite.results.rule import Rule
from refsched.suite.results.statistics import Statistics
from refsched.suite.results.verdicts import NOT_EXERCISED, RuleVerdict, rule_verdicts
from refsched.suite.session.baseline import stale
from refsched.suite.session.budget import power_of
from refsched.suite.session.kept_rules import BreakingEffect, kept_by, untried_by
from refsched.suite.session.shards import Shard

MEMBER = "evidence"
"""The JSON report of a part has this member."""

_CONVERTER = make_converter()


GIVEN_UP = "the implementation was not asked any more, because it had too many faults"


@frozen
class RunData:
    """A RunData has what a run, or a part of one, was asked to do and has seen: enough for its whole report.

    ``rules`` are those of the release that decides, in the order of the catalogue; ``changes`` say which of them
    would have been seen broken, ``untried`` of which nobody knows; ``known`` are those that the baseline lists,
    ``later`` those that the release asked for does not have; ``unfinished`` is how many tests did not come to
    their end, ``interrupted`` that a user ended the run, and ``others_failed`` that a test failed that is not the
    suite's."""

    invocation: Invocation
    about: JudgedImplementation
    rules: tuple[Rule, ...]
    outcomes: tuple[Outcome, ...]
    changes: tuple[BreakingEffect, ...] = ()
    untried: tuple[Untried, ...] = ()
    known: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    unfinished: int = 0
    interrupted: bool = False
    others_failed: bool = False
    shard: Shard | None = None


def result_of(data: RunData) -> Result:
    """Returns the verdicts on all rules, from everything that was seen."""
    data = _until_given_up(data)
    level, about = data.invocation.level, data.about
    outcomes = sorted(data.outcomes, key=lambda outcome: outcome.test)
    rules = rule_verdicts(
        {rule.id: rule for rule in data.rules},
        outcomes,
        level,
        data.known,
        data.later,
        about.lacks,
        kept_by(data.changes),
    )
    return Result(
        about=about,
        invocation=data.invocation,
        rules=rules,
        faults=faults_seen(outcomes),
        statistics=Statistics.of(outcomes),
        not_judged=_not_judged(data, rules),
        power=power_of(((outcome.test, outcome.done) for outcome in outcomes), about),
        stale=stale(data.known, rules),
        unfinished=data.unfinished,
        interrupted=data.interrupted,
        of_plugins=tuple(
            (plugin, tuple(rule.id for rule in data.rules if rule.plugins == (plugin,)))
            for plugin in about.plugins
        ),
    )


def _until_given_up(data: RunData) -> RunData:
    """Returns the data as one process sees them that runs all tests in their order: after ``MOST_FAULTS`` tests
    with a fault it asks no more. One of many processes has seen fewer of these tests, and has asked for longer.
    No rule counts as kept then: each process has chosen the histories in which it breaks rules from all that it
    has seen, and only now it is known which of them count."""
    faults = sorted((each.place, each.adapter_fault.problem) for each in data.outcomes if each.adapter_fault)
    if len(faults) < MOST_FAULTS:
        return data
    last, problem = faults[MOST_FAULTS - 1]
    given_up = Fault(ADAPTER, f"{problem}\n{FINAL}")
    return evolve(
        data,
        outcomes=tuple(
            each if each.place <= last else Outcome(each.test, each.rules, fault=given_up)
            for each in data.outcomes
        ),
        changes=(),
        untried=(Untried(GIVEN_UP),),
    )


def _not_judged(data: RunData, verdicts: Sequence[RuleVerdict]) -> NotJudged:
    applied = [each.rule.id for each in verdicts if each.verdict == NOT_EXERCISED and each.decisive]
    selected = [rule for rule in data.rules if data.invocation.level.counts(rule.level)]
    return NotJudged(
        len({rule.id for rule in selected} - {each.rule.id for each in verdicts}),
        untried_by(data.untried, data.changes, applied),
        tuple(
            rule for rule in selected if rule.plugins and rule.untestable and rule.id not in data.about.lacks
        ),
    )


# --- Merging --------------------------------------------------------------------------------------


def to_plain(data: RunData) -> dict[str, Any]:
    plain: dict[str, Any] = _CONVERTER.unstructure(data)
    return plain


def read_data(path: Path) -> RunData:
    """Reads the evidence in the JSON report of a part. Raises InputError if the file has none."""
    where, value = str(path), read_value(path)
    data = value.get(MEMBER) if isinstance(value, Mapping) else None
    if not isinstance(data, Mapping):
        raise InputError("is not a report of a part (--shard 1/2 --report FILE.json)", where=where)
    try:
        return _CONVERTER.structure(data, RunData)
    except (ValueError, TypeError, AttributeError, cattrs.BaseValidationError):
        raise InputError("its evidence was not written by this release of the suite", where=where) from None


def merged(parts: Mapping[str, RunData]) -> RunData:
    """Returns the data of the whole run from those of its parts, each with the name of its file. Raises InputError
    if a part is missing, or belongs to another run."""
    (first, data), *others = parts.items()
    for name, other in others:
        for member, one, another in zip(OF_ONE_RUN, _of_run(data), _of_run(other), strict=True):
            if one != another:
                raise InputError(f"is of another run than {first}: its {member} differs", where=name)
    _check_complete(parts)
    every = parts.values()
    return evolve(
        data,
        outcomes=tuple(outcome for part in every for outcome in part.outcomes),
        changes=tuple(sorted(change for part in every for change in part.changes)),
        untried=tuple(sorted(each for part in every for each in part.untried)),
        unfinished=sum(part.unfinished for part in every),
        interrupted=any(part.interrupted for part in every),
        others_failed=any(part.others_failed for part in every),
        shard=None,
    )


OF_ONE_RUN = ("implementation", "about", "level", "seed", "rules", "known", "later")
"""These are the same in all parts of a run."""


def _of_run(data: RunData) -> tuple[object, ...]:
    asked = data.invocation
    return asked.implementation, data.about, asked.level, asked.seed, data.rules, data.known, data.later


def _check_complete(parts: Mapping[str, RunData]) -> None:
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
