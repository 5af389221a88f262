# SPDX-License-Identifier: Apache-2.0
"""Noting: the specification, changed so that it notes where a mutant would go another way.

Without one operand an ``and`` or ``or`` is another where this operand alone decides, or keeps the others from an
error. With the other bound a comparison is another where both sides are equal, and a loop that ends after its
first item is another where a second one is asked for. What the specification decides is not changed: an operand
that is not needed is evaluated only if that changes nothing else, and what it raises is noted and not raised.
"""

from __future__ import annotations

import ast
import operator
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from conformance.wrong.forking import Forked, import_again
from conformance.wrong.mutants import kubernetes_of, path_of
from refsched.mistakes.mutation import Mutant
from refsched.mistakes.planting import Change
from refsched.releases import DEFAULT
from refsched.suite.adapters.adapter import Adapter

PART, BOUNDARY, ONCE, FILTER = "part", "boundary", "once", "filter"
SET, KIN, OMISSION = "set", "kin", "omission"
NOTED: Mapping[str, tuple[type[ast.AST], ...]] = {
    PART: (ast.BoolOp,),
    BOUNDARY: (ast.Compare,),
    ONCE: (ast.For, ast.comprehension),
    FILTER: (ast.comprehension,),
    SET: (ast.BinOp,),
    KIN: (ast.Attribute,),
    OMISSION: (ast.If,),
}
"""These are the operators of the mutants that are noted (refsched/mistakes/operators.py), and of which nodes."""

PATIENCE = 60.0
"""The seconds within which an answer must arrive; most of the first one passes with compiling all modules."""

TAKE = "noted"
"""This request is answered with the names that were noted since the last one."""

Position = tuple[str, int, int, int | None, int | None]
Mutants = Mapping[Position, Sequence[Mutant]]
"""Mutants, in the order of the operands, by their operator and where they stand."""

_CHANGE_SOMETHING = frozenset(
    {
        *(
            "_bound",
            "add",
            "append",
            "assume",
            "bind",
            "cancel",
            "choose",
            "clear",
            "discard",
            "done",
            "extend",
        ),
        *("forget", "next", "note", "pop", "popitem", "popleft", "put", "reject", "remove", "requeue"),
        *("run", "send", "setdefault", "step", "subtract", "take", "update", "write"),
    }
)
"""A function of such a name may change something, and so may a private method. That the list lacks none is seen
where what is decided is judged (campaigns/conditions.py)."""

_JOINS: Mapping[type[ast.operator], str] = {ast.BitAnd: "and_", ast.BitOr: "or_", ast.Sub: "sub"}
"""The functions of ``operator`` that join two sets so."""

