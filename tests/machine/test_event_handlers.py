# SPDX-License-Identifier: Apache-2.0
"""Event handlers: what the API server shows, and who hears of it."""

from __future__ import annotations

from typing import Any

import pytest
from world import World, pod_object

from refsched.records import Delete, Reference

# --- Nodes ----------------------------------------------------------------------------------------


def unfit(world: World, name: str = "p") -> None:
    """A pod that asks for more CPUs than there are."""
    world.schedule(name, cpu="8", preemptionPolicy="Never")
    assert world.where(name) == "unschedulable"


def test_a_new_node_is_tried(world: World) -> None:
    world.node("n1")
    unfit(world)
    world.node("n2", cpu="8")
    assert world.where("p") == "backoff"
    assert world.schedule("p").node == "n2"


def test_a_new_node_that_does_not_help_changes_nothing(world: World) -> None:
    world.node("n1")
    unfit(world)
    world.node("n2")
    assert world.where("p") == "unschedulable"


def test_a_node_that_grows_is_tried(world: World) -> None:
    world.node("n1")
    unfit(world)
    world.update_node("n1", cpu="8")
    assert world.where("p") == "backoff"


def test_a_deleted_node_requeues_nobody(world: World) -> None:
    world.node("n1")
    unfit(world)
    world.delete_node("n1")
    assert world.where("p") == "unschedulable"
    assert world.nodes == {}


def test_pods_count_on_a_deleted_node_until_they_are_deleted(world: World) -> None:
    world.node("n1")
    world.pod("left", cpu="1", on="n1")
    world.delete_node("n1")
    assert world.on("n1") == ["left"]
    assert world.schedule("p").message == "no nodes available to schedule pods"
    world.delete_pod("left")
    assert world.nodes == {}


def test_pods_may_be_known_before_their_node(world: World) -> None:
    world.pod("early", cpu="3", on="n1")
    world.node("n1", cpu="4")
    assert world.on("n1") == ["early"]
    assert world.schedule("p", cpu="2", preemptionPolicy="Never").result == "unschedulable"


# --- Assigned pods --------------------------------------------------------------------------------


def test_a_pod_that_leaves_makes_room(world: World) -> None:
    world.node("n1", cpu="8")
    world.pod("there", cpu="1", on="n1")
    unfit(world)
    world.delete_pod("there")
    assert world.where("p") == "backoff"
    assert world.schedule("p").node == "n1"


def test_a_pod_that_shrinks_makes_room(world: World) -> None:
    world.node("n1", cpu="8")
    world.pod("there", cpu="2", on="n1")
    unfit(world)
    world.update_pod("there", cpu="1", on="n1")
    assert world.nodes["n1"].milli_cpu == 1000
    assert world.where("p") == "backoff"


