# SPDX-License-Identifier: Apache-2.0
"""Made uids: an object of a trace that was created without a uid has the one that its first update shows.

The API server of the recorded scheduler made that uid, and showed it with the object from the beginning.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from attrs import evolve

from refsched.errors import InputError
from refsched.reading.objects import Key, key_named
from refsched.records import Create, Json, Record

_KINDS_OF_INPUT = (b'"create"', b'"update"', b'"delete"')


def made_uids(lines: Iterable[tuple[int, bytes]]) -> dict[int, str]:
    """Returns the uid of each object that was created without one, by the number of the line that creates it, as
    far as a later update shows it. What cannot be read is passed over: who reads the records says so."""
    without: dict[Key, int] = {}
    found: dict[int, str] = {}
    with suppress(InputError):
        for number, line in lines:
            if any(kind in line for kind in _KINDS_OF_INPUT):
                _take(number, _members(line), without, found)
    return found


def _take(number: int, members: Any, without: dict[Key, int], found: dict[int, str]) -> None:
    match members:
        case {"create": {"metadata": {"name": str()} as metadata} as created} if not metadata.get("uid"):
            without[_key(created, metadata)] = number
        case {"update": {"metadata": {"name": str(), "uid": str(uid)} as metadata} as updated} if uid:
            created_at = without.pop(_key(updated, metadata), None)
            if created_at is not None:
                found[created_at] = uid
        case {"delete": {"name": str()} as named}:
            without.pop(_key(named, named), None)


def with_uid(record: Record, uid: str) -> Record:
    """Returns the record, whose object has this uid if it creates one."""
    if not isinstance(record, Create):
        return record
    return evolve(record, object={**record.object, "metadata": {**record.object["metadata"], "uid": uid}})


def _members(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _key(value: Json, named: Json) -> Key:
    return key_named(str(value.get("kind")), str(named.get("namespace") or ""), named["name"])
