# SPDX-License-Identifier: Apache-2.0
"""Fields of the API: which members of an object are fields, those that scheduling does not read included.

An API server refuses or drops a member that is no field. So one that a person wrote is refused with its path,
and one that a cluster printed, whose release may have fields that are not known here, is only reported.

Source: api/openapi-spec/swagger.json of v1.19.16, v1.22.17, v1.25.16, v1.28.15, v1.30.14, v1.31.14, v1.33.5,
v1.34.2, v1.35.4, v1.36.3 and v1.37.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from refsched.errors import InputError
from refsched.objects.kinds import ApiKind
from refsched.reading.objects import described, kind_called

DATA = Path(__file__).with_name("api_fields.json")
"""The file has the fields of each type, with their types: that of a list is ``[]Type``, and that of a map
``{}Type``."""

_PRINTED = ("uid", "resourceVersion", "managedFields", "creationTimestamp", "selfLink")
_WRITTEN_STATUS = {"Node": ("allocatable", "capacity", "images"), "Pod": ("phase", "nominatedNodeName")}


@cache
def api_fields() -> Mapping[str, Mapping[str, str]]:
    """Returns the table, by types such as ``core.PodSpec``."""
    found: dict[str, dict[str, str]] = json.loads(DATA.read_text("utf-8"))
    return found


def type_of(kind: ApiKind) -> str:
    """Returns the kind's type in the table: versions that have the same fields are one type."""
    return f"{kind.group.partition('.')[0] or 'core'}.{kind.name}"


def unknown_fields(value: Any) -> Iterator[tuple[str, str]]:
    """Yields the path of each member that is no field, and the field that may be meant, or ``""``. It yields
    nothing for what is not read: another kind, another version of a kind, or no object at all."""
    if not isinstance(value, Mapping):
        return
    try:
        kind = kind_called(str(value.get("apiVersion")), str(value.get("kind")))
    except InputError:
        return
    name = type_of(kind)
    if not _is_known(value, name):
        yield from _unknown(value, name, "")


def _is_known(value: Any, kind: str) -> bool:
    """Returns whether everything in the value is a field. In a cluster's thousands of objects everything is."""
    if type(value) is not dict:
        return not isinstance(value, Mapping) or _is_known(dict(value), kind)
    fields = api_fields()[kind]
    for name, found in value.items():
        held = fields.get(name)
        if held is None:
            return False
        if not held or not found:
            continue
        if held[0] not in "[{":
            if not _is_known(found, held):
                return False
            continue
        if isinstance(found, Mapping):
            found = found.values()
        elif not isinstance(found, list | tuple):
            continue
        for entry in found:
            if not _is_known(entry, held[2:]):
                return False
    return True


def _unknown(value: Any, kind: str, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        return
    fields = api_fields()[kind]
    for name, held in value.items():
        place = f"{path}.{name}" if path else str(name)
        if name not in fields:
            near = get_close_matches(str(name)[:100], fields, n=1)
            yield place, near[0] if near else ""
            continue
        inner = fields[name]
        if inner.startswith("[]"):
            entries = enumerate(held if isinstance(held, list | tuple) else ())
            for index, entry in entries:
                yield from _unknown(entry, inner[2:], f"{place}[{index}]")
        elif inner.startswith("{}"):
            for key, entry in held.items() if isinstance(held, Mapping) else ():
                yield from _unknown(entry, inner[2:], f"{place}[{key}]")
        elif inner:
            yield from _unknown(held, inner, place)


def is_printed(value: Mapping[str, Any]) -> bool:
    """Returns whether a cluster printed this. An object in a cluster has what nobody writes: a uid, a version,
    a status. The status of a node, or of a pod, is also written without a cluster, with few fields."""
    metadata, status = value.get("metadata"), value.get("status")
    if isinstance(metadata, Mapping) and any(metadata.get(name) is not None for name in _PRINTED):
        return True
    written = _WRITTEN_STATUS.get(str(value.get("kind")), ())
    fields = api_fields().get(f"core.{value.get('kind')}Status", {})
    return isinstance(status, Mapping) and any(
        held is not None and (not written or (name in fields and name not in written))
        for name, held in status.items()
    )


def check_fields(value: Any) -> tuple[str, ...]:
    """Raises InputError if a person wrote a member that is no field. For an object that a cluster printed it
    returns such members, as paths without positions, once each."""
    found = list(unknown_fields(value))
    if not found:
        return ()
    if is_printed(value):
        return tuple(dict.fromkeys(f"{value['kind']} {_anywhere(path)}" for path, _ in found))
    path, near = found[0]
    hint = f"; did you mean {near}?" if near else ""
    raise InputError(f"is no field{hint}", path, described(value))


def _anywhere(path: str) -> str:
    """Returns the path for all items: ``spec.containers[].imag``."""
    return re.sub(r"\[[^]]*\]", "[]", path)
