# SPDX-License-Identifier: Apache-2.0
"""Extenders at work in the machine, asked over HTTP: what they strike, score, spare and bind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from world import FEASIBLE, World, configuration, pod_object

from refsched.records import Attempt, Bind
from refsched.suite.histories.extender_server import ANNOTATION, serving

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


def test_a_failure_ends_the_cycle_with_its_error(url: str) -> None:
    world = world_with(url, {})
    world.node("n1")

    attempt = with_script(world, "p", script(a={"filter": "Error"}))

    assert (attempt.result, attempt.message) == ("error", "told to fail")
    assert attempt.filter == {"n1": FEASIBLE}
    assert attempt.unschedulable_plugins is None


def test_a_nominated_node_is_tried_with_extenders_too(url: str) -> None:
    world = world_with(url, {})
    world.node("n1")
    world.node("n2")

    assert with_script(world, "p", {}, nominated_to="n2").node == "n2"
    refused = script(a={"filter": {"n2": "Unschedulable"}})
    attempt = with_script(world, "q", refused, nominated_to="n2")
    assert (attempt.node, attempt.evaluated) == ("n1", 2)
    assert attempt.filter == {"n1": FEASIBLE, "n2": FEASIBLE}


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


# --- Bind -----------------------------------------------------------------------------------------


def bound(world: World) -> Bind:
    return world.binds[-1]


def test_a_binding_that_the_extender_refuses_fails(url: str) -> None:
    world = world_with(url, {"bindVerb": "bind"})
    world.node("n1")

    with_script(world, "p", script(a={"bind": "Error"}))

    assert (bound(world).result, bound(world).message) == ("error", "told to fail")
    assert world.on("n1") == []


def test_a_binding_that_the_api_server_refuses_fails(url: str) -> None:
    world = world_with(url, {"bindVerb": "bind"})
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"preBind": "Hold"}})
    world.delete_pod("p")

    world.release("p")

    assert (bound(world).result, bound(world).message) == ("error", 'pods "p" not found')
