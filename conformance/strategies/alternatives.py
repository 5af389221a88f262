# SPDX-License-Identifier: Apache-2.0
"""Alternatives: requests of which a node gives the first that it can, and what they score."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.claims_in_turn import asking, begin, exactly, requests
from conformance.vocabulary.allocations import opaque
from conformance.vocabulary.devices import EVERYWHERE, claim_user, resource_claim, resource_slice
from refsched.suite.histories.history import History

Json = dict[str, Any]

_CONFIGURED: SearchStrategy[list[str]] = st.sampled_from(
    [[], ["r0"], ["r0", "r1"], ["r1"], ["r0/a1"], ["r0/a0", "r1"], ["r0/a0", "r0/a1"], ["r0", "r0/a0"]]
)


@st.composite
def alternatives(draw: DrawFn) -> History:
    """Nodes differ in how many devices they have, so that another alternative of a claim would be allocated on
    each; what is configured names some of the requests."""
    counts = draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=2, max_size=2))
    slices = [
        resource_slice(
            f"s{number}", [{"name": f"d{each}"} for each in range(count)], {"nodeName": f"n{number + 1}"}
        )
        for number, count in enumerate(counts)
    ]
    cluster = begin(2, *slices)
    tolerations = draw(st.sampled_from([[], [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}]]))
    wanted = draw(st.sampled_from([[2, 1], [3, 2, 1], [2, 1, 1], [30, 1], [33, 1]]))
    listed = [
        {"name": f"a{number}", **asking(count, **({"tolerations": tolerations} if tolerations else {}))}
        for number, count in enumerate(wanted)
    ]
    more = draw(
        st.sampled_from([[], [], [exactly(1)], [exactly(3)], [exactly(31)], [exactly(20), exactly(20)]])
    )
    configs = [
        {**({"requests": named} if named else {}), **opaque(number)}
        for number, named in enumerate(draw(st.lists(_CONFIGURED, max_size=2)))
    ]
    devices = requests({"firstAvailable": listed}, *more, **({"config": configs} if configs else {}))
    claims = [devices, requests(exactly()), requests({"firstAvailable": listed})]
    cluster.add(*(resource_claim(f"c{number}", each) for number, each in enumerate(claims)))
    first = draw(st.sampled_from([("c0",), ("c0", "c2"), ("c2", "c0")]))
    cluster.add_pod(claim_user(*first))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


@st.composite
def allocated_before(draw: DrawFn) -> History:
    """Devices for all nodes are tried first, so that a claim with alternatives can be used on every node when the
    next pod uses it with a claim that still has them, of which each node has another one."""
    slices = [resource_slice("all", [{"name": "d0"}, {"name": "d1"}], EVERYWHERE)]
    for on, count in zip(("n1", "n2"), draw(st.permutations([1, 2, 3])), strict=False):
        own = [{"name": f"d{number}"} for number in range(count)]
        slices.append(resource_slice(f"of-{on}", own, {"nodeName": on}))
    cluster = begin(2, *slices)
    for claim, counts in (("c0", [2, 1]), ("c1", draw(st.sampled_from([[2, 1], [3, 2, 1]]))), ("c2", [2, 1])):
        listed = [{"name": f"a{place}", **asking(count)} for place, count in enumerate(counts)]
        cluster.add(resource_claim(claim, requests({"firstAvailable": listed})))
    for users in (["c0"], draw(st.permutations(["c0", "c1"])), draw(st.permutations(["c0", "c2"]))):
        cluster.add_pod(claim_user(*users))
        cluster.schedule(1)
    return cluster.history()
