# SPDX-License-Identifier: Apache-2.0
"""The queue without SchedulerPopFromBackoffQ: an idle scheduler waits until a backoff is over."""

from __future__ import annotations

import pytest
from queue_world import NODE_ADDED, World

from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.queue.queued_pod import NotWaitingError


@pytest.fixture
def world() -> World:
    return World(pops_from_backoff=False)


def named(name: str) -> Node:
    return read_as(Node, {"metadata": {"name": name}})


def backs_off(world: World, name: str, **labels: str) -> None:
    """A pod that was refused, and is cured by a node while it backs off."""
    world.refused(name, "Picky", wants="n", **labels)
    world.happens(NODE_ADDED, None, named("n"))


def test_a_pod_that_backs_off_is_nobodys_next(world: World) -> None:
    backs_off(world, "p")

    assert world.backoff == ["p"]
    assert world.queue.heads() == ()
    with pytest.raises(NotWaitingError):
        world.queue.pop("ns/p")
