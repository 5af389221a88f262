# SPDX-License-Identifier: Apache-2.0
"""CEL functions: CEL's own, and those that Kubernetes adds for quantities, versions, strings, lists and sets.

A method's receiver is its first argument. The API server's environment has functions that are not specified here:
those for URLs and addresses, formats, times, the newer ones for strings and lists, and macros of two variables.
Source: apiserver/pkg/cel/environment/base.go and apiserver/pkg/cel/library;
github.com/google/cel-go ext/strings.go, ext/sets.go (v0.26.0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from refsched.cel import optional as cel_optional
from refsched.cel.values import (
    INT64,
    UINT64,
    CelType,
    CelValueError,
    Semver,
    Uint,
    compare,
    has_key,
    is_equal,
    no_such_overload,
    normalized_semver,
    order,
    parse_semver,
    type_name,
    written,
)
from refsched.errors import InputError
from refsched.objects.quantity import NANO, Quantity, parse_quantity

Function = Callable[..., Any]


# --- Converting -----------------------------------------------------------------------------------


def _converting(name: str, value: Any) -> CelValueError:
    return CelValueError(f"type conversion error from '{_kind(value)}' to '{name}'")


def _kind(value: Any) -> str:
    return "string" if isinstance(value, str) else type(value).__name__


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise no_such_overload()
    try:
        return int(value)
    except (ValueError, OverflowError):
        raise _converting(name, value) from None


def to_int(value: Any) -> int:
    number = _whole("int", value)
    if isinstance(value, str) and number not in INT64:
        raise _converting("int", value)
    return checked_int(number)


def to_uint(value: Any) -> Uint:
    number = _whole("uint", value)
    if isinstance(value, str) and number not in UINT64:
        raise _converting("uint", value)
    if number not in UINT64:
        raise CelValueError("unsigned integer overflow")
    return Uint(number)


def to_double(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise no_such_overload()
    try:
        return float(value)
    except ValueError:
        raise _converting("double", value) from None


def to_string(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, int | float | str):
        raise no_such_overload()
    return written(value)


def _to_bytes(value: Any) -> bytes:
    if not isinstance(value, str | bytes):
        raise no_such_overload()
    return value.encode() if isinstance(value, str) else value


_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise no_such_overload()
    if value not in _TRUE | _FALSE:
        raise _converting("bool", value)
    return value in _TRUE


def checked_int(number: int) -> int:
    if number not in INT64:
        raise CelValueError("integer overflow")
    return number


# --- Strings, lists and maps ----------------------------------------------------------------------


def _size(value: Any) -> int:
    if not isinstance(value, str | bytes | list | dict):
        raise no_such_overload("size")
    return len(value)


def contains(container: Any, wanted: Any) -> bool:
    """Evaluates the operator ``in``."""
    if isinstance(container, list):
        return any(is_equal(item, wanted) for item in container)
    if isinstance(container, dict):
        return has_key(container, wanted)
    raise no_such_overload()


def _text(*values: Any) -> None:
    if not all(isinstance(value, str) for value in values):
        raise no_such_overload()


def _of_text(function: Callable[..., Any]) -> Function:
    def checked(*values: Any) -> Any:
        _text(*values)
        return function(*values)

    return checked


def _matches(text: Any, pattern: Any) -> bool:
    """Returns whether the regular expression, in the syntax of RE2, matches anywhere in the text."""
    from celpy.evaluation import CELEvalError, function_matches

    _text(text, pattern)
    found = function_matches(text, pattern)
    if isinstance(found, CELEvalError):
        raise CelValueError(f"error parsing regexp: {pattern}")
    return bool(found)


def _index_of(container: Any, wanted: Any) -> int:
    if isinstance(container, list):
        return next((i for i, item in enumerate(container) if is_equal(item, wanted)), -1)
    _text(container, wanted)
    return str(container).find(wanted)


def _last_index_of(container: Any, wanted: Any) -> int:
    if isinstance(container, list):
        return next((i for i in reversed(range(len(container))) if is_equal(container[i], wanted)), -1)
    _text(container, wanted)
    return str(container).rfind(wanted)


def _substring(text: Any, start: Any, end: Any = None) -> str:
    _text(text)
    if end is not None and start > end:
        raise CelValueError(f"invalid substring range. start: {start}, end: {end}")
    end = len(text) if end is None else end
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise CelValueError(f"index out of range: {index}")
    return str(text)[start:end]


def _char_at(text: Any, index: Any) -> str:
    _text(text)
    if not 0 <= index <= len(text):
        raise CelValueError(f"index out of range: {index}")
    return str(text)[index : index + 1]


def _join(items: Any, separator: Any = "") -> str:
    _text(separator, *items)
    return str(separator).join(items)


def _list(items: Any) -> None:
    if not isinstance(items, list):
        raise no_such_overload()


def _sum(items: Any) -> Any:
    _list(items)
    return sum(items)


def _largest(items: Any) -> Any:
    return _extreme("max", items, 1)


def _smallest(items: Any) -> Any:
    return _extreme("min", items, -1)


def _extreme(name: str, items: Any, sign: int) -> Any:
    _list(items)
    if not items:
        raise CelValueError(f"{name} called on empty list")
    best = items[0]
    for item in items[1:]:
        best = item if compare(item, best) == sign else best
    return best


def _is_sorted(items: Any) -> bool:
    _list(items)
    return all(compare(a, b) <= 0 for a, b in pairwise(items))


def _has_all(items: Any, others: Any) -> bool:
    return all(contains(items, other) for other in others)


# --- Quantities and versions ----------------------------------------------------------------------


def _quantity(text: Any) -> Quantity:
    _text(text)
    try:
        return parse_quantity(text)
    except InputError:
        pattern = r"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        raise CelValueError(f"quantities must match the regular expression {pattern}") from None


def _parses(parse: Callable[..., Any]) -> Function:
    def parses(*values: Any) -> bool:
        _text(values[0])
        try:
            parse(*values)
        except CelValueError:
            return False
        return True

    return parses


def _semver(text: Any, normalize: Any = False) -> Semver:
    _text(text)
    return normalized_semver(text) if normalize else parse_semver(text)


def _compare_to(left: Any, right: Any) -> int:
    if not isinstance(left, Quantity | Semver) or type(left) is not type(right):
        raise no_such_overload()
    return order(left, right)


def _amount(value: Any) -> Quantity:
    """Returns a quantity, from a quantity or from an integer that is to be added to one."""
    if isinstance(value, Quantity):
        return value
    if type(value) is not int:
        raise no_such_overload()
    return Quantity.of(value)


def _nano(value: Any) -> int:
    if not isinstance(value, Quantity):
        raise no_such_overload()
    return value.nano


def _is_integer(value: Any) -> bool:
    return _nano(value) % NANO == 0 and _nano(value) // NANO in INT64


def _as_integer(value: Any) -> int:
    if not _is_integer(value):
        raise CelValueError("cannot convert value to integer")
    return _nano(value) // NANO


def _number_of(index: int) -> Function:
    def number(version: Any) -> int:
        if not isinstance(version, Semver):
            raise no_such_overload()
        return version.numbers[index]

    return number


# --- The tables -----------------------------------------------------------------------------------

CONVERSIONS = frozenset({"bool", "bytes", "double", "dyn", "int", "string", "type", "uint"})
"""These functions convert a value to a type."""

FUNCTIONS: Mapping[tuple[str, int], Function] = {
    **cel_optional.FUNCTIONS,
    ("size", 1): _size,
    ("int", 1): to_int,
    ("uint", 1): to_uint,
    ("double", 1): to_double,
    ("string", 1): to_string,
    ("bool", 1): to_bool,
    ("bytes", 1): _to_bytes,
    ("dyn", 1): lambda value: value,
    ("type", 1): lambda value: CelType(type_name(value)),
    ("quantity", 1): _quantity,
    ("isQuantity", 1): _parses(_quantity),
    ("sign", 1): lambda amount: order(_nano(amount), 0),
    ("semver", 1): _semver,
    ("semver", 2): _semver,
    ("isSemver", 1): _parses(_semver),
    ("isSemver", 2): _parses(_semver),
    ("sets.contains", 2): _has_all,
    ("sets.equivalent", 2): lambda a, b: _has_all(a, b) and _has_all(b, a),
    ("sets.intersects", 2): lambda a, b: any(contains(a, item) for item in b),
}
"""These are the functions, by name and number of arguments."""

METHODS: Mapping[tuple[str, int], Function] = {
    **cel_optional.METHODS,
    ("size", 1): _size,
    ("contains", 2): _of_text(lambda text, part: part in text),
    ("startsWith", 2): _of_text(str.startswith),
    ("endsWith", 2): _of_text(str.endswith),
    ("matches", 2): _matches,
    ("lowerAscii", 1): _of_text(lambda text: "".join(c.lower() if c.isascii() else c for c in text)),
    ("upperAscii", 1): _of_text(lambda text: "".join(c.upper() if c.isascii() else c for c in text)),
    ("trim", 1): _of_text(str.strip),
    ("replace", 3): _of_text(str.replace),
    ("split", 2): _of_text(lambda text, by: text.split(by) if by else list(text)),
    ("substring", 2): _substring,
    ("substring", 3): _substring,
    ("charAt", 2): _char_at,
    ("indexOf", 2): _index_of,
    ("lastIndexOf", 2): _last_index_of,
    ("join", 1): _join,
    ("join", 2): _join,
    ("min", 1): _smallest,
    ("max", 1): _largest,
    ("sum", 1): _sum,
    ("isSorted", 1): _is_sorted,
    ("compareTo", 2): _compare_to,
    ("isGreaterThan", 2): lambda left, right: _compare_to(left, right) > 0,
    ("isLessThan", 2): lambda left, right: _compare_to(left, right) < 0,
    ("add", 2): lambda left, right: Quantity(_nano(left) + _amount(right).nano),
    ("sub", 2): lambda left, right: Quantity(_nano(left) - _amount(right).nano),
    ("isInteger", 1): _is_integer,
    ("asInteger", 1): _as_integer,
    ("asApproximateFloat", 1): lambda amount: _nano(amount) / NANO,
    ("major", 1): _number_of(0),
    ("minor", 1): _number_of(1),
    ("patch", 1): _number_of(2),
}
"""These are the methods, by name and number of arguments, the receiver included."""
