# SPDX-License-Identifier: Apache-2.0
"""Longer lists: what another area draws, in which the lists of one field hold three items or four.

Areas draw lists of one or two items. Who looks at the first two items of a list alone, at its first and its last,
or asks whether two of them match, is right there. What makes a list longer stands in another list of its kind, or
in the list itself: an item may stand twice where an API server allows that, one that has a name may stand again
under another name, and an expression may stand beside its opposite.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.exchanged import (
    LONGEST,
    OF_AREAS,
    Exchange,
    Place,
    created_with,
    may_stand_beside,
    of_areas,
)
from conformance.vocabulary.places import Path, key_of
from refsched.suite.histories.history import Create, History

MAY_REPEAT = (
    *("nodeSelectorTerms", "matchExpressions", "tolerations", "selectors", "constraints", "config"),
    *("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"),
)
"""In the lists of these names an API server lets equal items stand."""

AS_THEY_ARE = frozenset(
    {
        *("annotations", "conditions", "ownerReferences", "finalizers", "declaredFeatures", "validValues"),
        *("claims", "resourceClaimStatuses", "containerStatuses", "initContainerStatuses"),
    }
)
"""The lists of these names must be in order, or have one item for each of something else."""

OPPOSITE = {"In": "NotIn", "NotIn": "In", "Exists": "DoesNotExist", "DoesNotExist": "Exists"}


def histories() -> SearchStrategy[History]:
    return with_longer_lists(of_areas(OF_AREAS))


def with_longer_lists(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, in which the lists of one field are longer, or those of two are."""

    @st.composite
    def longer(draw: DrawFn) -> History:
        found = draw(histories)
        for _ in range(draw(st.sampled_from([1, 2]))):
            lists = lists_of(found)
            if not lists:
                break
            of_field = lists[draw(st.sampled_from(sorted(lists)))]
            kind = _kind_of(of_field[0])
            alike = [place.value for places in lists.values() for place in places if _kind_of(place) == kind]
            items = [each for value in alike for item in value for each in (item, *_opposites(item, kind))]
            for place in of_field:
                found = created_with(found, Exchange(place, _longer(draw, place, items)))
        return found

    return longer()


def lists_of(history: History) -> Mapping[str, Sequence[Place]]:
    """Returns by field the lists that can be longer, in the objects that are created."""
    found: defaultdict[str, list[Place]] = defaultdict(list)
    for step in history.steps:
        if isinstance(step, Create):
            kind = step.object["kind"]
            for path, field, value in lists_within(step.object, (), kind):
                if _can_be_longer(path, value):
                    found[field].append(Place(key_of(step.object), path, field, value))
    return found


def _kind_of(place: Place) -> Sequence[str]:
    """Returns the last two names of the path to a list. What stands in lists of equal ones is of one kind."""
    return [name for name in place.path if isinstance(name, str)][-2:]


def _opposites(item: Any, kind: Sequence[str]) -> Iterator[Any]:
    match kind[-1], item:
        case "matchExpressions", {"operator": operator} if operator in OPPOSITE:
            yield {**item, "operator": OPPOSITE[operator]}
        case "selectors", {"cel": {"expression": expression}}:
            yield {"cel": {"expression": f"!({expression})"}}


def lists_within(value: Any, path: Path, field: str) -> Iterator[tuple[Path, str, list[Any]]]:
    """Yields the lists that this value is or holds, each with its path and its field."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in AS_THEY_ARE:
                yield from lists_within(inner, (*path, name), f"{field}.{name}")
    elif isinstance(value, list):
        yield path, field, value
        for number, inner in enumerate(value):
            yield from lists_within(inner, (*path, number), f"{field}[]")


def _can_be_longer(path: Path, value: Sequence[Any]) -> bool:
    """A single value may be the bound of an expression, or the name of a node, where a second is refused."""
    return bool(value[1:] if path[-1] == "values" else value) and len(value) < LONGEST


def _longer(draw: DrawFn, place: Place, items: Sequence[Any]) -> list[Any]:
    """Draws the list of this place with more of these items between its own."""
    longer = list(place.value)
    wanted = draw(st.sampled_from([len(longer), LONGEST, LONGEST - 1]))
    while len(longer) < wanted:
        fitting = [each for item in items for each in _fitting(item, longer, place)]
        if not fitting:
            break
        longer.insert(draw(st.integers(0, len(longer))), draw(st.sampled_from(fitting)))
    return longer


def _fitting(item: Any, others: Sequence[Any], place: Place) -> Iterator[Any]:
    """Yields the item if it may stand beside the others, or else with another name, if it has one, and uid."""
    if place.path[-1] in MAY_REPEAT or all(may_stand_beside(item, each) for each in others):
        yield item
    elif isinstance(item, dict) and isinstance(item.get("name"), str):
        yield {**item, **{key: f"{item[key]}-{len(others)}" for key in ("name", "uid") if key in item}}
