# SPDX-License-Identifier: Apache-2.0
"""Block YAML: the objects of a dump, as kubectl prints them, read line by line.

This reads the part of YAML that printers write: one key a line, lists in blocks, scalars that end with their
line. In every case of doubt it raises ``NotPlainError``, and the full parser reads the text; both read the same
(tests/reading/test_block_yaml.py). It is faster because most of a dump is skipped without being parsed:
the lines below ``UNREAD`` keys."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from attrs import define

from refsched.errors import InputError
from refsched.reading.yaml_text import MAX_DEPTH, plain_scalar, yaml_documents

UNREAD = frozenset(
    (
        *("managedFields", "env", "envFrom", "volumeDevices", "securityContext", "lifecycle"),
        *("livenessProbe", "readinessProbe", "startupProbe", "args", "command", "dnsConfig", "hostAliases"),
        *("nodeInfo", "addresses", "daemonEndpoints", "podIPs", "hostIPs", "volumesAttached", "volumesInUse"),
    )
)
"""Scheduling reads nothing of these fields, in no object. In an object that a cluster has printed (it has a
uid), such a key that has lines of its own below it is read as null."""

_UID = "\n    uid: "


class NotPlainError(Exception):
    """A NotPlainError says that the text is not in the part of YAML that is read here."""


def read_block(text: str) -> Any:
    """Returns the value of a list's entry that is a mapping; ``text`` begins with ``- `` and ends with a line's
    end."""
    if _UNUSUAL.search(text):
        raise NotPlainError
    block = _Block(text, UNREAD if _UID in text else frozenset())
    block.step()
    value = block.mapping(2, entered=True)
    if block.line is not None:
        raise NotPlainError
    return value


# --- Lines ----------------------------------------------------------------------------------------

_UNUSUAL = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Control characters, and what else may be a line's end."""

_LINE = re.compile(r"( *+)(- )?(?:([A-Za-z0-9_.][A-Za-z0-9_./-]{0,200}+):(?: (\S[^\n]*))?|([^\n]+))\n")
_PLAIN = re.compile(r"""(?:[^\s\[\]{}&*!|>%@`"'#,?:-]|[?:-](?=\S))(?:[^:#]|:(?=\S)|(?<=\S)#)*+(?<=\S)""")
_SINGLE = re.compile(r"'((?:[^']|'')*+)'")
_DOUBLE = re.compile(r'"([^"\\]*+)"')
_ESCAPED = re.compile(r'"(?:[^"\\]|\\.)*+"')
_LITERAL = re.compile(r"[|>][-+]?")


@lru_cache
def _deeper_lines(column: int) -> re.Pattern[str]:
    return re.compile(rf"(?:(?: {{{column + 1}}}[^\n]*| *)\n)*+")


@lru_cache
def _passed_over(column: int) -> re.Pattern[str]:
    """Returns a pattern for the lines below a key in this column, as long as none of them can begin a value
    that ends on another line."""
    single, double = r"'(?:[^'\n]|'')*+'", r'"(?:[^"\\\n]|\\.)*+"'
    key = rf"(?:[A-Za-z0-9_.]\S*?|{single}|{double}):"
    bare = r"""(?:[^\s\[\]{}&*!?|>%@`"'#,:-]|[:-](?=\S))(?:[^:\n]|:(?=\S))*+"""
    value = rf"(?:\[\]|\{{\}}|{single}|{double}|{bare})"
    literal = rf"(?P<at> *+)(?:{key}|-) [|>][-+]?\n(?:(?P=at) [^\n]*\n|\n)*+"
    line = rf" *+(?:- )?(?:{key}(?: {value})?|{value})\n"
    return re.compile(rf"(?:(?= {{{column + 1}}}| {{{column}}}- )(?:{literal}|{line}))*+")


@define
class _Block:
    """``line`` is the next line to read, or None at the end; ``position`` is where the one after it begins."""

    text: str
    unread: frozenset[str]
    position: int = 0
    line: re.Match[str] | None = None

    def step(self) -> None:
        self.line = _LINE.match(self.text, self.position)
        if self.line is not None:
            self.position = self.line.end()
        elif self.position < len(self.text):
            raise NotPlainError

    # --- Collections ------------------------------------------------------------------------------

    def mapping(self, column: int, *, entered: bool = False) -> dict[str, Any]:
        """Reads a mapping. If ``entered``, its first line is that of a list's entry too."""
        if column > 2 * MAX_DEPTH:
            raise NotPlainError
        members: dict[str, Any] = {}
        while self.line is not None:
            indent, dash, key, rest, _ = self.line.groups()
            if not entered:
                if len(indent) < column:
                    break
                if dash or len(indent) > column:
                    raise NotPlainError
            if key is None or key in members:
                raise NotPlainError
            entered = False
            if rest is None:
                self.step()
                members[key] = self._below(key, column)
            else:
                members[key] = self._scalar(rest, column)
        return members

    def _below(self, key: str, column: int) -> Any:
        """Reads the value below a key that has nothing beside it."""
        if self.line is None:
            return None
        inner = len(self.line[1])
        if inner < column or (inner == column and not self.line[2]):
            return None
        if not self.line[2] and self.line[3] is None:
            raise NotPlainError
        if key in self.unread:
            below = _passed_over(column).match(self.text, self.line.start())
            assert below is not None
            self.position = below.end()
            self.step()
            return None
        return self._sequence(inner) if self.line[2] else self.mapping(inner)

    def _sequence(self, column: int) -> list[Any]:
        entries: list[Any] = []
        while self.line is not None:
            indent, dash, key, _, bare = self.line.groups()
            if len(indent) < column or (len(indent) == column and not dash):
                break
            if len(indent) > column:
                raise NotPlainError
            if key is not None:
                entries.append(self.mapping(column + 2, entered=True))
            else:
                entries.append(self._scalar(bare, column))
        return entries

    # --- Scalars ----------------------------------------------------------------------------------

    def _scalar(self, rest: str, column: int) -> Any:
        """Reads the scalar with which the line ends; the next line is read after it."""
        first = rest[0]
        value: Any
        if first == "'" and (quoted := _SINGLE.fullmatch(rest)):
            value = quoted[1].replace("''", "'")
        elif first == '"' and (quoted := _DOUBLE.fullmatch(rest)):
            value = quoted[1]
        elif first == '"' and _ESCAPED.fullmatch(rest):
            value = _parsed(f"- {rest}\n")
        elif rest == "{}":
            value = {}
        elif rest == "[]":
            value = []
        elif _LITERAL.fullmatch(rest):
            lines = _deeper_lines(column).match(self.text, self.position)
            assert lines is not None
            self.position = lines.end()
            value = _parsed(f"- {rest}\n{lines[0]}")
        else:
            value = _plain(rest)
        self.step()
        return value


@lru_cache(maxsize=65_536)
def _plain(rest: str) -> Any:
    if not _PLAIN.fullmatch(rest):
        raise NotPlainError
    try:
        return plain_scalar(rest)
    except InputError:
        raise NotPlainError from None


def _parsed(text: str) -> Any:
    """Returns the one entry of a list, read by the full parser."""
    try:
        ((_, (value,)),) = yaml_documents(text, "")
    except (InputError, ValueError, TypeError):
        raise NotPlainError from None
    return value
