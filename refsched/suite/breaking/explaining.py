# SPDX-License-Identifier: Apache-2.0
"""Explaining: which rule's breaking gives what was seen.

When a test has failed, the specification is broken in one place after another, and asked each time whether it
agrees with what the scheduler did: in the smallest history that shows the failure, in others that showed
something, and in those in which nothing was wrong. A breaking that agrees with all of them is most likely the
scheduler's own mistake, and the rule that stands at its place is named.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from attrs import frozen

from refsched.rules import listening
from refsched.suite.breaking.breakings import Breaking, breakings_of, broken
from refsched.suite.breaking.course import Course, course_of
from refsched.suite.breaking.rows import rules_of_defaults
from refsched.suite.catalogue.rules import all_rules, plugin_of
from refsched.suite.catalogue.suspicion import rarity
from refsched.suite.histories.findings import Comparison

WORK = 15_000
"""So many records are compared at most with what a broken specification does, over all breakings."""

SECONDS = 0.5
"""Of a processor, for one history and one breaking."""

PATIENCE = 60.0
"""Seconds after which nothing is explained."""

ENOUGH = 0.6
"""The share of the histories that a breaking must agree with."""

OF_AREA = 0.2
"""How much a rule is suspected of the area of a suspected one, compared with that one."""

OF_ANY = 0.01
"""How much any other rule is suspected that is applied in the smallest history, and half as much one that stands
in a module of the specification that it runs."""

OF_RARE = 0.5
"""How much less a rule is suspected that every history applies, of those of an area and of any others."""

FARTHER = 0.15
"""Where a breaking agrees with everything, others are tried that are suspected this much as much, with half of the
work."""

WEIGHED = "R-FRAMEWORK-14"
"""Where this rule is suspected, so are the weights of the plugins that are enabled by default."""

NEAREST = 4
"""So many rules of a place are those that its breaking may break."""

NEAR = 0.06
"""By how much less a breaking may agree that is named beside the best one."""

ALIKE = 0.02
"""By how much less it may agree where the most suspected rule stays the first one."""

OF_A_ROW = 0.02
"""By how much less a row of a table counts that is led elsewhere or left out, as that explains whatever it is."""


@frozen
class Explanation:
    """``share`` is the share of histories with which the specification agrees while one of ``rules`` is broken; it
    agrees with about as many for so many of them as are ``alike``."""

    rules: tuple[str, ...] = ()
    share: float = 0.0
    alike: int = 0


@frozen
class _Tried:
    """A breaking that agrees with this share of the histories. ``changed`` counts the rules that are applied in
    the smallest history with it and not without it, or the other way round."""

    breaking: Breaking
    share: float
    changed: int


@frozen
class _Question:
    """What is to be explained, and the breakings that may, the most suspected first."""

    shown: Comparison
    others: Sequence[Comparison]
    value: Mapping[str, float]
    applied: Collection[str]
    breakings: Iterator[Breaking]

    @classmethod
    def about(cls, shown: Comparison, others: Sequence[Comparison], suspected: Sequence[str]) -> _Question:
        course = course_of(lambda: _agrees(shown))
        value = _values(suspected, course)
        found = breakings_of(course, lambda rule: value.get(rule, 0.0))
        return cls(shown, others, value, course.applied, found)

    def answer(self, may_be: Callable[[str], bool]) -> Explanation:
        """Nothing is explained where the specification agrees as it is: it does not see the failure."""
        if _agrees(self.shown):
            return Explanation()
        tried: list[_Tried] = []
        left, least, most = WORK, 0.0, 0.0
        settled: set[tuple[str, ...]] = set()
        for breaking in self.breakings:
            if left <= 0 or breaking.value < least:
                break
            if breaking.rules in settled:
                continue
            left -= 10 + self.shown.records
            with broken(breaking) as is_broken:
                heard: dict[str, None] = {}
                with listening(heard.setdefault):
                    if not is_broken or not _agrees(self.shown):
                        continue
                share, work = self._share(max(ENOUGH, most - NEAR))
                left, most = left - work, max(most, share)
            tried.append(_Tried(breaking, share, len(heard.keys() ^ set(self.applied))))
            if share == 1.0 and breaking.where is not None:
                left, least = min(left, WORK // 2), max(least, breaking.value * FARTHER)
                settled.add(breaking.rules)
        return _best(tried, self.value, may_be)

    def _share(self, least: float) -> tuple[float, int]:
        """Of all histories, and how many records were compared. What agrees with less than the ``least`` share
        explains nothing."""
        missed, work = 0, 0
        for other in self.others:
            work += other.records
            missed += not _agrees(other)
            if missed > (1 - least) * (1 + len(self.others)):
                return 0.0, work
        return 1 - missed / (1 + len(self.others)), work


def _values(suspected: Sequence[str], course: Course) -> Mapping[str, float]:
    """How much each rule is suspected. A row of a plugin's events is near the plugin's other rules, and every
    other rule is near those of its area. Of rules that are near one, the rare ones are suspected more."""
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
        is_run = stated.module in course.lines and area != "CURE"
        any_ = OF_ANY if rule in course.applied or rule in defaults else OF_ANY / 2 if is_run else 0.0
        near = plugins.get(plugin_of(rule)) if area == "CURE" else areas.get(area)
        near = weighed if rule in defaults else near
        value[rule] = max(near or 0.0, any_) * (OF_RARE + (1 - OF_RARE) * rarity(rule) / rarity(""))
    return value | {rule: 1.0 / (1 + place) for place, rule in enumerate(suspected)}


def explanation_of(
    shown: Comparison, others: Sequence[Comparison], suspected: Sequence[str], may_be: Callable[[str], bool]
) -> Explanation:
    """``shown`` is the smallest history that shows a failure. ``suspected`` are rules that may be broken, the most
    suspected first; no rule is named but one that ``may_be``."""
    return _Question.about(shown, others, suspected).answer(may_be)


def _best(tried: Sequence[_Tried], value: Mapping[str, float], may_be: Callable[[str], bool]) -> Explanation:
    """Of rules whose breakings agree with as much, that one comes first whose breaking changes least, and then the
    most suspected one: less, where what is broken has many callers, as it would show in more."""
    best: dict[str, tuple[float, int, float]] = {}
    for one in tried:
        for place, rule in enumerate([rule for rule in one.breaking.rules if may_be(rule)][:NEAREST]):
            suspected = value.get(rule, 0.0) / one.breaking.callers
            farther = 0.01 * place + (OF_A_ROW if one.breaking.where is None else 0.0)
            rank = -(one.share - farther), one.changed, -suspected
            best[rule] = min(rank, best.get(rule, rank))
    share = -min(best.values(), default=(0.0,))[0]
    near = [rule for rule in best if -best[rule][0] > share - NEAR]
    ranked = tuple(sorted(near, key=lambda rule: (best[rule], rule)))
    return Explanation(ranked, share, sum(-best[rule][0] > share - ALIKE for rule in ranked))


def named(explanation: Explanation, suspected: Sequence[str]) -> tuple[str, ...]:
    """The rules to name, the first one first. The most suspected one stays where it explains about as much as the
    best one, or where no breaking agrees with enough."""
    rules = explanation.rules
    if explanation.share < ENOUGH or suspected[0] in rules[: explanation.alike]:
        rules = (suspected[0], *(rule for rule in rules if rule != suspected[0]))
    return tuple(dict.fromkeys((*rules[:2], *suspected)))


def _agrees(comparison: Comparison) -> bool:
    try:
        with _limited():
            return comparison.agrees()
    except Exception:
        return False


class _TooLongError(Exception):
    pass


@contextmanager
def _limited() -> Iterator[None]:
    """A broken specification may never come to an end."""

    def late(number: int, frame: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# --- In a process of its own ----------------------------------------------------------------------


def explained_apart(
    shown: Comparison,
    others: Sequence[Comparison],
    suspected: Sequence[str],
    may_be: Callable[[str], bool],
    patience: float = PATIENCE,
) -> Explanation:
    """The same, in a process that parts from this one: here nothing is ever broken. Nothing is explained where a
    process cannot part, or takes longer than ``patience``, in seconds."""
    if not hasattr(os, "fork"):
        return Explanation()
    question = _Question.about(shown, others, suspected)  # what this reads of the source is remembered here
    answers, says = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not need
        pid = os.fork()
    if not pid:
        _answer(says, lambda: question.answer(may_be))
    os.close(says)
    try:
        said = json.loads(_read(answers, patience) or b"[[], 0, 0]")
    finally:
        os.close(answers)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return Explanation(tuple(said[0]), said[1], said[2])


def _answer(says: int, explain: Callable[[], Explanation]) -> Any:
    """In the child, which does not come back."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        found = explain()
        os.write(says, json.dumps([found.rules, found.share, found.alike]).encode())
    finally:
        os._exit(0)


def _read(answers: int, patience: float) -> bytes:
    """All that comes before the end, or before the patience is over."""
    deadline = time.monotonic() + patience
    said = b""
    while select.select([answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
        more = os.read(answers, 4096)
        if not more:
            return said
        said += more
    return b""
