# SPDX-License-Identifier: Apache-2.0
"""Explaining: which rule's breaking gives what was seen.

When a test has failed, the specification is broken in one place after another, and asked each time whether it
agrees with what the scheduler did: in the smallest history that shows the failure, in others that showed
something, and in those in which nothing was wrong. A breaking that agrees with all of them is most likely the
scheduler's own mistake, and the rule that stands at its place is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import log10

from attrs import astuple, evolve, frozen

from refsched.rules import listening
from refsched.suite.breaking.breakings import Breaking, breakings_of, broken
from refsched.suite.breaking.child_process import agrees, run_in_child
from refsched.suite.breaking.line_coverage import LineCoverage, coverage_of
from refsched.suite.breaking.replacing import forget
from refsched.suite.breaking.rows import rules_of_defaults
from refsched.suite.catalogue.rules import all_rules, plugin_of
from refsched.suite.catalogue.suspicion import rarity
from refsched.suite.histories.findings import Comparison

WORK = 70_000
"""So many records of the smallest history are compared at most with what broken specifications do. What it takes
to break one counts as many as ``TO_BREAK``."""

TO_BREAK = 30

WORK_BEHIND = 80_000
"""So many records of the other histories are."""

MOST_TRIED = 60
"""So many breakings that agree with the smallest history are tried with the others."""

MOST_OF_A_PLACE = 5
"""So many of them that break the same rules."""

AT_ONCE = 3
"""After so many of the other histories what agrees with too few is left out."""

PATIENCE = 60.0
"""After so many seconds of a processor nothing is explained: this is about six times as many as the work takes. It
is the work that bounds an explanation; a slow machine, or what other programs do, does not decide which rule is
named."""

ENOUGH = 0.6
"""A breaking must agree with this share of the histories."""

OF_AREA = 0.2
"""How much a rule is suspected of the area of a suspected one, compared with that one."""

OF_ANY = 0.01
"""How much any other rule is suspected that is applied in the smallest history, and half as much one that stands
in a module of the specification that it runs."""

OF_RARE = 0.5
"""How much less a rule is suspected that every history applies, of those of an area and of any others."""

OF_NEEDED = 0.1
"""How much a rule is suspected that is applied in the smallest history and in no other: it is needed to show the
failure."""

WEIGHED = "R-FRAMEWORK-14"
"""Where this rule is suspected, so are the weights of the plugins that are enabled by default."""

NEAREST = 4
"""So many rules of a place are those that its breaking may break."""

NEAR = 0.06
"""A breaking that agrees, or counts, by so much less is named beside the best one."""

ALIKE = 0.004
"""The most suspected rule stays the first one if it counts by so much less."""

OF_A_ROW = 0.01
"""A row of a table that is led elsewhere or left out counts by so much less, since that explains almost
anything."""

LEAST = 0.001
"""No rule is suspected less."""

FARTHER = 0.005
"""A rule counts by so much less for each rule that is nearer to what is broken."""

TENTH = 0.01
"""A rule that is suspected a tenth as much counts by so much less."""

CHANGED = 0.001
"""A breaking counts by so much less for each rule that is applied with it and not without it, or the other way
round."""


@frozen
class Histories:
    """Histories are what a scheduler did in the ``smallest`` history that shows a failure, in ``others`` of the
    same test and near it, and, ``besides``, in the smallest history of each other failure of the test."""

    smallest: Comparison
    others: Sequence[Comparison] = ()
    besides: Sequence[Comparison] = ()


@frozen
class Explanation:
    """An Explanation names ``rules``, while one of which is broken the specification agrees with a ``share`` of
    the histories; it agrees with about as many for the first ``alike`` of them. ``vanish`` says of each other
    failure whether it is none for the specification that is broken in the best way."""

    rules: tuple[str, ...] = ()
    share: float = 0.0
    alike: int = 0
    vanish: tuple[bool, ...] = ()


@frozen
class _Tried:
    """A _Tried is a breaking that agrees with this share of the histories. ``changed`` counts the rules that are
    applied in the smallest history with it and not without it, or the other way round."""

    breaking: Breaking
    share: float
    changed: int


@frozen
class _Question:
    """A _Question is what is to be explained, with the breakings that may explain it, the most suspected first."""

    histories: Histories
    value: Mapping[str, float]
    applied: Collection[str]
    breakings: Iterator[Breaking]

    @classmethod
    def about(cls, histories: Histories, suspected: Sequence[str], without: Collection[str]) -> _Question:
        forget()  # so that what reads the objects is seen, too
        coverage = coverage_of(lambda: agrees(histories.smallest))
        value = _values(suspected, coverage)
        found = breakings_of(coverage, lambda rule: value.get(rule, 0.0), without)
        return cls(histories, value, coverage.applied, found)

    def answer(self, may_be: Callable[[str], bool]) -> Explanation:
        """Returns the explanation. Nothing is explained if the specification agrees as it is, since it does not
        see the failure."""
        if agrees(self.histories.smallest):
            return Explanation()
        tried = self._compared(self._that_show_it())
        found = _best(tried, self.value, may_be)
        if not found.rules or found.share < ENOUGH:
            return found
        return evolve(found, vanish=self._vanish(tried, found))

    def _vanish(self, tried: Sequence[_Tried], found: Explanation) -> tuple[bool, ...]:
        """Returns whether each other failure vanishes. Of all breakings of the rule that is named first, the one
        that agrees with most histories is asked."""
        best = max(
            (one for one in tried if found.rules[0] in one.breaking.rules),
            key=lambda one: (one.share, -one.changed),
        )
        with broken(best.breaking):
            return tuple(agrees(one) for one in self.histories.besides)

    def _that_show_it(self) -> list[_Tried]:
        """Returns the breakings that agree with the smallest history."""
        found: list[_Tried] = []
        left = WORK
        places: Counter[tuple[str, ...]] = Counter()
        for breaking in self.breakings:
            if places[breaking.rules] == MOST_OF_A_PLACE:
                continue
            left -= TO_BREAK + self.histories.smallest.records
            if left < 0 or len(found) == MOST_TRIED:
                break
            heard: dict[str, None] = {}
            with broken(breaking) as is_broken, listening(heard.setdefault):
                if is_broken and agrees(self.histories.smallest):
                    found.append(_Tried(breaking, 1.0, len(heard.keys() ^ set(self.applied))))
                    places[breaking.rules] += 1
        return found

    def _compared(self, tried: list[_Tried]) -> list[_Tried]:
        """Returns those of them that agree with enough of the other histories, and with about as many as the best
        one, and with how many they agree. The histories are tried a few at a time, the shortest first, until the
        work that is left is not enough to try all of them."""
        missed, seen, left = dict.fromkeys(range(len(tried)), 0), 1, WORK_BEHIND
        others = sorted(self.histories.others, key=lambda other: other.records)
        for first in range(0, len(others), AT_ONCE):
            some = others[first : first + AT_ONCE]
            left -= len(missed) * sum(other.records for other in some)
            if left < 0:
                break
            for number in missed:
                with broken(tried[number].breaking):
                    missed[number] += sum(not agrees(other) for other in some)
            seen += len(some)
            least = min(missed.values(), default=0)
            bound = min(least + max(1.0, NEAR * seen), (1 - ENOUGH) * (1 + len(others)))
            missed = {number: misses for number, misses in missed.items() if misses <= bound}
        return [evolve(tried[number], share=1 - misses / seen) for number, misses in missed.items()]


def _values(suspected: Sequence[str], coverage: LineCoverage) -> Mapping[str, float]:
    """Returns how much each rule is suspected. A row of a plugin's events is near the plugin's other rules, and
    every other rule is near those of its area. Of rules that are near one, the rare ones are suspected more."""
    areas: dict[str, float] = {}
    plugins: dict[str | None, float] = {}
    for place, rule in enumerate(suspected):
        areas.setdefault(rule.split("-")[1], OF_AREA / (1 + place))
        plugins.setdefault(plugin_of(rule), OF_AREA / (1 + place))
    defaults = rules_of_defaults()
    weighed = areas["FRAMEWORK"] if WEIGHED in suspected else 0.0
    value: dict[str, float] = {}
    for rule, stated in all_rules().items():
        area = rule.split("-")[1]
        is_run = stated.module in coverage.lines and area != "CURE"
        is_rare = rarity(rule) / rarity("")
        any_ = OF_ANY if rule in coverage.applied or rule in defaults else OF_ANY / 2 if is_run else 0.0
        near = plugins.get(plugin_of(rule)) if area == "CURE" else areas.get(area)
        near = weighed if rule in defaults else near
        value[rule] = max(near or 0.0, any_) * (OF_RARE + (1 - OF_RARE) * is_rare)
        if rule in coverage.applied:
            value[rule] = max(value[rule], near or 0.0, OF_NEEDED * is_rare**2)
    return value | {rule: 1.0 / (1 + place) for place, rule in enumerate(suspected)}


def explanation_of(
    histories: Histories, suspected: Sequence[str], may_be: Callable[[str], bool]
) -> Explanation:
    """Returns the explanation. ``suspected`` are rules that may be broken, the most suspected first; no rule is
    named but one that ``may_be``."""
    return _Question.about(histories, suspected, ()).answer(may_be)


def _best(tried: Sequence[_Tried], value: Mapping[str, float], may_be: Callable[[str], bool]) -> Explanation:
    """Returns the explanation by the rules whose breakings agree with most histories; of rules whose breakings
    agree with about as many, a suspected one whose breaking changes little comes first. What has many callers is
    suspected less, as it would show in more."""
    best: dict[str, float] = {}
    for one in tried:
        far = CHANGED * one.changed + (OF_A_ROW if one.breaking.where is None else 0.0)
        for place, rule in enumerate([rule for rule in one.breaking.rules if may_be(rule)][:NEAREST]):
            suspected = max(value.get(rule, 0.0), LEAST) / one.breaking.callers
            score = one.share - far - FARTHER * place + TENTH * log10(suspected)
            best[rule] = max(score, best.get(rule, score))
    ranked = sorted(best, key=lambda rule: (-best[rule], rule))
    most = max(best.values(), default=0.0)
    near = tuple(rule for rule in ranked if best[rule] > most - NEAR)
    share = max((one.share for one in tried), default=0.0)
    return Explanation(near, share, sum(best[rule] > most - ALIKE for rule in near))


def named(explanation: Explanation, suspected: Sequence[str]) -> tuple[str, ...]:
    """Returns the rules to name. The most suspected one stays first if it explains about as much as the best one,
    or if no breaking agrees with enough."""
    rules = explanation.rules
    if explanation.share < ENOUGH or suspected[0] in rules[: explanation.alike]:
        rules = (suspected[0], *(rule for rule in rules if rule != suspected[0]))
    return tuple(dict.fromkeys((*rules[:2], *suspected)))


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
    [(rules, share, alike, vanish)] = answers.said
    return Explanation(tuple(rules), share, alike, tuple(vanish))
