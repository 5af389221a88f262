# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding where the configuration leaves it out of one point and not of the next."""

from __future__ import annotations

import pytest
from volume_objects import Json, by_hand, claim, storage_class, using, volume
from world import World, configuration, profile

from refsched.records import Bind

NOT_FOUND = 'running PreBindPreFlight "{}": not found'
NO_VOLUME = 'running PreBindPreFlight "VolumeBinding": no pod volume found for node "n1"'


def without(plugin: str, *points: str) -> World:
    """A node and a class whose volumes are made by hand; ``plugin`` is disabled at these points."""
    left_out = {point: {"disabled": [{"name": plugin}]} for point in points}
    world = World(configuration(profile(**left_out)))
    world.node("n1", labels={"kubernetes.io/hostname": "n1"})
    world.create(by_hand())
    return world


def end_of(world: World, volumes: list[Json] | None = None) -> Bind:
    assert world.schedule("p", volumes=volumes or []).result == "scheduled"
    [bind] = world.binds
    return bind


def test_without_filter_nothing_is_reserved_and_the_pod_is_bound() -> None:
    world = without("VolumeBinding", "filter")
    world.create(volume("v"))
    world.create(claim("c"))
    assert end_of(world, using("c")).result == "bound"
    assert world.writes == []


@pytest.mark.parametrize("points", [("reserve",), ("filter", "reserve")])
def test_without_reserve_a_pod_without_claims_is_not_bound(points: tuple[str, ...]) -> None:
    bind = end_of(without("VolumeBinding", *points))
    assert (bind.result, bind.message) == ("error", NO_VOLUME)


def test_without_filter_and_reserve_a_pod_with_claims_is_not_bound() -> None:
    world = without("VolumeBinding", "filter", "reserve")
    world.create(volume("v"))
    world.create(claim("c"))
    assert end_of(world, using("c")).message == NO_VOLUME


def test_without_reserve_a_volume_is_written_as_it_was() -> None:
    world = without("VolumeBinding", "reserve")
    world.create(volume("v"))
    world.create(claim("c"))
    bind = end_of(world, using("c"))
    assert bind.message == (
        'running PreBind plugin "VolumeBinding": binding volumes: ClaimRef got reset for pv "v"'
    )
    [write] = world.writes
    assert write.object["metadata"]["name"] == "v"
    assert "claimRef" not in write.object["spec"]


@pytest.mark.parametrize(
    ("objects", "name"),
    [
        ([storage_class("made"), claim("c", "made")], "a claim to be provisioned"),
        ([volume("v", claimed_by="c"), claim("c", bound_to="v")], "a bound claim"),
    ],
)
def test_without_reserve_what_needs_no_volume_found_is_an_error(objects: list[Json], name: str) -> None:
    world = without("VolumeBinding", "reserve")
    for value in objects:
        world.create(value)
    assert end_of(world, using("c")).message == (
        'running PreBind plugin "VolumeBinding": failed to get cached bindings for pod "default/p"'
    ), name


@pytest.mark.parametrize("plugin", ["VolumeBinding", "DynamicResources"])
def test_without_all_that_comes_before_there_is_nothing_to_bind_by(plugin: str) -> None:
    bind = end_of(without(plugin, "preFilter", "filter", "reserve"))
    assert (bind.result, bind.message) == ("error", NOT_FOUND.format(plugin))