def test_a_pod_that_comes_may_be_the_one_that_another_waits_for(world: World) -> None:
    world.node("n1", labels={"kubernetes.io/hostname": "n1"})
    friend = {"app": "friend"}
    term = {"labelSelector": {"matchLabels": friend}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    world.schedule("fan", affinity=affinity)
    assert world.where("fan") == "unschedulable"
    world.pod("friend", on="n1", labels=friend)
    assert world.where("fan") == "backoff"


def test_a_pod_that_somebody_binds_leaves_the_queue(world: World) -> None:
    world.node("n1")
    world.pod("p", cpu="1")
    world.update_pod("p", cpu="1", on="n1")
    assert world.where("p") == "nowhere"
    assert world.on("n1") == ["p"]


@pytest.mark.parametrize("code", ["Unschedulable", "Error", "Success"])
def test_a_pod_that_is_bound_by_others_while_it_is_being_scheduled_stays_where_it_is(
    world: World, code: str
) -> None:
    world.node("n1")
    world.pop("p", cpu="1", script={"ScriptedA": {"reserve": f"Hold:{code}"}})
    world.update_pod("p", cpu="1", on="n1")
    world.release("p")
    assert world.on("n1") == ["p"]
    assert world.where("p") == "nowhere"


# --- Pods without a node --------------------------------------------------------------------------


def test_a_pod_that_is_deleted_waits_no_more(world: World) -> None:
    world.pod("p")
    world.delete_pod("p")
    assert world.where("p") == "nowhere"


def test_a_pod_s_own_change_may_requeue_it(world: World) -> None:
    world.node("n1")
    unfit(world)
    world.update_pod("p", cpu="2", preemptionPolicy="Never")
    assert world.where("p") == "backoff"


def test_a_pod_that_loses_its_gates_is_tried(world: World) -> None:
    world.node("n1")
    world.pod("p", schedulingGates=[{"name": "wait"}])
    assert world.where("p") == "unschedulable"
    assert world.is_idle()
    world.update_pod("p")
    assert world.schedule("p").result == "scheduled"


def promised(world: World) -> None:
    """``nominated`` waits with a place on ``n1`` that ``guest`` has just left; ``other`` wants it too."""
    world.node("n1", cpu="4")
    world.pod("guest", cpu="4", priority=100, on="n1")
    world.pod("nominated", cpu="3", priority=5, nominated_to="n1", preemptionPolicy="Never")
    world.schedule("nominated")
    world.delete_pod("guest")
    world.schedule("other", cpu="2", priority=5, preemptionPolicy="Never")
    assert world.where("other") == "unschedulable"


def test_a_nominated_pod_that_is_deleted_gives_its_place_to_others(world: World) -> None:
    promised(world)
    world.delete_pod("nominated")
    assert world.where("other") == "backoff"


def test_a_pod_that_loses_its_nomination_does_so_too(world: World) -> None:
    promised(world)
    world.update_pod("nominated", cpu="3", priority=5, preemptionPolicy="Never")
    assert world.where("other") == "backoff"


def test_but_not_to_those_that_it_did_not_outrank(world: World) -> None:
    """A more important pod never minded the nomination: what refused it was something else."""
    world.node("n1", cpu="4")
    world.pod("guest", cpu="4", priority=100, on="n1")
    world.pod("nominated", cpu="3", priority=5, nominated_to="n1", preemptionPolicy="Never")
    world.schedule("nominated")
    world.schedule("important", cpu="2", priority=6, preemptionPolicy="Never")
    world.delete_pod("nominated")
    assert world.where("important") == "unschedulable"


def test_an_update_of_a_bound_pod_s_other_fields_is_nobody_s_event(world: World) -> None:
    world.node("n1", cpu="8")
    world.pod("there", cpu="1", on="n1")
    unfit(world)
    annotated = pod_object("there", "1", on="n1")
    annotated["metadata"]["annotations"] = {"note": "hello"}
    world.update(annotated)
    assert world.where("p") == "unschedulable"


# --- Other objects --------------------------------------------------------------------------------


def wants_a_claim(world: World) -> None:
    world.node("n1")
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    world.schedule("p", volumes=volumes)
    assert world.where("p") == "unschedulable"


CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "namespace": "default"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def test_an_object_that_a_plugin_waits_for_requeues_the_pod(world: World) -> None:
    wants_a_claim(world)
    world.create(CLAIM)
    assert world.where("p") == "backoff"


def test_it_may_come_and_go_any_number_of_times(world: World) -> None:
    world.create(CLAIM)
    world.update(CLAIM | {"metadata": CLAIM["metadata"] | {"labels": {"changed": "yes"}}})
    world.apply(Delete(Reference("PersistentVolumeClaim", "c", namespace="default")))
    wants_a_claim(world)


@pytest.mark.parametrize(
    "other",
    [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}},
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "r", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"a": "b"}}},
        },
    ],
)
def test_objects_that_no_plugin_asks_about_are_only_stored(world: World, other: dict[str, Any]) -> None:
    wants_a_claim(world)
    world.create(other)
    assert world.where("p") == "unschedulable"


def test_a_change_that_no_plugin_registered_for_moves_nobody(world: World) -> None:
    attachment = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": "a"},
        "spec": {"attacher": "csi.example.com", "nodeName": "n1", "source": {"persistentVolumeName": "v"}},
    }
    wants_a_claim(world)
    world.create(attachment)
    assert world.where("p") == "unschedulable"


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
