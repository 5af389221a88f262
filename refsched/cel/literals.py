# SPDX-License-Identifier: Apache-2.0
"""CEL literals: the values that are written in an expression.

Source: github.com/google/cel-go parser/parser.go, parser/unescape.go (v0.26.0).
"""

from __future__ import annotations

import ast
import re
from typing import Any

from refsched.cel.functions import checked_int
from refsched.cel.operators import Evaluate
from refsched.cel.values import UINT64, CelValueError, Uint, refused

MAX_CODE = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)
_ESCAPES = re.compile(r"\\([abfnrtv\\'\"`?]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})")


def literal(token: Any) -> Evaluate:
    value = _literal_value(token.type, str(token))
    return lambda scope: value


def _literal_value(kind: str, text: str) -> Any:
    match kind:
        case "INT_LIT":
            return _ranged(_integer(text, "int"))
        case "UINT_LIT":
            number = _integer(text[:-1], "uint")
            if number not in UINT64:
                raise refused("invalid uint literal")
            return Uint(number)
        case "FLOAT_LIT":
            return float(text)
        case "BOOL_LIT":
            return text == "true"
        case "NULL_LIT":
            return None
        case "BYTES_LIT":
            return _unquoted(text[1:]).encode()
    return _unquoted(text)


def _integer(text: str, kind: str) -> int:
    """Reads an integer. One of thousands of digits, which Python does not read, is invalid."""
    try:
        return int(text, 0 if "x" in text else 10)
    except ValueError:
        raise refused(f"invalid {kind} literal") from None


def _ranged(number: int) -> int:
    try:
        return checked_int(number)
    except CelValueError:
        raise refused("invalid int literal") from None


def _unquoted(text: str) -> str:
    raw = text[0] in "rR"
    body = text[1:] if raw else text
    quotes = 3 if body[:3] in ('"""', "'''") else 1
    body = body[quotes:-quotes]
    return body if raw else _ESCAPES.sub(_unescaped, body)


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if code in "?`":
        return code
    if code[0] in "uU" and (int(code[1:], 16) > MAX_CODE or int(code[1:], 16) in SURROGATES):
        raise refused("invalid unicode code point")
    return str(ast.literal_eval(f'"\\{code}"')) if code != '"' else code
