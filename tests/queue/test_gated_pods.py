# SPDX-License-Identifier: Apache-2.0
"""Gated pods: who nominates them, who looks at them again, and which moves ask PreEnqueue."""

from __future__ import annotations

import pytest
from queue_world import World, pod

from refsched.objects.node import Node
from refsched.objects.reading import read_as


def _nominated(world: World) -> list[str]:
    return [info.pod.name for info in world.queue.nominated_pods_for_node("n")]


@pytest.mark.parametrize(("release", "expected"), [("1.37", ["held"]), ("1.36", [])])
def test_a_gated_pod_is_nominated_since_1_37(release: str, expected: list[str]) -> None:
    world = World(release=release)
    world.add(pod("held", nominated="n", gate="shut"))
    assert _nominated(world) == expected


@pytest.mark.parametrize(("release", "expected"), [("1.37", ["p"]), ("1.36", [])])
def test_an_update_that_activates_a_pod_keeps_the_nomination_in_mind_since_1_37(
    release: str, expected: list[str]
) -> None:
    """The nomination is not written yet. In earlier releases the pod is nominated anew when it becomes active, as
    its status says: to no node."""
    world = World(release=release)
    world.refused("p", "Silent")
    world.passes(2)
    world.queue.nominator.nominate(pod("p"), "n")
    world.update(pod("p", 999))
    assert (world.active, _nominated(world)) == (["p"], expected)


def _opened(world: World) -> None:
    """The gate opens, and no event tells the queue of it."""
    world.objects.put(read_as(Node, {"metadata": {"name": "gate"}}))


@pytest.mark.parametrize(("release", "active"), [("1.37", ["held"]), ("1.36", [])])
def test_a_gated_pod_that_waited_for_too_long_is_looked_at_since_1_37(
    release: str, active: list[str]
) -> None:
    world = World(release=release)
    world.add(pod("held", gate="shut"))
    _opened(world)
    world.now = 301
    world.queue.flush_unschedulable_pods_leftover()
    assert world.active == active


def test_a_gated_pod_that_was_looked_at_is_left_alone_for_as_long_again() -> None:
    world = World(release="1.37")
    world.add(pod("held", gate="shut"))
    world.now = 301
    world.queue.flush_unschedulable_pods_leftover()
    _opened(world)
    world.now = 600
    world.queue.flush_unschedulable_pods_leftover()
    assert world.unschedulable == ["held"]
    world.now = 602
    world.queue.flush_unschedulable_pods_leftover()
    assert world.active == ["held"]


@pytest.mark.parametrize(("release", "active"), [("1.37", ["p"]), ("1.35", ["p"]), ("1.34", [])])
def test_pre_enqueue_is_not_asked_for_an_activated_pod_that_backs_off_since_1_35(
    release: str, active: list[str]
) -> None:
    world = World(release=release)
    world.add(pod("p"))
    world.refuse(world.pop())
    world.update(pod("p", gate="shut"))
    assert world.backoff == ["p"]
    world.queue.activate([pod("p")])
    assert world.active == active
