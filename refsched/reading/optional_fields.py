# SPDX-License-Identifier: Apache-2.0
"""Optional fields: those that an object may be without, by their paths (``Pod.spec.containers[].ports``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import attrs

from refsched.errors import InputError
from refsched.objects.kinds import KINDS
from refsched.objects.quantity import Quantity
from refsched.objects.reading import json_name
from refsched.reading.api_fields import api_fields, type_of

EACH = "[]"
"""It stands behind the name of a list, and means each of its items."""

_NEEDED = re.compile(
    r"\w+\.(metadata(\.(name|namespace|uid))?|spec)|Pod\.spec\.(nodeName|containers(\[\]\.name)?)"
)
"""Without these an object is another one, or none. The types of objects give them a default all the same."""


def check_optional(path: str) -> None:
    """Raises InputError unless the path leads to a field that an object may be without."""
    name, *members = path.split(".")
    kind = next((each for each in KINDS if each.name == name), None)
    if kind is None or not members:
        raise InputError(f"expected the path of a field as Pod.spec.overhead, found {path!r:.80}")
    held = type_of(kind)
    for member in members:
        plain, fields = member.removesuffix(EACH), api_fields().get(held, {})
        if plain not in fields:
            near = get_close_matches(plain[:100], fields, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f"{path!r:.80} is no field: {plain!r:.40}{hint}")
        held = fields[plain]
        is_list = held.startswith(EACH)
        if is_list != member.endswith(EACH) and member is not members[-1]:
            raise InputError(f"{path!r:.80}: {plain} is {'a' if is_list else 'no'} list")
        held = held.removeprefix(EACH)
    if members[-1].endswith(EACH):
        raise InputError(f"{path!r:.80} ends with {EACH}: name the whole list")
    if _NEEDED.fullmatch(path) or path in required_fields():
        raise InputError(f"no object can be without {path}")


@cache
def required_fields() -> frozenset[str]:
    """Returns the paths of the fields that an object, or an item of one of its lists, must have."""
    return frozenset(path for kind in KINDS for path in _required(kind.type, kind.name, ()))


def _required(of: type, path: str, above: tuple[type, ...]) -> Iterator[str]:
    hints = get_type_hints(of)
    for member in attrs.fields(of):
        here = f"{path}.{json_name(member.name)}"
        if member.default is attrs.NOTHING:
            yield here
        for inner, each in _classes_in(hints[member.name]):
            if inner is not Quantity and inner not in (of, *above):
                yield from _required(inner, f"{here}{each}", (of, *above))


def _classes_in(hint: Any, each: str = "") -> Iterator[tuple[type, str]]:
    if isinstance(hint, type) and attrs.has(hint):
        yield hint, each
    elif get_origin(hint) is tuple:
        yield from _classes_in(get_args(hint)[0], EACH)
    elif get_origin(hint) is not Mapping:
        for argument in get_args(hint):
            yield from _classes_in(argument, each)
