# SPDX-License-Identifier: Apache-2.0
"""Which rules the allocation of devices and DynamicResources apply, and where they apply none."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from applied import Call, applied
from attrs import evolve
from device_world import (
    Json,
    allocated,
    allocations,
    allocator,
    claim,
    device,
    device_class,
    every,
    first_of,
    node,
    one,
    piece,
)
from world import pod_object

from refsched.devices.claims import devices_in_use
from refsched.devices.errors import AllocationError
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.tools.reading.objects import read_object

PLUGIN = DynamicResources()
CLASS = device_class()
TWO = piece("s1", device("d0"), device("d1"))
SAME: Json = {"constraints": [{"matchAttribute": "gpu.example.com/model"}]}
SAME_DOMAIN: Json = {"constraints": [{"matchAttribute": "example.com/model"}]}
FAILS = "device.attributes['x'].y == 1"
PARAMETERS: Json = {"opaque": {"driver": "gpu.example.com", "parameters": {"a": 1}}}


def taken(*slices: Json, asked: Json, classes: tuple[Json, ...] = (), in_use: tuple[str, ...] = ()) -> Call:
    """The first allocation that there is for one claim, or why there is none."""
    made = allocator(*slices, in_use=in_use, classes=classes)

    def call() -> None:
        with suppress(AllocationError):
            allocations(made, asked)

    return call


def for_both(*slices: Json) -> Call:
    """Two claims, of which the second can have the first device alone."""
    made = allocator(*slices)
    picky = claim("picky", one("r", "device.attributes['gpu.example.com'].model == 'a'"))
    return lambda: allocations(made, claim("any", one()), picky)


TYPED = piece("s1", device("d0", model="a"), device("d1", model="b"))
ALIKE = piece("s1", device("d0", model="a"), device("d1", model="a"))
NODE_SELECTOR = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]}


@pytest.mark.parametrize(
    ("call", "rule", "is_applied"),
    [
        (taken(TWO, asked=claim("c", one())), "R-DRA-20", False),
        (
            taken(TWO, piece("s2", device("d2"), pool="s1", generation=2), asked=claim("c", one())),
            "R-DRA-20",
            True,
        ),
        (taken(TWO, asked=claim("c", one())), "R-DRA-25", True),
        (taken(TWO, asked=claim("c", every())), "R-DRA-21", False),
        (taken(piece("s1", device("d0"), resourceSliceCount=2), asked=claim("c", every())), "R-DRA-21", True),
        (taken(piece("s1", device("d0"), device("d0")), asked=claim("c", every())), "R-DRA-22", True),
        (taken(TWO, asked=claim("c", every())), "R-DRA-22", False),
        (taken(TYPED, asked=claim("c", one(count=2), **SAME)), "R-DRA-30", True),
        (taken(TYPED, asked=claim("c", one(count=2))), "R-DRA-30", False),
        (taken(ALIKE, asked=claim("c", one(count=2), **SAME)), "R-DRA-32", True),
        (taken(ALIKE, asked=claim("c", one(count=2), **SAME_DOMAIN)), "R-DRA-32", False),
        (taken(TWO, asked=claim("c", one())), "R-DRA-40", True),
        (taken(TWO, asked=claim("c", one("r", "true"))), "R-DRA-41", False),
        (taken(TWO, asked=claim("c", one("r", "false", FAILS))), "R-DRA-41", False),
        (taken(TWO, asked=claim("c", one("r", FAILS))), "R-DRA-41", True),
        (taken(TWO, asked=claim("c", one(count=33))), "R-DRA-42", True),
        (taken(TWO, asked=claim("c", one(count=2))), "R-DRA-42", False),
        (taken(TWO, asked=claim("c", every())), "R-DRA-43", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-43", False),
        (taken(piece("s1", device("d0"), resourceSliceCount=2), asked=claim("c", every())), "R-DRA-44", True),
        (taken(TWO, asked=claim("c", every())), "R-DRA-44", False),
        (taken(TWO, asked=claim("c", first_of("r", one("a"), one("b")))), "R-DRA-45", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-45", False),
        (taken(TWO, asked=claim("c", one())), "R-DRA-50", True),
        (taken(TWO, asked=claim("c", one(), constraints=[{"requests": ["r"]}])), "R-DRA-51", True),
        (taken(ALIKE, asked=claim("c", one(), **SAME)), "R-DRA-51", False),
        (taken(TWO, asked=claim("c", first_of("r", one("a", count=3), one("b")))), "R-DRA-53", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-53", False),
        (taken(TWO, asked=claim("c", every())), "R-DRA-54", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-54", False),
        (taken(piece("s1", device("d0"), device("d0")), asked=claim("c", one())), "R-DRA-55", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-55", False),
        (taken(TWO, asked=claim("c", one()), in_use=("s1/d0",)), "R-DRA-56", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-56", False),
        (for_both(TYPED), "R-DRA-56", True),
        (taken(TYPED, asked=claim("c", one(count=2), **SAME)), "R-DRA-58", True),
        (taken(ALIKE, asked=claim("c", one(count=2), **SAME)), "R-DRA-58", False),
        (taken(TWO, asked=claim("c", one("r"), one("s"))), "R-DRA-60", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-60", False),
        (taken(TWO, asked=claim("c", one(), config=[PARAMETERS])), "R-DRA-61", True),
        (taken(TWO, asked=claim("c", one())), "R-DRA-61", False),
        (taken(TWO, asked=claim("c", one())), "R-DRA-62", True),
    ],
)
def test_the_allocation_of_devices(call: Call, rule: str, is_applied: bool) -> None:
    assert (rule in applied(call)) is is_applied


# --- The plugin -----------------------------------------------------------------------------------


OPEN = claim("c", one())
OF_ANOTHER = claim("d", one(), status=allocated("d0"))
TAKEN = claim("c", one(), status=allocated("d0"))
WITH_ADMIN = claim("c", one(adminAccess=True), status=allocated("d0"))
WITH_ADMIN["status"]["allocation"]["devices"]["results"][0]["adminAccess"] = True


def stored(*objects: Json) -> ObjectStore:
    objects_there = ObjectStore()
    for value in (CLASS, TWO, *objects):
        objects_there.put(read_object(value))
    return objects_there


def asking(*claims: str) -> PodInfo:
    value = pod_object(
        "p", resourceClaims=[{"name": f"g{i}", "resourceClaimName": name} for i, name in enumerate(claims)]
    )
    value["metadata"].update(uid="uid-of-p", namespace="default")
    read: Any = read_object(value)
    return PodInfo(read)


def prepared(wanted: PodInfo, *objects: Json) -> Any:
    answer = PLUGIN.pre_filter(wanted, Snapshot(objects=stored(*objects)))
    assert isinstance(answer, Continue)
    return answer.state


def filtered(*objects: Json, on: str = "n1") -> Call:
    state = prepared(asking("c"), *objects)
    return lambda: PLUGIN.filter(state, asking("c"), NodeInfo(node(on)))


def pre_filtered(wanted: PodInfo, *objects: Json) -> Call:
    objects_there = stored(*objects)
    return lambda: PLUGIN.pre_filter(wanted, Snapshot(objects=objects_there))


def being_allocated() -> Call:
    """Reserve has assumed what another pod is to get."""
    objects_there = stored(OPEN)
    PLUGIN.reserve(prepared(asking("c"), OPEN), asking("c"), NodeInfo(node()), objects_there)
    return lambda: PLUGIN.pre_filter(asking("c"), Snapshot(objects=objects_there))


def pre_enqueued(wanted: PodInfo, *objects: Json) -> Call:
    objects_there = stored(*objects)
    return lambda: PLUGIN.pre_enqueue(wanted.pod, objects_there)


def reserved(*asked: Json) -> Call:
    state = prepared(asking("c"), *asked)
    objects_there = stored(*asked)
    return lambda: PLUGIN.reserve(state, asking("c"), NodeInfo(node()), objects_there)


def unreserved(*objects: Json, first_reserves: bool) -> Call:
    objects_there = stored(*objects)
    state: Any = prepared(asking("c"), *objects)
    if first_reserves:
        answer = PLUGIN.reserve(state, asking("c"), NodeInfo(node()), objects_there)
        assert isinstance(answer, Continue)
        state = answer.state
    return lambda: PLUGIN.unreserve(state, asking("c"), NodeInfo(node()), objects_there)


def after_claim(before: Json | None, after: Json, *objects: Json) -> Call:
    read_before: Any = None if before is None else read_object(before)
    read_after: Any = read_object(after)
    return lambda: PLUGIN.after_claim_change(asking("c").pod, read_before, read_after, stored(*objects))


def after_pod(uid: str, *objects: Json) -> Call:
    other = evolve(asking("c").pod, metadata=evolve(asking("c").pod.metadata, uid=uid))
    return lambda: PLUGIN.after_pod_change(asking("c").pod, None, other, stored(*objects))


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (pre_enqueued(asking()), set()),
        (pre_enqueued(asking("c")), {"R-DRA-01", "R-DRA-80"}),
        (pre_enqueued(asking("c"), OPEN), set()),
        (pre_filtered(asking()), {"R-DRA-02"}),
        (pre_filtered(asking("c")), {"R-DRA-01", "R-DRA-80"}),
        (pre_filtered(asking("c"), OPEN), {"R-DRA-03"}),
        (pre_filtered(asking("c"), OPEN, OF_ANOTHER), {"R-DRA-03", "R-DRA-83"}),
        (pre_filtered(asking("c"), TAKEN), set()),
        (being_allocated(), {"R-DRA-02", "R-DRA-82"}),
        (filtered(TAKEN), set()),
        (filtered(TAKEN, on="n2"), {"R-DRA-05"}),
        (unreserved(OPEN, first_reserves=False), set()),
        (unreserved(OPEN, first_reserves=True), {"R-DRA-09"}),
        (lambda: devices_in_use(stored(TAKEN)), {"R-DRA-83"}),
        (lambda: devices_in_use(stored(WITH_ADMIN)), {"R-DRA-84"}),
        (after_claim(None, OPEN, OPEN), {"R-DRA-13"}),
        (after_claim(None, OPEN), {"R-DRA-80"}),
        (after_claim(OPEN, OPEN, OPEN), set()),
        (after_claim(None, claim("d", one()), OPEN), set()),
        (after_claim(claim("d", one(), status=allocated("d0")), claim("d", one()), OPEN), {"R-DRA-13"}),
        (after_pod("uid-of-p", OPEN), {"R-DRA-14"}),
        (after_pod("uid-of-p"), {"R-DRA-80"}),
        (after_pod("another", OPEN), set()),
    ],
)
def test_the_plugin(call: Call, rules: set[str]) -> None:
    assert {rule for rule in applied(call) if rule.startswith("R-DRA-")} == rules


@pytest.mark.parametrize(
    ("call", "rule", "is_applied"),
    [
        (filtered(claim("c", one(count=3))), "R-DRA-04", True),
        (filtered(OPEN), "R-DRA-04", False),
        (reserved(OPEN), "R-DRA-08", True),
        (reserved(OPEN, piece("s2", device("d2"))), "R-DRA-17", True),
        (reserved(claim("c", every())), "R-DRA-17", False),
        (reserved(TAKEN), "R-DRA-08", False),
    ],
)
def test_the_plugin_with_its_allocator(call: Call, rule: str, is_applied: bool) -> None:
    assert (rule in applied(call)) is is_applied
