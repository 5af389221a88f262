# SPDX-License-Identifier: Apache-2.0
"""Extenders at work in the machine, asked over HTTP: what they strike, score, spare and bind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from world import FEASIBLE, World, configuration, pod_object, unresolvable

from refsched.records import Attempt, Bind
from refsched.suite.histories.extender_server import ANNOTATION, REFUSES, SCORE, serving

VERBS = {"filterVerb": "filter", "prioritizeVerb": "prioritize", "preemptVerb": "preempt", "weight": 1}
FIT_ONLY = {
    "schedulerName": "default-scheduler",
    "plugins": {
        "multiPoint": {
            "disabled": [{"name": "*"}],
            "enabled": [{"name": name} for name in ("PrioritySort", "DefaultBinder", "NodeResourcesFit")],
        },
        "score": {"disabled": [{"name": "*"}]},
    },
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


def world_with(url: str, *extenders: Mapping[str, Any], profiles: Any = ()) -> World:
    """Extenders ``a``, ``b`` … that filter, prioritize and preempt, and see names, unless told otherwise."""
    configured = [
        {"urlPrefix": f"{url}/{name}", "nodeCacheCapable": True} | VERBS | extender
        for name, extender in zip("abc", extenders, strict=False)
    ]
    return World(configuration(*profiles, extenders=configured))


def script(**by_extender: Any) -> dict[str, str]:
    return {ANNOTATION: json.dumps(by_extender)}


def with_script(world: World, name: str, answers: Mapping[str, str], **rest: Any) -> Attempt:
    """A pod with this annotation is scheduled next."""
    pod = pod_object(name, **rest)
    pod["metadata"]["annotations"] = dict(answers)
    world.create(pod)
    return world.schedule()


# --- Filter ---------------------------------------------------------------------------------------


def test_a_node_that_an_extender_strikes_is_not_taken(url: str) -> None:
    world = world_with(url, {})
    world.node("n1", cpu="8")
    world.node("n2")

    attempt = with_script(world, "p", script(a={"filter": {"n1": "Unschedulable"}}), cpu="1")

    assert attempt.node == "n2"
    assert attempt.filter == {"n1": FEASIBLE, "n2": FEASIBLE}
    assert (attempt.evaluated, attempt.feasible, attempt.scores) == (2, 1, None)


def test_a_pod_that_an_extender_lets_go_nowhere_waits_for_anything(url: str) -> None:
    world = world_with(url, {})
    world.node("n1")
    world.node("n2", cpu="1")
    refused = {"n1": "UnschedulableAndUnresolvable"}

    attempt = with_script(world, "p", script(a={"filter": refused}), cpu="2")

    assert attempt.result == "unschedulable"
    assert attempt.filter == {"n1": FEASIBLE, "n2": unresolvable("NodeResourcesFit", "Insufficient cpu")}
    assert attempt.unschedulable_plugins == ("Extender", "NodeResourcesFit")
    assert attempt.message is not None
    assert attempt.message.startswith("0/2 nodes are available: 1 Insufficient cpu, 1 refused by a. ")
    world.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {}})
    assert world.where("p") == "backoff"


def test_an_extender_is_asked_about_what_the_ones_before_it_left(url: str) -> None:
    world = world_with(url, {}, {})
    world.node("n1")
    answers = script(a={"filter": {"n1": "Unschedulable"}}, b={"filter": "Fail"})

    attempt = with_script(world, "p", answers)

    assert attempt.result == "unschedulable"


def test_a_failure_ends_the_cycle_with_its_error(url: str) -> None:
    world = world_with(url, {})
    world.node("n1")

    attempt = with_script(world, "p", script(a={"filter": "Error"}))

    assert (attempt.result, attempt.message) == ("error", "told to fail")
    assert attempt.filter == {"n1": FEASIBLE}
    assert attempt.unschedulable_plugins is None


def test_an_ignorable_extender_that_fails_strikes_nothing(url: str) -> None:
    world = world_with(url, {"ignorable": True})
    world.node("n1")

    assert with_script(world, "p", script(a={"filter": "Fail"})).node == "n1"


def test_an_extender_that_does_not_care_is_not_asked(url: str) -> None:
    managing = {"managedResources": [{"name": "x.y/gpu", "ignoredByScheduler": True}]}
    world = world_with(url, managing | {"bindVerb": "bind"})
    world.node("n1", pods="3")
    world.node("n2")
    failing = script(a={"filter": "Fail", "prioritize": "Fail", "bind": "Fail"})

    attempt = with_script(world, "p", failing)

    assert attempt.result == "scheduled"
    assert attempt.scores is not None
    assert f"{url}/a" not in attempt.scores["n1"]
    assert world.binds[-1].result == "bound"


def test_a_nominated_node_is_tried_with_extenders_too(url: str) -> None:
    world = world_with(url, {})
    world.node("n1")
    world.node("n2")

    assert with_script(world, "p", {}, nominated_to="n2").node == "n2"
    refused = script(a={"filter": {"n2": "Unschedulable"}})
    attempt = with_script(world, "q", refused, nominated_to="n2")
    assert (attempt.node, attempt.evaluated) == ("n1", 2)
    assert attempt.filter == {"n1": FEASIBLE, "n2": FEASIBLE}


def test_a_node_that_is_sent_back_scores_as_if_it_were_empty(url: str) -> None:
    world = world_with(url, {"nodeCacheCapable": False, "prioritizeVerb": ""})
    world.node("n1")
    world.node("n2")
    world.pod("held", cpu="3", on="n1")

    attempt = world.schedule("p", cpu="1")

    assert attempt.scores is not None
    assert attempt.scores["n1"] == attempt.scores["n2"]


def test_labels_decide_where_nodes_are_sent_whole(url: str) -> None:
    world = world_with(url, {"nodeCacheCapable": False})
    world.node("n1", labels={REFUSES: "Unschedulable"})
    world.node("n2", labels={SCORE: "2"})
    world.node("n3")

    attempt = world.schedule("p")

    assert attempt.node == "n2"
    assert attempt.scores is not None
    assert attempt.scores["n2"][f"{url}/a"] == 20
    assert attempt.scores["n3"][f"{url}/a"] == 0


def test_where_nobody_ranks_nodes_one_is_enough(url: str) -> None:
    for verbs, evaluated in (
        ({"filterVerb": "", "prioritizeVerb": ""}, 1),
        ({"filterVerb": ""}, 3),
        ({"prioritizeVerb": ""}, 3),
    ):
        world = world_with(url, verbs, profiles=[FIT_ONLY])
        for name in ("n1", "n2", "n3"):
            world.node(name)
        assert world.schedule("p").evaluated == evaluated


# --- Prioritize -----------------------------------------------------------------------------------


def test_scores_add_up(url: str) -> None:
    world = world_with(url, {"weight": 2}, {"weight": 3}, {"ignorable": True}, profiles=[FIT_ONLY])
    world.node("n1")
    world.node("n2")
    answers = script(a={"prioritize": {"n1": 1}}, b={"prioritize": {"n2": 4}}, c={"prioritize": "Error"})

    attempt = with_script(world, "p", answers)

    a, b = f"{url}/a", f"{url}/b"
    assert attempt.scores == {"n1": {a: 20, b: 0}, "n2": {a: 0, b: 120}}
    assert attempt.totals == {"n1": 20, "n2": 120}
    assert attempt.node == "n2"


def test_two_extenders_at_one_url_are_reported_as_one(url: str) -> None:
    world = world_with(url, {}, {"urlPrefix": f"{url}/a"}, profiles=[FIT_ONLY])
    world.node("n1")
    world.node("n2")

    attempt = with_script(world, "p", script(a={"prioritize": {"n1": 1}}))

    assert attempt.scores == {"n1": {f"{url}/a": 20}, "n2": {f"{url}/a": 0}}


# --- Preempt --------------------------------------------------------------------------------------


def test_an_extender_may_reprieve_victims(url: str) -> None:
    world = world_with(url, {"filterVerb": ""})
    for node in ("n1", "n2"):
        world.node(node, cpu="2")
        world.pod(f"low-{node}", cpu="1", on=node)
        world.pod(f"mid-{node}", cpu="1", on=node, priority=1)
    answers = script(a={"preempt": {"n1": "Refuse", "n2": 1}})

    attempt = with_script(world, "p", answers, cpu="2", priority=5)

    assert (attempt.nominated_node, attempt.victims) == ("n2", ("default/mid-n2",))


def test_an_extender_that_fails_ends_preemption(url: str) -> None:
    world = world_with(url, {"nodeCacheCapable": False})
    world.node("n1", cpu="2")
    world.pod("low", cpu="1", on="n1")

    attempt = with_script(world, "p", script(a={"preempt": "Error"}), cpu="2", priority=5)

    assert attempt.victims is None
    assert attempt.message is not None
    assert attempt.message.endswith(f"failed preempt with extender at URL {url}/a/preempt, code 500")


# --- Bind -----------------------------------------------------------------------------------------


def bound(world: World) -> Bind:
    return world.binds[-1]


def test_an_extender_binds_before_the_plugins(url: str) -> None:
    world = world_with(url, {"bindVerb": "bind"})
    world.node("n1")

    with_script(world, "p", {}, script={"ScriptedBinder": {"bind": "Error"}})

    assert bound(world).result == "bound"
    assert "ScriptedBinder.bind" not in (bound(world).calls or ())
    assert world.on("n1") == ["p"]


def test_a_binding_that_the_extender_refuses_fails(url: str) -> None:
    world = world_with(url, {"bindVerb": "bind"})
    world.node("n1")

    with_script(world, "p", script(a={"bind": "Error"}))

    assert (bound(world).result, bound(world).message) == ("error", "told to fail")
    assert world.on("n1") == []


def test_where_an_ignorable_extender_fails_the_plugins_bind(url: str) -> None:
    world = world_with(url, {"bindVerb": "bind", "ignorable": True})
    world.node("n1")

    with_script(world, "p", script(a={"bind": "Fail"}))

    assert bound(world).result == "bound"
    assert bound(world).calls is not None
    assert "ScriptedBinder.bind" in bound(world).calls


def test_a_binding_that_the_api_server_refuses_fails(url: str) -> None:
    world = world_with(url, {"bindVerb": "bind"})
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"preBind": "Hold"}})
    world.delete_pod("p")

    world.release("p")

    assert (bound(world).result, bound(world).message) == ("error", 'pods "p" not found')
