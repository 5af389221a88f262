# SPDX-License-Identifier: Apache-2.0
"""Event handlers: what the API server shows, and who hears of it."""

from __future__ import annotations

from typing import Any

from world import World, pod_object

# --- Pods that cannot be ---------------------------------------------------------------------------


def twin(name: str, **rest: Any) -> dict[str, Any]:
    """Pods that bear one uid: the cache knows a pod by it."""
    changed = pod_object(name, "1", **rest)
    changed["metadata"]["uid"] = "twin"
    return changed


def test_what_the_cache_does_not_take_in_is_passed_over(world: World) -> None:
    world.node("n1")
    world.create(twin("first", on="n1"))
    world.create(twin("second", on="n1"))
    assert world.on("n1") == ["first"]
    world.delete_pod("first")
    world.delete_pod("second")
    assert world.on("n1") == []


def test_a_pod_that_counts_already_cannot_be_assumed(world: World) -> None:
    world.node("n1")
    world.create(twin("first", on="n1"))
    world.create(twin("second"))
    attempt = world.schedule("second")
    assert (attempt.result, attempt.node) == ("error", "n1")
    assert attempt.message == "pod twin(default/second) is in the cache, so can't be assumed"
