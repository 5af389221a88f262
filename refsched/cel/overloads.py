# SPDX-License-Identifier: Apache-2.0
"""CEL overloads: the types that operators and functions take and return, and which types are assignable to
which.

Source: github.com/google/cel-go checker/types.go, common/stdlib/standard.go, ext, cel/library.go (v0.26.0);
apiserver/pkg/cel/library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from attrs import frozen


@frozen
class Type:
    """A Type has a name, and the types that it is made of: ``list(int)``. A type parameter is one capital
    letter."""

    name: str
    of: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.of))})" if self.of else self.name


BOOL, INT, STRING, NULL = Type("bool"), Type("int"), Type("string"), Type("null_type")
ANY = Type("any")
"""This is the type of an attribute, which is not known before it is evaluated."""

DYN = Type("dyn")
FREE = Type("_")
"""This type is not determined yet, such as that of the elements of an empty list."""

_OPEN = frozenset({ANY, DYN, FREE})
_NULLABLE = frozenset({"kubernetes.Quantity", "kubernetes.Semver", "optional_type", "time"})

# --- May this stand for that? ---------------------------------------------------------------------

Bound = dict[str, Type]
"""Bound has the types that the type parameters of a signature stand for."""


def assignable(given: Type, wanted: Type, bound: Bound) -> bool:
    """Returns whether a value of the given type can be an argument of the wanted one. A free type is
    assignable to any, and any to it."""
    if len(wanted.name) == 1 and wanted.name.isupper():
        known = bound.get(wanted.name)
        if known is None or known is FREE:
            bound[wanted.name] = given
            return True
        if given in (ANY, DYN):
            bound[wanted.name] = given
            return True
        return assignable(given, known, bound)
    if given in _OPEN or wanted in _OPEN:
        return True
    if (given == NULL and wanted.name in _NULLABLE) or (wanted == NULL and given.name in _NULLABLE):
        return True
    if given.name == wanted.name == "type":
        return True
    return (
        given.name == wanted.name
        and len(given.of) == len(wanted.of)
        and all(assignable(one, other, bound) for one, other in zip(given.of, wanted.of, strict=True))
    )


def equivalent(left: Type, right: Type) -> bool:
    """Returns whether elements of these types can be in one literal: they must be the same type."""
    if FREE in (left, right):
        return True
    return left.name == right.name and all(map(equivalent, left.of, right.of))


def _settled(pattern: Type, bound: Bound) -> Type:
    if len(pattern.name) == 1 and pattern.name.isupper():
        return bound.get(pattern.name, FREE)
    return Type(pattern.name, tuple(_settled(part, bound) for part in pattern.of))


# --- Signatures -----------------------------------------------------------------------------------

_Signature = tuple[tuple[Type, ...], Type]


def result_of(function: str, given: Sequence[Type]) -> Type | None:
    """Returns the type of the function's result for arguments of these types, or None if it does not take
    them. If more than one overload fits, the result is dyn unless it is the same for all; a type that is not
    determined is another one for each."""
    results = []
    for wanted, result in _signatures(function):
        bound: Bound = {}
        if len(wanted) == len(given) and all(
            assignable(one, other, bound) for one, other in zip(given, wanted, strict=True)
        ):
            results.append(_settled(result, bound))
    if not results:
        return None
    is_one = len(results) == 1 or (not _is_free(results[0]) and all(each == results[0] for each in results))
    return results[0] if is_one else DYN


def _is_free(found: Type) -> bool:
    return found == FREE or any(map(_is_free, found.of))


def determined(found: Type) -> Type:
    """Returns the type with dyn for what is not determined."""
    return DYN if found == FREE else Type(found.name, tuple(map(determined, found.of)))


@cache
def _signatures(function: str) -> tuple[_Signature, ...]:
    return tuple(_signature(text) for text in _OVERLOADS[function].split("; "))


def _signature(text: str) -> _Signature:
    wanted, _, result = text.partition("-> ")
    return tuple(_type(part) for part in _parts(wanted)), _type(result)


def _type(text: str) -> Type:
    text = _SHORT.get(text.strip(), text.strip())
    name, _, inner = text.partition("(")
    return Type(name, tuple(_type(part) for part in _parts(inner[:-1])))


def _parts(text: str) -> list[str]:
    """Splits the text at commas, except for those within parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


_SHORT = {"quantity": "kubernetes.Quantity", "semver": "kubernetes.Semver", "null": "null_type"}
_NUMBERS = ("int", "uint", "double")
"""Only functions that are not specified here return values of type ``time``, timestamps and durations; but
null may be used as one."""

_COMPARABLE = (*_NUMBERS, "bool", "string", "bytes")


def _each(pattern: str, types: Sequence[str]) -> str:
    return "; ".join(pattern.replace("T", name) for name in types)


