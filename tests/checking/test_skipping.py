# SPDX-License-Identifier: Apache-2.0
"""Pods that are popped and not tried."""

from __future__ import annotations

from refsched.checking.skipping import skip_heads, skippable_heads
from tests.world import World, pod_object


def leaving(name: str) -> dict[str, object]:
    pod = pod_object(name, priority=10)
    pod["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    return pod


def test_heads_that_would_not_be_tried_are_skipped_and_no_other_pod_is() -> None:
    world = World()
    world.node("n1")
    world.create(leaving("leaving"))
    world.pod("other")

    assert skippable_heads(world.machine) == ["default/leaving"]
    skip_heads(world.machine)
    assert world.where("leaving") == "nowhere"
    assert world.where("other") == "active"


def test_a_head_that_was_tried_is_not_skipped_although_it_would_be() -> None:
    world = World()
    world.node("n1")
    world.create(leaving("leaving"))

    skip_heads(world.machine, until="default/leaving")
    assert world.where("leaving") == "active"
