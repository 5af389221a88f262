# SPDX-License-Identifier: Apache-2.0
"""The specification as an implementation: requests as methods, answers as JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from world import configuration, node_object, pod_object

from refsched import reference
from refsched.errors import InputError
from refsched.plugins.scripted import ANNOTATION
from refsched.processes.implementation import Implementation
from refsched.reference import ReferenceScheduler
from refsched.releases import RELEASES


@pytest.fixture
def scheduler() -> ReferenceScheduler:
    """It has one node."""
    scheduler = reference.create(configuration())
    scheduler.create(node_object("n1"))
    return scheduler


def test_it_is_what_an_implementation_is(scheduler: ReferenceScheduler) -> None:
    implementation: Implementation = scheduler
    hello = implementation.hello()
    assert (hello["name"], hello["kubernetes"]) == ("refsched", "1.37")
    assert {"filter", "score", "queue", "cache", "hold"} <= set(hello["capabilities"])


def test_answers_can_be_written_as_json(scheduler: ReferenceScheduler) -> None:
    answers = [scheduler.create(pod_object("p", "1")), scheduler.schedule(), scheduler.observe()]
    assert json.loads(json.dumps(answers)) == answers


def test_a_pod_is_scheduled_and_bound(scheduler: ReferenceScheduler) -> None:
    assert scheduler.create(pod_object("p", "1")) == {"records": []}
    attempt, bind = scheduler.schedule()["records"]
    assert (attempt["attempt"]["pod"], attempt["attempt"]["node"]) == ("default/p", "n1")
    assert bind["bind"]["result"] == "bound"
    assert scheduler.schedule() == {"idle": True}


def test_what_it_sees_can_be_observed(scheduler: ReferenceScheduler) -> None:
    scheduler.create(pod_object("p"))
    assert scheduler.observe() == {
        "records": [
            {"queues": {"active": ["default/p"], "backoff": [], "unschedulable": []}},
            {"nodes": {"n1": {"pods": [], "milliCPU": 0, "memory": 0}}},
        ]
    }


def test_every_input_is_a_method(scheduler: ReferenceScheduler) -> None:
    scheduler.create(pod_object("p", script={"ScriptedA": {"permit": "Wait", "reserve": "Hold"}}))
    held = scheduler.schedule()
    assert held == {
        "records": [],
        "held": {"pod": "default/p", "point": "reserve", "plugin": "ScriptedA"},
    }
    [attempt] = scheduler.release("default/p")["records"]
    assert attempt["attempt"]["waiting"]
    assert scheduler.advance(10) == {"records": []}
    [bind] = scheduler.permit("default/p", "reject", "ScriptedA")["records"]
    assert bind["bind"]["unschedulablePlugins"] == ["ScriptedA"]
    changed = pod_object("p", labels={"changed": "yes"})
    assert scheduler.update(changed) == {"records": []}
    named = {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "p"}
    assert scheduler.delete(named) == {"records": []}
    assert scheduler.delete({"kind": "Node", "name": "n1"}) == {"records": []}
    assert scheduler.observe()["records"][1] == {"nodes": {}}


def test_a_driver_may_name_the_pod(scheduler: ReferenceScheduler) -> None:
    scheduler.create(pod_object("a"))
    scheduler.create(pod_object("b"))
    [attempt, _] = scheduler.schedule("default/b")["records"]
    assert attempt["attempt"]["pod"] == "default/b"
    assert scheduler.schedule("default/b") == {"error": "default/b does not wait to be scheduled"}


@pytest.mark.parametrize("release", RELEASES)
def test_a_driver_may_name_a_pod_that_was_found_unschedulable(release: str) -> None:
    config = {"apiVersion": RELEASES[release].api_versions[0], "kind": "KubeSchedulerConfiguration"}
    scheduler = reference.create(config, kubernetes=release)
    scheduler.create(pod_object("p"))
    assert scheduler.schedule("default/p") == scheduler.schedule("default/p")


def test_while_a_scheduling_cycle_is_held_none_begins(scheduler: ReferenceScheduler) -> None:
    scheduler.create(pod_object("p", script={"ScriptedA": {"reserve": "Hold"}}))
    scheduler.schedule()
    assert scheduler.schedule() == {
        "unsupported": "a scheduling cycle is held, and kube-scheduler runs one at a time"
    }


def test_what_is_wrong_is_raised(scheduler: ReferenceScheduler) -> None:
    with pytest.raises(InputError):
        scheduler.create({"apiVersion": "v1", "kind": "Wombat"})
    with pytest.raises(InputError, match=ANNOTATION.replace(".", r"\.")):
        scheduler.create(pod_object("p", script={"ScriptedA": {"reserve": "No"}}))
    with pytest.raises(InputError):
        reference.create({"kind": "Deployment"})


def nodes_of_ties(seed: int) -> list[Any]:
    scheduler = reference.create(configuration(), seed=seed, start=datetime(2026, 2, 3, tzinfo=UTC))
    for i in range(5):
        scheduler.create(node_object(f"n{i}"))
    taken = []
    for i in range(8):
        scheduler.create(pod_object(f"p{i}"))
        taken.append(scheduler.schedule()["records"][0]["attempt"]["node"])
    return taken


def test_ties_are_drawn_from_the_seed() -> None:
    assert nodes_of_ties(1) == nodes_of_ties(1)
    assert len({tuple(nodes_of_ties(seed)) for seed in range(5)}) > 1


def test_feature_gates_are_read() -> None:
    assert reference.create(configuration(), feature_gates={"DynamicResourceAllocation": True})
    with pytest.raises(InputError, match="NoSuchGate"):
        reference.create(configuration(), feature_gates={"NoSuchGate": True})
