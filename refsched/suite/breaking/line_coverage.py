# SPDX-License-Identifier: Apache-2.0
"""Line coverage: which lines of the specification a history runs, and which rules are applied there."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from attrs import Factory, define, frozen

from refsched.reading.shipped_files import PACKAGE
from refsched.rules import Reason, listening
from refsched.suite.catalogue.reasons import AROUND
from refsched.suite.catalogue.rule_metadata import RULE_ID
from refsched.suite.catalogue.rules import all_rules, stated_at

_ROOT = str(PACKAGE)


@frozen
class Function:
    """A Function is one of a module; ``name`` is ``Class.method``, or ``outer.inner`` of a function within
    another."""

    module: str
    name: str


@define
class LineCoverage:
    """A LineCoverage has the ``lines`` that ran, and in ``callers`` for each function that ran the functions that
    called it, each with the line of the call; ``applied`` are the rules. All stand in the order in which they were
    first seen."""

    lines: dict[str, set[int]] = Factory(dict)
    callers: dict[Function, dict[tuple[Function, int], None]] = Factory(dict)
    applied: dict[str, None] = Factory(dict)
    _around: dict[Function, tuple[tuple[str, ...], tuple[str, ...]]] = Factory(dict)

    def rules_at(self, function: Function, line: int, value: Callable[[str], float]) -> tuple[str, ...]:
        """Returns the rules of this line, the nearest first. If the function has none, they are those of its
        callers, at the lines of their calls; of a method that the framework calls, those of what it calls come
        before them. None of either is nearer than another: those of the greatest ``value`` come first."""
        own = rules_in(function, line)
        if own:
            return own
        if function not in self._around:
            callers = tuple(dict.fromkeys(self._rules_of_callers(function, frozenset())))
            self._around[function] = (tuple(self._rules_of_called(function)), callers)
        in_order = (sorted(rules, key=value, reverse=True) for rules in self._around[function])
        return tuple(dict.fromkeys(chain.from_iterable(in_order)))

    def _rules_of_callers(self, function: Function, below: frozenset[Function]) -> Iterator[str]:
        for caller, called_at in self.callers.get(function, {}):
            if caller not in below:
                own = rules_in(caller, called_at)
                yield from own
                if not own:
                    yield from self._rules_of_called(caller)
                    yield from self._rules_of_callers(caller, below | {function})

    def _rules_of_called(self, function: Function) -> Iterator[str]:
        """Yields the rules of what a plugin's method calls, if it is the framework that calls the method."""
        callers = self.callers.get(function, {})
        if _is_of_plugins(function) and not any(_is_of_plugins(caller) for caller, _ in callers):
            for called, called_by in self.callers.items():
                if any(caller == function for caller, _ in called_by):
                    yield from stated_at(called.module, called.name)


def _is_of_plugins(function: Function) -> bool:
    return ".plugins." in function.module


def coverage_of(run: Callable[[], object]) -> LineCoverage:
    """Runs this once, and whatever it raises is raised again."""
    coverage = LineCoverage()
    before = sys.gettrace()
    sys.settrace(lambda frame, event, argument: _entered(coverage, frame))
    try:
        with listening(coverage.applied.setdefault):
            run()
    finally:
        sys.settrace(before)
    return coverage


def _entered(coverage: LineCoverage, frame: FrameType) -> Callable[[FrameType, str, Any], Any] | None:
    function = _function_of(frame.f_code)
    if function is None:
        return None
    lines = coverage.lines.setdefault(function.module, set())
    callers = coverage.callers.setdefault(function, {})
    caller = _caller_of(frame, function)
    if caller is not None:
        callers.setdefault(caller)

    def ran(frame: FrameType, event: str, argument: object) -> Any:
        lines.add(frame.f_lineno)
        return ran

    return ran


def _caller_of(frame: FrameType, function: Function) -> tuple[Function, int] | None:
    """Returns the nearest other function of the specification below this frame."""
    back = frame.f_back
    while back is not None:
        caller = _function_of(back.f_code)
        if caller is not None and caller != function:
            return caller, back.f_lineno
        back = back.f_back
    return None


