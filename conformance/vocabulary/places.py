# SPDX-License-Identifier: Apache-2.0
"""Places: by which key an object is known, which are there, and what stands at a path within one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import evolve

from refsched.suite.histories.history import Create, Delete, History, Step, Update

Json = dict[str, Any]
Key = tuple[str, str, str]
Path = tuple[str | int, ...]

ABSENT: Any = object()
"""This stands where a member is missing."""


def key_of(value: Json) -> Key:
    """Returns the kind, the namespace and the name of an object."""
    metadata = value.get("metadata", {})
    return value["kind"], metadata.get("namespace", ""), metadata.get("name", "")


def objects_in(history: History) -> Iterator[Json]:
    """Yields the objects that the history creates and updates, in order."""
    return (step.object for step in history.steps if isinstance(step, Create | Update))


def with_each_object(history: History, made: Callable[[Json], Json]) -> History:
    """Returns the history in which each object that is created or updated is what is made of it."""
    steps = (
        evolve(step, object=made(step.object)) if isinstance(step, Create | Update) else step
        for step in history.steps
    )
    return evolve(history, steps=tuple(steps))


def there_after(steps: Iterable[Step]) -> dict[Key, Json]:
    """Returns the objects that these steps leave, as they are then."""
    there: dict[Key, Json] = {}
    for step in steps:
        match step:
            case Create(value) | Update(value):
                there[key_of(value)] = value
            case Delete(named):
                there.pop((named.kind, named.namespace, named.name), None)
    return there


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
