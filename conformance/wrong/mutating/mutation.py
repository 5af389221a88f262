# SPDX-License-Identifier: Apache-2.0
"""Mutation: each way in which an operator changes one place of a module's source.

The operators are those of the mistakes that schedulers are known for: a boundary, a comparison, a sign, an order,
a step left out, a wrong set. What only explains is left alone: docstrings, annotations, asserts, and what internal
errors say. A mutant is named by the function it is in, its operator, and a number among its like, so that its name
outlives changes elsewhere.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType

from attrs import evolve, frozen

Operator = Callable[[ast.AST], Iterator[ast.AST]]


@frozen
class Place:
    """A node of a tree that a mutant replaces. ``first`` and ``last`` are the lines of the statement it is in, or
    of that statement's head; ``always`` says that it is run when the module is imported."""

    root: ast.Module
    function: str
    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    first: int
    last: int
    always: bool


@frozen
class Mutant:
    """``name`` is ``module:function:operator:number``, the module without ``refsched.``."""

    name: str
    module: str
    diff: str
    place: Place
    changed: ast.AST

    @property
    def operator(self) -> str:
        return self.name.split(":")[2]


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """All of them, in the order of the source."""
    tree = ast.parse(source)
    count: Counter[str] = Counter()
    for place in _places(tree):
        before = _told(place.node)
        for name, operator in OPERATORS.items():
            for changed in operator(place.node):
                after = _told(changed)
                if after == before:
                    continue
                stem = f"{module.removeprefix('refsched.')}:{place.function}:{name}"
                yield Mutant(f"{stem}:{count[stem]}", module, f"{before}  →  {after}", place, changed)
                count[stem] += 1


def compiled(source: str, name: str, module: str, path: str) -> CodeType:
    """The module with the mutant of this name in it. ValueError where there is none."""
    for mutant in mutants_of(module, source):
        if mutant.name == name:
            return compile(_planted(mutant.place, mutant.changed), path, "exec")
    raise ValueError(f"{module} has no mutant {name!r}")


def _planted(place: Place, changed: ast.AST) -> ast.Module:
    if hasattr(place.node, "lineno"):
        ast.copy_location(changed, place.node)
    if place.index is None:
        setattr(place.parent, place.field, changed)
    else:
        getattr(place.parent, place.field)[place.index] = changed
    return ast.fix_missing_locations(place.root)


def _told(node: ast.AST) -> str:
    """The first line of it; what a long one goes on with is left out."""
    lines = ast.unparse(node).splitlines() or [""]
    text = lines[0] + (" …" if len(lines) > 1 else "")
    return text if len(text) <= 160 else f"{text[:160]}…"


# --- Places ---------------------------------------------------------------------------------------

_NOT_LOOKED_INTO = (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr)
_ANNOTATIONS = ("annotation", "returns", "decorator_list", "bases")
_UNTOLD = ("__repr__", "__str__", "__hash__")


@frozen
class _Context:
    """Where a walk through the tree is."""

    root: ast.Module
    function: str = ""
    first: int = 0
    last: int = 0
    always: bool = True

    def at(self, parent: ast.AST, field: str, index: int | None, node: ast.AST) -> Place:
        return Place(self.root, self.function, parent, field, index, node, self.first, self.last, self.always)

    def within(self, name: str, *, always: bool) -> _Context:
        return evolve(self, function=f"{self.function}.{name}" if self.function else name, always=always)


def _places(tree: ast.Module) -> Iterator[Place]:
    yield from _inside(tree, _Context(tree))


def _inside(node: ast.AST, context: _Context) -> Iterator[Place]:
    for field, value in ast.iter_fields(node):
        if field in _ANNOTATIONS:
            continue
        for number, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST) and not _is_left_alone(child):
                here = context
                if isinstance(child, ast.stmt):
                    first, last = _lines(child)
                    here = evolve(context, first=first, last=last)
                yield here.at(node, field, number if isinstance(value, list) else None, child)
                yield from _below(child, here)


def _below(child: ast.AST, context: _Context) -> Iterator[Place]:
    match child:
        case ast.FunctionDef(name=name) if name in _UNTOLD:
            return
        case ast.FunctionDef(name=name):
            inner = context.within(name, always=True)
            yield from _inside(child.args, inner)
            body = ast.Module(child.body, [])
            for place in _inside(body, evolve(inner, always=False)):
                yield evolve(place, parent=child) if place.parent is body else place
        case ast.ClassDef(name=name):
            yield from _inside(child, context.within(name, always=True))
        case _:
            yield from _inside(child, context)


