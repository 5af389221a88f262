# SPDX-License-Identifier: Apache-2.0
"""CEL types: the expressions that cannot be compiled because their types do not fit.

The API server stores no selector that does not compile. If kube-scheduler receives one all the same, it fails
on the first device for which the selector is evaluated, even if the evaluation would never reach the mistake.

Promised: that expressions are checked for their types is documented with the language CEL.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go, CompileCELExpression; github.com/google/cel-go
checker/checker.go, cel/validator.go (v0.29.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from attrs import frozen

from refsched.cel.optional import QUOTED, SELECT
from refsched.cel.overloads import (
    ANY,
    BOOL,
    DYN,
    FREE,
    INT,
    NULL,
    STRING,
    Type,
    assignable,
    determined,
    equivalent,
    result_of,
)
from refsched.cel.steps import TYPE_NAMES, CelSteps, rooted
from refsched.cel.tree import arguments, bare_name, if_marked, subtrees, text_of
from refsched.cel.values import compile_error
from refsched.rules import applies

if TYPE_CHECKING:
    from lark import Token, Tree

_DEVICE = Type("kubernetes.DRADevice")


def _of_domains(found: Type) -> Type:
    return Type("map", (STRING, Type("map", (STRING, found))))


_FIELDS: Mapping[str, Type] = {
    "driver": STRING,
    "capacity": _of_domains(Type("kubernetes.Quantity")),
    "allowMultipleAllocations": BOOL,
}
_LITERALS = {
    "INT_LIT": INT,
    "UINT_LIT": Type("uint"),
    "FLOAT_LIT": Type("double"),
    "BOOL_LIT": BOOL,
    "NULL_LIT": NULL,
    "BYTES_LIT": Type("bytes"),
}
_QUANTIFIERS = frozenset({"all", "exists", "exists_one"})


def check_types(tree: Tree[Token], steps: CelSteps) -> None:
    """R-DRA-78 (shows in devices): A selector whose types do not fit, or whose own type is neither bool nor that
    of an attribute, cannot be compiled.

    The selector has been compiled before, so that macros have the arguments that they need. Raises CelError.
    """
    named = {"device": _DEVICE, **{name: Type("type", (Type(name),)) for name in TYPE_NAMES}}
    scope = {**named, **{rooted(name): found for name, found in named.items()}}
    found = determined(_Typer(scope, steps).type_of(tree))
    if found != BOOL and not steps.may_be_result(found):
        applies("R-DRA-78")
        raise compile_error(f"must evaluate to bool or the unknown type, not {found}")


def _refuse(problem: str) -> NoReturn:
    applies("R-DRA-78")
    raise compile_error(f"compilation failed: ERROR: <input>: {problem}")


def _is_open(found: Type) -> bool:
    return found in (ANY, DYN, FREE)


@frozen
class _Typer:
    """``scope`` has the types of the names that are declared. That every name is declared was checked before."""

    scope: Mapping[str, Type]
    steps: CelSteps

    def type_of(self, tree: Tree[Token]) -> Type:
        children = tree.children
        match tree.data:
            case "expr" if len(children) == 3:
                return self._applied("conditional", subtrees(children))
            case "conditionalor" | "conditionaland" if len(children) == 2:
                return self._applied("logical", subtrees(children))
            case "relation" | "addition" | "multiplication" if len(children) == 2:
                left, right = subtrees(children)
                return self._applied(str(left.data), [subtrees(left.children)[0], right])
            case "unary" if len(children) == 2:
                sign, operand = subtrees(children)
                return self._applied(str(sign.data), [operand])
            case "member_dot":
                return self._selected(self.type_of(subtrees(children)[0]), str(children[1]))
            case "member_index":
                return self._index(*subtrees(children))
            case "member_dot_arg":
                return self._method(subtrees(children)[0], str(children[1]), arguments(children[1:]))
            case "dot_ident_arg" | "ident_arg":
                return self._called(str(children[0]), arguments(children))
            case "dot_ident":
                return self.scope[self.steps.root_name(str(children[0]), ())]
            case "ident":
                return self.scope[str(children[0])]
            case "list_lit":
                return Type("list", (self._common(arguments(children, 0)),))
            case "map_lit":
                inner = arguments(children, 0)
                return Type("map", (self._common(inner[::2]), self._common(inner[1::2])))
            case "literal":
                return _LITERALS.get(getattr(children[0], "type", ""), STRING)
        return self.type_of(subtrees(children)[0])

    def _applied(self, function: str, trees: Sequence[Tree[Token]]) -> Type:
        given = [self.type_of(tree) for tree in trees]
        found = result_of(function, given)
        if found is None:
            _refuse(
                f"found no matching overload for '{function}' applied to '({', '.join(map(str, given))})'"
            )
        return found

    def _common(self, trees: Sequence[Tree[Token]]) -> Type:
        """Returns the common type of the elements of a literal."""
        common = FREE
        for tree in trees:
            marked = if_marked(tree)
            found = self.type_of(marked or tree)
            if marked is not None:
                found = self._held(found)
            if not equivalent(common, found):
                _refuse(f"expected type '{common}' but found '{found}'")
            common = found if common is FREE else common
        return common

    @staticmethod
    def _held(found: Type) -> Type:
        if found.name == "optional_type":
            return found.of[0]
        return DYN if _is_open(found) else _refuse(f"expected type 'optional_type(T)' but found '{found}'")

    # --- Fields and calls -------------------------------------------------------------------------

    def _selected(self, holder: Type, name: str) -> Type:
        if holder.name == "optional_type":
            return Type("optional_type", (self._selected(holder.of[0], name),))
        if holder == _DEVICE:
            fields = {**_FIELDS, "attributes": _of_domains(self.steps.attribute)}
            return fields.get(name) or _refuse(f"undefined field '{name}'")
        if holder.name == "map":
            return holder.of[1]
        if _is_open(holder):
            return DYN
        _refuse(f"type '{holder}' does not support field selection")

    def _index(self, holder: Tree[Token], index: Tree[Token]) -> Type:
        marked = if_marked(index)
        return self._applied("index" if marked is None else "optional_index", [holder, marked or index])

    def _called(self, name: str, given: Sequence[Tree[Token]]) -> Type:
        if name == "has":
            return self._has(given[0])
        return self._applied(name, given)

    def _has(self, argument: Tree[Token]) -> Type:
        self.type_of(argument)
        return BOOL

    def _method(self, holder: Tree[Token], name: str, given: Sequence[Tree[Token]]) -> Type:
        namespace = bare_name(holder)
        if namespace == "cel" and name == "bind":
            return self._with(bare_name(given[0]), self.type_of(given[1])).type_of(given[2])
        if namespace is not None and namespace not in self.scope:
            return self._called(f"{namespace}.{name}", given)
        if name == QUOTED:
            return self._selected(self.type_of(holder), text_of(given[0]))
        if name == SELECT:
            found = self._selected(self.type_of(holder), text_of(given[0]))
            return found if found.name == "optional_type" else Type("optional_type", (found,))
        if name in ("optMap", "optFlatMap"):
            return self._optional_map(holder, bare_name(given[0]), given[1], flat=name == "optFlatMap")
        if name in _QUANTIFIERS or name in ("map", "filter"):
            return self._comprehension(name, holder, bare_name(given[0]), given[1:])
        return self._applied(f".{name}", [holder, *given])

    # --- Macros -----------------------------------------------------------------------------------

    def _comprehension(
        self, macro: str, holder: Tree[Token], variable: str | None, rest: Sequence[Tree[Token]]
    ) -> Type:
        items = self.type_of(holder)
        ranges = items == FREE or items.name in ("list", "map")
        if not ranges and not self.steps.may_be_range(items):
            _refuse(f"expression of type '{items}' cannot be range of a comprehension")
        each = items.of[0] if items.of else DYN
        inner = self._with(variable, each)
        if macro != "map" or len(rest) > 1:
            inner._must_be_bool(rest[0])
        if macro in _QUANTIFIERS:
            return BOOL
        return Type("list", (each if macro == "filter" else inner.type_of(rest[-1]),))

    def _must_be_bool(self, tree: Tree[Token]) -> None:
        found = self.type_of(tree)
        if not assignable(found, BOOL, {}):
            _refuse(f"expected type 'bool' but found '{found}'")

    def _optional_map(
        self, holder: Tree[Token], variable: str | None, body: Tree[Token], *, flat: bool
    ) -> Type:
        optional = self.type_of(holder)
        found = self._with(variable, FREE if _is_open(optional) else self._held(optional)).type_of(body)
        if flat and found in (ANY, DYN):
            return DYN
        return Type("optional_type", (self._held(found) if flat else found,))

    def _with(self, name: str | None, found: Type) -> _Typer:
        return _Typer({**self.scope, name or "": found}, self.steps)
