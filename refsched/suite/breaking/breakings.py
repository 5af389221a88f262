# SPDX-License-Identifier: Apache-2.0
"""Breakings: the specification with one place of its code changed, for as long as something is tried with it.

The changes are those of mutation: a condition turned round, a bound moved by one, a statement left out. They were
made for no rule in particular, and for no scheduler; common and rare mutations are added to them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from types import CodeType

from attrs import frozen

from refsched.mistakes import mutation
from refsched.mistakes.mutation import Place
from refsched.mistakes.operators import OPERATORS
from refsched.suite.breaking.common_mutations import common_mutations_of
from refsched.suite.breaking.line_coverage import Function, LineCoverage, rules_called, source_of
from refsched.suite.breaking.mistakes import Mistake, mistakes_in
from refsched.suite.breaking.rare_mutations import rare_mutations_of
from refsched.suite.breaking.replacing import Undo, forget, replaced
from refsched.suite.breaking.rows import rows_of_defaults, rows_of_events, rows_of_transitions

SELDOM = 0.25
"""A place is suspected so much less of a rare mutation than of a common one."""

REPORTING = "refsched.cycle.attempt"
"""This module says how a decision is reported. It explains nothing, since what is not reported is not compared."""

_FUTURE = ast.parse("from __future__ import annotations").body
"""The modules of the specification begin with this import."""


@frozen
class Breaking:
    """A Breaking is one change of the specification. ``rules`` are those of the place that is changed, the nearest
    first, and ``value`` is how much the most suspected of them is suspected, for each caller; ``where`` is the
    function, which has so many ``callers``, or None for a row of a table. ``breaks`` makes the change, and returns
    what undoes it, or None if the change cannot be made. ``is_known`` says that the change is one of a planted
    scheduler, and ``rules`` are those which that one breaks."""

    where: Function | None
    rules: tuple[str, ...]
    value: float
    breaks: Callable[[], Undo | None]
    callers: int = 1
    is_known: bool = False


def breakings_of(
    coverage: LineCoverage, value: Callable[[str], float], without: Collection[str] = ()
) -> Iterator[Breaking]:
    """Yields the mistakes of planted schedulers, which people make, and then the breakings at the lines that ran
    and of the rows of tables. ``value`` says how much a rule is suspected: the places of the most suspected rules
    come first, and those of rules of no value are left out. What has many callers is suspected less, as it would
    show in more. ``without`` are planted schedulers whose mistakes are not tried."""
    known: list[tuple[float, Callable[[float], Iterator[Breaking]]]] = []
    found: list[tuple[float, Callable[[float], Iterator[Breaking]]]] = []
    for mistake in mistakes_in(coverage, without):
        callers = mistake.callers(coverage)
        worth = max(map(value, mistake.rules), default=0.0) / callers
        if worth:
            known.append((worth, partial(_of_mistake, mistake, callers)))
    for module in dict.fromkeys(function.module for function in coverage.callers):
        lines = coverage.lines[module]
        for place in places_of(module) if module != REPORTING else ():
            function = Function(module, place.function)
            if function in coverage.callers and (place.always or _is_any(lines, place)):
                near = coverage.rules_at(function, place.first, value)
                called = rules_called(function, place.node)
                rules = tuple(dict.fromkeys((*near[:1], *called, *near[1:])))
                callers = max(1, len(coverage.callers[function]))
                worth = max(map(value, rules), default=0.0) / callers
                if worth:
                    found.append((worth, partial(_likely, function, place, rules, callers)))
                    found.append((SELDOM * worth, partial(_unlikely, function, place, rules, callers)))
    for rule, breaks in (*rows_of_transitions(coverage.applied), *rows_of_events(), *rows_of_defaults()):
        if value(rule):
            found.append((value(rule), partial(_of_row, rule, breaks)))
    in_order = [each for some in (known, found) for each in sorted(some, key=lambda each: -each[0])]
    return chain.from_iterable(breakings(worth) for worth, breakings in in_order)


def _is_any(lines: set[int], place: Place) -> bool:
    return any(line in lines for line in range(place.first, place.last + 1))


def _of_mistake(mistake: Mistake, callers: int, worth: float) -> Iterator[Breaking]:
    where = Function(mistake.module, mistake.name)
    yield Breaking(where, mistake.rules, worth, mistake, callers, is_known=True)


def _of_row(rule: str, breaks: Callable[[], Undo], worth: float) -> Iterator[Breaking]:
    yield Breaking(None, (rule,), worth, breaks)


def breakings_of_place(function: Function, place: Place, rules: tuple[str, ...]) -> Iterator[Breaking]:
    yield from _likely(function, place, rules, 1, 1.0)
    yield from _unlikely(function, place, rules, 1, SELDOM)


def _likely(
    function: Function, place: Place, rules: tuple[str, ...], callers: int, worth: float
) -> Iterator[Breaking]:
    """Yields the place as mutation and common mutations change it."""
    values = vars(sys.modules[function.module])
    mutated = chain.from_iterable(operator(place.node) for operator in OPERATORS.values())
    for changed in chain(mutated, common_mutations_of(place.node, values, _answers(place, function))):
        yield Breaking(function, rules, worth, _Change(function, place, changed), callers)


def _unlikely(
    function: Function, place: Place, rules: tuple[str, ...], callers: int, worth: float
) -> Iterator[Breaking]:
    """Yields the place with one thing taken for another."""
    for changed in rare_mutations_of(place.node, vars(sys.modules[function.module])):
        yield Breaking(function, rules, worth, _Change(function, place, changed), callers)


def _answers(place: Place, function: Function) -> str:
    """Returns the type of what the function returns; empty if it is not a function of a module or of a class."""
    names = function.name.split(".")
    definition = _only(place.root, names)
    if isinstance(definition, ast.ClassDef):
        definition = next(iter(definition.body), definition)
    if not isinstance(definition, ast.FunctionDef) or definition.name != names[-1] or not definition.returns:
        return ""
    answers = definition.returns
    return ast.unparse(answers.value if isinstance(answers, ast.Subscript) else answers)


@cache
def places_of(module: str) -> list[Place]:
    return list(mutation.places_of(ast.parse(source_of(module))))


def change_of(function: Function, place: Place, changed: ast.AST) -> Callable[[], Undo | None]:
    """Makes the function have ``changed`` at this place."""
    return _Change(function, place, changed)


@frozen
class _Change:
    function: Function
    place: Place
    changed: ast.AST

    def __call__(self) -> Undo | None:
        """Changes the code of the function. Returns None if that is impossible, because it is not a function of a
        module or of a class, or because what is left is no program."""
        try:
            code = self._compiled()
        except (SyntaxError, ValueError, TypeError):
            return None
        return replaced(self.function.module, self.function.name, code)

    def _compiled(self) -> CodeType:
        place = self.place
        if hasattr(place.node, "lineno"):
            ast.copy_location(self.changed, place.node)
        ast.fix_missing_locations(self.changed)
        definition = _only(place.root, self.function.name.split("."))
        _put(place, self.changed)
        try:
            return compile(ast.Module([*_FUTURE, definition], []), self.function.module, "exec")
        finally:
            _put(place, place.node)


def _only(root: ast.Module, names: list[str]) -> ast.stmt:
    """Returns the definition of this name, and of a class this method alone."""
    named = (node for node in root.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    definition = next(node for node in named if node.name == names[0])
    if isinstance(definition, ast.FunctionDef) or len(names) == 1:
        return definition
    methods = [node for node in definition.body if getattr(node, "name", "") == names[1]]
    return ast.copy_location(ast.ClassDef(definition.name, [], [], methods, []), definition)


def _put(place: Place, node: ast.AST) -> None:
    if place.index is None:
        setattr(place.parent, place.field, node)
    else:
        getattr(place.parent, place.field)[place.index] = node


# --- For a while ----------------------------------------------------------------------------------


@contextmanager
def broken(breaking: Breaking) -> Iterator[bool]:
    """Breaks the specification while the block runs. Yields False if that is impossible."""
    undo = breaking.breaks()
    if undo is None:
        yield False
        return
    forget()
    try:
        yield True
    finally:
        undo()
        forget()
