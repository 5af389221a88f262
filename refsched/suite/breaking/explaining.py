# SPDX-License-Identifier: Apache-2.0
"""Explaining: the rule is named whose breaking gives what was seen.

When a test has failed, the specification is broken in one place after another, and asked each time whether it
agrees with what the scheduler did: in the smallest history that shows the failure, and then in others of the same
test, in most of which nothing was wrong. The most suspected rules are broken first, until ``WORK`` is done. The
breaking that agrees with most histories is most likely the scheduler's own mistake; of those that agree with as
many it is that of the most suspected rule, and then the one that changes least what is applied.
The rules that stand at its place are named.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

from attrs import astuple, evolve, frozen

from refsched.rules import listening
from refsched.suite.breaking.breakings import REPORTING, Breaking, breakings_of, broken
from refsched.suite.breaking.child_process import agrees, run_in_child
from refsched.suite.breaking.line_coverage import LineCoverage, coverage_of
from refsched.suite.breaking.replacing import forget
from refsched.suite.breaking.rows import rules_of_defaults
from refsched.suite.catalogue.rarity import rarity
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.findings import Comparison

WORK = 150_000
"""So many records are compared at most, a half of them of the smallest history. Breaking the specification once
counts as ``TO_BREAK`` records, as it takes about as long. The work is bounded, and not the time, so that a slow
machine does not decide which rule is named."""

TO_BREAK = 30

ENOUGH = 0.6
"""A breaking must agree with this share of the histories, or nothing is explained: a scheduler that makes two
mistakes agrees with no breaking in all of them."""

CLOSE = 2
"""What agrees with all but so many histories of those with which the best one agrees is named behind it."""

PATIENCE = 60.0
"""After so many seconds of a processor, about six times as many as the work takes, nothing is explained."""


@frozen
class Histories:
    """Histories are what a scheduler did in the ``smallest`` history that shows a failure, in ``others`` of the
    same test and near it, and, ``besides``, in the smallest history of each other failure of the test."""

    smallest: Comparison
    others: Sequence[Comparison] = ()
    besides: Sequence[Comparison] = ()


@frozen
class Explanation:
    """An Explanation names ``rules``, the most likely first: while the first one is broken the specification
    agrees with almost all histories that were compared. ``vanish`` says of each other failure whether it is none
    for the specification that is broken so. Without rules nothing is explained."""

    rules: tuple[str, ...] = ()
    vanish: tuple[bool, ...] = ()


@frozen
class _Tried:
    """A _Tried is a breaking that agrees with the smallest history, and not with ``misses`` of the others.
    ``place`` is that of its rule in the order of suspicion; in the smallest history ``changed`` rules are applied
    with it and not without it, or the other way round."""

    breaking: Breaking
    place: int
    changed: int
    misses: int = 0


@frozen
class _Question:
    """A _Question is what is to be explained, with the breakings that may explain it, the most suspected first."""

    histories: Histories
    places: Mapping[str, int]
    applied: Collection[str]
    breakings: Iterator[Breaking]

    @classmethod
    def about(cls, histories: Histories, suspected: Sequence[str], without: Collection[str]) -> _Question:
        forget()  # so that what reads the objects is seen, too
        coverage = coverage_of(histories.smallest.agrees)
        places = _places(suspected, coverage)
        return cls(histories, places, coverage.applied, breakings_of(coverage, places, without))

    def answer(self, may_be: Callable[[str], bool]) -> Explanation:
        """Returns the explanation. Nothing is explained if the specification agrees as it is, since it does not
        see the failure."""
        if agrees(self.histories.smallest):
            return Explanation()
        tried = self._compared(self._that_show_it())
        rules = tuple(dict.fromkeys(rule for one in tried for rule in one.breaking.rules if may_be(rule)))
        if not rules:
            return Explanation()
        best = next(one for one in tried if rules[0] in one.breaking.rules)
        with broken(best.breaking):
            return Explanation(rules, tuple(agrees(one) for one in self.histories.besides))

    def _that_show_it(self) -> list[_Tried]:
        """Returns the breakings that agree with the smallest history."""
        found: list[_Tried] = []
        most = WORK // 2 // (TO_BREAK + self.histories.smallest.records)
        for breaking in islice(self.breakings, most):
            heard: dict[str, None] = {}
            with broken(breaking) as is_broken, listening(heard.setdefault):
                shows_it = is_broken and agrees(self.histories.smallest)
            if shows_it:
                changed = heard.keys() ^ set(self.applied)
                found.append(_Tried(breaking, self.places[breaking.rules[0]], len(changed)))
        return found

    def _compared(self, tried: Sequence[_Tried]) -> list[_Tried]:
        """Returns those that agree with enough of the other histories, the best first. What is not ``CLOSE`` to
        the best one is compared no further."""
        others = sorted(self.histories.others, key=lambda other: other.records)
        compared: list[_Tried] = []
        least, left = (1 - ENOUGH) * len(others), WORK // 2
        for one in tried:
            if left < 0:
                break
            misses = 0
            with broken(one.breaking):
                for other in others:
                    left -= other.records
                    misses += not agrees(other)
                    if misses > least + CLOSE:
                        break
            least = min(least, misses)
            compared.append(evolve(one, misses=misses))
        close = [one for one in compared if one.misses <= least + CLOSE]
        return sorted(close, key=lambda one: (one.misses, one.place, one.changed))


def _places(suspected: Sequence[str], coverage: LineCoverage) -> Mapping[str, int]:
    """Returns in which place each rule is suspected. Behind those that are come the others of their areas, and
    then any others that stand where the smallest history runs, the rare ones first."""
    areas = {rule.split("-")[1]: place for place, rule in reversed([*enumerate(suspected)])}
    defaults = rules_of_defaults()
    run = [rule for rule in all_rules().values() if rule.module in coverage.lines or rule.id in defaults]
    run.sort(key=lambda rule: (areas.get(rule.area, len(areas)), -rarity(rule.id)))
    of_reporting = {rule.id for rule in all_rules().values() if rule.module == REPORTING}
    ranked = dict.fromkeys((*suspected, *(rule.id for rule in run)))
    return {rule: place for place, rule in enumerate(ranked) if rule not in of_reporting}


def explanation_of(
    histories: Histories, suspected: Sequence[str], may_be: Callable[[str], bool]
) -> Explanation:
    """Returns the explanation. ``suspected`` are rules that may be broken, the most suspected first; no rule is
    named but one that ``may_be``."""
    return _Question.about(histories, suspected, ()).answer(may_be)


# --- In a process of its own ----------------------------------------------------------------------


def explained_in_child(
    histories: Histories,
    suspected: Sequence[str],
    may_be: Callable[[str], bool],
    patience: float = PATIENCE,
    without: Collection[str] = (),
) -> Explanation:
    """Returns the same, computed in a forked process, so that nothing is ever broken in this one. Nothing is
    explained if a process cannot be forked, or takes longer than ``patience``, in seconds of a processor.
    ``without`` are planted schedulers whose mistakes explain nothing."""
    question = _Question.about(
        histories, suspected, without
    )  # what it reads of the source is remembered here
    answers = run_in_child(lambda: [astuple(question.answer(may_be))], patience)
    if not answers.said:
        return Explanation()
    [(rules, vanish)] = answers.said
    return Explanation(tuple(rules), tuple(vanish))
