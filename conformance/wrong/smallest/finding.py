# SPDX-License-Identifier: Apache-2.0
"""Finding: the smallest history that shows a rule.

Of the histories of the suite in which the rule decides, the smallest ones are given to schedulers that break the
rule. One that such a scheduler decides otherwise is shrunk as long as it does so for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import evolve, frozen

from conformance.wrong import evidence
from conformance.wrong.forking import Forked
from conformance.wrong.profile import histories_of, suite_tests
from conformance.wrong.smallest.breakers import Breaker, breakers_of
from conformance.wrong.smallest.names import with_names
from conformance.wrong.smallest.shrinking import Shrinking, size_of
from refsched.errors import InputError
from refsched.mistakes.wrong import all_wrong
from refsched.releases import DEFAULT, release_of
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.catalogue.rules import StatedRule, all_rules
from refsched.suite.findings import Finding
from refsched.suite.histories.configuration import can_be_configured_for, configured_for
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import ANSWERS
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history
from refsched.suite.session.order_of_rules import by_cause
from refsched.tools.rulebook.examples import Example
from refsched.tools.rulebook.examples import example_of as example_of_rule

TIMEOUT = 10.0
"""Seconds for one answer."""

TRIED = 6
"""This many histories of a rule are given to one scheduler that may break it, the smallest ones; then"""
LARGER = 10
"""this many of the others, from small to large, since the smallest may add up nothing at all. Each to"""
BREAKERS = 6
"""this many such schedulers."""

STATED = 80
"""Histories that are given to a scheduler that is said to break the rule: the smallest, and others as above."""

SMALL = 4
"""A history of so few steps needs no second one beside it."""

Candidates = Mapping[str, Sequence[History]]
Json = dict[str, Any]


@frozen
class Difference:
    """A Difference is what the scheduler that breaks the rule does otherwise; ``says`` describes what is wrong
    in it."""

    breaker: str
    says: str
    finding: Finding


@frozen
class Found:
    """A Found is a history that shows the rule, and what a scheduler that breaks it does otherwise, if one was
    found."""

    rule: str
    history: History
    difference: Difference | None
    kubernetes: str = DEFAULT.name


def candidates(kubernetes: str = DEFAULT.name, rules: Collection[str] = ()) -> Candidates:
    """Returns, by rule, the smallest histories in which it decides, in this release, of the suite and of the
    examples that there are, and some larger ones. If rules are given, only those tests count that name one of
    them, or that find a scheduler which is said to break one."""
    about, finding = frozenset(rules), _tests_that_find(rules)
    found: dict[str, list[tuple[tuple[int, int], int, History]]] = {}
    number = 0
    with connect(f"{REFERENCE}:{kubernetes}") as adapter:
        for test in suite_tests():
            is_about = (
                not about
                or test.name in finding
                or (test.declared is not None and not about.isdisjoint(test.declared.rules))
            )
            for drawn in histories_of(test) if is_about and not test.recorded else ():
                history = _as_of(drawn, kubernetes)
                number += 1
                size = size_of(history)
                for rule in judged(adapter, history).decisive:
                    found.setdefault(rule, []).append((size, number, history))
        for example in (example_of_rule(rule) for rule in rules or all_rules()):
            if example is not None and example.kubernetes == kubernetes:
                number += 1
                for rule in judged(adapter, example.history).decisive:
                    found.setdefault(rule, []).append((size_of(example.history), number, example.history))
    return {
        rule: _some([history for *_, history in sorted(sized, key=lambda one: one[:2])], STATED - TRIED)
        for rule, sized in found.items()
    }


def _some(histories: Sequence[History], number: int) -> Sequence[History]:
    larger = histories[TRIED:]
    return [*histories[:TRIED], *larger[:: len(larger) // number + 1]]


def _tests_that_find(rules: Collection[str]) -> frozenset[str]:
    about = frozenset(rules)
    breaking = {wrong.name for wrong in all_wrong().values() if not about.isdisjoint(wrong.breaks)}
    rows = evidence.read().planted
    return frozenset(f"conformance.{row.test}" for name, row in rows.items() if name in breaking and row.rule)


def _as_of(history: History, kubernetes: str) -> History:
    """Returns the history as the user of another release writes it."""
    release = release_of(kubernetes)
    if kubernetes == DEFAULT.name or not can_be_configured_for(history.config, release):
        return history
    return evolve(history, config=configured_for(history.config, release), feature_gates={})


def judged(adapter: Adapter, history: History) -> Judgement:
    """Returns what happened, which is nothing if the history cannot be done."""
    try:
        return try_history(adapter, history)
    except (InputError, AdapterFault, ValueError):
        return Judgement(history)


def example_of(
    rule: StatedRule, histories: Sequence[History], kubernetes: str = DEFAULT.name
) -> Found | None:
    """Returns None if the rule decides in none of the histories."""
    if not histories:
        return None
    near: Breaker | None = None
    for breaker in breakers_of(rule)[:BREAKERS]:
        with _breaking(breaker, kubernetes) as adapter:
            telling = _telling(adapter, rule, histories, breaker) if adapter is not None else []
            if adapter is not None and any(_is_telling(finding, rule, breaker) for _, finding in telling):
                return _shrunk(adapter, breaker, rule, telling, kubernetes)
            near = near or (breaker if telling else None)
    if near is not None:
        return _decided_by(near, rule, histories, kubernetes)
    return _applied(rule, histories[:2], kubernetes)


def smaller(rule: StatedRule, example: Example) -> Found | None:
    """Returns the example that there is, made smaller where it can be, with the scheduler that it names.
    Returns None if that one does not decide it otherwise any more."""
    one, histories = example.broken, [example.history]
    if one is None:
        return _applied(rule, histories, example.kubernetes)
    for breaker in breakers_of(rule):
        if breaker.name == one.by:
            return _decided_by(breaker, rule, histories, example.kubernetes)
    return None


def _decided_by(
    breaker: Breaker, rule: StatedRule, histories: Sequence[History], kubernetes: str
) -> Found | None:
    """Returns None if the scheduler cannot start, or decides nothing otherwise."""
    with _breaking(breaker, kubernetes) as adapter:
        if adapter is None:
            return None
        telling = _telling(adapter, rule, histories, breaker)
        return _shrunk(adapter, breaker, rule, telling, kubernetes)


@contextmanager
def _breaking(breaker: Breaker, kubernetes: str) -> Iterator[Adapter | None]:
    """Yields the scheduler, in a process of its own, or None if it cannot even start."""
    try:
        adapter = Adapter(breaker.name, Forked(breaker.change, TIMEOUT), kubernetes)
    except AdapterFault:
        yield None
        return
    with adapter:
        yield adapter


Telling = list[tuple[History, Finding]]


def _is_telling(finding: Finding, rule: StatedRule, breaker: Breaker) -> bool:
    """Returns whether the finding shows this rule: whichever rule is suspected first, a scheduler that is said
    to break this one differs by breaking it."""
    return breaker.is_stated or finding.rule == rule.id


def _telling(adapter: Adapter, rule: StatedRule, histories: Sequence[History], breaker: Breaker) -> Telling:
    """Returns the first of these histories that the scheduler decides otherwise; of those that name the rule a
    second one too, unless the first one is small."""
    found: Telling = []
    for history in histories if breaker.is_stated else _some(histories, LARGER):
        finding = _difference(adapter, rule, history)
        if finding is not None:
            found.append((history, finding))
            if _is_telling(finding, rule, breaker):
                found = [one for one in found if _is_telling(one[1], rule, breaker)]
                if len(found) == 2 or size_of(history)[0] <= SMALL:
                    break
    return found[:2]


def _shrunk(
    adapter: Adapter, breaker: Breaker, rule: StatedRule, telling: Telling, kubernetes: str
) -> Found | None:
    found: list[Found] = []
    for history, finding in telling:
        shows = _shows_as(adapter, rule, finding, breaker)
        smallest = _named(Shrinking(history, shows).smallest(), shows)
        last = _difference(adapter, rule, smallest)
        if last is not None:
            difference = Difference(breaker.name, breaker.says, last)
            found.append(Found(rule.id, smallest, difference, kubernetes))
    return min(found, key=lambda one: size_of(one.history), default=None)


def _shows_as(
    adapter: Adapter, rule: StatedRule, first: Finding, breaker: Breaker
) -> Callable[[History], bool]:
    def shows(history: History) -> bool:
        found = _difference(adapter, rule, history)
        return (
            found is not None
            and _member(found) == _member(first)
            and (found.rule == first.rule or breaker.is_stated)
        )

    return shows


def _difference(adapter: Adapter, rule: StatedRule, history: History) -> Finding | None:
    """Returns what is found first in a history in which the rule decides. Returns None if nothing is found, or
    if the scheduler answers with an error."""
    judgement = judged(adapter, history)
    if rule.id not in judgement.decisive or any(one.rule == ANSWERS for one in judgement.findings):
        return None
    return min(judgement.findings, key=lambda one: _order(one, rule), default=None)


def _order(finding: Finding, rule: StatedRule) -> tuple[bool, tuple[int, int]]:
    return finding.rule != rule.id, by_cause(finding, 0)


def _member(finding: Finding) -> str:
    return finding.member.partition(".")[0]


def _named(history: History, shows: Callable[[History], bool]) -> History:
    renamed = with_names(history)
    return renamed if shows(renamed) else history


def _applied(rule: StatedRule, histories: Iterable[History], kubernetes: str) -> Found:
    """Returns the smallest history in which the rule decides something."""

    with connect(f"{REFERENCE}:{kubernetes}") as adapter:

        def shows(history: History) -> bool:
            judgement = judged(adapter, history)
            return rule.id in judgement.decisive and not judgement.findings

        smallest = [_named(Shrinking(history, shows).smallest(), shows) for history in histories]
    return Found(rule.id, min(smallest, key=size_of), None, kubernetes)
