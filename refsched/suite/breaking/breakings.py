# SPDX-License-Identifier: Apache-2.0
"""Breakings: the specification with one place of its code changed, for as long as something is tried with it.

The changes are those of mutation: a condition turned round, a bound moved by one, a statement left out. They were
made for no rule in particular, and for no scheduler.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import getattr_static
from types import CodeType, FunctionType
from typing import Any

from attrs import frozen

from refsched.suite.breaking.course import Course, Function, source_of
from refsched.tools.shipped import import_tests

_FUTURE = ast.parse("from __future__ import annotations").body
"""As the modules of the specification begin."""


@frozen
class Breaking:
    """``rules`` are those of the place that is changed, the nearest first, and ``value`` is how much the most
    suspected of them is suspected; ``compiled`` compiles the function as it is changed."""

    function: Function
    line: int
    rules: tuple[str, ...]
    value: float
    compiled: Callable[[], CodeType]


def breakings_of(course: Course, value: Callable[[str], float]) -> Iterator[Breaking]:
    """Those at the lines of the course. ``value`` says how much a rule is suspected: the places of the most
    suspected rules come first, and those of rules of no value are left out."""
    found = []
    for module in dict.fromkeys(function.module for function in course.callers):
        lines = course.lines[module]
        ran = {one for one in course.callers if one.module == module}
        if not any(value(rule) for one in ran for rule in course.rules_at(one, 0)):
            continue
        for place in _places(module):
            function = Function(module, place.function)
            if function in ran and not (place.always or lines.isdisjoint(range(place.first, place.last + 1))):
                rules = course.rules_at(function, place.first)
                found.append((max(map(value, rules), default=0.0), place, function, rules))
    for worth, place, function, rules in sorted(found, key=lambda each: -each[0]):
        for operator in import_tests("wrong.mutating.operators").OPERATORS.values() if worth else ():
            for changed in operator(place.node):
                yield Breaking(function, place.first, rules, worth, _Change(function, place, changed))


@cache
def _places(module: str) -> list[Any]:
    return list(import_tests("wrong.mutating.mutation").places_of(ast.parse(source_of(module))))


@frozen
class _Change:
    function: Function
    place: Any
    changed: ast.AST

    def __call__(self) -> CodeType:
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
    """The definition of this name, and of a class this method alone."""
    named = (node for node in root.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    definition = next(node for node in named if node.name == names[0])
    if isinstance(definition, ast.FunctionDef) or len(names) == 1:
        return definition
    methods = [node for node in definition.body if getattr(node, "name", "") == names[1]]
    return ast.copy_location(ast.ClassDef(definition.name, [], [], methods, []), definition)


def _put(place: Any, node: ast.AST) -> None:
    if place.index is None:
        setattr(place.parent, place.field, node)
    else:
        getattr(place.parent, place.field)[place.index] = node


# --- For a while ----------------------------------------------------------------------------------


@contextmanager
def broken(breaking: Breaking, forget: Callable[[], None]) -> Iterator[bool]:
    """While the block runs, the function does what it does not do. False where that cannot be, as it is not a
    function of a module or a class. ``forget`` empties what was remembered of values."""
    function, code = _function_and_code(breaking)
    if function is None or code is None or code.co_freevars != function.__code__.co_freevars:
        yield False
        return
    before = function.__code__
    function.__code__ = code
    forget()
    try:
        yield True
    finally:
        function.__code__ = before
        forget()


def _function_and_code(breaking: Breaking) -> tuple[FunctionType | None, CodeType | None]:
    try:
        code = breaking.compiled()
    except (SyntaxError, ValueError, TypeError):
        return None, None  # an operator may leave what is no program
    holder: Any = sys.modules[breaking.function.module]
    parts = breaking.function.name.split(".")
    is_method = isinstance(getattr(holder, parts[0], None), type)
    for name in parts[: 1 + is_method]:
        if isinstance(holder, type):
            code = next((one for one in _codes_in(code) if one.co_name == holder.__name__), code)
        value = vars(holder).get(name)
        holder = value if isinstance(value, type) else holder
    found = [one for one in _codes_in(code) if one.co_name == parts[:2][-1 if is_method else 0]]
    return _function_in(value), found[0] if len(found) == 1 else None


def _codes_in(code: CodeType) -> Iterable[CodeType]:
    return (one for one in code.co_consts if isinstance(one, CodeType))


def _function_in(value: Any) -> FunctionType | None:
    for within in ("fget", "__func__", "func", "__wrapped__"):
        if not isinstance(value, FunctionType) or within == "__wrapped__":
            value = getattr(value, within, value)
    return value if isinstance(value, FunctionType) else None


def forgetting() -> Callable[[], None]:
    """Empties every cache of the specification's functions."""
    caches: dict[int, Callable[[], None]] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "refsched" and not name.startswith("refsched.suite"):
            for value in list(vars(module).values()):
                for one in (value, *(vars(value).values() if isinstance(value, type) else ())):
                    while one is not None:
                        if getattr_static(one, "cache_clear", None) is not None:
                            caches[id(one)] = one.cache_clear
                        one = getattr_static(one, "__wrapped__", None)

    def forget() -> None:
        for clear in caches.values():
            clear()

    return forget
