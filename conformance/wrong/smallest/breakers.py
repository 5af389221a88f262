# SPDX-License-Identifier: Apache-2.0
"""Breakers: schedulers that break one rule: planted ones, one without a row of a table, and mutants near the rule.

A planted scheduler or a mutant is near a rule if it changes a function in which the rule is applied, or that
states it; the nearer its lines are to those where the rule is applied, the earlier it is tried.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from attrs import evolve, frozen

from conformance.wrong.forking import import_again
from conformance.wrong.mutants import change_to, source_of
from refsched.framework.events import EventHint
from refsched.mistakes.mutation import Mutant, mutants_of
from refsched.mistakes.planting import replacing
from refsched.mistakes.wrong import WrongScheduler, all_wrong
from refsched.queue.hint_table import event_rule
from refsched.queue.transitions import Place, Transition, Transitions
from refsched.suite.breaking.replacing import forget
from refsched.suite.breaking.simplest import functions_in
from refsched.suite.catalogue.rules import TRANSITIONS_OF, StatedRule, default_plugins

CALLED = 1000
"""How far away a function is that a function of the rule calls."""

STATED = -4
"""How far away a scheduler is that is said to break the rule: nearer than any other."""

_WAITS = (Place.UNSCHEDULABLE, Place.ACTIVE, Place.BACKOFF)


@frozen
class Breaker:
    """A Breaker is a scheduler that may break a rule: ``says`` is what it does, and ``change`` makes it one, in
    a process of its own. ``distance`` is that from the place where the rule is applied, in lines;
    ``is_planted`` says that a person has described it."""

    name: str
    says: str
    change: Callable[[], None]
    distance: int
    is_planted: bool = False

    @property
    def is_stated(self) -> bool:
        """Returns whether it is said to break the rule, or is made by changing the row that is the rule."""
        return self.distance == STATED


def breakers_of(rule: StatedRule) -> list[Breaker]:
    """Returns the nearest first; of equally near ones those that a person has described."""
    found = [*_without_events(rule), *_without_transition(rule)]
    if not found:
        sites = sites_of(rule)
        found = [*_stated(rule), *_planted(rule, sites), *_mutants(rule, sites)]
    return sorted(found, key=lambda one: (one.distance // 4, not one.is_planted))


# --- Rows of tables -------------------------------------------------------------------------------


def _without_events(rule: StatedRule) -> Iterator[Breaker]:
    for plugin in default_plugins():
        for row in getattr(plugin, "EVENTS", ()):
            if event_rule(plugin.name, row.resource, row.action) == rule.id:
                yield Breaker(
                    f"without-{rule.id}",
                    f"It does not ask {plugin.name} whether this event requeues the pod.",
                    partial(_remove_event, type(plugin), row),
                    STATED,
                    is_planted=True,
                )


def _remove_event(plugin: Any, row: EventHint) -> None:
    plugin.EVENTS = tuple(each for each in plugin.EVENTS if each is not row)
    forget()


def _without_transition(rule: StatedRule) -> Iterator[Breaker]:
    for table in TRANSITIONS_OF.values():
        for row in table:
            if row.rule == rule.id:
                for place in _WAITS:
                    if place is not row.goes_to:
                        changed = evolve(row, goes_to=place)
                        yield Breaker(
                            f"{rule.id}-{place.name.lower()}",
                            f"The pod becomes {place.value} instead of {row.goes_to.value}.",
                            partial(_replace_row, table, changed),
                            STATED,
                            is_planted=True,
                        )


def _replace_row(table: Transitions, row: Transition) -> None:
    table._rows[row.place, row.occurrence] = row


# --- Where a rule is applied ----------------------------------------------------------------------


@frozen
class Sites:
    """``lines`` are those at which a rule is applied, and by function those that it spans and how far away it
    is."""

    lines: tuple[int, ...]
    functions: Mapping[str, tuple[int, int, int]]

    def distance(self, first: int, last: int) -> int:
        """Returns how far these lines are from those at which the rule is applied."""
        inside = [far for begin, end, far in self.functions.values() if begin <= first and last <= end]
        if not inside:
            return -1
        near = [abs(line - first) for line in self.lines]
        return min(inside) + min(near, default=50)


@cache
def sites_of(rule: StatedRule) -> Sites:
    """Returns where the module of the rule names it."""
    tree = ast.parse(source_of(rule.module))
    named = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _says(node.value, rule.id)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    lines = {
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Call) and _says(node, rule.id))
        or (isinstance(node, ast.Name) and node.id in named and isinstance(node.ctx, ast.Load))
    }
    functions: dict[str, tuple[int, int, int]] = {}
    all_functions = dict(functions_in(tree))
    for name, node in all_functions.items():
        if name == rule.place or any(node.lineno <= line <= _end(node) for line in lines):
            functions[name] = (node.lineno, _end(node), 0)
    for name in list(functions):
        for called in ast.walk(all_functions[name]):
            if isinstance(called, ast.Name | ast.Attribute):
                end = called.id if isinstance(called, ast.Name) else called.attr
                for other, node in all_functions.items():
                    if other.rpartition(".")[2] == end:
                        functions.setdefault(other, (node.lineno, _end(node), CALLED))
    return Sites(tuple(sorted(lines)), functions)


def _says(node: ast.AST, rule: str) -> bool:
    return any(isinstance(one, ast.Constant) and one.value == rule for one in ast.walk(node))


def _end(node: ast.FunctionDef) -> int:
    return node.end_lineno or node.lineno


# --- Planted schedulers ---------------------------------------------------------------------------


def _planted(rule: StatedRule, sites: Sites) -> Iterator[Breaker]:
    source = source_of(rule.module)
    for wrong in all_wrong().values():
        if wrong.module == rule.module and source.count(wrong.before) == 1:
            first = source[: source.index(wrong.before)].count("\n") + 1
            distance = sites.distance(first, first + wrong.before.rstrip("\n").count("\n"))
            if distance >= 0:
                yield Breaker(wrong.name, wrong.says, partial(_plant, wrong), distance, True)


def _stated(rule: StatedRule) -> Iterator[Breaker]:
    """Yields those that are said to break the rule, wherever their edit is, come before all others; of these
    first those that break few other rules."""
    for wrong in sorted(all_wrong().values(), key=lambda wrong: len(wrong.breaks)):
        source = source_of(wrong.module)
        if rule.id in wrong.breaks and source.count(wrong.before) == 1:
            yield Breaker(wrong.name, wrong.says, partial(_plant, wrong), STATED, True)


def _plant(wrong: WrongScheduler) -> None:
    import_again({wrong.module: replacing(wrong.before, wrong.after)})


# --- Mutants --------------------------------------------------------------------------------------


def _mutants(rule: StatedRule, sites: Sites) -> Iterator[Breaker]:
    for mutant in _mutants_in(rule.module):
        distance = -1 if mutant.place.always else sites.distance(mutant.place.first, mutant.place.last)
        if distance >= 0:
            yield Breaker(
                mutant.name,
                sentence_of(mutant),
                partial(_mutate, mutant),
                distance,
            )


@cache
def _mutants_in(module: str) -> tuple[Mutant, ...]:
    return tuple(mutants_of(module, source_of(module)))


def _mutate(mutant: Mutant) -> None:
    import_again({mutant.module: change_to(mutant)})


# --- What a mutant does wrong, for people who read no syntax trees ---------------------------------

_LOOP = re.compile(r"(?:^| )for .+? in (?P<over>.+?)(?:: …| if .*)?$")
_GUARD = re.compile(r"^(?:if|while) (?P<condition>.+): …$")


def sentence_of(mutant: Mutant) -> str:
    """Describes the mutant; the text of the specification stands between backticks."""
    before, _, after = mutant.diff.partition("  →  ")
    guard, loop = _GUARD.match(before), _LOOP.search(before)
    match mutant.operator:
        case "comparison" | "not" | "negated":
            asked = guard["condition"] if guard else before
            return f"It takes this the wrong way round: `{asked}`."
        case "omission" if guard:
            return f"It leaves out what is done in the case `{guard['condition']}`."
        case "omission":
            return f"It leaves out this step: `{before}`."
        case "once" if loop:
            return f"Of `{loop['over']}` it looks at the first one only."
        case "part":
            return f"Of the conditions `{before}` it asks `{after}` only."
        case "filter":
            return f"It leaves out the condition in `{before.strip()}`."
        case "flag":
            return f"In `{mutant.place.function}` it says `{after}` for `{before}`."
    return f"Where the specification says `{before}`, it says `{after}`."
