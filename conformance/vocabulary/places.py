# SPDX-License-Identifier: Apache-2.0
"""Places: by which key an object is known, and what stands at a path within it."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
Key = tuple[str, str, str]
Path = tuple[str | int, ...]

ABSENT: Any = object()
"""This stands where a member is missing."""


def key_of(value: Json) -> Key:
    """Returns the kind, the namespace and the name of an object."""
    metadata = value.get("metadata", {})
    return value["kind"], metadata.get("namespace", ""), metadata.get("name", "")


def put(value: Any, path: Path, old: Any, new: Any) -> Any:
    """Returns the value with ``new`` at this path, if ``old`` stands there. Either may be ``ABSENT``."""
    if not path:
        return new if value == old else value
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        inner = put(value.get(head, ABSENT), rest, old, new)
        others = {name: each for name, each in value.items() if name != head}
        return others if inner is ABSENT else {**value, head: inner}
    if isinstance(value, list) and isinstance(head, int) and head < len(value):
        return [*value[:head], put(value[head], rest, old, new), *value[head + 1 :]]
    return value