def _lines(statement: ast.stmt) -> tuple[int, int]:
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.lineno, statement.end_lineno or statement.lineno
    inner = body[0]
    start = inner.pattern.lineno if isinstance(inner, ast.match_case) else inner.lineno
    return statement.lineno, max(statement.lineno, start - 1)


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.AnnAssign(value=None):
            return True
        case (
            ast.Assign(value=ast.Subscript() | ast.BinOp(op=ast.BitOr()))
            | ast.AnnAssign(annotation=ast.Name(id="TypeAlias"))
        ):
            return _is_alias(node)
    return isinstance(node, (*_NOT_LOOKED_INTO, ast.expr_context, ast.operator, ast.cmpop, ast.boolop))


def _is_alias(node: ast.AST) -> bool:
    """``Less = Callable[…]``, ``Put = Add | Update``: a type's name is written as types are."""
    if not isinstance(node, ast.Assign):
        return True
    name = node.targets[0]
    return isinstance(name, ast.Name) and name.id[:1].isupper() and not name.id.isupper()


# --- Operators ------------------------------------------------------------------------------------


def _boundary(node: ast.AST) -> Iterator[ast.AST]:
    yield from _compare(node, {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt})


def _comparison(node: ast.AST) -> Iterator[ast.AST]:
    yield from _compare(
        node,
        {
            ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq,
            ast.Lt: ast.GtE,
            ast.LtE: ast.Gt,
            ast.Gt: ast.LtE,
            ast.GtE: ast.Lt,
            ast.In: ast.NotIn,
            ast.NotIn: ast.In,
            ast.Is: ast.IsNot,
            ast.IsNot: ast.Is,
        },
    )


def _compare(node: ast.AST, swaps: dict[type[ast.cmpop], type[ast.cmpop]]) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for number, operator in enumerate(node.ops):
            if type(operator) in swaps:
                ops = [*node.ops]
                ops[number] = swaps[type(operator)]()
                yield ast.Compare(node.left, ops, node.comparators)


def _sign(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, ast.Add(), right) if not _is_text(left) and not _is_text(right):
            yield ast.BinOp(left, ast.Sub(), right)
        case ast.BinOp(left, ast.Sub(), right):
            yield ast.BinOp(left, ast.Add(), right)
        case ast.UnaryOp(ast.USub(), operand):
            yield operand
        case ast.AugAssign(target, ast.Add(), value):
            yield ast.AugAssign(target, ast.Sub(), value)
        case ast.AugAssign(target, ast.Sub(), value):
            yield ast.AugAssign(target, ast.Add(), value)


def _weight(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, ast.Mult() | ast.FloorDiv() | ast.Div() | ast.Mod(), _):
            yield left
        case ast.BinOp(left, ast.LShift(), right):
            yield ast.BinOp(left, ast.RShift(), right)