_OF_NUMBERS = _each("T, T -> T", _NUMBERS)
_ORDER = "; ".join(
    (
        _each("T, T -> bool", ("bool", "string", "bytes", "time")),
        *(f"{left}, {right} -> bool" for left in _NUMBERS for right in _NUMBERS),
    )
)
_TEXT_IN_TEXT = "string, string -> bool"
_TEXT = "string -> string"
_ORDERED = "quantity, quantity -> bool; semver, semver -> bool"
_SUM = "quantity, quantity -> quantity; quantity, int -> quantity"
_SIZE = "string -> int; bytes -> int; list(A) -> int; map(A, B) -> int"
_POSITION = "string, string -> int; list(A), A -> int"
_EXTREME = _each("list(T) -> T", _COMPARABLE)
_SETS = "list(A), list(A) -> bool"

_OVERLOADS: Mapping[str, str] = {
    **dict.fromkeys(("relation_eq", "relation_ne"), "A, A -> bool"),
    **dict.fromkeys(("relation_lt", "relation_le", "relation_gt", "relation_ge"), _ORDER),
    "relation_in": "A, list(A) -> bool; A, map(A, B) -> bool",
    "addition_add": (
        f"{_OF_NUMBERS}; string, string -> string; bytes, bytes -> bytes; list(A), list(A) -> list(A);"
        " time, time -> dyn"
    ),
    "addition_sub": f"{_OF_NUMBERS}; time, time -> dyn",
    "multiplication_mul": _OF_NUMBERS,
    "multiplication_div": _OF_NUMBERS,
    "multiplication_mod": _each("T, T -> T", ("int", "uint")),
    "unary_not": "bool -> bool",
    "unary_neg": "int -> int; double -> double",
    "logical": "bool, bool -> bool",
    "conditional": "bool, A, A -> A",
    "index": (
        "list(A), int -> A; map(A, B), A -> B; optional_type(list(A)), int -> optional_type(A);"
        " optional_type(map(A, B)), A -> optional_type(B)"
    ),
    "optional_index": (
        "list(A), int -> optional_type(A); map(A, B), A -> optional_type(B);"
        " optional_type(list(A)), int -> optional_type(A); optional_type(map(A, B)), A -> optional_type(B)"
    ),
    "size": _SIZE,
    "int": _each("T -> int", (*_NUMBERS, "string", "time")),
    "uint": _each("T -> uint", (*_NUMBERS, "string")),
    "double": _each("T -> double", (*_NUMBERS, "string")),
    "string": _each("T -> string", (*_COMPARABLE, "time")),
    "bool": _each("T -> bool", ("bool", "string")),
    "bytes": _each("T -> bytes", ("bytes", "string")),
    "dyn": "A -> dyn",
    "type": "A -> type(A)",
    "quantity": "string -> quantity",
    "isQuantity": "string -> bool",
    "sign": "quantity -> int",
    "semver": "string -> semver; string, bool -> semver",
    "isSemver": "string -> bool; string, bool -> bool",
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), _SETS),
    "optional.of": "A -> optional_type(A)",
    "optional.ofNonZeroValue": "A -> optional_type(A)",
    "optional.none": "-> optional_type(A)",
    ".size": _SIZE,
    **dict.fromkeys((".contains", ".startsWith", ".endsWith", ".matches"), _TEXT_IN_TEXT),
    **dict.fromkeys((".lowerAscii", ".upperAscii", ".trim"), _TEXT),
    ".replace": "string, string, string -> string",
    ".split": "string, string -> list(string)",
    ".substring": "string, int -> string; string, int, int -> string",
    ".charAt": "string, int -> string",
    ".indexOf": _POSITION,
    ".lastIndexOf": _POSITION,
    ".join": "list(string) -> string; list(string), string -> string",
    ".min": _EXTREME,
    ".max": _EXTREME,
    ".sum": _each("list(T) -> T", _NUMBERS),
    ".isSorted": _each("list(T) -> bool", _COMPARABLE),
    ".compareTo": "quantity, quantity -> int; semver, semver -> int",
    ".isGreaterThan": _ORDERED,
    ".isLessThan": _ORDERED,
    ".add": _SUM,
    ".sub": _SUM,
    ".isInteger": "quantity -> bool",
    ".asInteger": "quantity -> int",
    ".asApproximateFloat": "quantity -> double",
    **dict.fromkeys((".major", ".minor", ".patch"), "semver -> int"),
    ".hasValue": "optional_type(A) -> bool",
    ".value": "optional_type(A) -> A",
    ".or": "optional_type(A), optional_type(A) -> optional_type(A)",
    ".orValue": "optional_type(A), A -> A",
}
"""The key is the name of the operator in cel-python's grammar, of the function, or, after a dot, of the
method, whose receiver comes first."""
