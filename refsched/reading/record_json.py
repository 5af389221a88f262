# SPDX-License-Identifier: Apache-2.0
"""Records as JSON: how each record of refsched/records.py is read and written (docs/protocol.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import attrs

from refsched.errors import InputError
from refsched.objects.reading import json_name, read_as
from refsched.records import (
    Advance,
    Attempt,
    Bind,
    Create,
    Delete,
    Json,
    Nodes,
    Permit,
    Queues,
    Record,
    Release,
    Update,
    Write,
)

_OF_MEMBER: dict[str, type[Any]] = {
    kind.member: kind
    for kind in (Create, Update, Delete, Advance, Permit, Release, Attempt, Bind, Write, Queues, Nodes)
}
MEMBERS = frozenset(_OF_MEMBER)
_BARE = {Create: "object", Update: "object", Delete: "object", Advance: "seconds", Nodes: "nodes"}
"""The member of these records is the value itself, not an object of named members."""


def read_record(members: Mapping[str, Any]) -> Record:
    """Reads one record from its JSON. ``at`` and members that are not known are left to the caller.

    Raises InputError if there is not exactly one known member, or something in it is wrong.
    """
    present = [name for name in members if name in MEMBERS]
    if len(present) != 1:
        found = ", ".join(sorted(name for name in members if name != "at")) or "nothing"
        raise InputError(f"expected exactly one of {', '.join(sorted(MEMBERS))}; found {found}")
    name = present[0]
    kind = _OF_MEMBER[name]
    value = members[name]
    if kind in _BARE:
        value = {_BARE[kind]: value}
    record: Record = _read(kind, value, name)
    return record


def _read(kind: type[Any], value: Any, name: str) -> Any:
    try:
        return read_as(kind, value)
    except InputError as problem:
        raise problem.under(name) from None


def line_of(members: Mapping[str, Any]) -> str:
    """Returns the JSON object as one line of a trace, or of the wire."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")) + "\n"


def start_text(start: datetime) -> str:
    """Returns a start as it is written: ``2026-01-01T00:00:00Z``."""
    return start.astimezone(UTC).isoformat().replace("+00:00", "Z")


def to_json(record: Record) -> Json:
    """Returns the record as its JSON object, without ``at``; members that are missing are left out."""
    value = _plain(record)
    if type(record) in _BARE:
        value = value[_BARE[type(record)]]
    return {record.member: value}


@cache
def _members(kind: type[Any]) -> tuple[tuple[str, str, bool], ...]:
    """Returns for each attribute its name, its name on the wire, and whether it is written even if it is
    empty."""
    return tuple((a.name, json_name(a.name), a.default not in ("", ())) for a in attrs.fields(kind))


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return value
    kind: Any = type(value)
    if attrs.has(kind):
        members = (
            (name, is_written_empty, getattr(value, attribute))
            for attribute, name, is_written_empty in _members(kind)
        )
        return {
            name: _plain(member)
            for name, is_written_empty, member in members
            if member is not None and (is_written_empty or member not in ("", ()))
        }
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(member) for member in value]
    return value
