# SPDX-License-Identifier: Apache-2.0
"""The mutants of a module: every place of its source that an operator can change.

Docstrings, annotations, asserts and the texts of internal errors are not mutated. Nor are statements that only
record which rule applies (``applies("R-…")``), because a mutant without such a statement is equivalent. A mutant
is named after its function, its operator and a number, so that its name does not depend on other functions.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from types import CodeType

from attrs import evolve, frozen

from refsched.mistakes.operators import OPERATORS


@frozen
class Place:
    """A Place is a node of the syntax tree that a mutant replaces. ``first`` and ``last`` are the lines of its
    statement, or of the head of a compound statement; ``always`` says that the node runs when the module is
    imported."""

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
    """``name`` is ``module:function:operator:number``, with the module's name without ``refsched.``."""

    name: str
    module: str
    diff: str
    place: Place
    changed: ast.AST

    @property
    def operator(self) -> str:
        return self.name.split(":")[2]


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yields all mutants of the module, in the order of its source."""
    tree = ast.parse(source)
    count: Counter[str] = Counter()
    for place in places_of(tree):
        before = _first_line(place.node)
        for name, operator in OPERATORS.items():
            for changed in operator(place.node):
                after = _first_line(changed)
                if after == before:
                    continue
                stem = f"{module.removeprefix('refsched.')}:{place.function}:{name}"
                yield Mutant(f"{stem}:{count[stem]}", module, f"{before}  →  {after}", place, changed)
                count[stem] += 1


def compiled(source: str, name: str, module: str, path: str) -> CodeType:
    """Returns the module's code with the mutant of this name. Raises ValueError if the module has no such
    mutant."""
    for mutant in mutants_of(module, source):
        if mutant.name == name:
            return compile(planted(mutant.place, mutant.changed), path, "exec")
    raise ValueError(f"{module} has no mutant {name!r}")


def planted(place: Place, changed: ast.AST) -> ast.Module:
    """Returns the tree of the place with the changed node in it. The tree itself is changed."""
    if hasattr(place.node, "lineno"):
        ast.copy_location(changed, place.node)
    put(place.parent, place.field, place.index, changed)
    return ast.fix_missing_locations(place.root)


def put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    """Lets the node stand in this field of its parent, or at this index of what the field lists."""
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _first_line(node: ast.AST) -> str:
    """Returns the first line of the node's source, shortened to 160 characters."""
    lines = ast.unparse(node).splitlines() or [""]
    text = lines[0] + (" …" if len(lines) > 1 else "")
    return text if len(text) <= 160 else f"{text[:160]}…"


# --- Places ---------------------------------------------------------------------------------------

_NOT_MUTATED = (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr)
_ANNOTATIONS = ("annotation", "returns", "decorator_list", "bases")
_FOR_PEOPLE = ("__repr__", "__str__", "__hash__")


@frozen
class _Context:
    """A _Context is the position of a walk through the tree."""

    root: ast.Module
    function: str = ""
    first: int = 0
    last: int = 0
    always: bool = True

    def at(self, parent: ast.AST, field: str, index: int | None, node: ast.AST) -> Place:
        return Place(self.root, self.function, parent, field, index, node, self.first, self.last, self.always)

    def within(self, name: str, *, always: bool) -> _Context:
        return evolve(self, function=f"{self.function}.{name}" if self.function else name, always=always)


def places_of(tree: ast.Module) -> Iterator[Place]:
    """Yields the places of a module that are mutated, in the order of its source."""
    yield from _inside(tree, _Context(tree))


def _inside(node: ast.AST, context: _Context) -> Iterator[Place]:
    for field, value in ast.iter_fields(node):
        if field in _ANNOTATIONS:
            continue
        for number, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST) and not _is_not_mutated(child):
                here = context
                if isinstance(child, ast.stmt):
                    first, last = _lines(child)
                    here = evolve(context, first=first, last=last)
                yield here.at(node, field, number if isinstance(value, list) else None, child)
                yield from _below(child, here)


def _below(child: ast.AST, context: _Context) -> Iterator[Place]:
    match child:
        case ast.FunctionDef(name=name) if name in _FOR_PEOPLE:
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


def _is_not_mutated(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="applies"))):
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
    return isinstance(node, (*_NOT_MUTATED, ast.expr_context, ast.operator, ast.cmpop, ast.boolop))


def _is_alias(node: ast.AST) -> bool:
    """Recognizes aliases such as ``Less = Callable[…]`` and ``Put = Add | Update`` by their capitals."""
    if not isinstance(node, ast.Assign):
        return True
    name = node.targets[0]
    return isinstance(name, ast.Name) and name.id[:1].isupper() and not name.id.isupper()