def _off_by_one(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            yield ast.Constant(value + 1)


def _flag(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)


def _order(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(ast.Name("min" | "max" as name), arguments, keywords):
            yield ast.Call(_name("max" if name == "min" else "min"), arguments, keywords)
        case ast.Call(ast.Name("reversed"), [argument], []):
            yield ast.Call(_name("tuple"), [argument], [])
        case ast.Call(ast.Name("sorted"), arguments, keywords):
            if all(keyword.arg != "reverse" for keyword in keywords):
                backwards = ast.keyword("reverse", ast.Constant(True))
                yield ast.Call(_name("sorted"), arguments, [*keywords, backwards])
            yield ast.Call(_name("list"), arguments[:1], [])


def _set(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, ast.BitAnd(), right):
            yield ast.BinOp(left, ast.BitOr(), right)
        case ast.BinOp(left, ast.BitOr(), right) if not _is_type(left) and not _is_type(right):
            yield ast.BinOp(left, ast.BitAnd(), right)
            yield left
            yield right
        case ast.AugAssign(target, ast.BitOr(), value):
            yield ast.AugAssign(target, ast.BitAnd(), value)
        case ast.BinOp(left, ast.Sub(), right) if _is_set(left) or _is_set(right):
            yield ast.BinOp(left, ast.BitAnd(), right)
            yield left


def _all_any(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(ast.Name("any" | "all" as name), arguments, keywords):
            yield ast.Call(_name("all" if name == "any" else "any"), arguments, keywords)


def _and_or(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)


def _part(node: ast.AST) -> Iterator[ast.AST]:
    """One of several conditions is not asked."""
    match node:
        case ast.BoolOp(operator, values):
            for number in range(len(values)):
                left = values[:number] + values[number + 1 :]
                yield left[0] if len(left) == 1 else ast.BoolOp(operator, left)


def _not(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.UnaryOp(ast.Not(), operand):
            yield operand


def _negated(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.If(test, body, orelse) if isinstance(test, ast.Name | ast.Attribute | ast.Call):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)


def _omission(node: ast.AST) -> Iterator[ast.AST]:
    """A step that is not done, a guard that is not there."""
    match node:
        case ast.Expr(ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.AugAssign() | ast.Delete():
            yield ast.Pass()
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.If(body=[*_, ast.Return() | ast.Continue() | ast.Break()], orelse=[]):
            yield ast.Pass()
        case ast.If(test, body, [_, *_]):
            yield ast.If(test, body, [])


def _leaving(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _returned(node: ast.AST) -> Iterator[ast.AST]:
    """An answer of yes or no that is always the same; an early return."""
    match node:
        case ast.Return(ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not())):
            yield ast.Return(ast.Constant(True))
            yield ast.Return(ast.Constant(False))
        case ast.For(target, over, body, orelse) if len(body) > 1:
            yield ast.For(target, over, [*body[:-1], ast.Break()], orelse, lineno=0)


def _once(node: ast.AST) -> Iterator[ast.AST]:
    """Only the first of several is looked at."""
    match node:
        case ast.For(target, over, body, orelse):
            yield ast.For(target, _first_of(over), body, orelse, lineno=0)
        case ast.comprehension(target, over, conditions, is_async):
            yield ast.comprehension(target, _first_of(over), conditions, is_async)


def _filter(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.comprehension(target, over, [_, *rest], is_async):
            yield ast.comprehension(target, over, rest, is_async)


def _swapped(node: ast.AST) -> Iterator[ast.AST]:
    """Two arguments that are alike, in each other's place."""
    match node:
        case ast.Call(function, [one, other, *rest], keywords) if _are_alike(one, other):
            yield ast.Call(function, [other, one, *rest], keywords)


def _kin(node: ast.AST) -> Iterator[ast.AST]:
    """Another attribute or constant of the same type."""
    match node:
        case ast.Attribute(value, name, ast.Load()) if name in _KIN:
            yield ast.Attribute(value, _KIN[name], ast.Load())
        case ast.Name(name, ast.Load()) if name in _KIN_NAMES:
            yield ast.Name(_KIN_NAMES[name], ast.Load())


OPERATORS: dict[str, Operator] = {
    "boundary": _boundary,
    "comparison": _comparison,
    "sign": _sign,
    "weight": _weight,
    "off-by-one": _off_by_one,
    "flag": _flag,
    "order": _order,
    "set": _set,
    "all-any": _all_any,
    "and-or": _and_or,
    "part": _part,
    "not": _not,
    "negated": _negated,
    "omission": _omission,
    "leaving": _leaving,
    "returned": _returned,
    "once": _once,
    "filter": _filter,
    "swapped": _swapped,
    "kin": _kin,
}

_PAIRS = (
    ("requested", "non_zero_requested"),
    ("ADD", "DELETE"),
    ("UPDATE_NODE_TAINT", "UPDATE_NODE_LABEL"),
    ("UPDATE_POD_LABEL", "UPDATE_POD_TOLERATION"),
    ("UNSCHEDULABLE_AND_UNRESOLVABLE", "UNSCHEDULABLE"),
    ("ACTIVE", "BACKOFF"),
    ("AFTER_BACKOFF", "IMMEDIATELY"),
    ("match_expressions", "match_fields"),
    ("node_name", "nominated_node_name"),
    ("requests", "limits"),
    ("containers", "init_containers"),
    ("before", "after"),
    ("labels", "annotations"),
)
_KIN = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])} | {"uid": "name"}
_KIN_NAMES = {"CPU": "MEMORY", "MEMORY": "CPU", "before": "after", "after": "before"}


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _first_of(over: ast.expr) -> ast.expr:
    return ast.Subscript(ast.Call(_name("tuple"), [over], []), ast.Slice(upper=ast.Constant(1)), ast.Load())


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


_BUILT_IN = ("int", "float", "str", "bytes", "bool", "list", "tuple", "dict")


def _is_type(node: ast.expr) -> bool:
    match node:
        case ast.Constant(None) | ast.Subscript():
            return True
        case ast.Name(name):
            return name in _BUILT_IN or (not name.isupper() and name[:1].isupper())
        case ast.Attribute(attr=name):
            return not name.isupper() and name[:1].isupper()
        case ast.BinOp(left, ast.BitOr(), right):
            return _is_type(left) or _is_type(right)
    return False


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(ast.Name("set" | "frozenset")):
            return True
        case ast.Call(ast.Attribute(attr="keys" | "items")):
            return True
    return False


def _are_alike(one: ast.expr, other: ast.expr) -> bool:
    match one, other:
        case ast.Name(first), ast.Name(second):
            return first != second and {first, second} in (
                {"before", "after"},
                {"one", "other"},
                {"left", "right"},
            )
        case ast.Attribute(left, first), ast.Attribute(right, second):
            return (first == second) != (ast.dump(left) == ast.dump(right))
    return False
