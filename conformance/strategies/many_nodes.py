# SPDX-License-Identifier: Apache-2.0
"""More than a hundred nodes: the search goes from zone to zone, starts where the last one ended, ends early."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder, nth
from conformance.vocabulary.objects import (
    REGION,
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.extender_server import ANNOTATION
from refsched.suite.histories.history import History

Json = dict[str, Any]

_SIZES: SearchStrategy[tuple[int, int | None, int | None]] = st.sampled_from(
    [
        (101, None, None),
        (253, None, None),
        (110, None, 97),
        (250, None, None),
        (104, 5, None),
        (253, 100, 0),
        (112, 95, 0),
        (204, 95, 0),
        (102, 50, 100),
        (106, None, 97),
        (103, 100, None),
    ]
)
"""How many nodes there are, and how many percent of them are enough: what is said for all profiles, and what the
profile says, which goes before that, also if it is 0. Up to a hundred are all looked at; from two hundred on the
share that is enough by default shrinks as they grow."""

_ZONES: SearchStrategy[Callable[[int], Json]] = st.sampled_from(
    [
        *[lambda number: {ZONE: f"z{number}"}] * 4,
        lambda number: {},
        lambda number: {ZONE: "abc"[number % 3]},
        lambda number: {ZONE: "ab"[number > 60]},
        lambda number: {ZONE: "b"} if number % 10 else {},
        lambda number: {ZONE: "ab"[number % 2], REGION: "rs"[number % 3 == 0]},
        lambda number: {ZONE: f"z{number // 7}"},
    ]
)
"""Where each node is a zone of its own, one that goes and comes back moves from the front to the end."""

_SMALL: SearchStrategy[Callable[[int], bool]] = st.sampled_from(
    [
        lambda number: False,
        lambda number: False,
        lambda number: number % 2 == 0,
        lambda number: number < 40,
        lambda number: number % 10 != 0,
        lambda number: number != 77,
    ]
)
"""Which nodes have too little for some of the pods."""

_PODS = combinations(
    lambda amount, selector: pod("", cpu(amount), nodeSelector=selector),
    ("2", "1", "", "4"),
    ({}, {}, {ZONE: "a"}),
)
_MODEST = st.sampled_from(["1", ""]).map(lambda amount: pod("", cpu(amount)))
"""They fit everywhere, so that the search ends early."""

_FAILING = json.dumps({"a": {"filter": "Fail"}})
_EXTENDER = {"urlPrefix": f"{EXTENDERS}/a", "filterVerb": "filter", "nodeCacheCapable": True}
"""A search that an extender ends with an error looked at other nodes, too."""

# --- What happens between the attempts ------------------------------------------------------------


def _goes(cluster: HistoryBuilder, index: int) -> None:
    cluster.remove_node(index)


def _is_replaced(cluster: HistoryBuilder, index: int) -> None:
    """Deletes a node, perhaps the last of its zone, and creates another one there: there are as many nodes as
    before, and the next search knows all of them."""
    value = cluster.nodes[nth(cluster.nodes, index)]
    cluster.remove_node(index)
    cluster.add_node(value)


def _moves(cluster: HistoryBuilder, index: int) -> None:
    """Moves a node to the end of the zone of the one before it, while the order of the others stays."""
    value = cluster.nodes[nth(cluster.nodes, index)]
    zone = cluster.nodes[nth(cluster.nodes, index - 1)]["metadata"].get("labels", {})
    cluster.change_node(index, with_metadata(value, labels=zone))


def _is_updated(cluster: HistoryBuilder, index: int) -> None:
    """A node keeps its place when the order is made anew for another one that leaves."""
    value = cluster.nodes[nth(cluster.nodes, index)]
    cluster.change_node(index, with_metadata(value, annotations={"note": "x"}))
    cluster.remove_node(index + 3)


_IN_SEQUENCE = st.sampled_from([True, True, False])
_FIRST = st.integers(0, 5)
_HAPPENINGS = st.tuples(
    st.sampled_from([_goes, _moves, _is_replaced, _is_updated]), st.one_of(_FIRST, st.integers(0, 150))
)


@st.composite
def _histories(draw: DrawFn) -> History:
    (size, percentage, own), zone_of, is_small = draw(_SIZES), draw(_ZONES), draw(_SMALL)
    cluster = HistoryBuilder()
    fails = draw(st.sampled_from([False, False, True]))
    for number in range(size):
        amounts = {"cpu": "1" if is_small(number) else "3", "memory": "8Gi", "pods": "9"}
        cluster.add_node(node("", amounts, zone_of(number)))
    for value in draw(st.lists(_PODS, min_size=1, max_size=3)):
        cluster.add_pod(value)
    cluster.schedule()
    if fails:
        cluster.add_pod(with_metadata(draw(_MODEST), annotations={ANNOTATION: _FAILING}))
        cluster.add_pod(draw(_MODEST))
        cluster.schedule(2)
    happenings = draw(st.lists(_HAPPENINGS, max_size=2))
    first = draw(st.sampled_from([_is_replaced, _is_updated]))
    for happens, index in ((first, draw(_FIRST)), *happenings):
        happens(cluster, index)
        cluster.add_pod(draw(_MODEST))
        cluster.schedule(1)
    config = profile_config(
        *([default_profile(percentageOfNodesToScore=own)] if own is not None else []),
        **({"percentageOfNodesToScore": percentage} if percentage is not None else {}),
        **({"extenders": [_EXTENDER]} if fails else {}),
        **({"parallelism": 1} if draw(_IN_SEQUENCE) else {}),
    )
    return cluster.history(config)


# --- Where the next search starts -----------------------------------------------------------------


@st.composite
def _in_turn(draw: DrawFn) -> History:
    """Two searches end before the last node is reached. The second one had looked at a nominated node out of turn,
    and the next one may have to start behind the last node that is left."""
    cluster = HistoryBuilder()
    for number in range(draw(st.sampled_from([204, 253]))):
        cluster.add_node(node("", {"cpu": "1" if number == 6 else "9", "pods": "9"}, {ZONE: f"z{number}"}))
    cluster.add_pod(draw(_MODEST))
    cluster.schedule(1)
    nominated = draw(st.sampled_from(["n7", "n7", "n8"]))
    cluster.add_pod(pod("", cpu("2"), status={"nominatedNodeName": nominated}))
    cluster.schedule(1)
    if draw(st.sampled_from([True, True, False])):
        first = draw(st.integers(0, 20))
        for _ in range(12):
            cluster.remove_node(first)
    cluster.add_pod(draw(_MODEST))
    cluster.schedule(1)
    return cluster.history(profile_config(parallelism=1))


def histories() -> SearchStrategy[History]:
    return st.one_of(_histories(), _in_turn())
