# SPDX-License-Identifier: Apache-2.0
"""The queue without SchedulerPopFromBackoffQ: an idle scheduler waits until a backoff is over."""

from __future__ import annotations

from typing import Any

import pytest
from queue_world import NODE_ADDED, World

from refsched.objects.node import Node
from refsched.objects.pod import Pod, Toleration
from refsched.objects.reading import read_as


@pytest.fixture
def world() -> World:
    return World(pops_from_backoff=False)


def named(name: str) -> Node:
    return read_as(Node, {"metadata": {"name": name}})


def changed(name: str, *, tolerates: bool = False, **labels: str) -> Pod:
    value: dict[str, Any] = {"metadata": {"name": name, "namespace": "ns", "uid": name, "labels": labels}}
    value["spec"] = {"priority": 1000, "tolerations": [{"operator": "Exists"}] if tolerates else []}
    return read_as(Pod, value)


def backs_off(world: World, name: str, **labels: str) -> None:
    """A pod that was refused, and is cured by a node while it backs off."""
    world.refused(name, "Picky", wants="n", **labels)
    world.happens(NODE_ADDED, None, named("n"))


def test_a_pod_that_backs_off_is_nobodys_next(world: World) -> None:
    backs_off(world, "p")

    assert world.backoff == ["p"]
    assert world.queue.heads() == ()
    with pytest.raises(KeyError):
        world.queue.pop("ns/p")


def test_one_update_with_two_changes_may_leave_a_pod_in_two_queues(world: World) -> None:
    world.refused("p", "Picky", wants="n")

    world.update(changed("p", tolerates=True, wants="m"))

    assert (world.backoff, world.unschedulable) == (["p"], ["p"])
    world.update(changed("p", tolerates=True, wants="o"))
    assert (world.backoff, world.unschedulable) == (["p"], ["p"])
    [waiting] = world.queue._unschedulable
    assert waiting.pod.spec.tolerations == (Toleration(operator="Exists"),)
    world.passes(2)
    assert (world.active, world.backoff, world.unschedulable) == (["p"], [], [])
