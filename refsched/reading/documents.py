# SPDX-License-Identifier: Apache-2.0
"""Documents: text that anybody may have written, as YAML or JSON, becomes plain values.

Keys are strings and occur once in their mapping. Times stay strings. Text that would take too much memory or
depth is refused. Errors name the file, and the document and line if there are such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import frozen

from refsched.errors import InputError

MAX_TEXT = 64 * 1024 * 1024
"""A file that a person writes may have this many bytes. Dumps may be larger (``dumps.py``)."""


@frozen
class Document:
    """``value`` is plain: mappings with string keys, lists, strings, numbers, booleans and None."""

    where: str
    value: Any


def read_text(data: bytes | bytearray, where: str, *, is_dump: bool = False) -> str:
    """Decodes UTF-8 without NUL, within the limit unless it is a dump. A byte order mark is removed."""
    if len(data) > MAX_TEXT and not is_dump:
        raise InputError(f"is larger than {MAX_TEXT // 1024 // 1024} MiB", where=where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", where=where) from None
    if "\0" in text:
        raise InputError(f"holds a NUL character (line {_line(text, text.index(chr(0)))})", where=where)
    return text


def read_documents(text: str, where: str) -> Iterator[Document]:
    """Yields the documents of a file, except empty ones. Text that is JSON is one document."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield Document(where, read_json(text))
            return
        except json.JSONDecodeError as error:
            if where.endswith(".json"):
                raise InputError(f"is not JSON: {error.msg} (line {error.lineno})", where=where) from None
        except InputError as error:
            raise error.at(where) from None
    from refsched.reading.yaml_text import yaml_documents  # JSON does without it

    for place, value in yaml_documents(text, where):
        yield Document(place, value)


# --- JSON -----------------------------------------------------------------------------------------

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(text: str) -> Any:
    """Reads strict JSON: no key twice, no NaN. Raises json.JSONDecodeError if it is not JSON at all."""
    with _refusals():
        value = _DECODER.decode(text)
        _check_characters(text, 0, len(text), value)
        return value


def read_json_at(text: str, start: int) -> tuple[Any, int]:
    """Returns the value that begins there, and where it ends."""
    with _refusals():
        value, end = _DECODER.raw_decode(text, start)
        _check_characters(text, start, end, value)
        return value, end


def _check_characters(text: str, start: int, end: int, value: Any) -> None:
    if _SURROGATE.search(text, start, end):
        json.dumps(value, ensure_ascii=False).encode()


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise InputError("is nested too deeply") from None
    except UnicodeEncodeError:
        raise InputError("holds half of a character (a lone surrogate)") from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise InputError("holds a number of too many digits") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise InputError(f"the key {key!r:.60} stands twice")
        members[key] = value
    return members


def _no_constant(name: str) -> Any:
    raise InputError(f"{name} is not a number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
