# SPDX-License-Identifier: Apache-2.0
"""Extended resources that devices serve: the pod gets a claim of its own for them."""

from __future__ import annotations

import pytest
from device_world import Json, claim, device, device_class, piece
from world import FEASIBLE, World, configuration, profile

from refsched.objects.dra import EXTENDED_RESOURCE_CLAIM
from refsched.plugins.dynamic_resources_extended import class_of

GPU = "example.com/gpu"


@pytest.fixture
def cluster() -> World:
    """Nodes n1 and n2; s1 offers two devices on n1."""
    world = World(configuration(profile()), kubernetes="1.37")
    for node in ("n1", "n2"):
        world.node(node)
    world.create(piece("s1", device("d0"), device("d1")))
    return world


def container(name: str, count: int) -> Json:
    return {"name": name, "image": "i", "resources": {"requests": {GPU: str(count)}}}


def pod(name: str, *counts: int, **spec: Json | list[Json]) -> Json:
    containers = [container(f"c{i}", count) for i, count in enumerate(counts)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "uid": f"uid-of-{name}"},
        "spec": {"containers": containers, **spec},
    }


def requests(world: World) -> list[tuple[str, int]]:
    """The names and the counts of the requests of the claim that was written last."""
    written = [write.object for write in world.writes if write.object["kind"] == "ResourceClaim"]
    asked = written[-1]["spec"]["devices"]["requests"]
    return [(each["name"], each["exactly"]["count"]) for each in asked]


def test_devices_serve_an_extended_resource_that_a_class_names(cluster: World) -> None:
    cluster.create(device_class(extendedResourceName=GPU))
    cluster.create(pod("p", 2))

    assert cluster.schedule("p").filter["n1"] == FEASIBLE
    assert requests(cluster) == [("container-0-request-0", 2)]


def test_a_node_without_the_resource_and_without_devices_is_rejected(cluster: World) -> None:
    cluster.create(device_class(extendedResourceName=GPU))
    cluster.create(pod("p", 2))

    assert cluster.schedule("p").filter["n2"].plugin == "DynamicResources"


def test_a_class_that_is_created_requeues_the_pod(cluster: World) -> None:
    cluster.create(pod("p", 1))
    cluster.schedule("p")
    cluster.create(device_class("another"))
    assert cluster.where("p") == "unschedulable"

    cluster.create(device_class(extendedResourceName=GPU))

    assert cluster.where("p") != "unschedulable"


def test_each_container_has_a_request(cluster: World) -> None:
    cluster.create(device_class(extendedResourceName=GPU))
    cluster.create(pod("p", 1, 1))

    cluster.schedule("p")

    assert requests(cluster) == [("container-0-request-0", 1), ("container-1-request-0", 1)]


def test_init_containers_use_the_devices_of_others_and_what_they_need_beyond(cluster: World) -> None:
    cluster.create(device_class(extendedResourceName=GPU))
    cluster.create(pod("p", 1, initContainers=[container("i0", 2), container("i1", 1)]))

    cluster.schedule("p")

    assert requests(cluster) == [("container-0-request-0", 1), ("container-2-request-0", 1)]


def test_of_classes_with_the_same_name_of_a_resource_the_newest_serves_it(cluster: World) -> None:
    for name, created in (
        ("b", "2026-01-01T00:00:00Z"),
        ("a", "2026-01-01T00:00:00Z"),
        ("z", "2025-01-01T00:00:00Z"),
    ):
        made = device_class(name, extendedResourceName=GPU)
        made["metadata"]["creationTimestamp"] = created
        cluster.create(made)

    found = class_of(GPU, cluster.machine.state.objects)

    assert found is not None
    assert found.name == "a"


def test_the_claim_of_an_earlier_attempt_is_deleted_and_not_unreserved_when_binding_fails(
    cluster: World,
) -> None:
    left = claim("left")
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-of-p", "controller": True}
    left["metadata"] |= {"annotations": {EXTENDED_RESOURCE_CLAIM: "true"}, "ownerReferences": [owner]}
    failing = pod("p", 1)
    failing["metadata"]["annotations"] = {"refsched.dev/script": '{"ScriptedB": {"preBind": "Error"}}'}
    for each in (device_class("gpu", extendedResourceName=GPU), left, failing):
        cluster.create(each)
    cluster.schedule("p")

    finalizers = [
        (write.verb, len(write.object["metadata"].get("finalizers", ()))) for write in cluster.writes
    ]
    assert finalizers == [("update", 1), ("update", 1), ("update", 0), ("delete", 0)]
