# SPDX-License-Identifier: Apache-2.0
"""Ties: claims whose devices must be equal in an attribute, or in two, for some of their requests or for all.

A device may satisfy one constraint and violate another, or be given up after it was chosen; and a constraint may
be about one alternative of a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History

Json = dict[str, Any]
Tie = tuple[str, Sequence[int]]
"""An attribute, and the numbers of the requests and alternatives of which it is required; of all, if none."""

_ABOUT: tuple[tuple[int, ...], ...] = ((), (2,), (), (1,), (2, 3), (0,), (3,), (), (1, 4))


def ties(*attributes: str) -> SearchStrategy[list[Tie]]:
    """Draws one or two."""
    drawn = combinations(
        lambda first, about, second, about_second: {
            "first": (first, about),
            "second": (second, about_second),
        },
        attributes,
        _ABOUT,
        ("", *attributes, *attributes),
        _ABOUT,
    )
    return drawn.map(lambda each: [each["first"], *([each["second"]] if each["second"][0] else [])])


def claim_spec(requests: Sequence[Json], tied: Sequence[Tie]) -> Json:
    """Returns the spec of a claim, in which a request without a name is called by its place."""
    named = [{"name": f"r{index}", **each} for index, each in enumerate(requests)]
    names = [name for each in named for name in _names_of(each)]
    constraints = [
        {
            "matchAttribute": f"{DRIVER}/{attribute}",
            **({"requests": sorted({names[index % len(names)] for index in about})} if about else {}),
        }
        for attribute, about in tied
    ]
    return {"requests": named, **({"constraints": constraints} if constraints else {})}


def _names_of(made: Json) -> list[str]:
    """Returns the names by which a constraint may refer to the request or to one of its alternatives."""
    return [made["name"], *(f"{made['name']}/{each['name']}" for each in made.get("firstAvailable", ()))]


# --- Devices that differ in two attributes --------------------------------------------------------

_COLOR, _SIZE = "color", "size"
_KINDS = st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, None, 1])), min_size=3, max_size=4)
_COUNTS: tuple[tuple[int, ...], ...] = ((2,), (9, 2), (1,), (9, 1), (3, 2), (9, 9, 1))
"""How many devices a request asks for; or one alternative after the other, of which the first are too many."""
_PUZZLES = st.tuples(
    _KINDS,
    st.lists(st.sampled_from(_COUNTS), min_size=1, max_size=2),
    ties(_COLOR, _SIZE),
)
_Puzzle = tuple[Sequence[tuple[int, int | None]], Sequence[Sequence[int]], Sequence[Tie]]


def _devices(group: int, kinds: Sequence[tuple[int, int | None]]) -> list[Json]:
    return [
        {
            "name": f"d{group}{number}",
            "attributes": {
                "group": {"int": group},
                _COLOR: {"int": color},
                **({_SIZE: {"int": size}} if size is not None else {}),
            },
        }
        for number, (color, size) in enumerate(kinds)
    ]


def _tied(puzzles: Sequence[_Puzzle]) -> History:
    """Returns a history in which each pod's claim has devices of its own to choose from."""
    cluster = HistoryBuilder()
    devices: list[Json] = []
    for group, (kinds, counts, tied) in enumerate(puzzles):
        selector = {"cel": {"expression": f"device.attributes['{DRIVER}'].group == {group}"}}
        cluster.add(device_class(f"of{group}", selectors=[selector]))
        devices += _devices(group, kinds)
        asked = [[exactly(count, f"of{group}") for count in each] for each in counts]
        requests = [request(f"r{place}", each) for place, each in enumerate(asked)]
        cluster.add(resource_claim(f"c{group}", claim_spec(requests, tied)))
    cluster.add(resource_slice("s1", devices, {"nodeName": "n1"}))
    cluster.add_node(node(""))
    for group in range(len(puzzles)):
        cluster.add_pod(claim_user(f"c{group}"))
    cluster.schedule()
    return cluster.history()


TIED = st.builds(_tied, st.lists(_PUZZLES, min_size=3, max_size=4))
