# SPDX-License-Identifier: Apache-2.0
"""Inputs: records become the machine's calls, with the API server's defaults filled in."""

from __future__ import annotations

import pytest
from world import World, node_object, pod_object

from refsched.errors import InputError
from refsched.objects.pod import Pod
from refsched.objects.priority_class import PriorityClass
from refsched.records import Delete, Reference


def stored(world: World, pod: str, namespace: str = "default") -> Pod:
    found = world.machine.state.api.get(Pod, pod, namespace)
    assert found is not None
    return found


def test_an_object_gets_a_namespace_and_a_uid_that_it_keeps(world: World) -> None:
    world.pod("p")
    created = stored(world, "p")
    world.update_pod("p", labels={"changed": "yes"})
    assert created.uid
    assert stored(world, "p").uid == created.uid
    assert stored(world, "p").labels == {"changed": "yes"}


def test_a_pod_that_comes_anew_is_another(world: World) -> None:
    world.pod("p")
    first = stored(world, "p").uid
    world.delete_pod("p")
    world.pod("p")
    assert stored(world, "p").uid != first


def test_a_namespace_that_is_given_is_kept(world: World) -> None:
    there = pod_object("p")
    there["metadata"]["namespace"] = "team"
    world.create(there)
    world.update(there)
    assert stored(world, "p", "team").key == "team/p"
    world.apply(Delete(Reference("Pod", "p", namespace="team")))
    assert world.where("p") == "nowhere"


def test_a_priority_class_gives_its_priority(world: World) -> None:
    important = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "important"},
        "value": 1000,
    }
    world.create(important)
    assert world.machine.state.objects.list(PriorityClass)
    container = {"name": "c", "image": "i"}
    world.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p"},
            "spec": {"priorityClassName": "important", "containers": [container]},
        }
    )
    assert stored(world, "p").priority == 1000


def test_what_is_wrong_with_an_input_is_reported(world: World) -> None:
    world.node("n1")
    with pytest.raises(InputError, match="Node n1: exists already"):
        world.node("n1")
    with pytest.raises(InputError, match="Node n2: does not exist, so it cannot be updated"):
        world.update(node_object("n2"))
    with pytest.raises(InputError, match="Pod default/p: does not exist, so it cannot be deleted"):
        world.delete_pod("p")
    with pytest.raises(InputError):
        world.apply(Delete(Reference("Wombat", "w")))
    with pytest.raises(InputError, match="cpu"):
        world.pod("p", cpu="two")
