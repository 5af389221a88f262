# SPDX-License-Identifier: Apache-2.0
"""Holding: in which releases a rule holds, computed from what each release refers to.

The walk begins at the value of a release. A function, a class or a value refers to what it names; of a class that
is reached, a member is reached once something that is reached names such an attribute. So a rule that stands with
a function that only one release names holds in this release only. What no release refers to, because the machine
does it for all, holds wherever another rule of its area does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from attrs import field, frozen

import refsched
from refsched.releases import RELEASES
from refsched.suite.catalogue.reasons import AROUND

Name = tuple[str, str]
"""A module, and a name in it (``NodePorts``, ``NodePorts.filter``)."""

_READ_BY_HINTS = "EVENTS"
_ASKS_HINTS = ("refsched.queue.hint_table", "HintTable.strategy")
"""The machine makes a table of hints for every release; only a queue that asks the table goes by them."""


@frozen
class _Definition:
    """``names`` are those that it uses, ``attributes`` those of whatever it holds; ``members`` of a class are
    definitions of their own."""

    names: frozenset[Name]
    attributes: frozenset[str]
    members: frozenset[str] = field(default=frozenset())


@cache
def reached_by(release: str) -> frozenset[Name]:
    """Everything in the specification that the release refers to."""
    definitions = _definitions()
    attributes: set[str] = set()
    classes: set[Name] = set()
    reached: set[Name] = set()
    ahead: list[Name] = [_value_of(release)]
    while ahead:
        name = ahead.pop()
        if name in reached or name not in definitions:
            continue
        reached.add(name)
        found = definitions[name]
        ahead.extend(found.names)
        new = found.attributes - attributes - {_READ_BY_HINTS}
        if name == _ASKS_HINTS:
            new |= {_READ_BY_HINTS}
        attributes |= new
        if found.members:
            classes.add(name)
            ahead.extend(_members(name, found.members & attributes))
        for other in sorted(classes) if new else ():
            ahead.extend(_members(other, definitions[other].members & new))
    return frozenset(reached)


def releases_of(module: str, place: str) -> tuple[str, ...]:
    """The releases that refer to what stands there; none where the machine does it for all. A place that is no
    definition, such as a row of a table, is reached with its module."""
    parts = place.split(".")
    possible = [(module, ".".join(parts[:count])) for count in (2, 1)]
    stated = next((name for name in possible if name in _definitions()), None)
    return tuple(
        release
        for release in RELEASES
        if (stated in reached_by(release) if stated is not None else module in _modules_of(release))
    )


@cache
def _modules_of(release: str) -> frozenset[str]:
    return frozenset(module for module, _ in reached_by(release))


def _members(of: Name, members: frozenset[str]) -> Iterator[Name]:
    return ((of[0], f"{of[1]}.{member}") for member in sorted(members))


def _value_of(release: str) -> Name:
    """The module of a release is called as the value is."""
    value = f"v{release.replace('.', '_')}"
    return f"refsched.releases.{value}", value.upper()


# --- Which name uses which ------------------------------------------------------------------------------


@cache
def _definitions() -> Mapping[Name, _Definition]:
    package = Path(refsched.__path__[0])
    found: dict[Name, _Definition] = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if parts[1] not in AROUND:
            module = ".".join(part for part in parts if part != "__init__")
            found.update(_of_module(module, ast.parse(path.read_text("utf-8"))))
    return found


def _of_module(module: str, tree: ast.Module) -> Iterator[tuple[Name, _Definition]]:
    imported = dict(_imported(tree))
    own = {name: (module, name) for node in tree.body for name in _bound(node)}
    known: Mapping[str, Name] = {**imported, **own}
    for node in tree.body:
        for name in _bound(node):
            if not isinstance(node, ast.ClassDef):
                yield (module, name), _definition([node], known)
                continue
            defined = {member: each for each in node.body for member in _bound(each) if _is_member(each)}
            rest = [each for each in node.body if not _is_member(each)]
            within = {**known, **{member: (module, f"{name}.{member}") for member in defined}}
            of_class = _definition([*node.bases, *node.decorator_list, *rest], known)
            yield (module, name), _Definition(of_class.names, of_class.attributes, frozenset(defined))
            for member, each in defined.items():
                yield (module, f"{name}.{member}"), _definition([each], within)


def _is_member(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) or _READ_BY_HINTS in _bound(node)


def _bound(node: ast.stmt) -> tuple[str, ...]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            return (name,)
        case ast.Assign(targets=targets):
            return tuple(target.id for target in targets if isinstance(target, ast.Name))
    return ()


def _imported(tree: ast.Module) -> Iterator[tuple[str, Name]]:
    for node in _within(tree, _STATEMENTS):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("refsched"):
            for alias in node.names:
                yield alias.asname or alias.name, (node.module or "", alias.name)


def _definition(nodes: list[ast.AST] | list[ast.stmt], known: Mapping[str, Name]) -> _Definition:
    names: set[Name] = set()
    attributes: set[str] = set()
    for each in (inner for node in nodes for inner in _within(node, ast.AST)):
        if isinstance(each, ast.Name) and each.id in known:
            names.add(known[each.id])
        elif isinstance(each, ast.Attribute):
            attributes.add(each.attr)
            if isinstance(each.value, ast.Name) and each.value.id in known:
                package, name = known[each.value.id]
                names.add((f"{package}.{name}", each.attr))
    return _Definition(frozenset(names), frozenset(attributes))


_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case, ast.Module)
_BARE = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop, ast.Constant)


def _within(node: ast.AST, kinds: type[ast.AST] | tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """The node, and what is of these kinds below it with nothing else between. It takes a third of the time of
    ast.walk, which looks into what holds nothing too."""
    ahead = [node]
    while ahead:
        found = ahead.pop()
        yield found
        for name in found._fields:
            member = getattr(found, name, None)
            if isinstance(member, list):
                ahead += [each for each in member if isinstance(each, kinds) and not isinstance(each, _BARE)]
            elif isinstance(member, kinds) and not isinstance(member, _BARE):
                ahead.append(member)
