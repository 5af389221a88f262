# SPDX-License-Identifier: Apache-2.0
"""Dumps: the objects of a file, one after the other, so that a large file is never in memory as a whole.

A List as kubectl prints it (``-o yaml``, ``-o json``) is read by items. Any other file, and one that is wrong,
is read as a whole (``documents.py``), with the same objects or error.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any, BinaryIO

from attrs import define, field

from refsched.errors import InputError
from refsched.reading.documents import read_documents, read_json_at, read_text
from refsched.reading.memory import check_memory

_CHUNK = 1024 * 1024
"""This many bytes are read, or decoded, at once."""

_BETWEEN_CHECKS = 1000
"""Memory is checked after this many objects."""

Found = Iterator[tuple[str, Any]]
"""Found yields objects, each with its place."""


def read_bytes(stream: BinaryIO, where: str) -> bytearray:
    """Reads everything. Raises InputError if this is more than memory may hold."""
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        check_memory(where)
    return data


def objects_of(data: bytearray, where: str) -> Found:
    """Yields every object of a file. A file without any is a mistake."""
    for number, found in enumerate(_objects(data, where), 1):
        if number % _BETWEEN_CHECKS == 0:
            check_memory(where)
        yield found


def _objects(data: bytearray, where: str) -> Found:
    seen = 0
    try:
        for found in _items(data, where):
            yield found
            seen += 1
    except _NotAsPrintedError:
        yield from islice(_of_documents(data, where), seen, None)


class _NotAsPrintedError(Exception):
    """A _NotAsPrintedError says that this is no List as kubectl prints it, or that it is one only up to
    here."""


def _of_documents(data: bytearray, where: str) -> Found:
    is_empty = True
    for document in read_documents(read_text(data, where, is_dump=True), where):
        is_empty = False
        yield from items_of(document.where, document.value)
    if is_empty:
        raise InputError("holds no object", where=where)


# --- Lists ----------------------------------------------------------------------------------------


def items_of(where: str, value: Any) -> Found:
    """Yields the object itself or, of a List or a typed list such as PodList, its items."""
    if isinstance(value, list):
        raise InputError("expected an API object or a List of them, found a list without kind", where=where)
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if not isinstance(kind, str) or not kind.endswith("List") or "items" not in value:
        yield where, value
        return
    items = value["items"] if value["items"] is not None else []
    if not isinstance(items, list):
        raise InputError(f"expected a list, found {items!r:.60}", "items", where)
    api_version = value.get("apiVersion")
    for index, item in enumerate(items):
        if kind != "List" and isinstance(item, Mapping):
            item = {"apiVersion": api_version, "kind": kind.removesuffix("List"), **item}
        yield from items_of(f"{where}: items[{index}]", item)


# --- As kubectl prints them -----------------------------------------------------------------------

_YAML_HEAD = re.compile(rb"apiVersion: v1\nitems:\n(?=- )")
_YAML_ITEM = b"\n- "
_YAML_TAIL = re.compile(rb"\n(?=[A-Za-z])")
_JSON_HEAD = re.compile(
    rb'\s*\{\s*"apiVersion"\s*:\s*"v1"\s*,\s*(?:"kind"\s*:\s*"List"\s*,\s*)?"items"\s*:\s*\['
)
_BLANK = re.compile(r"[ \t\n\r]*+")


def _items(data: bytearray, where: str) -> Found:
    if b"\0" in data:
        raise _NotAsPrintedError
    if head := _YAML_HEAD.match(data):
        last = data.rfind(_YAML_ITEM)
        tail = _YAML_TAIL.search(data, max(last, head.end()))
        end = tail.end() if tail else len(data)
        rest = _only_list(data[: head.end()] + data[end:], where)
        return _yaml_items(data, head.end(), end, rest)
    if head := _JSON_HEAD.match(data):
        end = data.rfind(b"]")
        rest = _only_list(data[: head.end()] + data[end:], where)
        return _json_items(data, head.end(), end, rest)
    raise _NotAsPrintedError


def _only_list(data: bytearray, where: str) -> str:
    """Returns the place of a List of which this is all except the items."""
    try:
        ((document),) = read_documents(read_text(data, where, is_dump=True), where)
    except (InputError, ValueError):
        raise _NotAsPrintedError from None
    value = document.value
    if not isinstance(value, dict) or value.get("kind") != "List" or value.get("items"):
        raise _NotAsPrintedError
    return document.where


def _yaml_items(data: bytearray, start: int, end: int, where: str) -> Found:
    from refsched.reading.block_yaml import NotPlainError, read_block  # JSON does without it

    index = 0
    while start < end:
        following = data.find(_YAML_ITEM, start, end)
        after = following + 1 if following >= 0 else end
        try:
            text = data[start:after].decode()
        except UnicodeDecodeError:
            raise _NotAsPrintedError from None
        try:
            item = read_block(text)
        except NotPlainError:
            item = _alone(text)
        yield from items_of(f"{where}: items[{index}]", item)
        start, index = after, index + 1


def _alone(text: str) -> Any:
    """Returns the item as the full parser reads it, if it can be read without the others."""
    try:
        ((document),) = read_documents(f"items:\n{text}", "")
        (item,) = document.value["items"]
    except (InputError, ValueError, KeyError, TypeError):
        raise _NotAsPrintedError from None
    return item


def _json_items(data: bytearray, start: int, end: int, where: str) -> Found:
    window = _Window(data, start, end, data.count(b"\n", 0, start))
    for index in count():
        place = f"{where}: items[{index}]"
        try:
            if not window.next_character():
                return
            if index:
                window.pass_over(",")
            item = window.read()
        except json.JSONDecodeError as error:
            if not where.endswith(".json"):
                raise _NotAsPrintedError from None
            raise InputError(
                f"is not JSON: {error.msg} (line {window.lines + error.lineno})", where=where
            ) from None
        except UnicodeDecodeError:
            raise _NotAsPrintedError from None
        except InputError as error:
            raise error.at(place) from None
        yield from items_of(place, item)


@define
class _Window:
    """A _Window is the decoded text of the bytes from ``start`` to ``end``; ``lines`` is how many lines are
    before ``text``."""

    data: bytearray
    start: int
    end: int
    lines: int
    text: str = ""
    position: int = 0
    decoder: codecs.IncrementalDecoder = field(factory=codecs.getincrementaldecoder("utf-8"))

    def next_character(self) -> str:
        """Returns the next character that is not blank, or an empty string at the end."""
        while True:
            self.position = _BLANK.match(self.text, self.position).end()  # type: ignore[union-attr]
            if self.position < len(self.text) or not self._extend():
                return self.text[self.position : self.position + 1]

    def pass_over(self, character: str) -> None:
        if self.next_character() != character:
            raise json.JSONDecodeError(f"Expecting {character!r} delimiter", self.text, self.position)
        self.position += 1

    def read(self) -> Any:
        if self.next_character() != "{":
            raise _NotAsPrintedError
        while True:
            try:
                value, self.position = read_json_at(self.text, self.position)
                return value
            except json.JSONDecodeError:
                if not self._extend():
                    raise

    def _extend(self) -> bool:
        """Extends the window by a chunk or, if that is not enough, by as much as there is. Returns False at the
        end."""
        if self.start == self.end:
            return False
        check_memory()
        stop = min(self.end, self.start + max(_CHUNK, len(self.text) - self.position))
        more = self.decoder.decode(self.data[self.start : stop], stop == self.end)
        self.lines += self.text.count("\n", 0, self.position)
        self.text, self.position, self.start = self.text[self.position :] + more, 0, stop
        return True
