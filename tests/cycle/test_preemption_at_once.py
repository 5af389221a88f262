# SPDX-License-Identifier: Apache-2.0
"""Preemption without SchedulerAsyncPreemption: it is over, or has failed, before the cycle ends."""

from __future__ import annotations

from typing import Any

from world import configuration, node_object, pod_object

from refsched.reference import ReferenceScheduler, create
from refsched.releases import DEFAULT

OFF = {"SchedulerAsyncPreemption": False}


def scheduler(kubernetes: str = DEFAULT.name) -> ReferenceScheduler:
    made = create(configuration(), feature_gates=OFF, kubernetes=kubernetes)
    made.create(node_object("n1", cpu="2"))
    return made


def attempt(made: ReferenceScheduler) -> dict[str, Any]:
    seen: dict[str, Any] = made.schedule()["records"][0]["attempt"]
    return seen


def nominated_pods(made: ReferenceScheduler) -> list[str]:
    found = made._machine.state.queue.nominated_pods_for_node("n1")
    return [info.pod.name for info in found]


def test_victims_make_room_and_nominations_of_lesser_pods_go() -> None:
    made = scheduler()
    made.create(pod_object("victim", cpu="1", on="n1"))
    made.create(pod_object("lesser", cpu="2", priority=1, nominated_to="n1"))
    made.create(pod_object("unnamed", cpu="64", priority=9))
    assert attempt(made)["result"] == "unschedulable"
    made.create(pod_object("preemptor", cpu="2", priority=5))

    seen = attempt(made)

    assert (seen["nominatedNode"], seen["victims"]) == ("n1", ["default/victim"])
    assert nominated_pods(made) == ["preemptor"]


def test_a_victim_that_was_deleted_already_makes_an_error_of_the_preemption() -> None:
    """It still counts on its node in v1.34, since its binding has not failed yet."""
    made = scheduler("1.34")
    made.create(pod_object("victim", cpu="1", script={"ScriptedA": {"preBind": "Hold"}}))
    made.schedule()
    made.delete({"kind": "Pod", "name": "victim", "namespace": "default"})
    made.create(pod_object("preemptor", cpu="2", priority=5))

    seen = attempt(made)

    message = '0/1 nodes are available: 1 Insufficient cpu. preemption: pods "victim" not found'
    assert (seen["message"], seen["victims"]) == (message, ["default/victim"])
    assert "nominatedNode" not in seen
    assert nominated_pods(made) == []
    queues = made.observe()["records"][0]["queues"]
    assert queues["unschedulable"] == ["default/preemptor"]
