# SPDX-License-Identifier: Apache-2.0
"""Event handlers of v1.19: which events are move requests, and for which pods."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.checking.skipping import skippable_heads
from tests.world import World, node_object, pod_object

Json = dict[str, Any]

CONFIG: Json = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}


@pytest.fixture
def world() -> World:
    """Pod ``p`` asks for more CPUs than node n1 has, and its backoff is over."""
    world = World(CONFIG, kubernetes="1.19")
    world.node("n1")
    world.schedule("p", cpu="8", preemptionPolicy="Never")
    assert world.where("p") == "unschedulable"
    world.advance(5)
    return world


def storage(kind: str, name: str, **rest: Any) -> Json:
    return {"apiVersion": "storage.k8s.io/v1", "kind": kind, "metadata": {"name": name}, **rest}


def service(name: str) -> Json:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"a": "b"}}}


# --- Nodes ----------------------------------------------------------------------------------------


def test_an_added_node_moves_every_pod_though_it_does_not_help(world: World) -> None:
    world.node("n2", cpu="1")
    assert world.where("p") == "active"


def test_a_deleted_node_moves_no_pod(world: World) -> None:
    world.delete_node("n1")
    assert world.where("p") == "unschedulable"
    assert world.nodes == {}


def test_an_updated_node_moves_pods_only_if_what_scheduling_reads_has_changed(world: World) -> None:
    node = node_object("n1")
    node["metadata"]["annotations"] = {"a": "b"}
    world.update(node)
    assert world.where("p") == "unschedulable"
    world.update_node("n1", labels={"a": "b"})
    assert world.where("p") == "active"


def test_any_update_of_a_node_is_a_move_request_while_no_pod_is_unschedulable(world: World) -> None:
    world.node("n2")
    world.advance(5)
    queue = world.machine.state.queue
    attempt = queue.pop("default/p")
    node = node_object("n1")
    node["metadata"]["annotations"] = {"a": "b"}
    world.update(node)
    queue.add_unschedulable_if_not_present(attempt)
    assert world.where("p") == "backoff"


# --- Other objects --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("added", "place"),
    [
        (
            storage("StorageClass", "later", provisioner="x", volumeBindingMode="WaitForFirstConsumer"),
            "active",
        ),
        (storage("StorageClass", "now", provisioner="x"), "unschedulable"),
        (storage("CSINode", "n1", spec={"drivers": []}), "active"),
        (storage("CSIDriver", "x", spec={}), "unschedulable"),
        (service("s"), "active"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value['kind']} {value['metadata']['name']}",
)
def test_which_added_objects_move_pods(world: World, added: Json, place: str) -> None:
    world.create(added)
    assert world.where("p") == place


# --- Pods -----------------------------------------------------------------------------------------


def near(name: str, label: str) -> Json:
    pod = pod_object(name, cpu="8", preemptionPolicy="Never")
    term = {"labelSelector": {"matchLabels": {"app": label}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return {**pod, "spec": {**pod["spec"], "affinity": affinity}}


def test_an_assigned_pod_moves_the_pods_whose_affinity_it_matches(world: World) -> None:
    world.create(near("wants", "web"))
    world.create(near("other", "db"))
    for _ in range(2):
        world.machine.schedule()
    world.advance(5)
    world.pod("web", on="n1", labels={"app": "web"})
    assert [world.where(name) for name in ("p", "wants", "other")] == [
        "unschedulable",
        "active",
        "unschedulable",
    ]
    world.update_pod("web", on="n1", labels={"app": "db"})
    assert world.where("other") == "active"
    world.delete_pod("web")
    assert world.where("p") == "active"


def test_an_update_of_a_pod_that_failed_brings_it_to_active_q(world: World) -> None:
    world.update_pod("p", cpu="8", preemptionPolicy="Never", labels={"a": "b"})
    assert world.where("p") == "active"


def test_an_assumed_pod_is_queued_again_if_an_update_changes_more_than_its_annotations(world: World) -> None:
    world.pod("q", cpu="1")
    state = world.machine.state
    attempt = state.queue.pop("default/q")
    assumed = state.cache.assume(attempt.pod, "n1")

    pod = pod_object("q", cpu="1")
    pod["metadata"]["annotations"] = {"a": "b"}
    world.update(pod)
    assert world.where("q") == "nowhere"
    pod["metadata"]["labels"] = {"a": "b"}
    world.update(pod)
    assert world.where("q") == "active"
    assert skippable_heads(world.machine) == []
    state.cache.forget(assumed)
    state.cache.assume(state.queue.heads()[0].pod, "n1")
    assert skippable_heads(world.machine) == ["default/q"]
    world.delete_pod("q")
    assert world.where("q") == "nowhere"


def test_an_assumed_pod_expires_thirty_seconds_after_it_was_bound(world: World) -> None:
    world.pod("q", cpu="1")
    state = world.machine.state
    attempt = state.queue.pop("default/q")
    state.cache.assume(attempt.pod, "n1")
    state.cache.finish_binding(attempt.pod, state.clock.now)
    world.advance(30)
    assert world.on("n1") == ["q"]
    world.advance(1)
    assert world.on("n1") == []
