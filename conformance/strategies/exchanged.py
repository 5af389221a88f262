# SPDX-License-Identifier: Apache-2.0
"""Exchanged values: a field of an object holds what the same field of another one does, or what stands where the
same is spoken of.

What areas draw fits together: a CSIStorageCapacity is of the class that claims name, and a label has the key that
a selector asks for. Here one to three things do not fit. A rule that compares them decides otherwise than one that
forgot to, and what seldom comes together does. Two texts speak of the same if they are equal somewhere, and two
numbers if they are of the same resource, capacity or member. Either an object has the other value from its
creation on, or it is updated with it after an attempt, where an API server allows that.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import combinations, starmap
from typing import Any, cast

from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import AFTER_ALL_BACKOFF
from conformance.vocabulary.places import ABSENT, Key, Path, key_of, objects_in, put, with_each_object
from refsched.suite.histories.history import Advance, Create, Delete, History, Schedule, Step, Update

Json = dict[str, Any]

OF_AREAS = (
    *("allocations", "attached", "claims", "devices", "hints", "limits", "mixed", "multiple_claims"),
    *("node_affinity", "pairs", "pod_affinity", "preemption", "requeued", "spread", "taints", "volumes"),
)
"""What these modules of this package draw is exchanged for every release."""

HOW_MANY = (1, 1, 2, 3)

FIXED = frozenset(
    {
        *("apiVersion", "kind", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"),
        *("annotations", "ownerReferences", "expression", "operator", "message", "reason", "generation"),
        *("overhead", "claims", "resourceClaims", "resourceClaimStatuses", "conditions"),
        *("pool", "resourceSliceCount", "allocationMode", "matchFields", "values", "declaredFeatures"),
    }
)
"""Members of these names, and what they hold, say what an object is, belong to another member, must be in order,
or have other ways to be odd."""

OWN: Sequence[Path] = (
    *((), ("metadata",), ("spec",), ("status",)),
    *(("metadata", "name"), ("metadata", "namespace"), ("spec", "schedulerName")),
)
"""An object keeps these."""

AS_ONE = "resources"
"""Requests and limits belong together."""

WHOLE = ("matchExpressions[]", "matchLabelExpressions[]", "tolerations[]", "taints[]")
"""No member of these is added or left out, since each needs the others."""

ONE_OF = (
    *("volumes[]", "requests[]", "firstAvailable[]", "PersistentVolume.spec", "ResourceSlice.spec"),
    *("devices[]", "attributes", "capacity", AS_ONE),
)
"""These hold one of their possible members alone."""

KEYS = (("name",), ("topologyKey", "whenUnsatisfiable"), ("key", "effect"))
"""Items of a list that are equal in these members may not stand beside each other."""

LONGEST = 4
"""No list gets longer than this: a search for devices takes exponential time."""

BESIDE_NUMBERS = frozenset(
    {"value", "max", "min", "step", "default", "validRange", "validValues", "requestPolicy", "count"}
)
"""These members say nothing of what a number is about."""

MAY_BE_UPDATED: Mapping[str, Sequence[str]] = {
    "DeviceClass": ("spec",),
    "DeviceTaintRule": ("spec.deviceSelector", "spec.taint"),
    "Namespace": ("metadata.labels",),
    "Node": ("metadata.labels", "spec.taints", "spec.unschedulable", "status"),
    "PersistentVolume": ("metadata.labels",),
    "Pod": ("metadata.labels",),
    "CSIStorageCapacity": ("capacity", "maximumVolumeSize"),
    "PodDisruptionBudget": ("spec.selector", "status"),
    "ReplicationController": ("spec.selector",),
    "ResourceSlice": ("spec.devices",),
    "Service": ("spec.selector",),
}
"""By kind, the members that an API server lets change, and in which something may be exchanged."""


@frozen
class Place:
    """A Place is where a value stands in the object of this kind, namespace and name; ``ABSENT`` stands where
    only other objects have a member."""

    key: Key
    path: Path
    field: str
    value: Any


@frozen
class Exchange:
    """An Exchange puts ``new`` in this place."""

    place: Place
    new: Any

    def made_in(self, value: Json) -> Json:
        """Returns the object with the new value, if what stood in its place still does."""
        made: Json = put(value, self.place.path, self.place.value, self.new)
        return made


def histories() -> SearchStrategy[History]:
    return exchanging(of_areas(OF_AREAS))


def exchanging(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, in which a few values are exchanged."""

    @st.composite
    def exchanged(draw: DrawFn) -> History:
        found = draw(histories)
        for _ in range(draw(st.sampled_from(HOW_MANY))):
            by_field = exchanges(found)
            if not by_field:
                break
            exchange = draw(st.sampled_from(by_field[draw(st.sampled_from(sorted(by_field)))]))
            updated = list(later(found, exchange))
            is_later = bool(updated) and draw(st.booleans())
            other = draw(st.sampled_from(updated)) if is_later else created_with(found, exchange)
            found = other if all(map(_may_be, objects_in(other))) else found
        return found

    return exchanged()