_BOUNDS: Mapping[type[ast.cmpop], str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
"""The functions of ``operator`` that compare so."""


class Chain(NamedTuple):
    """A Chain is an ``and`` or an ``or``. ``is_test`` says that only its truth counts, and ``changes_something``
    that an operand after the first may do so, and is not evaluated if it is not needed."""

    is_and: bool
    is_test: bool
    changes_something: bool


# --- In the process of the specification ----------------------------------------------------------

noted: set[str] = set()
"""The names of the mutants that would go another way since they were last taken."""


def take_noted() -> list[str]:
    """Returns the names that were noted since it was called last."""
    names = sorted(noted)
    noted.clear()
    return names


def alone(names: Sequence[str], kind: Chain, operands: Sequence[Callable[[], Any]]) -> Any:
    """Returns the value of an ``and`` or ``or``, and notes the operand without which it would be another, or an
    error."""
    *before, value = _until_one_decides(operands, kind.is_and)
    rest = operands[len(before) + 1 :]
    if not (rest and kind.changes_something):
        try:
            *_, other = _until_one_decides(rest, kind.is_and) or before
            is_other = bool(other) is not bool(value) if kind.is_test else bool(other != value)
        except Exception:  # an error is another way, too
            is_other = True
        if is_other:
            noted.add(names[len(before)])
    return value


def _until_one_decides(operands: Iterable[Callable[[], Any]], is_and: bool) -> list[Any]:
    """Returns the values of the operands that are needed, the last of which is that of all."""
    values: list[Any] = []
    for operand in operands:
        values.append(operand())
        if bool(values[-1]) is not is_and:
            break
    return values


def bounded(name: str, compares: str, left: Any, right: Any) -> Any:
    """Returns what the comparison says, and notes it where both sides are equal."""
    if left == right:
        noted.add(name)
    return getattr(operator, compares)(left, right)


def each(name: str, over: Iterable[Any]) -> Iterator[Any]:
    """Returns the items, and notes it when a second one is asked for and is there."""
    items = iter(over)

    def noting() -> Iterator[Any]:
        for number, item in enumerate(items):
            if number == 1:
                noted.add(name)
            yield item

    return noting()


def ever(name: str, value: bool, test: Any) -> Any:
    """Returns the condition, and notes it where it has this value."""
    if bool(test) is value:
        noted.add(name)
    return test


def joined(names: Sequence[str], joins: str, left: Any, right: Any) -> Any:
    """Returns what two sets are together, and notes what else would be something else."""
    value = getattr(operator, joins)(left, right)
    for name, other in zip(names, _SETS[joins], strict=True):
        try:
            is_other = bool(other(left, right) != value)
        except TypeError:  # as where two mappings are intersected
            is_other = True
        if is_other:
            noted.add(name)
    return value


def _left(left: Any, _: Any) -> Any:
    return left


def _right(_: Any, right: Any) -> Any:
    return right


_SETS: Mapping[str, Sequence[Callable[[Any, Any], Any]]] = {
    "and_": (operator.or_,),
    "or_": (operator.and_, _left, _right),
    "sub": (operator.and_, _left),
}
"""What the mutants do instead, in their order."""


def member(name: str, of: Any, wanted: str, other: str) -> Any:
    """Returns the member of this name, and notes it where that of the other name is not equal, or not there."""
    value = getattr(of, wanted)
    try:
        is_other = bool(getattr(of, other) != value)
    except Exception:  # for which the other one would not have been read
        is_other = True
    if is_other:
        noted.add(name)
    return value


# --- What is changed ------------------------------------------------------------------------------


def is_noted(mutant: Mutant) -> bool:
    """Returns whether it is a mutant that can be noted, in a function of the newest release."""
    can_be_noted = isinstance(mutant.place.node, NOTED.get(mutant.operator, ()))
    return can_be_noted and not mutant.place.always and kubernetes_of(mutant) == DEFAULT.name


def connect_noting(mutants: Iterable[Mutant]) -> tuple[Adapter, Callable[[], Sequence[str]]]:
    """Returns the specification in a process of its own, and what takes from it the names of those of the mutants
    that would go another way."""
    by_module: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        if is_noted(mutant):
            by_module[mutant.module].append(mutant)
    changes = {module: _noting(some, str(path_of(module))) for module, some in by_module.items()}
    serves = Forked(partial(import_again, changes), PATIENCE, {TAKE: take_noted})
    return Adapter("noting", serves, DEFAULT.name), lambda: list(serves.ask({TAKE: {}}))


def _noting(mutants: Sequence[Mutant], path: str) -> Change:
    return lambda source: compile(changed(source, mutants), path, "exec")


def changed(source: str, mutants: Iterable[Mutant]) -> ast.Module:
    """Returns the module of this source, which notes these mutants of its own."""
    found: defaultdict[Position, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        found[_position(mutant.operator, mutant.place.node)].append(mutant)
    plain = ast.parse(source)
    tree: ast.Module = _Noting(found, _tests(plain)).visit(plain)
    tree.body.insert(_after_the_head(tree), _IMPORT)
    return ast.fix_missing_locations(tree)


def _tests(tree: ast.AST) -> Container[ast.expr]:
    """Returns the expressions of which only the truth counts."""
    found: set[ast.expr] = set()
    for node in ast.walk(tree):  # which comes to a node before it comes to its parts
        match node:
            case ast.If(test) | ast.While(test) | ast.IfExp(test):
                found.add(test)
            case ast.comprehension(ifs=tests):
                found.update(tests)
            case ast.UnaryOp(ast.Not(), operand):
                found.add(operand)
            case ast.Call(ast.Name("bool" | "any" | "all"), [ast.GeneratorExp(each) | each]):
                found.add(each)
            case ast.BoolOp() if node in found:
                found.update(node.values)
    return found


_FUNCTIONS = ("Chain", "alone", "bounded", "each", "ever", "joined", "member")
_IMPORT = ast.ImportFrom(__name__, [ast.alias(name, f"_noting_{name}") for name in _FUNCTIONS], 0)


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
    """Returns where the node stands; a part of a comprehension stands where its target does."""
    node = node.target if isinstance(node, ast.comprehension) else node
    return operator, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


class _Noting(ast.NodeTransformer):
    """A _Noting changes the nodes of a module that have these mutants."""

    def __init__(self, mutants: Mutants, tests: Container[ast.expr]) -> None:
        self._mutants = mutants
        self._tests = tests

    def _names(self, operator: str, node: ast.AST) -> tuple[str, ...]:
        return tuple(mutant.name for mutant in self._mutants.get(_position(operator, node), ()))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        names = self._names(PART, node)
        kind = Chain(
            isinstance(node.op, ast.And),
            node in self._tests,
            any(map(_may_change_something, node.values[1:])),
        )
        inside = self.generic_visit(node)
        if len(names) != len(node.values) or any(map(_belongs_to_its_function, ast.walk(node))):
            return inside
        nothing = ast.arguments([], [], None, [], [], None, [])
        operands = ast.Tuple([ast.Lambda(nothing, value) for value in node.values], ast.Load())
        return _call("alone", (names,), [_call("Chain", kind, []), operands])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        names = self._names(BOUNDARY, node)
        inside = self.generic_visit(node)
        if len(names) != 1 or len(node.ops) != 1 or type(node.ops[0]) not in _BOUNDS:
            return inside
        return _call("bounded", (names[0], _BOUNDS[type(node.ops[0])]), [node.left, *node.comparators])

    def visit_For(self, node: ast.For) -> ast.AST:
        names = self._names(ONCE, node)
        self.generic_visit(node)
        for name in names:
            node.iter = _call("each", (name,), [node.iter])
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        once, filtered = (self._names(operator, node) for operator in (ONCE, FILTER))
        self.generic_visit(node)
        for name in once:
            node.iter = _call("each", (name,), [node.iter])
        for name in filtered:
            node.ifs[0] = _call("ever", (name, False), [node.ifs[0]])
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        names = self._names(OMISSION, node)
        self.generic_visit(node)
        for name in names:
            node.test = _call("ever", (name, True), [node.test])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        names = self._names(SET, node)
        self.generic_visit(node)
        joins = _JOINS.get(type(node.op), "")
        if not names or len(names) != len(_SETS[joins]):
            return node
        return _call("joined", (names, joins), [node.left, node.right])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        mutants = self._mutants.get(_position(KIN, node), ())
        self.generic_visit(node)
        for mutant in mutants:
            if isinstance(mutant.changed, ast.Attribute):
                read = [node.value, ast.Constant(node.attr), ast.Constant(mutant.changed.attr)]
                return _call("member", (mutant.name,), read)
        return node


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
