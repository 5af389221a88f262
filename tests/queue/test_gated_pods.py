# SPDX-License-Identifier: Apache-2.0
"""Gated pods: who nominates them, who looks at them again, and which moves ask PreEnqueue."""

from __future__ import annotations

import pytest
from queue_world import World, pod


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
