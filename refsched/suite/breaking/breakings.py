# SPDX-License-Identifier: Apache-2.0
"""Breakings: the specification with one place of its code changed, for as long as something is tried with it.

The changes are those of mutation: a condition turned round, a bound moved by one, a statement left out. They were
made for no rule in particular, and for no scheduler; common and rare mutations are added to them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import chain
from operator import itemgetter
from types import CodeType

from attrs import frozen

from refsched.mistakes import mutation
from refsched.mistakes.mutation import Place, put
from refsched.mistakes.operators import OPERATORS
from refsched.suite.breaking.common_mutations import common_mutations_of
from refsched.suite.breaking.line_coverage import Function, LineCoverage, rules_called, tree_of
from refsched.suite.breaking.mistakes import mistakes_in
from refsched.suite.breaking.rare_mutations import rare_mutations_of
from refsched.suite.breaking.replacing import Undo, forget, replaced
from refsched.suite.breaking.rows import rows_of_defaults, rows_of_events, rows_of_transitions

REPORTING = "refsched.cycle.attempt"
"""This module says how a decision is reported. Neither it nor its rules explain anything, since what is not
reported is not compared."""

_FUTURE = ast.parse("from __future__ import annotations").body
"""The modules of the specification begin with this import."""


@frozen
class Breaking:
    """A Breaking is one change of the specification. ``rules`` are those of the place that is changed, the nearest
    first, or those that a planted scheduler breaks whose mistake it is. ``breaks`` makes the change, and returns
    what undoes it, or None if the change cannot be made."""

    rules: tuple[str, ...]
    breaks: Callable[[], Undo | None]


def breakings_of(
    coverage: LineCoverage, places: Mapping[str, int], without: Collection[str] = ()
) -> tuple[Iterator[Breaking], Iterator[Breaking]]:
    """Returns the mistakes of planted schedulers, which people make, and the breakings of rows of tables and of
    the lines that ran, each in the order of the ``places`` in which rules are suspected. One that breaks none of
    these rules is left out. ``without`` are planted schedulers whose mistakes are not tried."""
    known: list[tuple[tuple[str, ...], Iterable[Breaking]]] = [
        (mistake.rules, [Breaking(mistake.rules, mistake)]) for mistake in mistakes_in(coverage, without)
    ]
    rows = (*rows_of_transitions(coverage.applied), *rows_of_events(), *rows_of_defaults())
    found: list[tuple[tuple[str, ...], Iterable[Breaking]]] = [
        ((rule,), [Breaking((rule,), breaks)]) for rule, breaks in rows
    ]
    for module in dict.fromkeys(function.module for function in coverage.callers):
        lines = coverage.lines[module]
        for place in places_of(module) if module != REPORTING else ():
            function = Function(module, place.function)
            if function in coverage.callers and (place.always or _is_any(lines, place)):
                near = coverage.rules_at(function, place.first, lambda rule: -places.get(rule, len(places)))
                rules = tuple(dict.fromkeys((*near[:1], *rules_called(function, place.node), *near[1:])))
                found.append((rules, breakings_of_place(function, place, rules)))
    return _suspected_first(known, places), _suspected_first(found, places)


def _suspected_first(
    some: Iterable[tuple[tuple[str, ...], Iterable[Breaking]]], places: Mapping[str, int]
) -> Iterator[Breaking]:
    suspected = [(places[rules[0]], breakings) for rules, breakings in some if rules and rules[0] in places]
    for _, breakings in sorted(suspected, key=itemgetter(0)):
        yield from breakings


def _is_any(lines: set[int], place: Place) -> bool:
    return any(line in lines for line in range(place.first, place.last + 1))


def breakings_of_place(function: Function, place: Place, rules: tuple[str, ...]) -> Iterator[Breaking]:
    """Yields the place as mutation and common mutations change it, and then with one thing taken for another."""
    values = vars(sys.modules[function.module])
    mutated = chain.from_iterable(operator(place.node) for operator in OPERATORS.values())
    common = common_mutations_of(place.node, values, _answers(place, function))
    for changed in chain(mutated, common, rare_mutations_of(place.node, values)):
        yield Breaking(rules, _Change(function, place, changed))


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
    return list(mutation.places_of(tree_of(module)))


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
        put(place.parent, place.field, place.index, self.changed)
        try:
            return compile(ast.Module([*_FUTURE, definition], []), self.function.module, "exec")
        finally:
            put(place.parent, place.field, place.index, place.node)


def _only(root: ast.Module, names: list[str]) -> ast.stmt:
    """Returns the definition of this name, and of a class this method alone."""
    named = (node for node in root.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    definition = next(node for node in named if node.name == names[0])
    if isinstance(definition, ast.FunctionDef) or len(names) == 1:
        return definition
    methods = [node for node in definition.body if getattr(node, "name", "") == names[1]]
    return ast.copy_location(ast.ClassDef(definition.name, [], [], methods, []), definition)


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
