# SPDX-License-Identifier: Apache-2.0
"""What a change does to a cluster, over many seeds."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from attrs import evolve
from plan_world import Json, node, objects_of, pod, scheduler, thing

from refsched.errors import InputError
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.remembering import remember
from refsched.tools.planner.edits import Objects, copies_of, cordon, delete_node, drain, nodes_like, scale
from refsched.tools.planner.forked_trials import in_forked_processes
from refsched.tools.planner.held_choices import HeldChoices
from refsched.tools.planner.trials import Prepared, changed, prepare
from refsched.tools.planner.what_if import WhatIf, what_if

SEEDS = 4
FORK = os.fork


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests do without processes, in which no coverage is measured."""
    monkeypatch.delattr(os, "fork")


def compared(edit: Callable[[Objects], Objects], *values: Json, seeds: int = SEEDS) -> WhatIf:
    objects = objects_of(*values)

    def prepared() -> Prepared:
        return prepare(remember(scheduler()), objects)

    def anew(before: Prepared) -> Prepared:
        return prepare(remember(scheduler()), edit(objects))

    found = what_if(prepared, lambda before: changed(before, edit(objects)), seeds)
    assert found == what_if(prepared, anew, seeds)
    return found


def owned(name: str, owner: str = "web", kind: str = "ReplicaSet", **more: object) -> Json:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": owner, "controller": True}
    return pod(name, meta={"ownerReferences": [reference]}, **more)  # type: ignore[arg-type]


def names(objects: Objects) -> list[tuple[str, str]]:
    return [(shown.name, shown.spec.node_name) for shown in objects if isinstance(shown, Pod)]


# --- Luck is not taken for a difference -----------------------------------------------------------


def test_where_nothing_changes_no_seed_differs_though_choices_do() -> None:
    nodes = [node(f"n{number}") for number in range(6)]
    found = compared(lambda objects: objects, *nodes, *(pod(f"p{number}") for number in range(5)))
    assert (found.certain, found.by_luck) == ((), ())
    assert any(len(set(each.before)) > 1 for each in found.pods)


def test_a_node_that_is_no_choice_does_not_alter_the_others() -> None:
    nodes = [node(f"n{number}") for number in range(5)]
    found = compared(lambda objects: cordon(objects, "full"), *nodes, node("full", cpu="0"), pod("p"))
    assert [each.before for each in found.pods] == [each.after for each in found.pods]


def test_the_same_option_is_chosen_among_fewer() -> None:
    options = [f"n{number}" for number in range(9)]
    for seed in range(9):
        chosen = HeldChoices(seed).choose("node", options)
        assert HeldChoices(seed).choose("node", [chosen, *options[:2]]) == chosen


# --- Edits ----------------------------------------------------------------------------------------


def test_pods_of_a_drained_node_ask_for_a_place_again() -> None:
    values = (node("n1"), node("n2"), pod("r", on="n1"), pod("d", on="n1"), pod("other", on="n2"))
    found = compared(lambda objects: drain(objects, "n1"), *values)
    assert [(each.pod, set(each.before), set(each.after)) for each in found.certain] == [
        ("default/d", {"n1"}, {"n2"}),
        ("default/r", {"n1"}, {"n2"}),
    ]
    assert found.certain[0].why == "NodeUnschedulable rejects n1: node(s) were unschedulable (R-CORDON-01)"
    deleted = compared(lambda objects: delete_node(objects, "n1"), *values)
    assert [each.why for each in deleted.certain] == ["n1 was deleted", "n1 was deleted"]


def test_pods_of_daemon_sets_and_static_pods_leave_with_their_node() -> None:
    static = pod("s", on="n1", meta={"annotations": {"kubernetes.io/config.mirror": "x"}})
    objects = objects_of(node("n1"), owned("d", kind="DaemonSet", on="n1"), static, pod("r", on="n1"))
    assert names(drain(objects, "n1")) == [("d", "n1"), ("r", ""), ("s", "n1")]
    assert names(delete_node(objects, "n1")) == [("r", "")]


def test_a_deleted_node_is_no_place_any_more() -> None:
    values = (node("n1"), node("n2", cpu="1"), pod("r", on="n1", cpu="2"))
    [changed] = compared(lambda objects: delete_node(objects, "n1"), *values).certain
    assert set(changed.after) == {""}
    assert changed.why == "NodeResourcesFit: Insufficient cpu (R-FIT-02)"


def test_nodes_like_another_are_schedulable_and_have_names_of_their_own() -> None:
    labels = {"kubernetes.io/hostname": "n1", "zone": "a"}
    objects = objects_of(node("n1", labels=labels, unschedulable=True), node("n1-2"))
    added = [shown for shown in nodes_like(objects, "n1", 2)[len(objects) :] if isinstance(shown, Node)]
    assert [each.name for each in added] == ["n1-1", "n1-3"]
    assert [each.metadata.labels["kubernetes.io/hostname"] for each in added] == ["n1-1", "n1-3"]
    assert not any(each.spec.unschedulable for each in added)
    found = compared(lambda given: nodes_like(given, "n1", 1), node("n1", cpu="1"), pod("p"), pod("q"))
    assert found.counts() == (
        {"always": 0, "sometimes": 2, "never": 0},
        {"always": 2, "sometimes": 0, "never": 0},
    )


