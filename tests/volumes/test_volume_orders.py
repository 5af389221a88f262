# SPDX-License-Identifier: Apache-2.0
"""Orders: where it matters which volume is looked at first."""

from __future__ import annotations

from typing import Any

from volume_objects import Json, by_hand, claim, read, store, using, volume
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
