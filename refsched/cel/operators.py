# SPDX-License-Identifier: Apache-2.0
"""CEL operators: how the parts of an expression are evaluated and combined.

Promised: the operators are documented with the language CEL.
Shows in: devices.
Source: github.com/google/cel-go interpreter/interpretable.go, interpreter/attributes.go and
common/types/int.go, double.go (v0.26.0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refsched.cel.functions import checked_int, contains
from refsched.cel.optional import selected
from refsched.cel.values import (
    INT64,
    UINT64,
    CelType,
    CelValueError,
    Domains,
    Optional,
    Semver,
    Uint,
    compare,
    equal,
    has_key,
    is_equal,
    is_number,
    no_such_overload,
    type_name,
    written,
)
from refsched.objects.quantity import Quantity
from refsched.rules import applies

Scope = Mapping[str, Any]
"""A Scope has the values of the names that are declared."""

Evaluate = Callable[[Scope], Any]
"""An Evaluate is a compiled expression. It raises CelValueError."""

# --- Operators ------------------------------------------------------------------------------------


def conditional(condition: Evaluate, yes: Evaluate, no: Evaluate) -> Evaluate:
    def evaluate(scope: Scope) -> Any:
        return yes(scope) if _boolean(condition(scope)) else no(scope)

    return evaluate


def logical(terms: Sequence[Evaluate], *, decides: bool) -> Evaluate:
    """R-DRA-75: An operand of && or || that decides the result does so even if another operand is an error."""

    def evaluate(scope: Scope) -> bool:
        failed: CelValueError | None = None
        for term in terms:
            try:
                if _boolean(term(scope)) is decides:
                    applies("R-DRA-75", when=failed is not None)
                    return decides
            except CelValueError as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return not decides

    return evaluate


_UNNAMED = frozenset({"startsWith", "endsWith", "contains", "matches"})
"""For these functions the error of a wrong argument does not name the function."""


def calling(name: str, function: Callable[..., Any], arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate(scope: Scope) -> Any:
        values = [argument(scope) for argument in arguments]
        unsuited = no_such_overload()
        if name not in _UNNAMED:
            unsuited = no_such_overload(f"{name}({', '.join(map(type_name, values))})")
        try:
            return function(*values)
        except (TypeError, AttributeError):
            raise unsuited from None
        except CelValueError as error:
            raise unsuited if str(error) == str(no_such_overload()) else error from None

    return evaluate


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise no_such_overload()
    return value


def negated(value: Any) -> bool:
    return not _boolean(value)


def negative(value: Any) -> Any:
    if not is_number(value) or isinstance(value, Uint):
        raise no_such_overload()
    return -value if isinstance(value, float) else checked_int(-value)


def select(holder: Any, name: Any) -> Any:
    """R-DRA-76: Selecting an attribute or a capacity that a device does not have is an error ("no such key")."""
    if isinstance(holder, Optional):
        return selected(select, holder, name)
    if isinstance(holder, Mapping) and has_key(holder, name):
        return holder[name]
    if isinstance(holder, Domains):
        return {}
    if isinstance(holder, list):
        raise CelValueError(f"unsupported index type '{type_name(name)}' in list")
    applies("R-DRA-76")
    raise CelValueError(f"no such key: {written(name)}")


def go_type(value: Any) -> str:
    """Returns the name of the type in Go."""
    kind = type_name(value)
    return kind.replace("kubernetes.", "cel.") if "." in kind else f"types.{kind.title()}"


def qualifier(index: Any) -> Any:
    """R-DRA-155: What is between brackets must be a number, a string or a boolean; a selector with a constant of
    another type cannot be compiled.

    Returns it. Raises CelValueError.
    """
    if not isinstance(index, int | float | str):
        applies("R-DRA-155")
        raise CelValueError(f"invalid qualifier type: {_GO_TYPES[type(index)]}")
    return index


_GO_TYPES: Mapping[type, str] = {
    bytes: "types.Bytes",
    list: "*types.baseList",
    dict: "*types.baseMap",
    Domains: "cel.mapper",
    type(None): "types.Null",
    CelType: "*types.Type",
    Optional: "*types.Optional",
    Quantity: "cel.Quantity",
    Semver: "cel.Semver",
}
"""These are the types of values in Go."""


def at(holder: Any, index: Any) -> Any:
    if isinstance(holder, Optional):
        return selected(at, holder, index)
    qualifier(index)
    if isinstance(holder, list):
        if not is_number(index):
            raise CelValueError(f"unsupported index type '{type_name(index)}' in list")
        if not float(index).is_integer() or int(index) not in INT64:
            raise CelValueError(f"unsupported index value {written(index)} in list")
        if not 0 <= index < len(holder):
            raise CelValueError(f"index out of bounds: {int(index)}")
        return holder[int(index)]
    return select(holder, index)


_SIGNS = {"add": "_+_", "sub": "_-_", "mul": "_*_", "div": "_/_", "mod": "_%_"}


def _arithmetic(name: str, left: Any, right: Any) -> Any:
    """Computes with two numbers of one type, or joins strings, bytes or lists. Integers do not wrap around."""
    joins = name == "add" and isinstance(left, str | bytes | list)
    if not joins and not is_number(left):
        raise no_such_overload("" if isinstance(left, str) else _SIGNS[name])
    if type(left) is not type(right):
        raise no_such_overload()
    if joins:
        return left + right
    if isinstance(left, float):
        return _of_floats(name, left, right)
    number = _of_integers(name, left, right)
    if not isinstance(left, Uint):
        return checked_int(number)
    if number not in UINT64:
        raise CelValueError("unsigned integer overflow")
    return Uint(number)


def _of_floats(name: str, left: float, right: float) -> float:
    if name == "mod":
        raise no_such_overload(_SIGNS[name])
    if name == "div" and right == 0:
        return float("nan") if left == 0 or left != left else left * float("inf")
    return {"add": float.__add__, "sub": float.__sub__, "mul": float.__mul__, "div": float.__truediv__}[name](
        left, right
    )


def _of_integers(name: str, left: int, right: int) -> int:
    """Computes with integers. Division cuts towards zero, and the remainder has the sign of the dividend."""
    if name in ("div", "mod") and right == 0:
        raise CelValueError("division by zero" if name == "div" else "modulus by zero")
    match name:
        case "add":
            return left + right
        case "sub":
            return left - right
        case "mul":
            return left * right
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if name == "div" else left - quotient * right


def _arithmetic_operator(name: str) -> Callable[[Any, Any], Any]:
    return lambda left, right: _arithmetic(name, left, right)


def _order_operator(sign: str, holds: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    """Returns an order operator. Values that have no order are reported with the operator."""

    def operator(left: Any, right: Any) -> bool:
        if not isinstance(left, int | float | str | bytes):
            raise no_such_overload(sign)
        return holds(compare(left, right), 0)

    return operator


BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "relation_eq": equal,
    "relation_ne": lambda left, right: not is_equal(left, right),
    "relation_lt": _order_operator("_<_", int.__lt__),
    "relation_le": _order_operator("_<=_", int.__le__),
    "relation_gt": _order_operator("_>_", int.__gt__),
    "relation_ge": _order_operator("_>=_", int.__ge__),
    "relation_in": lambda left, right: contains(right, left),
    "addition_add": _arithmetic_operator("add"),
    "addition_sub": _arithmetic_operator("sub"),
    "multiplication_mul": _arithmetic_operator("mul"),
    "multiplication_div": _arithmetic_operator("div"),
    "multiplication_mod": _arithmetic_operator("mod"),
}
"""These are the operators, named as cel-python's grammar names them."""


# --- Comprehensions -------------------------------------------------------------------------------


def _fold_logical(values: list[Any], each: Callable[[Any], Any], *, decides: bool) -> bool:
    terms = [lambda _, value=value: each(value) for value in values]
    return bool(logical(terms, decides=decides)({}))


FOLDS: Mapping[str, Callable[[list[Any], Callable[[Any], Any]], Any]] = {
    "all": lambda values, each: _fold_logical(values, each, decides=False),
    "exists": lambda values, each: _fold_logical(values, each, decides=True),
    "exists_one": lambda values, each: [_boolean(each(value)) for value in values].count(True) == 1,
    "map": lambda values, each: [each(value) for value in values],
    "filter": lambda values, each: [value for value in values if _boolean(each(value))],
}
