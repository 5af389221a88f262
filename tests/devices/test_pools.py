# SPDX-License-Identifier: Apache-2.0
"""Which pools a node reaches, and in which orders they may be tried."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import Json, allocator, claim, device, devices, node, one, piece


def reached(*slices: Json, **labels: str) -> list[str]:
    pools = allocator(*slices).pools_of(node("n1", **labels))
    return [f"{pool.name}/{offered.device.name}" for pool in pools for offered in pool.devices]


def selecting(key: str, value: str) -> Json:
    return {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}


@pytest.mark.parametrize(
    ("where", "is_reached"),
    [
        ({"nodeName": "n1"}, True),
        ({"nodeName": "n2"}, False),
        ({"allNodes": True}, True),
        ({"nodeSelector": selecting("zone", "a")}, True),
        ({"nodeSelector": selecting("zone", "b")}, False),
        ({}, False),
    ],
)
def test_a_slice_says_from_where_it_is_reached(where: dict[str, Any], is_reached: bool) -> None:
    assert reached(piece("s", device("d"), node="", **where), zone="a") == (["s/d"] if is_reached else [])


def test_only_the_newest_generation_of_a_pool_counts() -> None:
    old = piece("a", device("old"), pool="p", generation=1)
    new = piece("b", device("new"), pool="p", generation=2)
    elsewhere = piece("c", device("newest"), pool="p", generation=3, node="n2")

    assert reached(old, new, elsewhere) == reached(new, old) == ["p/new"]


def test_pools_and_their_slices_are_tried_by_name_and_those_with_binding_conditions_last() -> None:
    made = allocator(
        piece("c", device("d2"), pool="q"),
        piece("b", device("d1"), pool="p", resourceSliceCount=2),
        piece("a", device("d0"), pool="p", resourceSliceCount=2),
        piece("d", device("d3", bindingConditions=["ready"]), pool="o"),
    )

    [order] = made.pool_orders(node())

    assert [offered.device.name for pool in order for offered in pool.devices] == ["d0", "d1", "d2", "d3"]


def counted(*where: Json, release: str = "1.37") -> list[bool]:
    """Returns whether the pool of these slices may be complete. The first of them says that there are two."""
    slices = [
        piece(f"s{number}", device(f"d{number}"), pool="p", resourceSliceCount=1 if number else 2, **each)
        for number, each in enumerate(where)
    ]
    orders = allocator(*slices, release=release).pool_orders(node())
    return [not pool.is_incomplete for [pool] in orders]


EVERYWHERE: Json = {"node": "", "allNodes": True}
HERE: Json = {"node": "n1"}


def test_how_many_slices_a_pool_has_is_said_by_a_slice_that_names_the_node_or_else_by_any() -> None:
    assert counted(EVERYWHERE, HERE) == counted(HERE, HERE)[1:] == [False]
    assert counted(HERE, EVERYWHERE) == [True]
    assert counted(EVERYWHERE, EVERYWHERE) == counted(HERE, HERE) == [True, False]


def test_before_1_36_pools_and_their_slices_may_be_tried_in_any_order() -> None:
    made = allocator(
        piece("a", device("d0"), pool="p", resourceSliceCount=2),
        piece("b", device("d1"), pool="p", resourceSliceCount=2),
        piece("c", device("d2"), pool="q"),
        release="1.35",
    )
    orders = made.pool_orders(node())

    found = {devices(made, claim("c", one()), pools=order)[0][0] for order in orders}

    assert len(orders) == 4
    assert found == {"r=p/d0", "r=p/d1", "r=q/d2"}
    assert [pool.name for pool in orders[0]] == ["p", "q"]
    assert orders[-1] == orders[3]


def test_without_slices_there_is_one_order_of_nothing() -> None:
    assert list(allocator().pool_orders(node())) == [()]
