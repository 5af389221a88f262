# SPDX-License-Identifier: Apache-2.0
"""YAML: the documents of a text, from the events of libyaml's parser directly to plain values.

The type of a scalar is decided here, as kubectl does. Depth and the values that aliases repeat are bounded;
errors name the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import yaml
from attrs import define, field

from refsched.errors import InputError
from refsched.reading.memory import check_memory

MAX_ALIASED = 100_000
"""The aliases of one YAML document may repeat this many nodes."""

MAX_DEPTH = 100
"""This many mappings and lists may be inside each other in a YAML document."""

_TAG = "tag:yaml.org,2002:"
_WORDS = {
    **{
        spelled: value
        for words, value in ((("true", "yes", "on"), True), (("false", "no", "off"), False))
        for word in words
        for spelled in (word, word.title(), word.upper())
    },
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9_]*|0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NODES_BETWEEN_CHECKS = 100_000


def yaml_documents(text: str, where: str) -> Iterator[tuple[str, Any]]:
    """Yields the place of each document, and its value; empty documents are skipped."""
    try:
        parser = _Parser(text)
        parser.get_event()
        number = 1
        while not isinstance(parser.peek_event(), yaml.StreamEndEvent):
            place = f"{where}: document {number} (line {parser.get_event().start_mark.line + 1})"
            value = _Document(parser).value(parser.get_event())
            parser.get_event()
            if value is not None:
                yield place, value
            number += 1
    except InputError as error:
        raise error.at(where) from None
    except yaml.YAMLError as error:
        raise _in_one_line(error).at(where) from None


@define
class _Document:
    """``anchored`` has each value with an anchor, its number of nodes, and its event; it has nothing for a
    value that is still being read. ``nodes`` counts all nodes, and ``aliased`` those that aliases repeat."""

    parser: Any
    anchored: dict[str, Any] = field(factory=dict)
    nodes: int = 0
    aliased: int = 0
    depth: int = 0

    def value(self, event: Any) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        before = self.nodes
        self.nodes += 1
        if self.nodes % _NODES_BETWEEN_CHECKS == 0:
            check_memory()
        anchor = event.anchor
        if anchor is not None:
            if anchor in self.anchored:
                raise InputError(f"the anchor {anchor!r:.60} stands twice (line {_line_of(event)})")
            self.anchored[anchor] = ()
        value = self._scalar(event) if isinstance(event, yaml.ScalarEvent) else self._collection(event)
        if anchor is not None:
            self.anchored[anchor] = value, self.nodes - before, event
        return value

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self.anchored:
            raise InputError(f"found undefined alias {event.anchor!r:.60} (line {_line_of(event)})")
        found = self.anchored[event.anchor]
        if not found:
            raise InputError(f"an alias repeats what it stands in (line {_line_of(event)})")
        value, nodes, _ = found
        self.nodes += nodes
        self.aliased += nodes
        if self.aliased > MAX_ALIASED:
            raise InputError(f"its aliases repeat more than {MAX_ALIASED:,} nodes (line {_line_of(event)})")
        return value

    def _collection(self, event: Any) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise InputError(f"is nested deeper than {MAX_DEPTH} levels (line {_line_of(event)})")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", f"{_TAG}{'map' if is_mapping else 'seq'}"):
            raise _tag_not_read(event)
        value = self._mapping() if is_mapping else self._sequence()
        self.depth -= 1
        return value

    def _sequence(self) -> list[Any]:
        entries = []
        while not isinstance(event := self.parser.get_event(), yaml.SequenceEndEvent):
            entries.append(self.value(event))
        return entries

    def _mapping(self) -> dict[str, Any]:
        """Keys as they are written, none of them twice; ``<<`` adds what is not there."""
        members: dict[str, Any] = {}
        merged: list[Any] = []
        while not isinstance(event := self.parser.get_event(), yaml.MappingEndEvent):
            written = self._key(event)
            key: str = written.value
            if key == "<<" and written.implicit[0]:
                following = self.parser.get_event()
                value = self.value(following)
                for source in value if isinstance(value, list) else [value]:
                    if not isinstance(source, dict):
                        line = _line_of(following)
                        raise InputError(f"<< must be followed by a mapping (line {line})")
                    merged.append(source)
            elif key in members:
                raise InputError(f"the key {key!r:.60} stands twice (line {_line_of(event)})")
            else:
                members[key] = self.value(self.parser.get_event())
        for source in merged:
            members = source | members
        return members

    def _key(self, event: Any) -> Any:
        """Returns the scalar that is the key, which may be written as an alias."""
        if isinstance(event, yaml.AliasEvent):
            self._alias(event)
            event = self.anchored[str(event.anchor)][-1]
        else:
            self.nodes += 1
            if event.anchor is not None:
                self.anchored[event.anchor] = event.value, 1, event
        if not isinstance(event, yaml.ScalarEvent):
            raise InputError(f"a key is not a string (line {_line_of(event)})")
        return event

    def _scalar(self, event: Any) -> Any:
        tag = event.tag
        if tag in (None, "!"):
            quoted = not event.implicit[0]
        elif tag == f"{_TAG}str":
            quoted = True
        elif tag in (f"{_TAG}{kind}" for kind in ("int", "float", "bool", "null")):
            quoted = False
        else:
            raise _tag_not_read(event)
        try:
            return event.value if quoted else plain_scalar(event.value)
        except InputError as error:
            raise InputError(f"{error.problem} (line {_line_of(event)})") from None


@lru_cache(maxsize=65_536)
def plain_scalar(text: str) -> Any:
    """Returns the scalar as kubectl reads it: yes and off are booleans, 1_000 and 0x1F are integers, 12:30 is a
    string."""
    if text in _WORDS:
        return _WORDS[text]
    digits = text.replace("_", "")
    try:
        if _INTEGER.fullmatch(text):
            bare = digits.lstrip("+-")
            old_octal = bare[0] == "0" and bare.isdigit() and bare != "0"
            return int(digits, 8 if old_octal else 0)
        if _FLOAT.fullmatch(text):
            return float(digits)
    except ValueError:
        raise InputError(f"{text[:40]!r} is not a number that can be read") from None
    return text


def _in_one_line(error: yaml.YAMLError) -> InputError:
    """Returns PyYAML's error in one line."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    return InputError(f"{problem} (line {mark.line + 1})" if mark is not None else f"{problem}")


def _tag_not_read(event: Any) -> InputError:
    return InputError(f"the tag {event.tag!r:.60} is not read here (line {_line_of(event)})")


def _line_of(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