def test_a_controller_is_scaled_up_with_pods_like_its_first_and_down_by_those_that_wait() -> None:
    objects = objects_of(node("n1"), owned("web-a", on="n1"), owned("web-b"))
    assert names(scale(objects, "ReplicaSet", "web", 1)) == [("web-a", "n1")]
    assert [name for name, _ in names(scale(objects, "replicaset", "default/web", 4))] == [
        "web-a",
        "web-b",
        "web-a-1",
        "web-a-2",
    ]


def test_a_copy_has_a_uid_of_its_own_whatever_its_model_states() -> None:
    [running, model] = (each for each in objects_of(pod("a", meta={"uid": "u"}), pod("b", meta={"uid": "v"})))
    assert isinstance(model, Pod)
    same = evolve(model, metadata=evolve(model.metadata, uid="u"))
    copies = list(copies_of(same, [running], 2))
    assert [each.name for each in copies] == ["b", "b-1"]
    assert len({"u", *(each.uid for each in copies)}) == 3


def test_a_deployment_is_scaled_by_its_newest_replica_set_that_has_pods() -> None:
    def replica_set(name: str, day: int) -> Json:
        owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
        created = f"2026-01-0{day}T00:00:00Z"
        return thing(
            "ReplicaSet", name, "apps/v1", meta={"ownerReferences": [owner], "creationTimestamp": created}
        )

    sets = (replica_set("web-1", 1), replica_set("web-2", 2), replica_set("web-3", 3))
    objects = objects_of(node("n1"), *sets, owned("a", "web-1"), owned("b", "web-2"))
    assert [name for name, _ in names(scale(objects, "Deployment", "web", 2))] == ["a", "b", "b-1"]
    with pytest.raises(InputError, match="did you mean ReplicaSet/web-1"):
        scale(objects_of(node("n1"), owned("a", "web-1")), "Deployment", "web", 2)


def test_what_is_not_there_cannot_be_changed() -> None:
    objects = objects_of(
        node("node-1"),
        owned("a"),
        owned("b") | {"metadata": {**owned("b")["metadata"], "namespace": "other"}},
    )
    with pytest.raises(InputError, match="there is no such node; did you mean node-1"):
        drain(objects, "node-2")
    with pytest.raises(InputError, match=r"no such node$"):
        cordon(objects, "x")
    with pytest.raises(InputError, match="no pod is managed by this"):
        scale(objects, "ReplicaSet", "db", 1)
    with pytest.raises(InputError, match="is in the namespaces default, other"):
        scale(objects, "ReplicaSet", "web", 1)


# --- Victims --------------------------------------------------------------------------------------


def test_victims_that_find_no_place_again_are_named() -> None:
    values = (
        node("n1", cpu="2"),
        node("n2", cpu="2"),
        pod("low", cpu="2", on="n2", priority=1),
        pod("high", cpu="2", on="n1", priority=9),
    )
    found = compared(lambda objects: delete_node(objects, "n1"), *values)
    assert found.victims == {"default/low": 100}
    low = next(each for each in found.pods if each.pod == "default/low")
    assert (set(low.before), set(low.after), low.is_certain) == ({"n2"}, {""}, True)
    assert low.why.startswith("preempted from n2 for default/high")


def test_a_victim_that_finds_a_place_again_is_not_lost() -> None:
    values = (
        node("n1", cpu="4"),
        node("n2", cpu="4"),
        node("n3", cpu="1"),
        pod("low", cpu="1", on="n2", priority=1),
        pod("high", cpu="4", on="n1", priority=9),
    )
    found = compared(lambda objects: delete_node(objects, "n1"), *values)
    assert found.victims == {"default/low": 0}
    assert found.used[1] == {"n2": 100, "n3": 100}


def test_the_plugin_that_is_ahead_most_is_named_where_scores_decide() -> None:
    preferred = {
        "affinity": {
            "nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 100,
                        "preference": {
                            "matchExpressions": [{"key": "good", "operator": "In", "values": ["yes"]}]
                        },
                    }
                ]
            }
        }
    }
    values = (node("n1"), pod("p", **preferred))

    def with_better_node(objects: Objects) -> Objects:
        return (*objects, *objects_of(node("n2", labels={"good": "yes"})))

    [changed] = compared(with_better_node, *values).certain
    assert changed.why.startswith("total ")
    assert changed.why.endswith("(most by NodeAffinity, +200)")


def test_a_gated_pod_says_why_it_is_never_placed() -> None:
    def gate(objects: Objects) -> Objects:
        return objects_of(node("n1"), pod("p", schedulingGates=[{"name": "quota"}]))

    [changed] = compared(gate, node("n1"), pod("p")).certain
    assert changed.why == "waiting for scheduling gates: [quota]"


# --- Processes ------------------------------------------------------------------------------------


def test_forked_processes_find_the_same_as_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    values = (node("n1"), node("n2"), pod("r", on="n1"), pod("p"))
    here = compared(lambda objects: drain(objects, "n1"), *values)
    monkeypatch.setattr(os, "fork", FORK, raising=False)
    assert compared(lambda objects: drain(objects, "n1"), *values) == here


def test_a_process_that_ends_early_or_refuses_its_input_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", FORK, raising=False)

    def refuse(state: None, way: int) -> None:
        raise InputError("is wrong", where="it")

    def end(state: None, way: int) -> None:
        os._exit(3)

    with pytest.raises(InputError, match="it: is wrong"):
        list(in_forked_processes(lambda: None, [1], refuse))
    with pytest.raises(RuntimeError, match="ended before it had answered"):
        list(in_forked_processes(lambda: None, [1], end))
