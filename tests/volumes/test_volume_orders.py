# SPDX-License-Identifier: Apache-2.0
"""Orders: where it matters which volume is looked at first."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from volume_objects import Json, by_hand, claim, read, storage_class, store, using, volume
from world import node_object, pod_object

from refsched.oddities.fixed_orders import as_go_sorts_claims
from refsched.volumes.orders import VolumeOrder, VolumeSteps, volume_orders
from refsched.volumes.volumes_on_node import PodVolumes, claims_of, find_pod_volumes

RELEASED = VolumeSteps(as_go_sorts_claims)


def orders(
    *objects: Json, claims: tuple[str, ...] = ("c",), steps: VolumeSteps = RELEASED
) -> list[VolumeOrder]:
    shown = store(by_hand(), *objects)
    pod: Any = read(pod_object("p", volumes=using(*claims)))
    return volume_orders(claims_of(pod, shown), steps)


def found_on(order: VolumeOrder, name: str) -> PodVolumes:
    node: Any = read(node_object(name, labels={"kubernetes.io/hostname": name}))
    found = find_pod_volumes(order.claims, node)
    assert found is not None
    return found


def taken(order: VolumeOrder, node: str = "n1") -> list[str]:
    """The volumes that the pod gets on the node."""
    return [match.volume.name for match in found_on(order, node).matches]


@pytest.mark.parametrize(
    "volumes",
    [
        [],
        [volume("a")],
        [volume("a"), volume("b", size="2Gi")],
        [volume("a"), volume("b", phase="Released")],
        [volume("a"), volume("b", claimed_by="c")],
        [volume("a", size="1Mi"), volume("b", size="1Mi")],
    ],
)
def test_mostly_the_order_decides_nothing(volumes: list[Json]) -> None:
    assert len(orders(claim("c"), *volumes)) == 1


def test_of_volumes_of_equal_size_any_may_come_first() -> None:
    either = orders(claim("c"), volume("b"), volume("a"), volume("large", size="9Gi"))

    assert [taken(order) for order in either] == [["a"], ["b"]]


def test_of_volumes_bound_beforehand_to_one_claim_any_may_come_first() -> None:
    """And where the first is out of reach, the claim gets none."""
    here, there = volume("a", size="2Gi", claimed_by="c"), volume("b", claimed_by="c", on="n2")
    either = orders(claim("c"), here, there)

    assert [taken(order, "n2") for order in either] == [["a"], ["b"]]
    assert [taken(order) for order in either] == [["a"], []]


def test_what_one_claim_takes_may_be_what_another_needs() -> None:
    picky = claim("picky", size="2Gi", selector={"matchLabels": {"disk": "ssd"}})
    volumes = [volume("a", size="2Gi", labels={"disk": "ssd"}), volume("b", size="2Gi")]
    either = orders(claim("c"), picky, *volumes, claims=("c", "picky"))

    assert [taken(order) for order in either] == [["a"], ["b", "a"]]


def test_volumes_can_be_put_first_and_of_many_not_all_orders_are_tried() -> None:
    names = [f"v{i}" for i in range(8)]
    many = orders(claim("c"), *(volume(name) for name in names))

    assert len(many) == 720
    assert {name for order in many for name in taken(order)} == set(names[:6])
    assert taken(evolve(many[0], names=("v7", "v6"))) == ["v7"]


def test_classes_are_contested_one_by_one() -> None:
    objects = [storage_class("x"), claim("c"), claim("d", "x"), volume("a"), volume("b", "x")]

    assert len(orders(*objects, claims=("c", "d"))) == 1


def test_of_claims_that_request_equally_much_any_may_choose_first() -> None:
    objects = [claim("c"), claim("d"), claim("small", size="1Mi"), volume("a"), volume("b", size="2Gi")]
    names = ("c", "d", "small")
    either = orders(*objects, claims=names, steps=VolumeSteps())

    assert [[each.metadata.name for each in order.searching] for order in either] == [
        ["small", "c", "d"],
        ["small", "d", "c"],
    ]
    assert [found_on(order, "n1") == found_on(either[0], "n1") for order in either] == [True, False]
    assert [order.searching for order in orders(*objects, claims=names)] == [either[0].searching]


def test_of_many_such_claims_not_all_orders_are_tried() -> None:
    claims = [claim(name) for name in "abcdef"]

    assert len(orders(*claims, claims=tuple("abcdef"), steps=VolumeSteps())) == 24
