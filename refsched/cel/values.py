# SPDX-License-Identifier: Apache-2.0
"""CEL values: the values in expressions about devices, and how they compare.

Integers, floats, strings, booleans, lists, maps and null are Python's own. An unsigned integer is a ``Uint``.
Promised: how values compare is documented with the language CEL.
Shows in: devices.
Source: github.com/google/cel-go common/types (v0.26.0); apiserver/pkg/cel/quantity.go, semver.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import total_ordering
from math import inf
from typing import Any

from attrs import frozen

from refsched.objects.quantity import Quantity
from refsched.rules import ErrorReason, applies

COMPILE_ERROR = ErrorReason("CEL compile error: {}", "R-DRA-74")
RUNTIME_ERROR = ErrorReason("CEL runtime error: {}", "R-DRA-41")

CelDevice = Mapping[str, Any]
"""A CelDevice is what an expression knows as ``device``."""

INT64 = range(-(2**63), 2**63)
UINT64 = range(2**64)


class CelError(Exception):
    """A CelError says, in cel-go's words, that an expression cannot be compiled or evaluated."""


class CelValueError(CelError):
    """A CelValueError says that an operator or function cannot take a value."""


def refused(problem: str) -> CelError:
    """Returns the error of a selector that cannot be compiled, as cel-go words it."""
    applies("R-DRA-74")
    return compile_error(f"compilation failed: ERROR: <input>: {problem}")


def compile_error(problem: object) -> CelError:
    return CelError(COMPILE_ERROR.of(problem))


def runtime_error(problem: object) -> CelError:
    return CelError(RUNTIME_ERROR.of(problem))


def no_such_overload(function: str = "") -> CelValueError:
    """Returns the error of a call. The function is named if its receiver does not have it at all."""
    return CelValueError(f"no such overload: {function}" if function else "no such overload")


class Uint(int):
    """A Uint is an unsigned integer, such as ``1u``."""


@frozen
class CelType:
    """A CelType is a type as a value: ``int``."""

    name: str


@frozen
class Optional:
    """An Optional is a value, or none; ``present`` distinguishes no value from null."""

    present: bool = False
    content: Any = None


# --- Semantic versions ----------------------------------------------------------------------------

_NUMBER = re.compile(r"[0-9]+\Z")
_IDENTIFIER = re.compile(r"[0-9A-Za-z-]+\Z")


@total_ordering
@frozen(eq=False)
class Semver:
    """A Semver is ``major.minor.patch``, perhaps with a prerelease. Build metadata is checked, and does not
    count."""

    numbers: tuple[int, int, int]
    prerelease: tuple[str, ...] = ()

    @property
    def _order(self) -> tuple[object, ...]:
        """Returns the key by which versions are sorted: a version comes after its prereleases, numeric
        identifiers come before others, and fewer before more."""
        parts = tuple((0, int(p), "") if _NUMBER.match(p) else (1, 0, p) for p in self.prerelease)
        return self.numbers, not parts, parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self._order == other._order

    def __lt__(self, other: Semver) -> bool:
        return self._order < other._order

    def __hash__(self) -> int:
        return hash(self._order)


