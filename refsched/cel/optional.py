# SPDX-License-Identifier: Apache-2.0
"""CEL optionals: values that may be missing, and their syntax.

cel-python's grammar does not have ``a.?b``, ``a[?b]``, ``[?a]`` and a field in backquotes; they are rewritten to
calls before it parses them. (``{?a: b}`` is not read.)
Promised: optional values are documented with CEL in Kubernetes.
Shows in: devices.
Source: github.com/google/cel-go cel/library.go, optionalLib; interpreter/attributes.go, applyQualifiers
(v0.26.0).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refsched.cel.values import CelValueError, Optional, no_such_overload, type_name
from refsched.rules import applies

SELECT = "optional_select__"
QUOTED = "quoted_select__"
MAYBE = "optional_maybe__"

_TOKENS = re.compile(
    r"""[rR]?(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|//[^\n]*|\.\?\s*(?:[A-Za-z_]\w*|`[\w./ -]+`)|\.\s*`[\w./ -]+`|[\[,]\s*\?|.""",
    re.DOTALL | re.ASCII,
)
"""A token is a text, a comment, an optional selection, a selection in backquotes, the beginning of an optional
element, or one character."""


def without_optional_syntax(expression: str, unquote: Callable[[str], str] = lambda name: name[1:-1]) -> str:
    """Rewrites ``a.?b`` to ``a.SELECT("b")``, ``?b`` in square brackets to ``MAYBE(b)``, and a field in backquotes
    to ``a.QUOTED("b")``; ``unquote`` takes the backquotes away."""
    written: list[str] = []
    within: list[str] = []
    for token in _TOKENS.findall(expression):
        if len(token) > 1 and token[0] == ".":
            called = SELECT if token[1] == "?" else QUOTED
            name = token[1:].removeprefix("?").strip()
            written.append(f'.{called}("{unquote(name) if name[0] == "`" else name}")')
            continue
        if token[0] in "]," and within[-1:] == ["?"]:
            within.pop()
            written.append(")")
        if token in ("]", ")", "}"):
            del within[-1:]
        if token in ("(", "{") or token[0] == "[":
            within.append(token[0])
        if len(token) > 1 and token[0] in "[," and token[-1] == "?":
            within.append("?")
            written.append(f"{token[0]}{MAYBE}(")
            continue
        written.append(token)
    return "".join(written)


# --- Selecting ------------------------------------------------------------------------------------


def selected(select: Callable[[Any, Any], Any], holder: Any, key: Any) -> Optional:
    """R-DRA-77 (shows in devices): Optional selection from a value that does not have the key, or that is itself
    missing, gives a missing value, which is no error."""
    content = holder
    if isinstance(holder, Optional):
        if not holder.present:
            applies("R-DRA-77")
            return holder
        content = holder.content
    if not isinstance(content, Mapping | list):
        return Optional()
    try:
        return Optional(True, select(content, key))
    except CelValueError as error:
        if str(error).startswith(("no such key", "index out of bounds")):
            applies("R-DRA-77")
            return Optional()
        raise


def present_items(values: Sequence[Any], maybe: Sequence[bool]) -> list[Any]:
    """Returns the elements of a list literal; those marked with ``?`` only if they have a value."""
    items = []
    for value, may_be_missing in zip(values, maybe, strict=True):
        if not may_be_missing:
            items.append(value)
        elif _held(value).present:
            items.append(value.content)
    return items


# --- Functions ------------------------------------------------------------------------------------


def _held(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise no_such_overload()
    return value


def _value(optional: Any) -> Any:
    if not _held(optional).present:
        raise CelValueError("optional.none() dereference")
    return optional.content


def mapped(optional: Any, each: Callable[[Any], Any], *, flat: bool) -> Any:
    """Evaluates the macros optMap and optFlatMap."""
    if not isinstance(optional, Optional):
        raise no_such_overload(f"hasValue({type_name(optional)})")
    if not optional.present:
        return Optional()
    return each(optional.content) if flat else Optional(True, each(optional.content))


def alternative(value: Optional, other: Callable[[], Any], *, unwraps: bool) -> Any:
    """Evaluates the methods or and orValue: ``other`` only if there is no value."""
    if not value.present:
        return other()
    return value.content if unwraps else value


FUNCTIONS: Mapping[tuple[str, int], Callable[..., Any]] = {
    ("optional.of", 1): lambda value: Optional(True, value),
    ("optional.ofNonZeroValue", 1): lambda value: Optional(True, value) if value else Optional(),
    ("optional.none", 0): Optional,
}

METHODS: Mapping[tuple[str, int], Callable[..., Any]] = {
    ("hasValue", 1): lambda optional: _held(optional).present,
    ("value", 1): _value,
}
