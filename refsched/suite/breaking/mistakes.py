# SPDX-License-Identifier: Apache-2.0
"""Mistakes: the edits of the planted wrong schedulers are made in the running specification.

Mutation changes one place. A planted scheduler is wrong as people were: it may change a statement, a whole
function, a default or a table at once, and it says which rules it breaks.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator
from functools import cache, partial
from typing import Any

import attrs
from attrs import frozen

from refsched.mistakes.wrong import WrongScheduler, all_wrong
from refsched.suite.breaking.line_coverage import LineCoverage, source_of, tree_of
from refsched.suite.breaking.replacing import Undo, replaced

_MISSING = object()


@frozen
class Mistake:
    """A Mistake is the edit of a planted scheduler. ``lines`` are the first and the last one that it replaces; the
    edit changes ``functions``, and ``values`` of the module or of a class that are assigned there, as ``NAME`` or
    ``Class.NAME``."""

    name: str
    module: str
    before: str
    after: str
    rules: tuple[str, ...]
    functions: tuple[str, ...]
    values: tuple[str, ...]
    lines: tuple[int, int]

    def is_run(self, coverage: LineCoverage) -> bool:
        """Returns whether a line of it ran. What a module does on import ran in every history that runs the
        module."""
        if self.values:
            return self.module in coverage.lines
        first, last = self.lines
        return any(first <= line <= last for line in coverage.lines.get(self.module, ()))

    def __call__(self) -> Undo | None:
        """Makes the edit, and returns what undoes it, or None if it cannot be made in a running process."""
        tree = ast.parse(source_of(self.module).replace(self.before, self.after))
        code = compile(tree, self.module, "exec")
        undone = [replaced(self.module, name, code) for name in self.functions]
        undone += [_assigned(self.module, name, tree) for name in self.values]
        undo = partial(_undo, [one for one in undone if one is not None])
        if None in undone:
            undo()
            return None
        return undo


def mistakes() -> tuple[Mistake, ...]:
    """Returns all that can be made in a running process, in the order of their tables."""
    found = (_mistake(wrong) for wrong in all_wrong().values() if wrong.module in sys.modules)
    return tuple(one for one in found if one is not None)


def mistakes_in(coverage: LineCoverage, without: Collection[str]) -> Iterator[Mistake]:
    """Yields those that change lines that ran, except for those of these names and any that makes the same
    edit."""
    left_out = {(one.module, one.before, one.after) for one in mistakes() if one.name in without}
    for one in mistakes():
        if (one.module, one.before, one.after) not in left_out and one.is_run(coverage):
            yield one


@cache
def _mistake(wrong: WrongScheduler) -> Mistake | None:
    before, found, _ = source_of(wrong.module).partition(wrong.before)
    if not found:
        return None
    first = before.count("\n") + 1
    lines = first, first + wrong.before.rstrip("\n").count("\n")
    functions, values = _holders(wrong.module, *lines)
    if not functions and not values:
        return None
    return Mistake(
        wrong.name, wrong.module, wrong.before, wrong.after, wrong.breaks, functions, values, lines
    )


def _holders(module: str, first: int, last: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    functions: list[str] = []
    values: list[str] = []
    for name, node in _definitions(module):
        if node.lineno <= last and (node.end_lineno or node.lineno) >= first:
            (functions if isinstance(node, ast.FunctionDef) else values).append(name)
    return tuple(functions), tuple(values)


@cache
def _definitions(module: str) -> tuple[tuple[str, ast.stmt], ...]:
    return tuple(_defined(tree_of(module).body, ""))


def _defined(body: list[ast.stmt], within: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name):
                yield within + name, node
            case ast.ClassDef(name=name, body=inner) if not within:
                yield from _defined(inner, name + ".")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield within + name, node


# --- Values ---------------------------------------------------------------------------------------


def _assigned(module: str, name: str, tree: ast.Module) -> Undo | None:
    """Lets the module or the class have the value that it is assigned in the tree."""
    node = dict(_defined(tree.body, "")).get(name)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return None
    names = vars(sys.modules[module])
    owner, _, attribute = name.rpartition(".")
    within = dict(vars(names[owner])) if owner else {}
    value = eval(compile(ast.Expression(node.value), module, "eval"), {**names, **within})
    if owner:
        return _set(names[owner], attribute, value)
    before = names.get(attribute, _MISSING)
    if attrs.has(type(before)) and type(before) is type(value):
        members, values = _members_of(before), _values_like(before)
        return partial(_undo, [_become(held, members, _members_of(value)) for held in values])
    everywhere = [held for held in _modules() if vars(held).get(attribute, _MISSING) is before]
    undone = [_set(held, attribute, value) for held in everywhere]
    return partial(_undo, [one for one in undone if one is not None])


def _set(holder: Any, name: str, value: object) -> Undo | None:
    before = vars(holder).get(name, _MISSING)
    if before is _MISSING or hasattr(before, "__get__"):
        return None
    setattr(holder, name, value)
    return partial(setattr, holder, name, before)


def _values_like(before: Any) -> list[Any]:
    """Returns the value, and the others of its type that modules hold: one may be derived from it."""
    values = {id(value): value for module in _modules() for value in vars(module).values()}
    return [value for value in values.values() if type(value) is type(before)]


def _members_of(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}


def _become(held: Any, before: dict[str, Any], after: dict[str, Any]) -> Undo:
    """Gives a value, which others hold too, those members of ``after`` of which it has what ``before`` has."""
    taken_over = {name: member for name, member in before.items() if getattr(held, name) is member}
    _restore(held, {name: after[name] for name in taken_over})
    return partial(_restore, held, taken_over)


def _restore(one: Any, members: dict[str, Any]) -> None:
    for name, value in members.items():
        object.__setattr__(one, name, value)


def _modules() -> list[Any]:
    return [module for name, module in sys.modules.items() if name.partition(".")[0] == "refsched"]


def _undo(undone: list[Undo]) -> None:
    for undo in reversed(undone):
        undo()
