# SPDX-License-Identifier: Apache-2.0
"""Kept rules: which of the rules that were applied in a run would have been seen broken in it.

Of each rule a few histories of each test are kept; tests that are about the rule come before others, and of these
one that is about this rule alone comes first. When all tests are over, each process breaks the rules of its own
tests; what it found travels to the process that reports.
Which histories count does not depend on how the tests were spread over processes. A rule whose breaking was not
tried is not kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import cattrs
import pytest
from attrs import Factory, define, evolve, frozen

from refsched.suite.breaking.detection import Tried, changing
from refsched.suite.findings import Comparison
from refsched.suite.results.result import Untried

HISTORIES = 16
"""This many histories of a rule count: the smallest one of each of eight tests, say, and another one of each."""

NOT_ABOUT_IT = 10_000
"""No test is about as many rules."""

OUTPUT = "refsched.changes"
"""A worker of pytest-xdist reports what it found under this name."""


@define
class Decided:
    """A Decided has two of the histories of a test in which a rule was applied: the ``smallest``, and the one in
    which it was applied ``most`` often, which is how many ``times``. What is applied in every attempt seldom shows
    in the smallest."""

    smallest: Comparison
    times: int
    most: Comparison

    def see(self, comparison: Comparison, times: int) -> None:
        """Takes note of another history, in which the rule was applied so many ``times``."""
        if comparison.records < self.smallest.records:
            self.smallest = comparison
        if times > self.times:
            self.times, self.most = times, comparison

    @property
    def histories(self) -> tuple[Comparison, ...]:
        """Returns the smallest one first."""
        return (self.smallest,) if self.most is self.smallest else (self.smallest, self.most)


@frozen(order=True)
class BreakingEffect:
    """A BreakingEffect says whether it makes a difference (``is_one``) to break this rule in a history of this
    test in which it was applied, and how many ``records`` this history has. The test is about so ``many`` rules,
    this one among them, or not about it if that is NOT_ABOUT_IT; ``is_second`` says that a smaller history of the
    test counts, too."""

    rule: str
    many: int
    is_second: bool
    records: int
    test: str
    is_one: bool


def kept_by(changes: Iterable[BreakingEffect]) -> frozenset[str]:
    """Returns the rules that make a difference in a history that counts."""
    of_rule: dict[str, list[BreakingEffect]] = defaultdict(list)
    for change in sorted(changes):
        of_rule[change.rule].append(change)
    return frozenset(
        rule for rule, some in of_rule.items() if any(change.is_one for change in some[:HISTORIES])
    )


LOST = "a worker of pytest-xdist has ended before it said which rules would have been seen broken"


def untried_by(
    untried: Iterable[Untried], changes: Sequence[BreakingEffect], applied: Sequence[str]
) -> tuple[Untried, ...]:
    """Returns the rules that were ``applied`` and not found to be kept, by the reason why breaking them was not
    tried. Of what a worker did not report it is only known that it was applied."""
    kept, reported = kept_by(changes), {change.rule for change in changes}
    rules: dict[str, set[str]] = {}
    for each in untried:
        unknown = each.rules or (rule for rule in applied if rule not in reported)
        rules.setdefault(each.why, set()).update(rule for rule in unknown if rule not in kept)
    return tuple(Untried(why, tuple(sorted(some))) for why, some in sorted(rules.items()))


@define(eq=False)
class KeptRules:
    """KeptRules collect, in each process, the histories in which breaking a rule is tried. ``changes`` and
    ``untried`` are those of all processes, once the tests are over."""

    changes: list[BreakingEffect] = Factory(list)
    untried: list[Untried] = Factory(list)
    _came: dict[str, list[tuple[BreakingEffect, Comparison]]] = Factory(lambda: defaultdict(list))

    def note(
        self, test: str, about: Collection[str], decided: Mapping[str, Decided], applied: Iterable[str]
    ) -> None:
        """Notes what a test ``about`` some rules has compared, by rule, where it was ``applied``. A rule without a
        comparison, because no specification stands beside the scheduler, makes a difference wherever it is
        applied."""
        for rule in applied:
            many = len(about) if rule in about else NOT_ABOUT_IT
            if rule not in decided:
                self.changes.append(BreakingEffect(rule, many, False, 0, test, is_one=True))
                continue
            came = self._came[rule]
            for number, comparison in enumerate(decided[rule].histories):
                change = BreakingEffect(rule, many, number > 0, comparison.records, test, is_one=True)
                came.append((change, comparison))
            came.sort(key=lambda one: one[0])
            del came[HISTORIES:]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        candidates = {
            rule: [comparison for _, comparison in came] for rule, came in sorted(self._came.items())
        }
        tried = changing(candidates)
        self.changes.extend(self._changes(tried))
        self.untried.extend(Untried(why, (rule,)) for rule, why in tried.untried.items())
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[OUTPUT] = cattrs.unstructure((self.changes, self.untried))

    def _changes(self, tried: Tried) -> Iterator[BreakingEffect]:
        for rule, came in self._came.items():
            answers = tried.changes.get(rule, [False for _ in came])
            for (change, _), is_one in zip(came, answers, strict=False):  # as far as one is
                yield evolve(change, is_one=is_one)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        """Takes what a worker of pytest-xdist found, which may have ended too early to report anything."""
        output = getattr(node, "workeroutput", {})
        if OUTPUT not in output:
            self.untried.append(Untried(LOST))
            return
        changes, untried = output[OUTPUT]
        self.changes.extend(cattrs.structure(each, BreakingEffect) for each in changes)
        self.untried.extend(cattrs.structure(each, Untried) for each in untried)
