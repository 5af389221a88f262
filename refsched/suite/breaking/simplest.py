# SPDX-License-Identifier: Apache-2.0
"""Simplest: the two simplest ways to break a rule. It never decides, or it decides where it should not.

A rule decides where the code applies it: in the branch around that place, or under the condition with which it is
applied, or in the whole function. One that refuses what is read does so in the block that says so; it is broken in
one way, since to refuse where it should not may be to refuse what is refused in any case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from attrs import frozen

from refsched.mistakes.mutation import Place, put
from refsched.suite.breaking.breakings import Breaking, change_of
from refsched.suite.breaking.common_mutations import EMPTY
from refsched.suite.breaking.line_coverage import Function, applied_by, source_of, tree_of


@frozen
class _Within:
    """A _Within is a node and where it stands in the one around it."""

    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST


@frozen
class _Mark:
    """A _Mark is a place at which a rule is applied: ``around`` are the nodes of the function around it, the
    outermost first, and last itself."""

    function: str
    definition: ast.FunctionDef
    around: tuple[_Within, ...]


@cache
def simplest_of(module: str) -> Mapping[str, Sequence[tuple[Breaking, ...]]]:
    """Returns by rule its simplest breakings, at each place of the module that applies it."""
    found: dict[str, list[tuple[Breaking, ...]]] = {}
    root = tree_of(module)
    for rule, mark in _marks(root, module):
        function = Function(module, mark.function)
        changes = [
            change_of(function, Place(root, mark.function, *_position(within), 0, 0, always=False), changed)
            for within, changed in _instead(mark)
        ]
        if changes:
            found.setdefault(rule, []).append(tuple(Breaking((rule,), each) for each in changes))
    return found


def source_without(rule: str, module: str) -> str:
    """Returns the source of the module in which the rule never decides; empty if nothing there applies it."""
    root = ast.parse(source_of(module))
    never = [next(_instead(mark), None) for of_rule, mark in list(_marks(root, module)) if of_rule == rule]
    changes = [change for change in never if change is not None]
    for within, changed in changes:
        put(within.parent, within.field, within.index, changed)
    return ast.unparse(ast.fix_missing_locations(root)) if changes else ""


def _position(within: _Within) -> tuple[ast.AST, str, int | None, ast.AST]:
    return within.parent, within.field, within.index, within.node


# --- Where a rule is applied ----------------------------------------------------------------------


def _marks(root: ast.Module, module: str) -> Iterator[tuple[str, _Mark]]:
    for name, definition in functions_in(root):
        for around in _below(definition, ()):
            for rule in applied_by(around[-1].node, module):
                yield rule, _Mark(name, definition, around)


def functions_in(node: ast.AST, within: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yields the functions of a module and the methods of its classes, with their qualified names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{within}.{child.name}" if within else child.name
            if isinstance(child, ast.FunctionDef):
                yield name, child
            else:
                yield from functions_in(child, name)


def _below(node: ast.AST, above: tuple[_Within, ...]) -> Iterator[tuple[_Within, ...]]:
    for field, value in ast.iter_fields(node):
        for number, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                here = (*above, _Within(node, field, number if isinstance(value, list) else None, child))
                yield here
                yield from _below(child, here)


# --- What stands there instead --------------------------------------------------------------------


def _instead(mark: _Mark) -> Iterator[tuple[_Within, ast.AST]]:
    """Yields the nearest branch as it would be if it were taken never, or when it should not be; without a branch,
    the function does nothing."""
    for place, around in zip(reversed(mark.around), (*reversed(mark.around[:-1]), None), strict=True):
        if around is not None and (changed := list(_branch(place))):
            yield from ((around, each) for each in changed)
            return
    yield from _whole(mark)


def _branch(place: _Within) -> Iterator[ast.AST]:
    """Yields what stands in the place of the node around, if that one is a branch."""
    match place.parent, place.field:
        case ast.If(test) as branch, _ if _only_notes(branch):
            if _may_change_its_object(test):
                yield ast.If(ast.Constant(False), branch.body, branch.orelse)
        case ast.If(test, body, orelse), "body" | "test":
            yield ast.If(ast.Constant(False), body, orelse)
            # What refuses another value refuses the whole, all the same.
            if not isinstance(body[-1], ast.Raise):
                yield ast.If(_not(test), body, orelse)
        case ast.If(test, body, orelse), "orelse":
            yield ast.If(ast.Constant(True), body, orelse)
            yield ast.If(_not(test), body, orelse)
        case ast.With(), "items":
            yield ast.Pass()
        case ast.IfExp(test, body, orelse), "body":
            yield orelse
            yield ast.IfExp(test, orelse, body)
        case ast.IfExp(test, body, orelse), "orelse":
            yield body
            yield ast.IfExp(test, orelse, body)
        case ast.match_case(pattern, None, body), "body":
            yield ast.match_case(pattern, ast.Constant(False), body)
        case ast.Return(ast.Call(func=ast.Name(id="applies"), keywords=[ast.keyword(value=when)])), "value":
            yield ast.Return(ast.Constant(False))
            yield ast.Return(_not(when))


def _only_notes(statement: ast.stmt) -> bool:
    """Returns whether all that the statement does is to note that a rule is applied, so that it makes no
    difference which way it goes."""
    match statement:
        case ast.Expr(ast.Call(func=ast.Name(id="applies"))):
            return True
        case ast.If(_, body, orelse):
            return all(map(_only_notes, (*body, *orelse)))
    return False


def _may_change_its_object(test: ast.expr) -> bool:
    """Returns whether the condition calls a method of the object itself, which may do what the rule says."""
    calls = [node.func for node in ast.walk(test) if isinstance(node, ast.Call)]
    return any(isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self" for each in calls)


def _whole(mark: _Mark) -> Iterator[tuple[_Within, ast.AST]]:
    """Yields the changed condition with which the rule is applied, if the function gives it a name, or else the
    changed body."""
    match mark.around[-1].node:
        case ast.Call(keywords=[ast.keyword(value=ast.Name(id=name))]):
            for statement in mark.definition.body:
                match statement:
                    case ast.Assign([ast.Name(id=assigned)], value) if assigned == name:
                        here = _Within(statement, "value", None, value)
                        yield from ((here, each) for each in _otherwise(value))
                        return
    number, first = _first_step(mark.definition)
    answer = _nothing(mark.definition)
    if answer is not None:
        yield _Within(mark.definition, "body", number, first), ast.Return(answer)


def _otherwise(value: ast.expr) -> Iterator[ast.expr]:
    match value:
        case ast.ListComp() | ast.List():
            yield ast.List([], ast.Load())
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
            yield ast.Constant(False)
            yield _not(value)


def _first_step(definition: ast.FunctionDef) -> tuple[int, ast.stmt]:
    has_docstring = ast.get_docstring(definition, clean=False) is not None
    return int(has_docstring), definition.body[int(has_docstring)]


def _nothing(definition: ast.FunctionDef) -> ast.expr | None:
    """Returns what the function returns if it does nothing: what it was given to change, or what says nothing."""
    if definition.returns is None:
        return None
    answers = ast.unparse(definition.returns)
    for argument in definition.args.args:
        if argument.annotation is not None and ast.unparse(argument.annotation) == answers:
            return ast.Name(argument.arg, ast.Load())
    if answers == "None" or answers.endswith("| None"):
        return ast.Constant(None)
    empty = EMPTY.get(answers.partition("[")[0])
    return None if empty is None else ast.parse(empty[-1], mode="eval").body


def _not(test: ast.expr) -> ast.expr:
    return (
        test.operand
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        else ast.UnaryOp(ast.Not(), test)
    )
