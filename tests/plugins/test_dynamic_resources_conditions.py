# SPDX-License-Identifier: Apache-2.0
"""Binding conditions: PreBind of DynamicResources waits for what the drivers of devices report."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import DRIVER, Json, claim, device, device_class, one, piece
from world import World, configuration

from refsched.records import Delete, Reference

CONDITIONS: Json = {"bindingConditions": ["Ready", "Clean"], "bindingFailureConditions": ["Broken"]}


@pytest.fixture
def cluster() -> World:
    """Node n1 has device d0 with conditions; claims c0 and c1 ask for one device each."""
    return prepared(World(kubernetes="1.37"))


def prepared(world: World) -> World:
    world.node("n1")
    world.create(device_class())
    world.create(piece("s1", device("d0", **CONDITIONS)))
    for name in ("c0", "c1"):
        world.create(claim(name, one()))
    return world


def schedule(world: World, name: str, *claims: str) -> Any:
    return world.schedule(name, resourceClaims=[{"name": each, "resourceClaimName": each} for each in claims])


def written(world: World, name: str) -> Json:
    """Returns the claim as it was written last."""
    found: Json = next(
        write.object for write in reversed(world.writes) if write.object["metadata"]["name"] == name
    )
    return found


def test_another_device_says_nothing_of_this_one(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    current = written(cluster, "c0")
    said = [{"type": kind, "status": "True"} for kind in ("Ready", "Clean")]
    other = [{"driver": DRIVER, "pool": "s1", "device": "d1", "conditions": said}]
    cluster.update({**current, "status": {**current["status"], "devices": other}})
    assert cluster.binds == []


def test_a_claim_that_is_deleted_meanwhile_ends_the_wait(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    cluster.apply(Delete(Reference("ResourceClaim", "c0", "resource.k8s.io/v1", "default")))
    assert [bind.message for bind in cluster.binds] == [
        'running PreBind plugin "DynamicResources": could not find ResourceClaim "default/c0"'
    ]


def test_binding_timeout_may_be_set() -> None:
    args = {"name": "DynamicResources", "args": {"bindingTimeout": "5s"}}
    cluster = prepared(World(configuration({"pluginConfig": [args]}), kubernetes="1.37"))
    schedule(cluster, "p", "c0")
    cluster.advance(5)
    assert len(cluster.binds) == 1


@pytest.mark.parametrize("release", ["1.34", "1.35"])
def test_before_1_36_a_binding_timeout_is_refused(release: str) -> None:
    args = {"name": "DynamicResources", "args": {"bindingTimeout": "5s"}}
    with pytest.raises(Exception, match="bindingTimeout"):
        World(configuration({"pluginConfig": [args]}), kubernetes=release)
