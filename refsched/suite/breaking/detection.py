# SPDX-License-Identifier: Apache-2.0
"""Detection: whether breaking a rule would have changed what was compared.

A rule may be applied where any answer is right, or where another rule decides the same. It is kept only if the
specification, with this rule broken, disagrees with something that the scheduler did. At one of the places that
apply the rule each of its simplest breakings has to show so (simplest.py). Of a rule that has none, such as a row
of a table, any breaking will do.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from attrs import frozen

from refsched.mistakes.mutation import Place
from refsched.suite.breaking.breakings import Breaking, breakings_of_place, broken, places_of
from refsched.suite.breaking.child_process import answer, run_in_child
from refsched.suite.breaking.line_coverage import Function, rules_in, rules_named_in
from refsched.suite.breaking.mistakes import mistakes
from refsched.suite.breaking.replacing import Undo
from refsched.suite.breaking.rows import rows_of_defaults, rows_of_events, rows_of_transitions
from refsched.suite.breaking.simplest import simplest_of
from refsched.suite.catalogue.reasons import AROUND
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.findings import Comparison

BREAKINGS = 12
"""This many breakings of a rule are tried with each history."""

PATIENCE = 120.0
"""All rules of a process may take this many seconds of a processor, about ten times as many as they need. Rules
that were not tried by then are not exercised."""


CONFIGURATION = "reading.configuration."
"""These modules stand around the specification, and refuse a configuration by rules that can be broken too."""


@frozen
class Tried:
    """A Tried says in ``changes`` of each rule that was broken whether that changes what was compared in each
    history, in their order and as far as the first one in which it does. ``untried`` says of each other rule why
    not."""

    changes: Mapping[str, Sequence[bool]]
    untried: Mapping[str, str]


def changing(candidates: Mapping[str, Sequence[Comparison]]) -> Tried:
    """Breaks each rule, and compares these histories. A rule that cannot be broken in a running process, as an
    invariant, counts as changed by it. Where the process that breaks rules ends before its time, the rule that it
    was at is not tried, and another process goes on: what is broken may stay so where something was raised."""
    changes: dict[str, Sequence[bool]] = {}
    untried: dict[str, str] = {}
    left, patience = dict(candidates), PATIENCE
    while left:
        answers = run_in_child(partial(_changing, left), patience)
        changes.update((rule, found) for rule, found in answers.said[1:])
        at = len(answers.said) - 1
        if not answers.why:
            break
        patience -= answers.seconds
        given_up = list(left)[max(0, at) :]
        if at >= 0 and not answers.is_over and patience > 0:
            given_up = given_up[:1]
        untried.update(dict.fromkeys(given_up, answers.why))
        left = {rule: came for rule, came in left.items() if rule not in changes and rule not in untried}
    return Tried(changes, untried)


def _changing(candidates: Mapping[str, Sequence[Comparison]]) -> Iterator[object]:
    """Yields None once it can begin, and then each rule with its answers."""
    breakings = _Breakings()
    yield None
    for rule, came in candidates.items():
        yield rule, list(_until_changed(breakings, rule, came))


def _until_changed(breakings: _Breakings, rule: str, came: Iterable[Comparison]) -> Iterator[bool]:
    can_be_broken = next(breakings.of(rule), None) is not None
    for comparison in came:
        is_changed = not can_be_broken or _is_changed(breakings, rule, comparison)
        yield is_changed
        if is_changed:
            return


def _is_changed(breakings: _Breakings, rule: str, comparison: Comparison) -> bool:
    has_simplest = False
    for place in breakings.simplest(rule):
        answers = (answer for each in place if (answer := _answer(each, comparison)) is not None)
        first = next(answers, None)
        has_simplest = has_simplest or first is not None
        if first is False and not any(answers):
            return True
    return not has_simplest and any(_answer(each, comparison, False) is False for each in breakings.of(rule))


def _answer(breaking: Breaking, comparison: Comparison, if_raised: bool | None = None) -> bool | None:
    """Returns whether the specification that is broken so agrees, or None if it cannot be broken so. Returns
    ``if_raised`` if it raises, or does not come to an end."""
    with broken(breaking) as is_broken:
        return answer(comparison, if_raised) if is_broken else None


class _Breakings:
    """The _Breakings have by rule what breaks it: the mistakes of planted schedulers first, as they say which
    rules they break; then the rows of tables, and the places in the source to which the rule is the nearest one,
    or at least near."""

    def __init__(self) -> None:
        self._modules = tuple(specification_modules())
        self._ready: dict[str, list[Breaking]] = defaultdict(list)
        made: list[tuple[str, Callable[[], Undo | None]]] = [
            (rule, mistake) for mistake in mistakes() for rule in mistake.rules
        ]
        rows = (*rows_of_events(), *rows_of_defaults(), *rows_of_transitions(frozenset(all_rules())))
        for rule, breaks in (*made, *rows):
            self._ready[rule].append(Breaking((rule,), breaks))

    def of(self, rule: str) -> Iterator[Breaking]:
        """Yields what breaks the rule. An invariant stands beside the specification, and a scheduler that breaks
        it is seen without a comparison."""
        stated = all_rules().get(rule)
        is_of_specification = stated is not None and not stated.module.startswith("refsched.suite.")
        return islice(self._all_of(rule) if is_of_specification else iter(()), BREAKINGS)

    def simplest(self, rule: str) -> Iterator[Sequence[Breaking]]:
        """Yields the simplest breakings of the rule, place by place."""
        for module in self._naming(rule):
            yield from simplest_of(module).get(rule, ())

    def _all_of(self, rule: str) -> Iterator[Breaking]:
        yield from self._ready[rule]
        near: list[tuple[Function, Place]] = []
        far: list[tuple[Function, Place]] = []
        for module in self._naming(rule):
            for place in places_of(module):
                function = Function(module, place.function)
                rules = rules_in(function, place.first)
                if rule in rules:
                    (near if rule == rules[0] else far).append((function, place))
        for function, place in (*near, *far):
            yield from breakings_of_place(function, place, (rule,))

    def _naming(self, rule: str) -> Iterator[str]:
        return (module for module in self._modules if rule in rules_named_in(module))


def specification_modules() -> Iterator[str]:
    """Yields the modules of the specification that are imported."""
    for name in sorted(sys.modules):
        package, _, within = name.partition(".")
        is_around = within.partition(".")[0] in AROUND and not within.startswith(CONFIGURATION)
        if package == "refsched" and "." in within and not is_around:
            yield name
