# SPDX-License-Identifier: Apache-2.0
"""How v1.37.2 counts the pods that use a claim."""

from __future__ import annotations

import pytest
from volume_objects import by_hand, claim, using
from world import World

EXCLUSIVE = claim("c", modes=("ReadWriteOncePod",))
IN_USE = "in-use by another pod"


@pytest.mark.parametrize("kubernetes", ["1.36", "1.37"])
def test_a_claim_is_in_use_while_a_pod_on_a_node_uses_it(kubernetes: str) -> None:
    world = World(kubernetes=kubernetes)
    world.create(by_hand())
    world.create(EXCLUSIVE)
    world.node("n1")
    world.pod("p", on="n1", volumes=using("c"))
    assert IN_USE in (world.schedule("q", volumes=using("c")).message or "")
    world.delete_pod("p")
    assert IN_USE not in (world.schedule("r", volumes=using("c")).message or "")


@pytest.mark.parametrize(("kubernetes", "is_in_use"), [("1.36", True), ("1.37", False)])
def test_v1_37_forgets_the_claims_of_a_node_that_is_created_anew(kubernetes: str, is_in_use: bool) -> None:
    world = World(kubernetes=kubernetes)
    world.create(by_hand())
    world.create(EXCLUSIVE)
    world.node("n1")
    world.pod("p", on="n1", volumes=using("c"))
    world.schedule("other")
    world.delete_node("n1")
    world.node("n1")
    assert (IN_USE in (world.schedule("q", volumes=using("c")).message or "")) is is_in_use
    world.node("n2")
    assert IN_USE in (world.schedule("r", volumes=using("c")).message or "")
    world.delete_pod("p")
    assert IN_USE not in (world.schedule("s", volumes=using("c")).message or "")


@pytest.mark.parametrize(("kubernetes", "is_in_use"), [("1.36", False), ("1.37", True)])
def test_v1_37_counts_the_claims_of_pods_on_a_node_that_does_not_exist(
    kubernetes: str, is_in_use: bool
) -> None:
    world = World(kubernetes=kubernetes)
    world.create(by_hand())
    world.create(EXCLUSIVE)
    world.node("n1")
    world.schedule("other")
    world.pod("p", on="n9", volumes=using("c"))
    assert (IN_USE in (world.schedule("q", volumes=using("c")).message or "")) is is_in_use
    world.node("n2")
    assert IN_USE not in (world.schedule("r", volumes=using("c")).message or "")
    world.delete_pod("p")
    assert IN_USE not in (world.schedule("s", volumes=using("c")).message or "")