def parse_semver(text: str) -> Semver:
    """Reads a version. Raises CelValueError. Source: github.com/blang/semver/v4, Parse."""
    if not text:
        raise CelValueError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise CelValueError("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    major, minor = _number("Major", parts[0]), _number("Minor", parts[1])
    version = Semver((major, minor, _number("Patch", patch)), tuple(prerelease.split(".")) if dash else ())
    for identifier in version.prerelease:
        if not identifier:
            raise CelValueError("Prerelease is empty")
        if _NUMBER.match(identifier) and _has_leading_zero(identifier):
            problem = "Numeric PreRelease version must not contain leading zeroes"
            raise CelValueError(f'{problem} "{identifier}"')
        if not _IDENTIFIER.match(identifier):
            raise CelValueError(f'Invalid character(s) found in prerelease "{identifier}"')
    for identifier in build.split(".") if plus else ():
        if not identifier:
            raise CelValueError("Build meta data is empty")
        if not _IDENTIFIER.match(identifier):
            raise CelValueError(f'Invalid character(s) found in build meta data "{identifier}"')
    return version


def normalized_semver(text: str) -> Semver:
    """Reads a version that may have a leading v, no minor and patch numbers, and leading zeros.

    Source: apiserver/pkg/cel/library/semverlib.go, normalizeAndParse.
    """
    parts = text.removeprefix("v").split(".", 2)
    parts = [re.sub(r"\A0+(?=[0-9])", "", part) for part in parts]
    if len(parts) < 3:
        if re.search(r"[+-]", parts[-1]):
            raise CelValueError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return parse_semver(".".join(parts))


def _number(name: str, text: str) -> int:
    if text and not _NUMBER.match(text):
        raise CelValueError(f'Invalid character(s) found in {name.lower()} number "{text}"')
    if _has_leading_zero(text):
        raise CelValueError(f'{name} number must not contain leading zeroes "{text}"')
    if not text:
        raise CelValueError('strconv.ParseUint: parsing "": invalid syntax')
    if int(text) not in UINT64:
        raise CelValueError(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(text)


def _has_leading_zero(text: str) -> bool:
    return len(text) > 1 and text.startswith("0")


class Domains(dict[str, dict[str, Any]]):
    """Domains are attributes or capacities by domain and name. A missing domain is empty, and not an error."""


def hashed(key: Any) -> Any:
    """R-DRA-154: A version cannot be the key of a map, and whether it is in a map or list that is written out is
    an error.

    Returns the key. Raises CelValueError.
    """
    if isinstance(key, Semver):
        applies("R-DRA-154")
        raise CelValueError("internal error: runtime error: hash of unhashable type cel.Semver")
    return key


def has_key(holder: Mapping[Any, Any], key: Any) -> bool:
    """Returns whether the map has the key. A boolean is no number, and a list or a map is no key."""
    try:
        found = key in holder
    except TypeError:
        return False
    if not found or not isinstance(key, int):
        return found
    return any(known == key and isinstance(known, bool) is isinstance(key, bool) for known in holder)


# --- Comparing ------------------------------------------------------------------------------------


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: Any, right: Any) -> bool:
    """R-DRA-71: Numbers of different types are compared by value, other values of different types are unequal,
    and whether a quantity or a version is equal to anything else is an error."""
    if left is None or right is None:
        return left is right
    applies("R-DRA-71", when=type(left) is not type(right))
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, Quantity | Semver) and type(left) is not type(right):
        raise no_such_overload()
    if isinstance(left, Optional) and isinstance(right, Optional):
        return left.present == right.present and equal(left.content, right.content)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and not any(map(_is_unequal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and not any(_is_unequal(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def _is_unequal(left: Any, right: Any) -> bool:
    """R-DRA-152: Lists or maps are equal if no elements of them are unequal; elements that cannot be compared are
    not."""
    try:
        return not equal(left, right)
    except CelValueError:
        return not applies("R-DRA-152")


def is_equal(left: Any, right: Any) -> bool:
    """R-DRA-153: By the operators != and in values that cannot be compared are unequal."""
    try:
        return equal(left, right)
    except CelValueError:
        return not applies("R-DRA-153")


def compare(left: Any, right: Any) -> int:
    """R-DRA-72: Only two numbers, two strings, two byte strings or two booleans have an order; ordering other
    values is an error."""
    applies("R-DRA-72")
    comparable = is_number(left) and is_number(right)
    if not comparable and (type(left) is not type(right) or not isinstance(left, str | bytes | bool)):
        raise no_such_overload()
    return order(left, right)


def order(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)


def written(value: Any) -> str:
    """Returns a number or a boolean as Go writes it: a double in the fewest digits that distinguish it, with an
    exponent if that is 6 or more, or less than -4. Source: fmt, verbs %v and %g."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return "NaN"
    if value in (inf, -inf):
        return "+Inf" if value > 0 else "-Inf"
    digits = len(Decimal(repr(value)).normalize().as_tuple().digits)
    text = f"{value:.{digits - 1}e}"
    exponent = int(text.partition("e")[2])
    return text if exponent < -4 or exponent >= 6 else repr(value).removesuffix(".0")


def type_name(value: Any) -> str:
    names = {
        bool: "bool",
        int: "int",
        Uint: "uint",
        float: "double",
        str: "string",
        bytes: "bytes",
        list: "list",
        Quantity: "kubernetes.Quantity",
        Semver: "kubernetes.Semver",
        type(None): "null_type",
        CelType: "type",
        Optional: "optional_type",
    }
    return names.get(type(value), "map")
