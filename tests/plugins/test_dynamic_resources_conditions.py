# SPDX-License-Identifier: Apache-2.0
"""Binding conditions: PreBind of DynamicResources waits for what the drivers of devices report."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import DRIVER, Json, claim, device, device_class, one, piece
from world import FEASIBLE, World, configuration, unresolvable

from refsched.records import Bind, Delete, Reference

NOT_HERE = unresolvable("DynamicResources", "resourceclaim not available on the node")
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


def report(world: World, name: str, **conditions: bool) -> list[Bind]:
    """The driver reports conditions of device d0, which the claim holds. Returns the binds that follow."""
    before = len(world.binds)
    current = written(world, name)
    said = [
        {"type": kind, "status": str(holds), "reason": "Said", "message": 'it "is"'}
        for kind, holds in conditions.items()
    ]
    reported = [{"driver": DRIVER, "pool": "s1", "device": "d0", "conditions": said}]
    world.update({**current, "status": {**current["status"], "devices": reported}})
    return world.binds[before:]


def test_a_pod_is_bound_once_all_conditions_are_true(cluster: World) -> None:
    assert schedule(cluster, "p", "c0").filter["n1"] == FEASIBLE
    assert cluster.binds == []
    assert report(cluster, "c0", Ready=True) == []
    assert report(cluster, "c0", Ready=True, Clean=False) == []
    assert [bind.result for bind in report(cluster, "c0", Ready=True, Clean=True)] == ["bound"]


def test_conditions_that_hold_already_are_not_waited_for(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    report(cluster, "c0", Ready=True, Clean=True)
    schedule(cluster, "q", "c0")
    assert [bind.result for bind in cluster.binds] == ["bound", "bound"]


def test_another_device_says_nothing_of_this_one(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    current = written(cluster, "c0")
    said = [{"type": kind, "status": "True"} for kind in ("Ready", "Clean")]
    other = [{"driver": DRIVER, "pool": "s1", "device": "d1", "conditions": said}]
    cluster.update({**current, "status": {**current["status"], "devices": other}})
    assert cluster.binds == []


def test_a_failure_is_an_error_and_the_claim_is_allocated_anew(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    [bind] = report(cluster, "c0", Broken=True)
    assert bind.message == (
        'running PreBind plugin "DynamicResources": device binding failed: '
        'claim=c0, reason=Said, message="it \\"is\\""'
    )
    assert "reservedFor" not in written(cluster, "c0")["status"]
    cluster.advance(10)
    assert cluster.schedule("p").filter["n1"] == NOT_HERE
    assert "status" not in written(cluster, "c0")


def test_a_wait_ends_after_ten_minutes(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    assert written(cluster, "c0")["status"]["allocation"]["allocationTimestamp"] == "2026-01-01T00:00:00Z"
    cluster.advance(599)
    assert cluster.binds == []
    cluster.advance(1)
    assert [bind.message for bind in cluster.binds] == [
        'running PreBind plugin "DynamicResources": device binding timeout: context deadline exceeded'
    ]


def test_a_wait_that_fails_requeues_a_pod_that_waits_for_a_device(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    schedule(cluster, "q", "c1")
    cluster.advance(599)
    assert cluster.schedule("q").filter["n1"] == unresolvable(
        "DynamicResources", "cannot allocate all claims"
    )
    cluster.advance(1)
    assert cluster.where("q") == "backoff"
    cluster.advance(2)
    assert cluster.schedule("q").filter["n1"] == unresolvable(
        "DynamicResources", "cannot allocate all claims"
    )


def test_an_allocation_that_is_too_old_is_given_up(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    cluster.advance(601)
    cluster.advance(10)
    assert cluster.schedule("p").filter["n1"] == NOT_HERE


def test_a_wait_ends_with_the_first_look_at_an_allocation_that_is_too_old(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    cluster.advance(300)
    schedule(cluster, "q", "c0")
    cluster.advance(304)
    assert len(cluster.binds) == 1
    report(cluster, "c0", Ready=True)
    assert len(cluster.binds) == 1
    cluster.advance(1)
    assert [(bind.pod, bind.message) for bind in cluster.binds] == [
        (
            "default/p",
            'running PreBind plugin "DynamicResources": device binding timeout: context deadline exceeded',
        ),
        ("default/q", 'running PreBind plugin "DynamicResources": device binding timeout: claim=c0'),
    ]


def test_a_claim_that_is_deleted_meanwhile_ends_the_wait(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    cluster.apply(Delete(Reference("ResourceClaim", "c0", "resource.k8s.io/v1", "default")))
    assert [bind.message for bind in cluster.binds] == [
        'running PreBind plugin "DynamicResources": could not find ResourceClaim "default/c0"'
    ]


def test_a_claim_that_is_deallocated_meanwhile_is_waited_for(cluster: World) -> None:
    schedule(cluster, "p", "c0")
    cluster.update({**written(cluster, "c0"), "status": {}})
    assert cluster.binds == []
    cluster.advance(600)
    assert len(cluster.binds) == 1


def test_binding_timeout_may_be_set() -> None:
    args = {"name": "DynamicResources", "args": {"bindingTimeout": "5s"}}
    cluster = prepared(World(configuration({"pluginConfig": [args]}), kubernetes="1.37"))
    schedule(cluster, "p", "c0")
    cluster.advance(5)
    assert len(cluster.binds) == 1


def test_the_device_of_a_failed_binding_stays_allocated(cluster: World) -> None:
    """A second claim that names the same device, and is deallocated, has freed it before."""
    schedule(cluster, "p", "c0")
    cluster.update({**claim("c1", one()), "status": written(cluster, "c0")["status"]})
    cluster.update(claim("c1", one()))
    cluster.advance(600)
    cluster.create(claim("c2", one()))
    assert schedule(cluster, "q", "c2").filter["n1"] == unresolvable(
        "DynamicResources", "cannot allocate all claims"
    )


@pytest.mark.parametrize("release", ["1.34", "1.35"])
def test_before_1_36_a_binding_timeout_is_refused(release: str) -> None:
    args = {"name": "DynamicResources", "args": {"bindingTimeout": "5s"}}
    with pytest.raises(Exception, match="bindingTimeout"):
        World(configuration({"pluginConfig": [args]}), kubernetes=release)


def test_before_1_36_an_allocation_has_no_time() -> None:
    world = World(kubernetes="1.35")
    world.node("n1")
    world.create(device_class())
    world.create(piece("s1", device("d0")))
    world.create(claim("c0", one()))
    schedule(world, "p", "c0")
    assert [bind.result for bind in world.binds] == ["bound"]
    assert "allocationTimestamp" not in written(world, "c0")["status"]["allocation"]
