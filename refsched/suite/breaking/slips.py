# SPDX-License-Identifier: Apache-2.0
"""Slips: changes of one node of a syntax tree beside those of mutation, as a scheduler may be wrong.

A mutant is one of many, and is to be killed; a slip is compared with what was seen, and may be coarse. So a part
of a sum, a member of a comparison, an argument or a whole step is left out, a figure is ten times as large, a
constant or a field is another one of its type, and the parts of an order or of an alternative change places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import copy
from enum import Enum
from typing import Any

from refsched.suite.breaking.kin import fields_like

_FIGURES = ("backoff_flush_period", "leftover_flush_period", "max_in_unschedulable_pods", "weight")
"""Fields of a release or a configuration that are numbers."""


MOST_ALIKE = 6
"""So many others of its type are tried instead of a constant."""

MOST_MEMBERS = 8
"""Tables with more members are not tried without each of them."""

_EMPTY: Mapping[str, tuple[str, ...]] = {
    "bool": ("True", "False"),
    "int": ("0",),
    "tuple": ("()",),
    "Sequence": ("()",),
    "Iterator": ("iter(())",),
    "Iterable": ("()",),
    "Mapping": ("{}",),
    "dict": ("{}",),
    "frozenset": ("frozenset()",),
}
"""By the type that a function answers what it may always answer."""


def slips_of(node: ast.AST, values: Mapping[str, Any], answers: str = "") -> Iterator[ast.AST]:
    """Nodes that may stand in place of this one; ``values`` are those of the module by their names, and
    ``answers`` is the type of what the function answers."""
    match node:
        case ast.expr():
            yield from _of_expression(node, values)
        case ast.If(test, body, orelse):
            yield ast.If(_truth(test, holds=True), body, orelse)
            yield ast.If(_truth(test, holds=False), body, orelse)
        case ast.Assign([ast.Name()] as names):
            yield ast.Pass()
            yield ast.Assign(names, ast.Tuple([], ast.Load()), lineno=0)
        case ast.For():
            yield ast.Pass()
        case ast.Return(ast.expr() as value):
            yield ast.Return(ast.Constant(None))
            for empty in _EMPTY.get(answers, ()):
                if ast.unparse(value) != empty:
                    yield ast.Return(ast.parse(empty, mode="eval").body)


def _of_expression(node: ast.expr, values: Mapping[str, Any]) -> Iterator[ast.AST]:
    match node:
        case ast.IfExp(test, body, orelse):
            yield from (body, orelse)
            if isinstance(body, ast.BinOp):
                yield ast.IfExp(test, body, body.left)
        case ast.GeneratorExp(ast.Compare() | ast.BoolOp(), generators):
            yield ast.GeneratorExp(ast.Constant(True), generators)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            yield from (left, right)
        case ast.BoolOp(ast.Or() as either, alternatives):
            yield ast.BoolOp(either, alternatives[::-1])
        case ast.Compare(ast.Tuple(one), [operator], [ast.Tuple(other)]) if len(one) == len(other):
            for number in range(len(one)):
                fewer = _tuple(_without(one, number))
                yield ast.Compare(fewer, [operator], [_tuple(_without(other, number))])
        case ast.Compare(ast.expr() as key, [ast.In()], [ast.Name() | ast.Attribute() as within]):
            yield ast.Call(ast.Attribute(within, "get", ast.Load()), [key], [])
        case ast.Tuple(elements, ast.Load()) if len(elements) > 1:
            yield from (_tuple(_without(elements, number)) for number in range(len(elements)))
            yield from (_tuple([elements[n], *_without(elements, n)]) for n in range(1, len(elements)))
        case ast.List(elements, ast.Load()) if elements:
            yield from (ast.List(_without(elements, number), ast.Load()) for number in range(len(elements)))
        case ast.Call(function, arguments, keywords):
            yield from (ast.Call(function, arguments, _without(keywords, n)) for n in range(len(keywords)))
            for n, argument in enumerate(arguments):
                if isinstance(argument, ast.Attribute) and fields_like(argument.attr):
                    more = ast.BinOp(argument, ast.Add(), ast.Constant(1))
                    yield ast.Call(function, [*arguments[:n], more, *arguments[n + 1 :]], keywords)
            if isinstance(function, ast.Name) and (
                function.id in ("min", "max", "frozenset", "tuple") or len(arguments) > 1
            ):
                yield from (one for one in arguments if not isinstance(one, ast.Starred))
        case ast.Constant(int(value)) if value > 1:
            yield from _figures(node, of=value)
        case ast.Name(name, ast.Load()) if name.isupper() and name in values:
            if isinstance(values[name], int | float):
                yield from _figures(node, of=values[name])
            yield from _with_fewer(name, values[name])
            yield from (ast.Name(other, ast.Load()) for other in _alike(name, values))
        case ast.Attribute(ast.Name(kind), name, ast.Load()) if _is_enumeration(values.get(kind)):
            others = [other for other in values[kind].__members__ if other != name]
            yield from (ast.Attribute(node.value, other, ast.Load()) for other in others[:MOST_ALIKE])
        case ast.Attribute(holder, name, ast.Load()):
            if name in _FIGURES:
                yield from _figures(node, of=2)
            yield from (ast.Attribute(holder, other, ast.Load()) for other in fields_like(name))


def _with_fewer(name: str, table: object) -> Iterator[ast.AST]:
    """The table of this name without one of its members."""
    if isinstance(table, tuple) and 1 < len(table) <= MOST_MEMBERS:
        for n in range(len(table)):
            yield ast.parse(f"{name}[:{n}] + {name}[{n + 1}:]", mode="eval").body
    if isinstance(table, Mapping) and 1 < len(table) <= MOST_MEMBERS:
        for n in range(len(table)):
            fewer = f"{{key: {name}[key] for n, key in enumerate({name}) if n != {n}}}"
            yield ast.parse(fewer, mode="eval").body


def _alike(name: str, values: Mapping[str, Any]) -> list[str]:
    """The other constants of the module that are of the same type."""
    kind = type(values[name])
    found = [other for other, value in values.items() if other.isupper() and type(value) is kind]
    return [other for other in found if other != name][:MOST_ALIKE]


def _is_enumeration(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Enum)


def _figures(node: ast.expr, of: float) -> Iterator[ast.AST]:
    yield ast.BinOp(node, ast.Mult(), ast.Constant(10))
    yield ast.BinOp(node, ast.FloorDiv() if isinstance(of, int) else ast.Div(), ast.Constant(5))
    yield ast.BinOp(node, ast.Add(), ast.Constant(1))


def _truth(test: ast.expr, *, holds: bool) -> ast.expr:
    """A condition that always or never holds. It names what the condition names, so that the code has the same
    variables of its surroundings."""
    constant = ast.Constant(holds)
    operator = ast.Or() if holds else ast.And()
    return ast.BoolOp(operator, [ast.Call(ast.Name("bool", ast.Load()), [constant], []), copy(test)])


def _without(nodes: list[Any], number: int) -> list[Any]:
    return nodes[:number] + nodes[number + 1 :]


def _tuple(elements: list[ast.expr]) -> ast.expr:
    return ast.Tuple(elements, ast.Load())
