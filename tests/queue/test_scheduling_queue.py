# SPDX-License-Identifier: Apache-2.0
"""SchedulingQueue: a pod's way through the queues."""

from __future__ import annotations

import pytest
from attrs import evolve
from queue_world import (
    NODE_ADDED,
    NODE_LABELLED,
    World,
    pod,
)

from refsched.framework.events import RESOURCE_SLICE, ActionType, ClusterEvent
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.queue.queued_pod import NotWaitingError
from refsched.records import Queues


@pytest.fixture
def world() -> World:
    return World()


def node(name: str) -> Node:
    return read_as(Node, {"metadata": {"name": name}})


def keys(world: World) -> list[str]:
    return [head.key for head in world.queue.heads()]


# --- Turns ----------------------------------------------------------------------------------------


def test_only_a_head_can_be_popped(world: World) -> None:
    world.add(pod("low"), pod("high", 1))

    with pytest.raises(NotWaitingError):
        world.queue.pop("ns/low")
    with pytest.raises(NotWaitingError):
        world.queue.pop("ns/unknown")
    assert world.queue.pop("ns/high").attempts == 1
    assert world.queue.pop("ns/low").attempts == 1


def test_a_driver_may_take_any_pod_that_no_gate_holds(world: World) -> None:
    world.refused("refused", "Deaf")
    world.refused("error")
    world.add(pod("low"), pod("high", 1), pod("held", gate="shut"))

    assert [world.queue.take(f"ns/{name}").attempts for name in ("refused", "error", "low")] == [2, 2, 1]
    for name in ("held", "unknown", "low"):
        with pytest.raises(NotWaitingError):
            world.queue.take(f"ns/{name}")
    assert (world.active, world.unschedulable) == (["high"], ["held"])


def test_where_active_is_empty_the_backoff_queue_is_popped(world: World) -> None:
    world.refused("later", "Picky", wants="n")
    world.now = 1.5
    world.refused("earlier", "Picky", wants="n")
    world.now = 0.0
    world.happens(NODE_ADDED, None, node("n"))
    assert world.backoff == ["earlier", "later"]

    assert keys(world) == ["ns/later"]
    assert world.pop().key == "ns/later"
    world.add(pod("newcomer", -5))
    assert keys(world) == ["ns/newcomer"]
    with pytest.raises(NotWaitingError):
        world.queue.pop("ns/earlier")


def test_a_pod_that_backs_off_after_an_error_is_not_popped_early(world: World) -> None:
    world.refused("p")

    assert world.backoff == ["p"]
    assert world.queue.heads() == ()
    with pytest.raises(NotWaitingError):
        world.queue.pop("ns/p")


# --- Failure --------------------------------------------------------------------------------------


def test_without_backoff_a_failed_pod_is_active_again() -> None:
    world = World(max_backoff=0)
    world.refused("error")
    world.add(pod("cured", 2000, wants="n"))
    attempt = world.pop()
    world.happens(NODE_ADDED, None, node("n"))
    world.refuse(attempt, "Picky")

    assert world.active == ["cured", "error"]


# --- Events ---------------------------------------------------------------------------------------


def test_an_event_that_nobody_registered_for_moves_nothing(world: World) -> None:
    world.refused("p", "Deaf")
    world.refused("q", "Silent")

    world.happens(ClusterEvent(RESOURCE_SLICE, ActionType.ADD))
    assert world.unschedulable == ["p", "q"]
    world.happens(NODE_LABELLED, node("n"), node("n"))
    assert (world.unschedulable, world.backoff) == (["p"], ["q"])


# --- Updates of a pod -----------------------------------------------------------------------------


def test_an_update_in_flight_is_an_event_of_the_attempt(world: World) -> None:
    world.add(pod("p"))
    attempt = world.pop()
    world.update(pod("p", new="label"))
    assert world.queue.queues() == Queues((), (), ())

    world.refuse(attempt, "Picky")

    assert world.backoff == ["p"]


# --- Gates ----------------------------------------------------------------------------------------


def test_a_gate_may_hold_a_pod_after_its_attempt(world: World) -> None:
    world.add(pod("p"))
    attempt = world.pop()
    shut = pod("p", gate="shut")
    world.update(shut)

    world.refuse(evolve(attempt, info=evolve(attempt.info, pod=shut)), "Picky")
    assert world.unschedulable == ["p"]
    world.update(pod("p"))

    assert world.backoff == ["p"]
