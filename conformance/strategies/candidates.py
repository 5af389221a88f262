# SPDX-License-Identifier: Apache-2.0
"""Candidates of preemption: full nodes that differ in one thing, with budgets and pods beside them of which any
may decide now and then."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.victims import (
    ONE_NODE,
    TWO_NODES,
    Preemption,
    Victim,
    Victims,
    one_after_the_other,
)
from refsched.suite.histories.history import History

_NODES: tuple[tuple[Victims, ...], ...] = (
    *(nodes for _, nodes in TWO_NODES.values()),
    *((victims,) for _, victims in ONE_NODE.values()),
)
_OTHERS: SearchStrategy[Victim | None] = st.sampled_from(
    [None, None, None, ("a", 9, 0), ("a", -9, 0), ("b", 9, 0)]
)
"""It requests nothing, and is reprieved unless pods are counted; it takes one of a budget's disruptions."""

_PROTECTIONS = st.sampled_from(
    [
        "strict",
        *["strict first"] * 3,
        *["strict last"] * 3,
        *["another namespace"] * 2,
        "one allowed",
        *["disrupted already"] * 3,
        *["selects nothing"] * 2,
        "",
    ]
)
_PROTECTIONS_WITHOUT_LABELS = st.sampled_from(["without labels", "without labels", "without labels", ""])


def _has_no_labels(nodes: Sequence[Victims]) -> bool:
    return any(not label for victims in nodes for label, *_ in victims)


@st.composite
def _preemption(draw: DrawFn) -> Preemption:
    nodes = draw(st.sampled_from(_NODES))
    return Preemption(
        nodes if draw(st.booleans()) else nodes[::-1],
        draw(_PROTECTIONS_WITHOUT_LABELS if _has_no_labels(nodes) else _PROTECTIONS),
        draw(st.sampled_from(["2", "2", "2", "1500m"] if len(nodes) > 1 else ["500m", "1"])),
        [draw(_OTHERS) for _ in nodes],
        draw(st.sampled_from(["9", "9", "1"])),
    )


def histories() -> SearchStrategy[History]:
    """Draws four or five preemptions, one after the other."""
    return st.lists(_preemption(), min_size=4, max_size=5).map(one_after_the_other)
