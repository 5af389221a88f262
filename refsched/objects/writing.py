# SPDX-License-Identifier: Apache-2.0
"""Writing: an attrs class is written as the JSON of an API object."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import attrs

from refsched.objects.kinds import kind_of
from refsched.objects.meta import ApiObject
from refsched.objects.quantity import Quantity
from refsched.objects.reading import json_name


def as_json(shown: ApiObject) -> dict[str, Any]:
    """Returns the fields that are set, with ``apiVersion`` and ``kind``. Fields that were not read are not
    written."""
    return {"apiVersion": kind_of(shown).api_version, "kind": shown.kind, **_plain(shown)}


def _plain(value: Any) -> Any:
    if isinstance(value, Quantity):
        return _amount(value)
    if attrs.has(type(value)):
        members = ((attribute, getattr(value, attribute.name)) for attribute in attrs.fields(type(value)))
        written = ((json_name(a.name), _plain(member)) for a, member in members if not _is_absent(a, member))
        return {name: member for name, member in written if member not in ("", [], {})}
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(member) for member in value]
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def _is_absent(attribute: attrs.Attribute[Any], member: Any) -> bool:
    """Returns whether the member is absent. A zero or a False is absent only if it is the attribute's default."""
    return member is None or (member == 0 and attribute.default == member)


def _amount(quantity: Quantity) -> str:
    """Returns the amount in the largest unit, down from one, of which it is a whole number."""
    for nano, suffix in ((10**9, ""), (10**6, "m"), (10**3, "u")):
        if quantity.nano % nano == 0:
            return f"{quantity.nano // nano}{suffix}"
    return f"{quantity.nano}n"
