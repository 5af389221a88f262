# SPDX-License-Identifier: Apache-2.0
"""The operators of mutation: each changes one node of a syntax tree as schedulers are known to be wrong.

Known mistakes are a wrong boundary, comparison, sign, order or set, and a missing step.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

Operator = Callable[[ast.AST], Iterator[ast.AST]]


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
    """Removes one operand of an ``and`` or ``or``."""
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
    """Removes a statement or a guard."""
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
    """Makes a returned condition constant, or ends a loop after its first iteration."""
    match node:
        case ast.Return(ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not())):
            yield ast.Return(ast.Constant(True))
            yield ast.Return(ast.Constant(False))
        case ast.For(target, over, body, orelse) if len(body) > 1:
            yield ast.For(target, over, [*body[:-1], ast.Break()], orelse, lineno=0)


def _once(node: ast.AST) -> Iterator[ast.AST]:
    """Iterates over the first element only."""
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
    """Swaps the first two arguments of a call if they are alike."""
    match node:
        case ast.Call(function, [one, other, *rest], keywords) if _are_alike(one, other):
            yield ast.Call(function, [other, one, *rest], keywords)


def _kin(node: ast.AST) -> Iterator[ast.AST]:
    """Replaces an attribute or a constant by another of the same type."""
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