def of_areas(areas: Sequence[str]) -> SearchStrategy[History]:
    """Draws a history of the area of one of these modules."""

    def of_area(area: str) -> SearchStrategy[History]:
        module = import_module(f"conformance.strategies.{area}")
        return cast("SearchStrategy[History]", module.histories())

    return st.sampled_from(areas).flatmap(of_area)


# --- What can be exchanged ------------------------------------------------------------------------


def exchanges(history: History) -> Mapping[str, Sequence[Exchange]]:
    """Returns by field what else can stand there, in each object that is created."""
    places = list(_places(history))
    stands = _Standing.of(places)
    found: defaultdict[str, list[Exchange]] = defaultdict(list)
    others: dict[tuple[str, str], Sequence[Any]] = {}
    for place in places:
        key = place.field, _text_of(place.value)
        if key not in others:
            others[key] = stands.others(place)
        found[place.field] += [Exchange(place, each) for each in others[key]]
    return {field: of_field for field, of_field in found.items() if of_field}


@frozen
class _Standing:
    """A _Standing has what stands in each field, in which fields a text stands, and the numbers of each topic. A
    value is known by its text."""

    in_field: Mapping[str, dict[str, Any]]
    fields_with: Mapping[str, dict[str, None]]
    numbers: Mapping[tuple[str, type], dict[str, Any]]

    @classmethod
    def of(cls, places: Sequence[Place]) -> _Standing:
        found = cls(defaultdict(dict), defaultdict(dict), defaultdict(dict))
        for place in places:
            text = _text_of(place.value)
            found.in_field[place.field].setdefault(text, place.value)
            if isinstance(place.value, str):
                found.fields_with[place.value].setdefault(place.field)
            if _is_number(place.value):
                found.numbers[_topic(place), type(place.value)].setdefault(text, place.value)
        return found

    def others(self, place: Place) -> Sequence[Any]:
        """Returns what else can stand there."""
        others = dict(self.in_field[place.field])
        if _is_number(place.value):
            others |= self.numbers[_topic(place), type(place.value)]
        elif isinstance(place.value, str):
            for field in self.fields_with[place.value]:
                others |= {text: each for text, each in self.in_field[field].items() if isinstance(each, str)}
        elif isinstance(place.value, list):
            others |= {_text_of(each): each for each in _longer(place.value, list(others.values()))}
        others.pop(_text_of(place.value), None)
        return list(others.values())


def _places(history: History) -> Iterator[Place]:
    created = [step.object for step in history.steps if isinstance(step, Create)]
    members: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for value in created:
        for _, field, each in _within(value, (), value["kind"]):
            if isinstance(each, dict):
                members[field] |= dict.fromkeys(each)
    for value in created:
        key = key_of(value)
        for path, field, each in _within(value, (), value["kind"]):
            if _may_change(path):
                yield Place(key, path, field, each)
            if not isinstance(each, dict) or field.endswith((*WHOLE, *ONE_OF)) or _is_attribute(path):
                continue
            for name in members[field]:
                if name not in each and _may_change((*path, name)):
                    yield Place(key, (*path, name), f"{field}.{name}", ABSENT)


