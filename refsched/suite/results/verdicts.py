# SPDX-License-Identifier: Apache-2.0
"""Verdicts: from the outcomes of tests to a verdict on each rule.

The order in which tests ended, and in which process, makes no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import evolve, frozen

from refsched.suite.level import Level
from refsched.suite.results.outcome import Failure, Outcome
from refsched.suite.results.rule import Rule

PASS = "pass"
FAIL = "fail"
NOT_EXERCISED = "not exercised"
NOT_CLAIMED = "not claimed"
VERDICTS = (PASS, FAIL, NOT_EXERCISED, NOT_CLAIMED)


@frozen
class RuleVerdict:
    """A RuleVerdict is the verdict on one rule. ``decisive`` is how often the rule decided a value that was
    checked; ``needs`` what would have to be claimed; ``known`` that the baseline lists it, ``later`` that the
    release asked for does not have it yet."""

    rule: Rule
    verdict: str
    decisive: int
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()
    known: bool = False
    failure: Failure | None = None
    later: bool = False

    @property
    def is_new_failure(self) -> bool:
        return self.verdict == FAIL and not (self.known or self.later)

    @property
    def under(self) -> str:
        return self.failure.under if self.failure is not None else ""


def rule_verdicts(
    rules: Mapping[str, Rule],
    outcomes: Sequence[Outcome],
    level: Level,
    known: Collection[str],
    later: Collection[str] = (),
    lacks: Mapping[str, str] | None = None,
    kept: Collection[str] | None = None,
) -> tuple[RuleVerdict, ...]:
    """Returns the verdict on every rule of this level that a test was about, that decided anything, or that was
    broken. ``rules`` are those of the release by which the implementation decides, and ``lacks`` those of them
    that it cannot show, with what it would need; ``kept`` are those whose breaking would have shown (None: all
    that decided anything)."""
    decisive: Counter[str] = Counter()
    for outcome in outcomes:
        decisive.update(outcome.decisive)
    failures = _smallest(outcomes)
    asked = {rule for outcome in outcomes for rule in outcome.rules if rule in rules}
    ids = in_order(rules, asked | decisive.keys() | failures.keys())
    every = (_as_broken(rules.get(id, Rule(id)), failures.get(id)) for id in ids)
    return tuple(
        evolve(
            _not_shown(rule, outcomes, (lacks or {})[rule.id])
            if rule.id in (lacks or {}) and rule.id not in failures
            else _verdict(
                rule,
                outcomes,
                decisive[rule.id],
                failures.get(rule.id),
                known=rule.id in known,
                kept=kept is None or rule.id in kept,
            ),
            later=rule.id in later,
        )
        for rule in every
        if level.counts(rule.level)
    )


def _as_broken(rule: Rule, failure: Failure | None) -> Rule:
    """Returns the rule at the level at which its failure shows, which may be another one than its own."""
    return evolve(rule, level=failure.level) if failure is not None and failure.level else rule


def in_order(rules: Mapping[str, Rule], ids: Iterable[str]) -> list[str]:
    """Returns the rules in the order in which they depend on each other; those that no catalogue has come last, by
    name."""
    place = {id: number for number, id in enumerate(rules)}
    return sorted(ids, key=lambda id: (place.get(id, len(place)), id))


def _smallest(outcomes: Sequence[Outcome]) -> dict[str, Failure]:
    """Returns of each broken rule the evidence that is easiest to read. It is filed under another rule only if
    that was so in every test, and shows at a promised rule if it did so in any."""
    every = [failure for outcome in outcomes for failure in outcome.failures]
    every.sort(
        key=lambda failure: (not failure.shrunk, failure.steps, failure.size, failure.test), reverse=True
    )
    independent = {failure.rule for failure in every if failure.under in ("", failure.rule)}
    promised = {failure.rule for failure in every if failure.level == Level.PROMISED}
    return {
        failure.rule: evolve(
            failure,
            under="" if failure.rule in independent else failure.under,
            level=Level.PROMISED if failure.rule in promised else failure.level,
        )
        for failure in every
    }


def _verdict(
    rule: Rule,
    outcomes: Sequence[Outcome],
    decisive: int,
    failure: Failure | None,
    *,
    known: bool,
    kept: bool,
) -> RuleVerdict:
    about = [outcome for outcome in outcomes if rule.id in outcome.rules]
    tests = tuple(sorted(outcome.test for outcome in about))
    if failure is not None:
        return RuleVerdict(rule, FAIL, decisive, tests, (), known, failure)
    if decisive and kept:
        return RuleVerdict(rule, PASS, decisive, tests, (), known)
    if about and not any(outcome.is_claimed for outcome in about):
        needs = tuple(sorted({capability for outcome in about for capability in outcome.missing}))
        return RuleVerdict(rule, NOT_CLAIMED, 0, tests, needs, known)
    return RuleVerdict(rule, NOT_EXERCISED, decisive, tests, (), known)


def _not_shown(rule: Rule, outcomes: Sequence[Outcome], lacking: str) -> RuleVerdict:
    tests = tuple(sorted(outcome.test for outcome in outcomes if rule.id in outcome.rules))
    return RuleVerdict(rule, NOT_CLAIMED, 0, tests, (lacking,))
