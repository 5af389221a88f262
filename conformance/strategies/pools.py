# SPDX-License-Identifier: Apache-2.0
"""Pools: pools of more than one slice, and devices that two claims hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from conformance.strategies.drawn import sometimes
from conformance.vocabulary.allocations import (
    allocated,
    claim_of,
    configured_class,
    exactly_one,
    slice_of,
)
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import claim_user
from conformance.vocabulary.objects import ZONE, node, with_metadata
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]


def _in_slices(kinds: Sequence[tuple[int, int, Json]], counts: Sequence[int], late: bool) -> History:
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", []))
    slices = [
        slice_of(
            f"s{number}",
            where,
            (f"d{number}",),
            {"name": "p", "generation": generation, "resourceSliceCount": count},
        )
        for number, (generation, count, where) in enumerate(kinds)
    ]
    cluster.add(*slices[: len(slices) - late])
    cluster.add_node(node("", labels={ZONE: "a"}))
    for number, count in enumerate(counts):
        cluster.add(claim_of(f"c{number}", [exactly_one(count)]))
        cluster.add_pod(claim_user(f"c{number}"))
    cluster.schedule()
    if late:
        cluster.add(slices[-1])
        cluster.wait()
        cluster.schedule()
    return cluster.history()


SLICES = st.builds(
    _in_slices,
    st.lists(
        st.tuples(
            st.sampled_from([1, 1, 2, 1]),
            st.sampled_from([2, 2, 1]),
            st.sampled_from([{"allNodes": True}, {"nodeName": "n1"}, {"nodeName": "n1"}, {"nodeName": "n9"}]),
        ),
        min_size=2,
        max_size=3,
    ),
    st.lists(st.sampled_from([1, 2, 0]), min_size=1, max_size=2),
    sometimes(st.just(True), False),
)


def _held_twice(
    devices: Sequence[str], admin: Sequence[bool], lets_go: Sequence[tuple[int, str]], kinds: Sequence[int]
) -> History:
    """Claims hold devices, some the same one; one after the other lets go, while others want devices."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", []), slice_of("s1", {"allNodes": True}, ("d0", "d1")))
    held = []
    for number, (device, for_admin) in enumerate(zip(devices, admin, strict=False)):
        status = allocated(device)
        if for_admin:
            status["allocation"]["devices"]["results"][0]["adminAccess"] = True
        held.append(claim_of(f"h{number}", [exactly_one()], status))
    cluster.add(*held)
    cluster.add_node(node(""))
    for number, count in enumerate(kinds):
        cluster.add(claim_of(f"c{number}", [exactly_one(count)]))
        cluster.add_pod(claim_user(f"c{number}"))
    cluster.schedule()
    deleted = set()
    for index, how in lets_go:
        claim = held[index % len(held)]
        name = claim["metadata"]["name"]
        if name in deleted:
            continue
        if how == "deleted":
            deleted.add(name)
            cluster.steps.append(deleting(claim))
        elif how == "freed":
            cluster.steps.append(Update({each: claim[each] for each in claim if each != "status"}))
        else:
            cluster.steps.append(Update(with_metadata(claim, labels={"touched": how})))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


HELD = st.builds(
    _held_twice,
    st.lists(st.sampled_from(["d0", "d0", "d1"]), min_size=2, max_size=3),
    st.lists(sometimes(st.just(True), False), min_size=3, max_size=3),
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(["freed", "deleted", "touched"])), min_size=1, max_size=3
    ),
    st.lists(st.sampled_from([1, 2, 0]), min_size=1, max_size=2),
)
