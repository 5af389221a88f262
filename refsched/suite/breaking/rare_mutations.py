# SPDX-License-Identifier: Apache-2.0
"""Rare mutations: changes of one node of a syntax tree that take a constant, a field, a function, an argument or
an assigned value for another one, as schedulers seldom do.

They are many: a figure is ten times as large, a constant, a field or a function is another one of its type, a
table lacks a member, an argument is passed on as the result, and nothing is assigned.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from enum import Enum
from types import FunctionType
from typing import Any

from refsched.suite.breaking.common_mutations import tuple_of, without
from refsched.suite.breaking.similar_fields import fields_like

_FIGURES = ("max_seconds_unschedulable", "weight")
"""These fields of a release or a configuration are numbers."""


MOST_ALIKE = 6
"""This many others of its type are tried instead of a constant or a function."""

MOST_MEMBERS = 8
"""Tables with more members are not tried without each of them."""


def rare_mutations_of(node: ast.AST, values: Mapping[str, Any]) -> Iterator[ast.AST]:
    """Yields nodes that may stand in place of this one; ``values`` are those of the module by their names."""
    match node:
        case ast.Assign([ast.Name()] as names):
            yield ast.Pass()
            yield ast.Assign(names, tuple_of([]), lineno=0)
        case ast.Compare(ast.expr() as key, [ast.In()], [ast.Name() | ast.Attribute() as within]):
            yield ast.Call(ast.Attribute(within, "get", ast.Load()), [key], [])
        case ast.List(elements, ast.Load()) if elements:
            yield from (ast.List(without(elements, number), ast.Load()) for number in range(len(elements)))
        case ast.Call():
            yield from _of_call(node, values)
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


def _of_call(node: ast.Call, values: Mapping[str, Any]) -> Iterator[ast.AST]:
    function, arguments, keywords = node.func, node.args, node.keywords
    yield from (ast.Call(function, arguments, without(keywords, n)) for n in range(len(keywords)))
    for n, argument in enumerate(arguments):
        if isinstance(argument, ast.Attribute) and fields_like(argument.attr):
            more = ast.BinOp(argument, ast.Add(), ast.Constant(1))
            yield ast.Call(function, [*arguments[:n], more, *arguments[n + 1 :]], keywords)
    if isinstance(function, ast.Name):
        for other in _functions_like(function.id, values):
            yield ast.Call(ast.Name(other, ast.Load()), arguments, keywords)
        if function.id in ("min", "max", "frozenset", "tuple") or len(arguments) > 1:
            yield from (one for one in arguments if not isinstance(one, ast.Starred))


def _functions_like(name: str, values: Mapping[str, Any]) -> list[str]:
    """Returns the other functions of the module that take and return the same types."""
    function = values.get(name)
    if not isinstance(function, FunctionType):
        return []
    types = _types(function)
    found = [
        other
        for other, value in values.items()
        if isinstance(value, FunctionType)
        and value.__module__ == function.__module__
        and _types(value) == types
    ]
    return [other for other in found if other != name][:MOST_ALIKE]


def _types(function: FunctionType) -> tuple[object, ...]:
    signature = inspect.signature(function)
    parameters = [(each.kind, each.annotation) for each in signature.parameters.values()]
    return (*parameters, signature.return_annotation)


def _with_fewer(name: str, table: object) -> Iterator[ast.AST]:
    """Yields the table of this name without one of its members."""
    if isinstance(table, tuple) and 1 < len(table) <= MOST_MEMBERS:
        for n in range(len(table)):
            yield ast.parse(f"{name}[:{n}] + {name}[{n + 1}:]", mode="eval").body
    if isinstance(table, Mapping) and 1 < len(table) <= MOST_MEMBERS:
        for n in range(len(table)):
            fewer = f"{{key: {name}[key] for n, key in enumerate({name}) if n != {n}}}"
            yield ast.parse(fewer, mode="eval").body


def _alike(name: str, values: Mapping[str, Any]) -> list[str]:
    """Returns the other constants of the module that are of the same type."""
    kind = type(values[name])
    found = [other for other, value in values.items() if other.isupper() and type(value) is kind]
    return [other for other in found if other != name][:MOST_ALIKE]


def _is_enumeration(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Enum)


def _figures(node: ast.expr, of: float) -> Iterator[ast.AST]:
    yield ast.BinOp(node, ast.Mult(), ast.Constant(10))
    yield ast.BinOp(node, ast.FloorDiv() if isinstance(of, int) else ast.Div(), ast.Constant(5))
    yield ast.BinOp(node, ast.Add(), ast.Constant(1))
