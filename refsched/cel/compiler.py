# SPDX-License-Identifier: Apache-2.0
"""CEL programs: the syntax tree of a selector becomes a function of a device.

Promised: what a CEL selector may say is documented with the DeviceSelector of resource.k8s.io.
Shows in: devices.
Source: dynamic-resource-allocation/cel/compile.go; github.com/google/cel-go interpreter (v0.29.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from refsched.cel.functions import CONVERSIONS, FUNCTIONS, METHODS
from refsched.cel.limits import METER, Meter, checked_key, too_deep
from refsched.cel.literals import literal
from refsched.cel.operators import (
    BINARY,
    FOLDS,
    Evaluate,
    Scope,
    at,
    calling,
    conditional,
    go_type,
    logical,
    negated,
    negative,
    qualifier,
    select,
)
from refsched.cel.optional import (
    QUOTED,
    SELECT,
    alternative,
    mapped,
    present_items,
    selected,
    without_optional_syntax,
)
from refsched.cel.results import boolean
from refsched.cel.steps import TYPE_NAMES, CelSteps, rooted
from refsched.cel.tree import arguments, bare_name, if_marked, is_literal, subtrees, text_of, unwrapped
from refsched.cel.types import check_types
from refsched.cel.values import (
    CelDevice,
    CelType,
    CelValueError,
    Domains,
    Optional,
    compile_error,
    hashed,
    refused,
    runtime_error,
)
from refsched.errors import InputError
from refsched.rules import applies, listening

if TYPE_CHECKING:
    from lark import Token, Tree

_DEVICE = "device"
_MACROS = frozenset({"all", "exists", "exists_one", "map", "filter"})
_TYPES = {name: CelType(name) for name in TYPE_NAMES}
_ROOT = {**_TYPES, **{rooted(name): value for name, value in _TYPES.items()}}


@frozen
class CelProgram:
    """A CelProgram is a compiled selector."""

    evaluate: Evaluate = field(eq=False)

    def matches(self, device: CelDevice) -> bool:
        """Returns whether the selector matches the device. Raises CelError."""
        try:
            scope = {**_ROOT, _DEVICE: device, rooted(_DEVICE): device, METER: Meter()}
            return boolean(self.evaluate(scope))
        except CelValueError as error:
            raise runtime_error(error) from None
        except RecursionError:
            raise too_deep() from None


def compile_selector(expression: str, steps: CelSteps) -> CelProgram:
    """Returns the program, which is kept, and applies the rules by which it was compiled each time."""
    program, rules = _compiled(expression, steps)
    for rule in rules:
        applies(rule)
    return program


@lru_cache(maxsize=256)
def _compiled(expression: str, steps: CelSteps) -> tuple[CelProgram, frozenset[str]]:
    """R-DRA-74: A selector that does not parse, or that names something unknown to CEL, cannot be compiled."""
    from celpy.celparser import CELParseError, CELParser

    rules: set[str] = set()
    try:
        with listening(rules.add):
            tree: Tree[Token] = CELParser().parse(without_optional_syntax(expression, steps.unquoted))
            compiler = _Compiler(frozenset(), steps)
            program = CelProgram(compiler.compile(tree))
            check_types(tree, steps)
            _convert(compiler.constants)
    except CELParseError:
        raise refused("Syntax error") from None
    except RecursionError:
        raise too_deep() from None
    return program, frozenset(rules)


def _convert(constants: Sequence[Evaluate]) -> None:
    """R-DRA-150: The conversion of a constant to a type is evaluated when the selector is compiled; if it fails,
    the selector cannot be compiled."""
    for convert in constants:
        try:
            convert(_ROOT)
        except CelValueError as error:
            applies("R-DRA-150")
            raise compile_error(f"program instantiation failed: {error}") from None


def _not_followed(function: str) -> InputError:
    """R-FEATURE-06 (observed: which functions are followed is the limit of this specification; shows in config): A
    selector that calls a CEL function which is not specified here is refused by the name of the function."""
    applies("R-FEATURE-06")
    return InputError(f"the CEL function {function} is not followed")


def _known(value: Any) -> Any:
    """Returns the value, or raises it if it is an error that cel.bind() bound."""
    if isinstance(value, CelValueError):
        raise value
    return value


# --- From a syntax tree to a function -------------------------------------------------------------


@frozen
class _Compiler:
    """A _Compiler compiles an expression in which these names are those of variables of macros. ``constants``
    are the conversions of constants."""

    variables: frozenset[str]
    steps: CelSteps
    constants: list[Evaluate] = field(factory=list)

    def compile(self, tree: Tree[Token]) -> Evaluate:
        children = tree.children
        match tree.data:
            case "expr" if len(children) == 3:
                return conditional(*self._all(children))
            case "conditionalor" if len(children) == 2:
                return logical(self._all(children), decides=True)
            case "conditionaland" if len(children) == 2:
                return logical(self._all(children), decides=False)
            case "relation" | "addition" | "multiplication" if len(children) == 2:
                return self._binary(*subtrees(children))
            case "unary" if len(children) == 2:
                return self._unary(*subtrees(children))
            case "member_dot" | "member_dot_arg" | "member_index" | "member_object":
                return self._member(tree)
            case "dot_ident_arg" | "ident_arg":
                return self._call(str(children[0]), arguments(children))
            case "dot_ident":
                return self._name(self.steps.root_name(str(children[0]), self.variables))
            case "ident":
                return self._name(str(children[0]))
            case "list_lit":
                return self._list(arguments(children, 0))
            case "map_lit":
                return self._map(arguments(children, 0))
            case "literal":
                return literal(children[0])
        return self.compile(subtrees(children)[0])

    def _all(self, trees: Sequence[Tree[Token] | Token]) -> list[Evaluate]:
        return [self.compile(tree) for tree in subtrees(trees)]

    def _binary(self, left: Tree[Token], right: Tree[Token]) -> Evaluate:
        operator = BINARY[str(left.data)]
        a, b = self.compile(subtrees(left.children)[0]), self.compile(right)
        if left.data == "relation_in" and self._is_written_out(right):
            return lambda scope: operator(hashed(a(scope)), b(scope))
        if left.data == "addition_add":
            return lambda scope: scope[METER].joined(operator(a(scope), b(scope)))
        return lambda scope: operator(a(scope), b(scope))

    def _unary(self, sign: Tree[Token], operand: Tree[Token]) -> Evaluate:
        operator = negated if sign.data == "unary_not" else negative
        value = self.compile(operand)
        return lambda scope: operator(value(scope))

    def _list(self, trees: Sequence[Tree[Token]]) -> Evaluate:
        maybe = [if_marked(tree) for tree in trees]
        items = [self.compile(marked or tree) for marked, tree in zip(maybe, trees, strict=True)]
        marks = [marked is not None for marked in maybe]
        return lambda scope: present_items([item(scope) for item in items], marks)

    def _map(self, trees: Sequence[Tree[Token]]) -> Evaluate:
        keys, values = self._all(trees[::2]), self._all(trees[1::2])
        return lambda scope: {
            checked_key(key(scope)): value(scope) for key, value in zip(keys, values, strict=True)
        }

    # --- Names, fields and calls ------------------------------------------------------------------

    def _name(self, name: str) -> Evaluate:
        if not self._declares(name):
            raise refused(f"undeclared reference to '{name}' (in container '')")
        return lambda scope: _known(scope[name])

    def _declares(self, name: str) -> bool:
        return name in self.variables or name in _ROOT or name in (_DEVICE, rooted(_DEVICE))

    def _member(self, tree: Tree[Token]) -> Evaluate:
        target, *rest = tree.children
        (holder,) = subtrees([target])
        if tree.data == "member_object":
            raise refused("objects cannot be made here")
        if tree.data == "member_index":
            return self._index(holder, *subtrees(rest))
        name = str(rest[0])
        if tree.data == "member_dot":
            return self._field(holder, name)
        return self._method(holder, name, arguments(rest))

    def _index(self, holder: Tree[Token], index: Tree[Token]) -> Evaluate:
        base, maybe = self.compile(holder), if_marked(index)
        key = self.compile(maybe or index)
        if self._is_constant(maybe or index):
            self.constants.append(lambda scope: qualifier(key(scope)))
        if maybe is not None:
            return lambda scope: selected(at, base(scope), key(scope))
        return lambda scope: at(base(scope), key(scope))

    def _field(self, holder: Tree[Token], name: str) -> Evaluate:
        base = self.compile(holder)
        return lambda scope: select(base(scope), name)

    def _method(self, holder: Tree[Token], name: str, arguments: Sequence[Tree[Token]]) -> Evaluate:
        namespace = bare_name(holder)
        if namespace == "cel" and name == "bind" and len(arguments) == 3:
            return self._bind(*arguments)
        if namespace is not None and not self._declares(namespace):
            return self._call(f"{namespace}.{name}", arguments)
        if name == QUOTED:
            return self._field(holder, text_of(arguments[0]))
        if name == SELECT:
            base, field_name = self.compile(holder), self.compile(arguments[0])
            return lambda scope: selected(select, base(scope), field_name(scope))
        if name == "map" and len(arguments) == 3 and bare_name(arguments[0]) is not None:
            variable, condition, result = arguments
            return self._comprehension("map", holder, variable, result, condition)
        if len(arguments) == 2 and bare_name(arguments[0]) is not None:
            if name in ("optMap", "optFlatMap"):
                return self._optional_map(holder, *arguments, flat=name == "optFlatMap")
            if name in _MACROS:
                return self._comprehension(name, holder, *arguments)
        if name in ("or", "orValue") and len(arguments) == 1:
            return self._alternative(holder, arguments[0], unwraps=name == "orValue")
        function = METHODS.get((name, len(arguments) + 1))
        if function is None:
            raise _not_followed(name)
        return calling(name, function, self._all([holder, *arguments]))

    def _call(self, name: str, arguments: Sequence[Tree[Token]]) -> Evaluate:
        if name == "has" and len(arguments) == 1:
            return self._has(arguments[0])
        function = FUNCTIONS.get((name, len(arguments)))
        if function is None:
            raise _not_followed(name)
        called = calling(name, function, self._all(arguments))
        if name in CONVERSIONS and self._is_constant(arguments[0]):
            self.constants.append(called)
        return called

    def _is_written_out(self, tree: Tree[Token]) -> bool:
        """Returns whether it is a map in which, or a list of constants in which, a value is looked up by its
        hash."""
        inner = unwrapped(tree)
        if inner.data == "list_lit":
            return bool(arguments(inner.children, 0)) and self._is_constant(tree)
        return inner.data == "map_lit"

    def _is_constant(self, tree: Tree[Token]) -> bool:
        inner = unwrapped(tree)
        children = subtrees(inner.children)
        match inner.data:
            case "literal":
                return True
            case "unary":
                return is_literal(children[1]) and children[0].data == "unary_neg"
            case "list_lit" | "map_lit":
                parts = arguments(inner.children, 0)
                return all(if_marked(part) is None and self._is_constant(part) for part in parts)
            case "ident":
                return str(inner.children[0]) in _TYPES.keys() - self.variables
            case "ident_arg" if inner.children[0] in CONVERSIONS:
                return self._is_constant(arguments(inner.children)[0])
        return False

    # --- Macros -----------------------------------------------------------------------------------

    def _has(self, argument: Tree[Token]) -> Evaluate:
        """Compiles has(), which holds for a field that a map has, and for any domain of attributes or
        capacities."""
        selection = unwrapped(argument)
        if selection.data == "member_dot_arg" and selection.children[1] == QUOTED:
            name = text_of(arguments(selection.children[1:])[0])
        elif selection.data == "member_dot":
            name = str(selection.children[1])
        else:
            raise refused("invalid argument to has() macro")
        base = self.compile(subtrees(selection.children)[0])

        def has(scope: Scope) -> bool:
            holder = base(scope)
            return isinstance(holder, Domains) or (isinstance(holder, Mapping) and name in holder)

        return has

    def _bind(self, name: Tree[Token], value: Tree[Token], result: Tree[Token]) -> Evaluate:
        """R-DRA-156: That cel.bind() binds a name to an error is an error only where the name is used."""
        bound = bare_name(name)
        if bound is None:
            raise refused("cel.bind() variable names must be simple identifiers")
        evaluate, inner = self.compile(value), self._with(bound).compile(result)

        def evaluated(scope: Scope) -> Any:
            try:
                return evaluate(scope)
            except CelValueError as error:
                applies("R-DRA-156")
                return error

        return lambda scope: inner({**scope, bound: evaluated(scope)})

    def _comprehension(
        self,
        macro: str,
        holder: Tree[Token],
        variable: Tree[Token],
        body: Tree[Token],
        condition: Tree[Token] | None = None,
    ) -> Evaluate:
        name = bare_name(variable) or ""
        items, each = self.compile(holder), self._with(name).compile(body)
        wanted = self._with(name).compile(condition) if condition is not None else None
        fold = FOLDS[macro]

        def evaluate(scope: Scope) -> Any:
            values = items(scope)
            if not isinstance(values, list | dict):
                raise CelValueError(f"got '{go_type(values)}', expected iterable type")
            kept, meter = list(values), scope[METER]

            def of_one(asked: Evaluate, value: Any) -> Any:
                meter.spend()
                return asked({**scope, name: value})

            if wanted is not None:
                kept = FOLDS["filter"](kept, lambda value: of_one(wanted, value))
            return fold(kept, lambda value: of_one(each, value))

        return evaluate

    def _optional_map(
        self, holder: Tree[Token], variable: Tree[Token], body: Tree[Token], *, flat: bool
    ) -> Evaluate:
        name = bare_name(variable) or ""
        base, each = self.compile(holder), self._with(name).compile(body)
        return lambda scope: mapped(base(scope), lambda value: each({**scope, name: value}), flat=flat)

    def _alternative(self, holder: Tree[Token], other: Tree[Token], *, unwraps: bool) -> Evaluate:
        base, instead = self.compile(holder), self.compile(other)

        def evaluate(scope: Scope) -> Any:
            value = base(scope)
            if not isinstance(value, Optional):
                return self.steps.alternative_of(value)
            return alternative(value, lambda: instead(scope), unwraps=unwraps)

        return evaluate

    def _with(self, name: str) -> _Compiler:
        return _Compiler(self.variables | {name}, self.steps, self.constants)