@cache
def _function_of(code: CodeType) -> Function | None:
    """Returns the function of the specification, or None for what is not of it, and for what runs on import."""
    if not code.co_filename.startswith(_ROOT):
        return None
    parts = Path(code.co_filename).relative_to(_ROOT).with_suffix("").parts
    if parts[0] in AROUND:
        return None
    module = ".".join(("refsched", *(part for part in parts if part != "__init__")))
    name = ".".join(part for part in code.co_qualname.split(".") if not part.startswith("<"))
    return Function(module, name) if name else None


# --- Rules in the source --------------------------------------------------------------------------


@cache
def rules_in(function: Function, line: int) -> tuple[str, ...]:
    """Returns the rules that the function applies or states: those in the smallest statement around the line
    first, of them the ones below it before those above."""
    marks = _marks(function.module).get(function.name, ())
    around = [span for span in _blocks(function.module).get(function.name, ()) if span[0] <= line <= span[1]]

    def distance(mark: tuple[int, str]) -> tuple[int, bool, int]:
        shared = [last - first for first, last in around if first <= mark[0] <= last]
        return min(shared, default=10**6), mark[0] < line, abs(mark[0] - line)

    near = [rule for _, rule in sorted(marks, key=distance)]
    return tuple(dict.fromkeys((*near, *stated_at(function.module, function.name))))


def rules_called(function: Function, node: ast.AST) -> Iterator[str]:
    """Yields the rules of the functions that this node of the function calls, by their names or as its methods. Of
    a statement with others within, only its condition, or what it iterates over, counts."""
    if isinstance(node, ast.If | ast.For):
        node = node.test if isinstance(node, ast.If) else node.iter
    for call in ast.walk(node):
        match call:
            case ast.Call(func=ast.Name(id=name)):
                called = inspect.unwrap(vars(sys.modules[function.module]).get(name, len))
                if isinstance(called, FunctionType) and called.__module__.startswith("refsched."):
                    yield from rules_in(Function(called.__module__, called.__qualname__), 0)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                yield from rules_in(Function(function.module, f"{function.name.partition('.')[0]}.{name}"), 0)


@cache
def source_of(module: str) -> str:
    return Path(str(sys.modules[module].__file__)).read_text("utf-8")


@cache
def tree_of(module: str) -> ast.Module:
    """Returns the syntax tree of a module. Whoever changes it puts back what was there."""
    return ast.parse(source_of(module))


@cache
def rules_named_in(module: str) -> frozenset[str]:
    """Returns the rules that the module states, applies or gives as a reason."""
    named = re.findall(RULE_ID, source_of(module))
    stated = (rule.id for rule in all_rules().values() if rule.module == module)
    reasons = (value.rule for value in vars(sys.modules[module]).values() if isinstance(value, Reason))
    return frozenset((*named, *stated, *reasons))


@cache
def _functions_of(module: str) -> tuple[tuple[str, ast.AST], ...]:
    return tuple(_functions(tree_of(module), ""))


@cache
def _blocks(module: str) -> Mapping[str, list[tuple[int, int]]]:
    """Returns the first and the last lines of the statements of each function."""
    return {
        name: [
            (node.lineno, node.end_lineno or node.lineno)
            for node in ast.walk(function)
            if isinstance(node, ast.stmt)
        ]
        for name, function in _functions_of(module)
    }


@cache
def _marks(module: str) -> Mapping[str, list[tuple[int, str]]]:
    """Returns by function the lines at which a rule is applied, or a reason that names it is given."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name, function in _functions_of(module):
        for node in ast.walk(function):
            for rule in applied_by(node, module):
                found.setdefault(name, []).append((getattr(node, "lineno", 0), rule))
    return found


def applied_by(node: ast.AST, module: str) -> Iterator[str]:
    """Yields the rules that this node of the module applies, or gives as a reason, by itself."""
    match node:
        case ast.Call(func=ast.Name(id="applies" | "refused_by"), args=[ast.Constant(value=str(rule))]):
            yield rule
        case ast.Call(func=ast.Name(id="refused_by"), args=[ast.IfExp(body=one, orelse=other)]):
            yield from (str(each.value) for each in (one, other) if isinstance(each, ast.Constant))
        case ast.Name(id=name) if isinstance(reason := vars(sys.modules[module]).get(name), Reason):
            yield reason.rule


def _functions(node: ast.AST, within: str) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{within}.{child.name}" if within else child.name
            if isinstance(child, ast.FunctionDef):
                yield name, child
            yield from _functions(child, name)
