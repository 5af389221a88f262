# SPDX-License-Identifier: Apache-2.0
"""Shared devices: devices that are tainted, consume counters, come in shares, or reach nodes of their own.

Each history is about one of these, or about a few at once. Claims are given devices one after the other; then one
is deallocated or deleted, or a slice or a rule changes, and those that wait are tried again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies import taint_rules
from conformance.strategies.alternatives import allocated_before, alternatives
from conformance.strategies.claims_in_turn import afterwards, asking, begin, exactly, requests
from conformance.vocabulary.devices import (
    DRIVER,
    EVERYWHERE,
    claim_user,
    claimed,
    counters_of_a_pool,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import ZONE
from refsched.suite.histories.history import History

Json = dict[str, Any]


# --- Counters -------------------------------------------------------------------------------------


def _consuming(amount: str, counter_set: str = "set", counter: str = "memory") -> Json:
    return {"consumesCounters": [{"counterSet": counter_set, "counters": {counter: {"value": amount}}}]}


def _counter_set(name: str, amount: str) -> Json:
    return {"name": name, "counters": {"memory": {"value": amount}}}


_SETS = st.sampled_from(
    [
        *[[_counter_set("set", "3")], [_counter_set("set", "5")]] * 3,
        [_counter_set("set", "3"), _counter_set("set", "4")],
        [_counter_set("other", "3")],
        [_counter_set("set", "2"), _counter_set("other", "1")],
    ]
)
_CONSUMED = st.sampled_from(["1", "2", "3", "1", "2", "4", "1500m"])
"""Where the first device consumes much, others fit only once it is given up."""


@st.composite
def _partitioned(draw: DrawFn) -> History:
    """Devices of one pool, on one node or two, share counters, which may be in a slice for each node; a plain pool
    may have devices beside it. In some histories one device consumes a counter that there may not be."""
    pieces = draw(st.integers(1, 2))
    apart = pieces > 1 and draw(st.booleans())
    places = [{"nodeName": f"n{piece + 1}"} for piece in range(pieces)] if apart else [EVERYWHERE]
    total = pieces + len(places)
    of_pool = {"name": "p", "generation": 1, "resourceSliceCount": total}
    slices = [
        counters_of_a_pool(f"counters{number}", draw(_SETS), where, of_pool)
        for number, where in enumerate(places)
    ]
    strange = draw(st.sampled_from([{}] * 5 + [{"counter_set": "other"}, {"counter": "cores"}]))
    for piece in range(pieces):
        devices = [
            {
                "name": f"d{piece}{number}",
                **_consuming(draw(_CONSUMED), **(strange if number == 1 else {})),
                **draw(st.sampled_from([{}, {"allowMultipleAllocations": True}])),
            }
            for number in range(draw(st.integers(2, 4)))
        ]
        where = {"nodeName": f"n{piece + 1}"} if pieces > 1 else EVERYWHERE
        slices.append(resource_slice(f"s{piece}", devices, where, of_pool))
    if draw(st.sampled_from([True, False, False])):
        slices.append(resource_slice("plain", [{"name": "d"}], {"nodeName": "n1"}))
    cluster = begin(pieces, *slices)
    counts = st.lists(st.sampled_from([1, 2, 3, 1, 2, 0]), min_size=1, max_size=2)
    claims = [requests(*map(exactly, draw(counts))) for _ in range(draw(st.integers(2, 3)))]
    claimed(cluster, claims)
    afterwards(draw, cluster, claims)
    return cluster.history()


# --- Shares ---------------------------------------------------------------------------------------

_POLICIES: SearchStrategy[Json | None] = st.sampled_from(
    [
        None,
        {"default": "1"},
        *[{"default": "2", "validValues": ["1", "2", "4"]}] * 2,
        {"default": "1", "validRange": {"min": "1", "max": "3", "step": "1"}},
        {"default": "3", "validRange": {"min": "1", "max": "8", "step": "2"}},
        {"default": "2", "validRange": {"min": "2", "max": "6"}},
        {"default": "2", "validRange": {"min": "3", "step": "2"}},
    ]
)
_ASKED: SearchStrategy[Json] = st.one_of(
    st.sampled_from([{}, {}, {}, {"memory": "500m"}, {"memory": "-1"}, {"cores": "1"}]),
    st.sampled_from("1234123456789").map(lambda amount: {"memory": amount}),
)
"""Less than a policy allows, and more; all of a device, and more."""


@st.composite
def _shared(draw: DrawFn) -> History:
    """Devices have a capacity that is shared, or are too small as a whole."""
    devices = []
    for number in range(draw(st.integers(1, 3))):
        policy = draw(_POLICIES)
        capacity = {
            "value": draw(st.sampled_from(["4", "3", "8", "8", "2"])),
            **({"requestPolicy": policy} if policy else {}),
        }
        is_shared = draw(st.sampled_from([True, True, True, False]))
        devices.append(
            {
                "name": f"d{number}",
                "capacity": {"memory": capacity},
                **({"allowMultipleAllocations": True} if is_shared else {}),
            }
        )
    cluster = begin(1, resource_slice("s0", devices))
    of_all = draw(_ASKED)
    claims = []
    for _ in range(draw(st.integers(2, 4))):
        asked = [
            exactly(
                draw(st.sampled_from([1, 1, 1, 2, 0, 0])),
                **({"capacity": {"requests": amounts}} if amounts else {}),
            )
            for amounts in draw(st.lists(st.one_of(st.just(of_all), _ASKED), min_size=1, max_size=2))
        ]
        claims.append(requests(*asked))
    claimed(cluster, claims)
    afterwards(draw, cluster, claims)
    if draw(st.booleans()):
        cluster.add(resource_claim("last", requests(exactly())))
        cluster.add_pod(claim_user("last"))
        cluster.schedule(1)
    return cluster.history()


# --- Attributes, nodes and the order of pools -----------------------------------------------------

_ALIKE, _APART = "matchAttribute", "distinctAttribute"
_SLOT, _ROW = f"{DRIVER}/slot", f"{DRIVER}/row"
_CONSTRAINTS: SearchStrategy[list[Json]] = st.sampled_from(
    [
        [],
        [{_ALIKE: _SLOT}],
        [{_APART: _SLOT}],
        *[[{_APART: _SLOT}, {_ALIKE: _ROW}]] * 2,
        [{_ALIKE: _ROW}, {_APART: _SLOT}],
        [{_ALIKE: _SLOT}, {_ALIKE: _ROW, "requests": ["r0"]}],
        [{_APART: _SLOT, "requests": ["r0"]}],
    ]
)
_ATTRIBUTES: SearchStrategy[Json] = st.builds(
    lambda slot, row: {
        "attributes": {"row": {"int": row}, **({"slot": {"int": slot}} if slot is not None else {})}
    },
    st.sampled_from([0, 1, 0, 1, 2, None]),
    st.sampled_from([0, 0, 1]),
)
_NODES_OF_A_DEVICE: SearchStrategy[Json] = st.sampled_from(
    [
        {"nodeName": "n1"},
        {"nodeName": "n2"},
        {"allNodes": True},
        {
            "nodeSelector": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
                ]
            }
        },
    ]
)


@st.composite
def _selected(draw: DrawFn) -> History:
    """Devices differ in attributes, in the nodes that they reach, and in what must be true before they are used;
    pools and slices do not come in the order of their names."""
    slices = []
    names = draw(st.permutations("abc"))[: draw(st.integers(1, 3))]
    pools = [draw(st.sampled_from("pppoz")) for _ in names]
    missing = draw(st.sampled_from([0] * 9 + [1]))
    for name, pool in zip(names, pools, strict=True):
        own_nodes = draw(st.booleans())
        devices = []
        for number in range(draw(st.integers(1, 3))):
            devices.append(
                {
                    "name": f"{name}{number}" if draw(st.sampled_from([True] * 9 + [False])) else "d0",
                    **draw(_ATTRIBUTES),
                    **(draw(_NODES_OF_A_DEVICE) if own_nodes else {}),
                    **(
                        {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}
                        if draw(st.sampled_from([False, False, False, True]))
                        else {}
                    ),
                }
            )
        where = {"perDeviceNodeSelection": True} if own_nodes else EVERYWHERE
        of_pool = {"name": pool, "generation": 1, "resourceSliceCount": pools.count(pool) + missing}
        slices.append(resource_slice(name, devices, where, of_pool))
    cluster = begin(2, *slices)
    claims = []
    for _ in range(draw(st.integers(1, 3))):
        counts = draw(st.lists(st.sampled_from([1, 1, 2, 3, 0]), min_size=1, max_size=2))
        constraints = draw(_CONSTRAINTS)
        claims.append(
            requests(*map(exactly, counts), **({"constraints": constraints} if constraints else {}))
        )
    claimed(cluster, claims)
    afterwards(draw, cluster, claims)
    return cluster.history()


_COUNTS = ([3], [2, 1], [1, 2], [1, 1, 1], [2, 2], [2])


@st.composite
def _constrained(draw: DrawFn) -> History:
    """Claims want more devices of one node than differ, or are alike, so that some are taken and given up."""
    of_device = st.tuples(st.sampled_from([0, 1, 0, 1, 2]), st.sampled_from([0, 0, 1]))
    devices = [
        {"name": f"d{number}", "attributes": {"slot": {"int": slot}, "row": {"int": row}}}
        for number, (slot, row) in enumerate(draw(st.lists(of_device, min_size=3, max_size=5)))
    ]
    cluster = begin(1, resource_slice("s0", devices))
    claims = []
    for counts in draw(st.lists(st.sampled_from(_COUNTS), min_size=1, max_size=2)):
        constraints = draw(_CONSTRAINTS.filter(bool))
        claims.append(requests(*map(exactly, counts), constraints=constraints))
    claimed(cluster, claims)
    afterwards(draw, cluster, claims)
    return cluster.history()


# --- A few at once --------------------------------------------------------------------------------


def _in_shares(amount: str, policy: Json | None) -> Json:
    capacity = {"value": amount, **({"requestPolicy": policy} if policy else {})}
    return {"capacity": {"memory": capacity}, "allowMultipleAllocations": True}


_DEVICES: Mapping[str, SearchStrategy[Json]] = {
    "counters": st.sampled_from([_consuming(amount) for amount in ("2", "1", "3", "4", "1500m")] + [{}]),
    "taints": st.sampled_from([[], [], *taint_rules.TAINTS]).map(
        lambda taints: {"taints": taints} if taints else {}
    ),
    "shares": st.one_of(st.builds(_in_shares, st.sampled_from("432"), _POLICIES), st.just({})),
    "attributes": _ATTRIBUTES,
}
"""What a device may have, by what a history may be about."""
_CONSUMES, _REFUSES = ("counters", "shares"), ("taints", "attributes")
_REQUESTED: Mapping[str, SearchStrategy[Json]] = {
    "taints": taint_rules.TOLERATIONS.map(lambda each: {"tolerations": each} if each else {}),
    "shares": _ASKED.map(lambda amounts: {"capacity": {"requests": amounts}} if amounts else {}),
}
"""What is asked of such devices."""


@st.composite
def _few_at_once(draw: DrawFn) -> History:
    """Devices are tainted and consume counters, or come in shares and are constrained, and so on: what speaks
    against one of them is found after it has consumed something, which the next one needs. Some of the devices may
    be on another node, where devices may have the same names."""
    about = {
        draw(st.sampled_from(_CONSUMES)),
        draw(st.sampled_from(_REFUSES)),
        draw(st.sampled_from(_REFUSES)),
    }
    devices = []
    for number in range(draw(st.integers(3, 4))):
        parts = [draw(of_devices) for each, of_devices in _DEVICES.items() if each in about]
        devices.append(
            {key: member for part in parts for key, member in part.items()} | {"name": f"d{number}"}
        )
    here, beyond = devices, []
    if draw(st.sampled_from([False, True, False])):
        here, beyond = devices[:2], devices[2:]
        if draw(st.sampled_from([False, True, False])):
            beyond = [{**each, "name": alike["name"]} for each, alike in zip(beyond, here, strict=False)]
    enough = draw(st.sampled_from(["3", "5", "4"]))
    of_two = {"name": "p", "resourceSliceCount": 2}
    counting = counters_of_a_pool("counters", [_counter_set("set", enough)], pool=of_two)
    counters = [counting] if "counters" in about else []
    pieces = 2 if beyond else 1
    of_pool = {"name": "p", "generation": 1, "resourceSliceCount": len(counters) + pieces}
    where = {"nodeName": "n1"} if beyond else EVERYWHERE
    slices = [resource_slice("s0", here, where, of_pool)]
    if beyond:
        slices.append(resource_slice("s1", beyond, {"nodeName": "n2"}, of_pool))
    cluster = begin(pieces, *counters, *slices)
    claims = []
    for _ in range(draw(st.integers(2, 3))):
        asked = []
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            parts = [draw(requested) for each, requested in _REQUESTED.items() if each in about]
            more = {key: member for part in parts for key, member in part.items()}
            counts = draw(st.sampled_from([[1], [2], [1], [2], [3], [0], [3, 1], [2, 1], [31, 1]]))
            alternatives = [
                {"name": f"a{number}", **asking(count, **more)} for number, count in enumerate(counts)
            ]
            asked.append({"firstAvailable": alternatives} if len(counts) > 1 else exactly(counts[0], **more))
        constraints = draw(_CONSTRAINTS) if "attributes" in about else []
        claims.append(requests(*asked, **({"constraints": constraints} if constraints else {})))
    claimed(cluster, claims)
    afterwards(draw, cluster, claims)
    return cluster.history()


def histories() -> SearchStrategy[History]:
    """Nearly half of the histories are about a few at once. These strategies are not one and the same, which
    st.one_of would take once."""
    one = [
        taint_rules.without_rules(),
        _partitioned(),
        _shared(),
        _selected(),
        alternatives(),
        allocated_before(),
        _constrained(),
        _constrained(),
    ]
    return st.one_of(*one, *(_few_at_once() for _ in range(4)))
