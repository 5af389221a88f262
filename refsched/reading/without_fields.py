# SPDX-License-Identifier: Apache-2.0
"""Fields: an object as JSON without some of its fields, which are named by their paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Json = dict[str, Any]


def without_fields(value: Mapping[str, Any], paths: Iterable[str]) -> Json:
    """Returns the object without the fields at these paths, each of which begins with a kind
    (``Pod.spec.containers[].ports``): those of other kinds are ignored, and ``[]`` stands for every item of a
    list. The given object is not changed."""
    kept: Any = dict(value)
    for path in paths:
        kind, _, inside = path.partition(".")
        if inside and kind == value.get("kind"):
            kept = without_path(kept, inside.split("."))
    return kept if isinstance(kept, dict) else dict(value)


def without_path(value: Any, path: Sequence[str]) -> Any:
    """Returns the value without the field at this path, whose parts are names. A value that is no object stays
    as it is."""
    if not isinstance(value, Mapping):
        return value
    name, rest = path[0].removesuffix("[]"), path[1:]
    if name not in value:
        return value
    inside = value[name]
    if not rest:
        return {key: field for key, field in value.items() if key != name}
    if not path[0].endswith("[]"):
        return {**value, name: without_path(inside, rest)}
    return (
        {**value, name: [without_path(item, rest) for item in inside]} if isinstance(inside, list) else value
    )
