# SPDX-License-Identifier: Apache-2.0
"""Noting: the specification, changed so that it notes where a mutant of a condition would go another way.

Without one operand an ``and`` or ``or`` is another where this operand alone decides. With the other bound a
comparison is another where both sides are equal. What the specification decides is not changed: an operand that
is not needed is evaluated only if that changes nothing else, and what it raises is ignored.
"""

from __future__ import annotations

import ast
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from conformance.wrong.forking import Forked, import_again
from conformance.wrong.mutants import TIMEOUT, kubernetes_of, path_of
from refsched.mistakes.mutation import Mutant
from refsched.mistakes.planting import Change
from refsched.releases import DEFAULT
from refsched.suite.adapters.adapter import Adapter

PART, BOUNDARY = "part", "boundary"
"""These are the operators of the mutants that are noted (refsched/mistakes/operators.py)."""

TAKE = "noted"
"""This request is answered with the names that were noted since the last one."""

Position = tuple[str, int, int, int | None, int | None]
Names = Mapping[Position, Sequence[str]]
"""The names of mutants, in the order of the operands, by their operator and where they stand."""

_CHANGE_SOMETHING = frozenset(
    {
        *("add", "append", "assume", "bind", "choose", "clear", "discard", "done", "extend", "forget"),
        *("next", "note", "pop", "popitem", "popleft", "put", "reject", "remove", "requeue", "run", "send"),
        *("setdefault", "step", "subtract", "take", "update", "write"),
    }
)
"""A function of such a name may change something, and so may a private method."""

_BOUNDS: Mapping[type[ast.cmpop], str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
"""The functions of ``operator`` that compare so."""

# --- In the process of the specification ----------------------------------------------------------

noted: set[str] = set()
"""The names of the mutants that would go another way since they were last taken."""


def take_noted() -> list[str]:
    names = sorted(noted)
    noted.clear()
    return names


def alone(names: Sequence[str], is_and: bool, if_needed: bool, operands: Sequence[Callable[[], Any]]) -> Any:
    """Returns the value of an ``and`` or ``or``, and notes the operand that alone decides it. With ``if_needed``
    no operand is evaluated that is not needed."""
    value: Any = None
    for number, operand in enumerate(operands):
        value = operand()
        if bool(value) is not is_and:
            others = operands[number + 1 :]
            if not others or (not if_needed and _all_are(others, is_and)):
                noted.add(names[number])
            break
    return value


def _all_are(operands: Iterable[Callable[[], Any]], value: bool) -> bool:
    try:
        return all(bool(operand()) is value for operand in operands)
    except Exception:  # for which it would not have been evaluated
        return False


def bounded(name: str, compares: str, left: Any, right: Any) -> Any:
    """Returns what the comparison says, and notes it where both sides are equal."""
    if left == right:
        noted.add(name)
    return getattr(operator, compares)(left, right)


# --- What is changed ------------------------------------------------------------------------------


def is_noted(mutant: Mutant) -> bool:
    """Returns whether it is a mutant of a condition in a function of the newest release."""
    is_of_the_newest = kubernetes_of(mutant) == DEFAULT.name
    return mutant.operator in (PART, BOUNDARY) and not mutant.place.always and is_of_the_newest


def connect_noting(mutants: Iterable[Mutant]) -> tuple[Adapter, Callable[[], Sequence[str]]]:
    """Returns the specification in a process of its own, and what takes from it the names of those of the mutants
    that would go another way."""
    by_module: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        if is_noted(mutant):
            by_module[mutant.module].append(mutant)
    changes = {module: _noting(some, str(path_of(module))) for module, some in by_module.items()}
    serves = Forked(partial(import_again, changes), TIMEOUT, {TAKE: take_noted})
    return Adapter("noting", serves, DEFAULT.name), lambda: list(serves.ask({TAKE: {}}))


def _noting(mutants: Sequence[Mutant], path: str) -> Change:
    return lambda source: compile(changed(source, mutants), path, "exec")


def changed(source: str, mutants: Iterable[Mutant]) -> ast.Module:
    """Returns the module of this source, which notes these mutants of its own."""
    names: defaultdict[Position, list[str]] = defaultdict(list)
    for mutant in mutants:
        names[_position(mutant.operator, mutant.place.node)].append(mutant.name)
    tree: ast.Module = _Noting(names).visit(ast.parse(source))
    tree.body.insert(_after_the_head(tree), _IMPORT)
    return ast.fix_missing_locations(tree)


_IMPORT = ast.ImportFrom(__name__, [ast.alias(name, f"_noting_{name}") for name in ("alone", "bounded")], 0)


def _after_the_head(tree: ast.Module) -> int:
    """Returns the place after the docstring and what is imported from ``__future__``."""
    head = (
        number
        for number, statement in enumerate(tree.body)
        if not isinstance(statement, ast.Expr)
        and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    )
    return next(head, len(tree.body))


def _position(operator: str, node: Any) -> Position:
    return operator, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


class _Noting(ast.NodeTransformer):
    """A _Noting changes the conditions of a module that have mutants of these names."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        names = self._names.get(_position(PART, node), ())
        needs = any(map(_may_change_something, node.values[1:]))
        inside = self.generic_visit(node)
        if len(names) != len(node.values) or any(map(_belongs_to_its_function, ast.walk(node))):
            return inside
        nothing = ast.arguments([], [], None, [], [], None, [])
        operands = ast.Tuple([ast.Lambda(nothing, value) for value in node.values], ast.Load())
        return _call("alone", (tuple(names), isinstance(node.op, ast.And), needs), [operands])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        names = self._names.get(_position(BOUNDARY, node), ())
        inside = self.generic_visit(node)
        if len(names) != 1 or len(node.ops) != 1 or type(node.ops[0]) not in _BOUNDS:
            return inside
        return _call("bounded", (names[0], _BOUNDS[type(node.ops[0])]), [node.left, *node.comparators])


def _call(function: str, said: Sequence[Any], given: Sequence[ast.expr]) -> ast.Call:
    constants = [ast.Constant(each) for each in said]
    return ast.Call(ast.Name(f"_noting_{function}", ast.Load()), [*constants, *given], [])


def _may_change_something(operand: ast.expr) -> bool:
    for each in ast.walk(operand):
        match each:
            case ast.Call(ast.Attribute(attr=name)) if name in _CHANGE_SOMETHING or name.startswith("_"):
                return True
            case ast.Call(ast.Name(id=name)) if name in _CHANGE_SOMETHING:
                return True
    return False


def _belongs_to_its_function(node: ast.AST) -> bool:
    """Returns whether the node would mean something else in a lambda."""
    return isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom) or getattr(node, "id", "") == "super"
