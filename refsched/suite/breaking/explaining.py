# SPDX-License-Identifier: Apache-2.0
"""Explaining: a failure is explained by the rule whose breaking gives what was seen.

When a test has failed, the specification is broken in one place after another, and asked each time whether it
agrees with what the scheduler did: in the smallest history that shows the failure, and then in others of the same
test, in most of which nothing was wrong. The most suspected rules are broken first, until a breaking agrees with
all that was seen, or ``WORK`` is done. The breaking that agrees with most histories is most likely the scheduler's
own mistake; of those that agree with as many it is that of the most suspected rule, and then the one that changes
least what is applied. The rules that stand at its place are named.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from attrs import Factory, astuple, define, frozen

from refsched.rules import listening
from refsched.suite.breaking.breakings import REPORTING, Breaking, breakings_of, broken
from refsched.suite.breaking.child_process import agrees, run_in_child
from refsched.suite.breaking.line_coverage import LineCoverage, coverage_of
from refsched.suite.breaking.replacing import forget
from refsched.suite.breaking.rows import rules_of_defaults
from refsched.suite.catalogue.rarity import rarity
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.findings import Comparison

WORK = 150_000
"""This many records are compared at most, a half of them of the smallest history. Breaking the specification once
counts as ``TO_BREAK`` records, as it takes about as long. The work is bounded, and not the time, so that a slow
machine does not decide which rule is named."""

TO_BREAK = 30

ENOUGH = 0.6
"""A breaking must agree with this share of the histories, or nothing is explained: a scheduler that makes two
mistakes agrees with no breaking in all of them."""

CLOSE = 2
"""What agrees with all but this many histories of those with which the best one agrees is named behind it."""

PATIENCE = 120.0
"""After this many seconds of a processor, about four times as many as the work takes a slow one, nothing is
explained."""


@frozen
class Histories:
    """Histories are what a scheduler did in the ``smallest`` history that shows a failure, in ``others`` of the
    same test and near it, and, ``besides``, in the smallest history of each other failure of the test."""

    smallest: Comparison
    others: Sequence[Comparison] = ()
    besides: Sequence[Comparison] = ()


@frozen
class FailureExplanation:
    """A FailureExplanation names ``rules``, the most likely first: while the first one is broken the specification
    agrees with almost all histories that were compared. ``vanish`` says of each other failure whether it is none
    for the specification that is broken so. Without rules nothing is explained. ``records`` is how many were
    compared."""

    rules: tuple[str, ...] = ()
    vanish: tuple[bool, ...] = ()
    records: int = 0


@frozen
class _Tried:
    """A _Tried is a breaking that agrees with the smallest history, and not with ``misses`` of the others.
    ``place`` is that of its rule in the order of suspicion; in the smallest history ``changed`` rules are applied
    with it and not without it, or the other way round."""

    breaking: Breaking
    place: int
    changed: int
    misses: int


@define
class _Work:
    """A _Work is how many records may still be compared: of the smallest history, and of others."""

    to_break: int = Factory(lambda: WORK // 2)
    to_compare: int = Factory(lambda: WORK // 2)

    @property
    def is_over(self) -> bool:
        return self.to_break < 0 or self.to_compare < 0

    @property
    def done(self) -> int:
        return WORK - self.to_break - self.to_compare


@frozen
class _Question:
    """A _Question is what is to be explained, with the breakings that may explain it, the most suspected first.
    ``others`` are the other histories, of which those that distinguished breakings before come first."""

    histories: Histories
    others: list[Comparison]
    places: Mapping[str, int]
    applied: Collection[str]
    breakings: tuple[Iterator[Breaking], ...]
    work: _Work = Factory(_Work)

    @classmethod
    def about(cls, histories: Histories, suspected: Sequence[str], without: Collection[str]) -> _Question:
        forget()  # so that what reads the objects is seen, too
        coverage = coverage_of(histories.smallest.agrees)
        places = _places(suspected, coverage)
        shortest_first = sorted(histories.others, key=lambda other: other.records)
        breakings = breakings_of(coverage, places, without)
        return cls(histories, shortest_first, places, coverage.applied, breakings)

    def answer(self, may_be: Callable[[str], bool]) -> FailureExplanation:
        """Returns the explanation. Nothing is explained if the specification agrees as it is, since it does not
        see the failure."""
        if agrees(self.histories.smallest):
            return FailureExplanation()
        tried = self._tried(may_be)
        rules = tuple(dict.fromkeys(rule for one in tried for rule in one.breaking.rules if may_be(rule)))
        if not rules:
            return FailureExplanation(records=self.work.done)
        best = next(one for one in tried if rules[0] in one.breaking.rules)
        with broken(best.breaking):
            vanish = tuple(agrees(one) for one in self.histories.besides)
        return FailureExplanation(rules, vanish, self.work.done)

    def _tried(self, may_be: Callable[[str], bool]) -> list[_Tried]:
        """Returns the breakings that agree with the smallest history and with enough of the others, the best
        first. Once one agrees with all of them, no less suspected rule is broken: it cannot be better."""
        most = (1 - ENOUGH) * len(self.others) + CLOSE
        last = len(self.places)
        found: list[_Tried] = []
        for breakings in self.breakings:
            for breaking in breakings:
                if self.places[breaking.rules[0]] > last or self.work.is_over:
                    break
                one = self._compared(breaking, most)
                if one is not None and any(map(may_be, breaking.rules)):
                    found.append(one)
                    most = min(most, one.misses + CLOSE)
                    last = last if one.misses else min(last, one.place)
        close = [one for one in found if one.misses <= most]
        return sorted(close, key=lambda one: (one.misses, one.place, one.changed))

    def _compared(self, breaking: Breaking, most: float) -> _Tried | None:
        """Returns with how many of the other histories the breaking does not agree, or None if these are more than
        ``most``, or if it does not agree with the smallest one."""
        smallest, heard = self.histories.smallest, dict[str, None]()
        self.work.to_break -= TO_BREAK + smallest.records
        with broken(breaking) as is_broken:
            with listening(heard.setdefault):
                shows_it = is_broken and agrees(smallest)
            missed = self._missed(most) if shows_it else []
        if not shows_it or len(missed) > most:
            return None
        changed = len(heard.keys() ^ set(self.applied))
        return _Tried(breaking, self.places[breaking.rules[0]], changed, len(missed))

    def _missed(self, most: float) -> list[Comparison]:
        """Returns the other histories with which the specification, as it is now, does not agree, up to one more
        than ``most``. What distinguished one breaking likely distinguishes the next one, and is compared first."""
        missed: list[Comparison] = []
        for other in self.others:
            self.work.to_compare -= other.records
            if not agrees(other):
                missed.append(other)
                if len(missed) > most:
                    break
        self.others.sort(key=lambda other: not any(other is one for one in missed))
        return missed


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
) -> FailureExplanation:
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
) -> FailureExplanation:
    """Returns the same, computed in a forked process, so that nothing is ever broken in this one. Nothing is
    explained if a process cannot be forked, or takes longer than ``patience``, in seconds of a processor.
    ``without`` are planted schedulers whose mistakes explain nothing."""
    question = _Question.about(
        histories, suspected, without
    )  # what it reads of the source is remembered here
    answers = run_in_child(lambda: [astuple(question.answer(may_be))], patience)
    if not answers.said:
        return FailureExplanation(records=WORK)
    [(rules, vanish, records)] = answers.said
    return FailureExplanation(tuple(rules), tuple(vanish), records)