def _is_attribute(path: Path) -> bool:
    """Returns whether an attribute of a device stands there, which has one member: that of its type."""
    return path[-2:-1] == ("attributes",)


def _within(value: Any, path: Path, field: str) -> Iterator[tuple[Path, str, Any]]:
    yield path, field, value
    if isinstance(value, dict):
        for name, inner in value.items() if path[-1:] != (AS_ONE,) else ():
            if name not in FIXED:
                yield from _within(inner, (*path, name), f"{field}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _within(inner, (*path, number), f"{field}[]")


def _may_change(path: Path) -> bool:
    """Returns whether another value may stand there. An item of a list keeps its name, and a node the type of its
    instance, which two labels say."""
    if path in OWN:
        return False
    is_name_of_item = path[-1] == "name" and isinstance(path[-2], int)
    return not is_name_of_item and not any(name in FIXED or "instance-type" in str(name) for name in path)


def _text_of(value: Any) -> str:
    return "" if value is ABSENT else json.dumps(value, sort_keys=True)


def _is_number(value: Any) -> bool:
    is_quantity = isinstance(value, str) and value[:1].isdigit()
    return is_quantity or (isinstance(value, int) and not isinstance(value, bool))


def _topic(place: Place) -> str:
    """Returns what a number is about: the last member of its path that says it."""
    names = [name for name in place.path if isinstance(name, str) and name not in BESIDE_NUMBERS]
    return names[-1]


def _longer(items: list[Any], others: Sequence[Any]) -> Iterator[list[Any]]:
    """Yields the list in its other order, and with an item more that stands in another one."""
    yield items[::-1]
    for other in others:
        for item in other if isinstance(other, list) and len(items) < LONGEST else ():
            if all(may_stand_beside(item, each) for each in items):
                yield [*items, item]
                yield [item, *items]


def _may_be(value: Any) -> bool:
    """Returns whether all items of each list may stand beside each other."""
    if isinstance(value, dict):
        return all(map(_may_be, value.values()))
    if not isinstance(value, list):
        return True
    return all(map(_may_be, value)) and all(starmap(may_stand_beside, combinations(value, 2)))


def may_stand_beside(item: Any, other: Any) -> bool:
    """Returns whether an API server lets both stand in one list."""
    if not isinstance(item, dict) or item == other:
        return bool(item != other)
    return not any(all(name in item and item[name] == other.get(name) for name in names) for names in KEYS)


# --- Exchanging -----------------------------------------------------------------------------------


def created_with(history: History, exchange: Exchange) -> History:
    """Returns the history in which the object has the other value from its creation on."""
    key = exchange.place.key
    return with_each_object(history, lambda value: exchange.made_in(value) if key_of(value) == key else value)


def later(history: History, exchange: Exchange) -> Iterator[History]:
    """Yields the histories in which the object is updated with the other value, after one request for attempts or
    another."""
    key = exchange.place.key
    members = MAY_BE_UPDATED.get(key[0], ())
    if not any(exchange.place.field.startswith(f"{key[0]}.{member}") for member in members):
        return
    now: Json | None = None
    for number, step in enumerate(history.steps):
        match step:
            case Create(value) | Update(value) if key_of(value) == key:
                now = value
            case Delete(named) if (named.kind, named.namespace, named.name) == key:
                now = None
            case Schedule() if now is not None:
                new = exchange.made_in(now)
                more: list[Step] = [Update(new), Schedule(), Advance(AFTER_ALL_BACKOFF), step]
                if new != now:
                    until, after = history.steps[: number + 1], history.steps[number + 1 :]
                    yield evolve(history, steps=(*until, *more, *after))
