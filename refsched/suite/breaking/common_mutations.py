# SPDX-License-Identifier: Apache-2.0
"""Common mutations: changes of one node of a syntax tree, beside those of refsched/mistakes, that schedulers often
make.

A mutant is one of many, and is to be killed; a mutation here is compared with what was seen, and may be coarse. So
a part of a sum, a member of a comparison or a whole step is left out, a condition always or never holds, the parts
of an order or of an alternative change places, a sum becomes a maximum, and a division is rounded otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

EMPTY: Mapping[str, tuple[str, ...]] = {
    "bool": ("True", "False"),
    "int": ("0",),
    "tuple": ("()",),
    "Sequence": ("()",),
    "Iterator": ("iter(())",),
    "Iterable": ("()",),
    "Mapping": ("{}",),
    "dict": ("{}",),
    "frozenset": ("frozenset()",),
    "Status": ("SUCCESS",),
}
"""By its type, these are the values that a function may always return; a function of another type may return
None."""


def common_mutations_of(node: ast.AST, values: Mapping[str, Any], answers: str = "") -> Iterator[ast.AST]:
    """Yields nodes that may stand in place of this one; ``values`` are those of the module by their names, and
    ``answers`` is the type that the function returns."""
    match node:
        case ast.expr():
            yield from _of_expression(node)
        case ast.If(test, body, orelse):
            yield ast.If(_truth(test, holds=True), body, orelse)
            if orelse or not isinstance(body[-1], ast.Return | ast.Continue | ast.Break):  # or it is left out
                yield ast.If(_truth(test, holds=False), body, orelse)
        case ast.For(target, over, body, orelse):
            yield ast.Pass()
            yield ast.For(target, _backwards(over), body, orelse, lineno=0)
        case ast.comprehension(target, over, conditions, is_async):
            yield ast.comprehension(target, _backwards(over), conditions, is_async)
        case ast.Return(ast.expr() as value):
            for text in EMPTY.get(answers, ("None",)):
                empty = ast.parse(text, mode="eval").body
                is_known = not isinstance(empty, ast.Name) or empty.id in values
                if is_known and ast.unparse(value) != text and not _is_turned_anyway(value, empty):
                    yield ast.Return(empty)


def _is_turned_anyway(value: ast.expr, empty: ast.expr) -> bool:
    """Returns whether mutation already has the function return this truth value."""
    is_condition = isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    )
    return is_condition and isinstance(empty, ast.Constant) and isinstance(empty.value, bool)


def _of_expression(node: ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.IfExp(test, body, orelse):
            yield from (body, orelse)
            if isinstance(body, ast.BinOp):
                yield ast.IfExp(test, body, body.left)
        case ast.GeneratorExp(ast.Compare() | ast.BoolOp(), generators):
            yield ast.GeneratorExp(ast.Constant(True), generators)
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield from _rounded_otherwise(left, right)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            yield from (left, right)
        case ast.BoolOp(ast.Or() as either, alternatives):
            yield ast.BoolOp(either, alternatives[::-1])
        case ast.Compare(ast.Tuple(one), [operator], [ast.Tuple(other)]) if len(one) == len(other):
            for number in range(len(one)):
                fewer = tuple_of(without(one, number))
                yield ast.Compare(fewer, [operator], [tuple_of(without(other, number))])
        case ast.Tuple([ast.Starred(one), ast.Starred(other)], ast.Load()):
            yield from (one, other, tuple_of([*map(_starred, (other, one))]))
            yield from (ast.BoolOp(ast.Or(), [one, other]), ast.BoolOp(ast.Or(), [other, one]))
        case ast.Tuple(elements, ast.Load()) if len(elements) > 1:
            yield from (tuple_of(without(elements, number)) for number in range(len(elements)))
            yield from (tuple_of([elements[n], *without(elements, n)]) for n in range(1, len(elements)))
        case ast.Call(ast.Name("sum"), [added], []):
            yield ast.Call(_name("max"), [added], [ast.keyword("default", ast.Constant(0))])


def _rounded_otherwise(left: ast.expr, right: ast.expr) -> Iterator[ast.expr]:
    """Yields the division rounded up, and rounded to the nearest integer."""
    negative = ast.BinOp(ast.UnaryOp(ast.USub(), left), ast.FloorDiv(), right)
    yield ast.UnaryOp(ast.USub(), negative)
    yield ast.Call(_name("round"), [ast.BinOp(left, ast.Div(), right)], [])


def _backwards(over: ast.expr) -> ast.expr:
    return ast.Subscript(
        ast.Call(_name("tuple"), [over], []),
        ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))),
        ast.Load(),
    )


def _truth(test: ast.expr, *, holds: bool) -> ast.expr:
    """Returns a condition that always or never holds. It names what the condition names, so that the code has the
    same free variables."""
    constant = ast.Constant(holds)
    operator = ast.Or() if holds else ast.And()
    return ast.BoolOp(operator, [ast.Call(_name("bool"), [constant], []), copy(test)])


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _starred(node: ast.expr) -> ast.expr:
    return ast.Starred(node, ast.Load())


def without(nodes: list[Any], number: int) -> list[Any]:
    """Returns the nodes but this one."""
    return nodes[:number] + nodes[number + 1 :]


def tuple_of(elements: list[ast.expr]) -> ast.expr:
    return ast.Tuple(elements, ast.Load())
