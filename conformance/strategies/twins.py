# SPDX-License-Identifier: Apache-2.0
"""Twins: one of the names in what another area draws gets a twin, which stands wherever the name does.

What areas draw often has one of a kind: one counter of a set, one label by which a constraint groups nodes, one
extended resource. Who takes the first for all is right there. With its twin a label, a resource, a counter, an
attribute or a taint is one of two, and an object may have another value of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.exchanged import OF_AREAS, of_areas
from conformance.vocabulary.places import Key, key_of, objects_in, with_each_object
from refsched.suite.histories.history import History

Json = dict[str, Any]

TWIN = "twin"
"""A name with this at its end may be that of a label, of an attribute and of a counter."""

RESOURCES = ("requests", "limits", "capacity", "allocatable")
KEYS_OF_TEXTS = (*RESOURCES, "labels", "matchLabels", "nodeSelector", "selector")
KEYS_OF_OBJECTS = ("attributes", "capacity", "counters")
"""In members of these names the keys are free to choose; objects stand there in ResourceSlices alone."""

NAMING = ("key", "topologyKey", "matchAttribute", "distinctAttribute")
"""The value of such a member is one of these keys, and may have a domain before it."""

LISTS = ("matchLabelKeys", "mismatchLabelKeys")
"""The items of these lists are such keys."""

_Name = tuple[str, str]
"""A key, and, where objects stand, of which member."""


def histories() -> SearchStrategy[History]:
    return twinning(of_areas(OF_AREAS))


def twinning(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, in which one name has a twin, or two have."""

    @st.composite
    def twinned(draw: DrawFn) -> History:
        found = draw(histories)
        have_twins: set[str] = set()
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            values = values_of_names(found)
            names = sorted({name for name, _ in values} - have_twins)
            if names:
                name = draw(st.sampled_from(names))
                have_twins.add(name)
                found = _with_twin(draw, found, name, values)
        return found

    return twinned()


def values_of_names(history: History) -> Mapping[_Name, Sequence[Any]]:
    """Returns, for each name that can have a twin, the values that it has, in the order in which they come."""
    found: dict[_Name, dict[str, Any]] = {}
    for shown in objects_in(history):
        for name, value in _named(shown, shown["kind"]):
            found.setdefault(name, {}).setdefault(json.dumps(value, sort_keys=True), value)
    return {name: list(values.values()) for name, values in found.items()}


def _named(value: Any, kind: str, member: str = "") -> Iterator[tuple[_Name, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if may_have_twin(kind, member, key, inner):
                yield _name(member, key, inner), inner
            yield from _named(inner, kind, key)
    elif isinstance(value, list):
        for each in value:
            yield from _named(each, kind)


def _name(member: str, key: str, value: Any) -> _Name:
    return key, member if isinstance(value, dict) else ""


def may_have_twin(kind: str, member: str, key: str, value: Any) -> bool:
    """Returns whether an API server accepts another key beside this one: of resources it takes any name only for
    those that are extended."""
    if key.endswith(TWIN):
        return False
    if isinstance(value, dict):
        return member in KEYS_OF_OBJECTS and kind == "ResourceSlice"
    is_free = member not in RESOURCES or kind == "ResourceClaim"
    is_extended = "/" in key and "kubernetes.io/" not in key
    return isinstance(value, str) and member in KEYS_OF_TEXTS and (is_free or is_extended)


def _with_twin(draw: DrawFn, history: History, key: str, values: Mapping[_Name, Sequence[Any]]) -> History:
    """Returns the history in which this key has a twin. Where an object has the same value of the key, it has the
    same value of the twin."""
    drawn: dict[tuple[Any, ...], Any] = {}

    def value_in(of: Key, member: str, value: Any) -> Any:
        known = (of, member, json.dumps(value, sort_keys=True))
        if known not in drawn:
            drawn[known] = draw(st.sampled_from(values[_name(member, key, value)]))
        return drawn[known]

    def twinned(value: Json) -> Json:
        made: Json = _Twin(key, value["kind"], partial(value_in, key_of(value))).in_all_of(value)
        return made

    return with_each_object(history, twinned)


@frozen
class _Twin:
    """A _Twin is that of this key in an object of this kind; ``value_in`` returns its value in a member in which
    the key has another one."""

    key: str
    kind: str
    value_in: Callable[[str, Any], Any]

    def in_all_of(self, value: Any, member: str = "") -> Any:
        """Returns the value with the twin wherever the key stands."""
        if isinstance(value, dict):
            made = {name: self.in_all_of(inner, name) for name, inner in value.items()}
            if self.key in value and may_have_twin(self.kind, member, self.key, value[self.key]):
                made[f"{self.key}{TWIN}"] = self.value_in(member, value[self.key])
            return made
        if isinstance(value, list):
            return [each for item in value for each in self._beside(item, member)]
        return value

    def _beside(self, item: Any, member: str) -> Iterator[Any]:
        """Yields an item of a list, and its twin if it speaks of the key."""
        yield self.in_all_of(item)
        if item == self.key and member in LISTS:
            yield f"{item}{TWIN}"
        for naming in NAMING if isinstance(item, dict) else ():
            named = item.get(naming, "")
            if named == self.key or named.endswith(f"/{self.key}"):
                yield {**self.in_all_of(item), naming: f"{named}{TWIN}"}
