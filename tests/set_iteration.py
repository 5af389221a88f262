# SPDX-License-Identifier: Apache-2.0
"""Finds where source code goes through a set in an order that can be seen: that order differs from run to run.

An expression counts as a set where its form says so (``{a, b}``, ``set(...)``, ``a | b`` of sets), where a name or
a function is annotated so, or where an attribute is and no other class annotates that name otherwise. Where a set
is handed to a function whose parameter is gone through in order, that is found too.

Going through a set is harmless where only the whole counts: in ``sorted``, ``any``, ``len`` or another set.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path

from attrs import Factory, define, evolve, frozen

SETS = {"set", "frozenset", "Set", "AbstractSet", "FrozenSet", "MutableSet"}
OF_SETS = {"union", "intersection", "difference", "symmetric_difference", "copy"}
IN_NO_ORDER = {"sorted", "any", "all", "sum", "min", "max", "len", "set", "frozenset", "Counter", "bool"}
IN_ORDER = {"list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed", "chain", "dict", "next"}
METHODS_IN_ORDER = {"join", "extend", "fromkeys", "from_iterable", "extendleft"}


@frozen
class Place:
    file: str
    line: int
    source: str


@define
class Known:
    """``attributes`` and ``functions`` that are sets; ``walked`` parameters, by function and position or name."""

    attributes: set[str] = Factory(set)
    functions: set[str] = Factory(set)
    walked: dict[str, set[int | str]] = Factory(dict)


def set_iterations(paths: Iterable[Path]) -> list[Place]:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in paths}
    return _found(trees)


def _found(trees: Mapping[Path, ast.Module]) -> list[Place]:
    known = _known(list(trees.values()))
    return [
        Place(str(path), line, source)
        for path, tree in trees.items()
        for line, source in sorted(
            set(_places(tree, evolve(known, walked=known.walked | _all_walked(tree, known))))
        )
    ]


def set_iterations_of(text: str) -> list[str]:
    """In one text; for tests of this module."""
    return [place.source for place in _found({Path("text.py"): ast.parse(text)})]


# --- What is known --------------------------------------------------------------------------------


def _known(trees: Collection[ast.Module]) -> Known:
    attributes: dict[str, set[bool]] = {}
    functions: dict[str, set[bool]] = {}
    every = [node for tree in trees for node in ast.walk(tree)]
    for node in every:
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    attributes.setdefault(line.target.id, set()).add(_says_set(line.annotation))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
            attributes.setdefault(node.target.attr, set()).add(_says_set(node.annotation))
        if isinstance(node, ast.FunctionDef):
            is_property = any(
                getattr(each, "id", "") in ("property", "cached_property") for each in node.decorator_list
            )
            (attributes if is_property else functions).setdefault(node.name, set()).add(
                _says_set(node.returns)
            )
    known = Known(_only(attributes), _only(functions))
    for tree in trees:
        for name, parameters in _all_walked(tree, known).items():
            known.walked.setdefault(name, set()).update(parameters)
    return known


def _all_walked(tree: ast.Module, known: Known) -> dict[str, set[int | str]]:
    """Of each function of a module. A name means the module's own function, where it has one."""
    found: dict[str, set[int | str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, set()).update(_walked(node, known))
    return found


def _only(said: Mapping[str, set[bool]]) -> set[str]:
    return {name for name, answers in said.items() if answers == {True}}


def _says_set(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Name(id=name):
            return name in SETS
        case ast.Subscript(value=ast.Name(id=name)):
            return name in SETS
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _says_set(left) or _says_set(right)
    return False


def _walked(function: ast.FunctionDef, known: Known) -> Iterator[int | str]:
    """The parameters that would be gone through in order, were they sets."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    is_method = names[:1] in (["self"], ["cls"])
    alone = evolve(known, walked={})
    for number, name in enumerate(names):
        if any(_in_scope(function, {name}, alone)):
            yield number - is_method
            yield name


# --- What is found --------------------------------------------------------------------------------


def _places(tree: ast.Module, known: Known) -> Iterator[tuple[int, str]]:
    at_the_top = _sets_of(tree, set(), known)
    yield from _in_scope(tree, at_the_top, known)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _in_scope(node, _sets_of(node, at_the_top, known), known)


def _sets_of(scope: ast.AST, outer: set[str], known: Known) -> set[str]:
    """The names that are sets in this scope."""
    names = set(outer)
    if isinstance(scope, ast.FunctionDef | ast.Lambda):
        for each in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs):
            names.discard(each.arg)
            if _says_set(each.annotation):
                names.add(each.arg)
    for node in _nodes_of(scope):
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and _says_set(node.annotation)
        ):
            names.add(node.target.id)
        if isinstance(node, ast.Assign) and _is_set(node.value, names, known):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


@cache
def _nodes_of(scope: ast.AST) -> Sequence[ast.AST]:
    """Those of this scope, and not of the functions in it."""
    found = list(ast.iter_child_nodes(scope))
    for node in found:
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            found += ast.iter_child_nodes(node)
    return found


@cache
def _harmless(scope: ast.AST) -> Set[int]:
    """The ids of what stands where no order can be seen."""
    return {id(part) for node in _nodes_of(scope) for part in _in_no_order(node)}


def _in_scope(scope: ast.AST, names: set[str], known: Known) -> Iterator[tuple[int, str]]:
    harmless = _harmless(scope)
    for node in _nodes_of(scope):
        for walked in _walks(node, harmless, known):
            if _is_set(walked, names, known):
                yield walked.lineno, ast.unparse(walked)


def _in_no_order(node: ast.AST) -> list[ast.expr]:
    """What is handed to something for which only the whole counts."""
    if isinstance(node, ast.Call) and _name_of(node.func) in IN_NO_ORDER:
        return node.args
    return node.elts if isinstance(node, ast.Set) else []


def _walks(node: ast.AST, harmless: Set[int], known: Known) -> Iterator[ast.expr]:
    """What the node goes through, in an order that can be seen."""
    match node:
        case ast.For(iter=walked) | ast.YieldFrom(value=walked):
            yield walked
        case ast.ListComp(generators=generators) | ast.DictComp(generators=generators):
            yield from (each.iter for each in generators if id(node) not in harmless)
        case ast.GeneratorExp(generators=generators) if id(node) not in harmless:
            yield from (each.iter for each in generators)
        case ast.Starred(value=walked) if id(node) not in harmless:
            yield walked
        case ast.Call(func=function, args=arguments, keywords=keywords):
            yield from _handed(node, function, arguments, keywords, harmless, known)


def _handed(
    call: ast.Call,
    function: ast.expr,
    arguments: list[ast.expr],
    keywords: list[ast.keyword],
    harmless: Set[int],
    known: Known,
) -> Iterator[ast.expr]:
    name = _name_of(function)
    if (isinstance(function, ast.Name) and name in IN_ORDER) or name in METHODS_IN_ORDER:
        yield from arguments if id(call) not in harmless else ()
    walked = known.walked.get(name, set())
    yield from (argument for number, argument in enumerate(arguments) if number in walked)
    yield from (keyword.value for keyword in keywords if keyword.arg in walked)
    if isinstance(function, ast.Attribute) and name == "pop" and not arguments:
        yield function.value


def _name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_set(value: ast.expr, names: set[str], known: Known) -> bool:
    match value:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Name(id=name):
            return name in names
        case ast.Attribute(attr=name):
            return name in known.attributes
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Call(func=ast.Attribute(value=of, attr=name)) if name in OF_SETS:
            return _is_set(of, names, known) or name in known.functions
        case ast.Call(func=function):
            return _name_of(function) in known.functions
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
            return _is_set(left, names, known) or (
                not isinstance(value.op, ast.Sub) and _is_set(right, names, known)
            )
        case ast.IfExp(body=one, orelse=other):
            return _is_set(one, names, known) or _is_set(other, names, known)
        case ast.BoolOp(values=values):
            return any(_is_set(each, names, known) for each in values)
        case ast.NamedExpr(value=inner):
            return _is_set(inner, names, known)
    return False
