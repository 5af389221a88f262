# SPDX-License-Identifier: Apache-2.0
"""PostFilter in the cycle: room is made by evicting others, and what that does to them."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import frozen
from world import World, configuration, profile, unschedulable

from refsched.cycle.cycle import Cycle
from refsched.cycle.decide import Decision
from refsched.cycle.post_filter import run_post_filter
from refsched.framework.cycle_state import CycleState, PreFilterResult
from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.runtime import Framework
from refsched.framework.status import SUCCESS, error, unresolvable
from refsched.framework.status import unschedulable as refusal
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.queue.queued_pod import QueuedPod
from refsched.records import Bind, Write

# --- Preemption, from the refusal to the place ----------------------------------------------------


def test_a_more_important_pod_evicts_and_is_promised_the_room(world: World) -> None:
    world.node("n1", cpu="4")
    world.pod("victim", cpu="3", on="n1")

    attempt = world.schedule("preemptor", cpu="2", priority=10)

    assert attempt.result == "unschedulable"
    assert (attempt.nominated_node, attempt.victims) == ("n1", ("default/victim",))
    assert attempt.message == (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n1,"
        " preempting 1 victims"
    )
    assert [write.verb for write in world.writes] == ["delete"]
    assert world.writes[0].object["metadata"]["name"] == "victim"
    assert nominated_node(world, "preemptor") == "n1"


def nominated_node(world: World, pod: str) -> str:
    stored = world.machine.state.api.get(Pod, pod, "default")
    assert stored is not None
    return stored.status.nominated_node_name


def test_the_victim_gets_a_condition_before_it_is_deleted(world: World) -> None:
    world.node("n1")
    world.pod("victim", cpu="3", on="n1")
    world.schedule("preemptor", cpu="2", priority=10)
    victim = world.machine.state.api.get(Pod, "victim", "default")
    assert victim is not None
    [condition] = victim.status.conditions
    assert (condition.type, condition.reason) == ("DisruptionTarget", "PreemptionByScheduler")
    assert condition.message == "default-scheduler: preempting to accommodate a higher priority pod"


def test_the_preemptor_takes_the_place_once_the_victim_is_deleted(world: World) -> None:
    world.node("n1", cpu="4")
    world.pod("victim", cpu="3", on="n1")
    world.schedule("preemptor", cpu="2", priority=10)
    world.delete_pod("victim")
    assert world.where("preemptor") == "backoff"
    attempt = world.schedule("preemptor")
    assert (attempt.result, attempt.node) == ("scheduled", "n1")


def test_nobody_of_lower_priority_slips_into_the_room(world: World) -> None:
    world.node("n1", cpu="4")
    world.pod("victim", cpu="3", on="n1")
    world.schedule("preemptor", cpu="4", priority=10)
    world.delete_pod("victim")
    assert world.schedule("preemptor").node == "n1"
    assert world.schedule("slipper", cpu="1", preemptionPolicy="Never").filter == {
        "n1": unschedulable("NodeResourcesFit", "Insufficient cpu")
    }


def test_a_pod_of_lower_priority_that_was_promised_the_node_loses_the_promise(world: World) -> None:
    world.node("n1", cpu="4")
    world.pod("victim", cpu="3", on="n1")
    world.schedule("outranked", cpu="2", priority=10)
    assert nominated_node(world, "outranked") == "n1"
    world.schedule("outranking", cpu="4", priority=20)
    assert nominated_node(world, "outranking") == "n1"
    assert nominated_node(world, "outranked") == ""


@pytest.mark.parametrize(
    ("release", "result", "message"),
    [
        ("1.35", "unschedulable", "0/1 nodes are available: 1 preempted."),
        ("1.37", "error", "waiting on permit for pod: preempted"),
    ],
)
def test_a_victim_that_waits_on_permit_is_rejected_and_not_deleted(
    release: str, result: str, message: str
) -> None:
    world = World(kubernetes=release)
    world.node("n1", cpu="4")
    world.schedule("victim", cpu="3", script={"ScriptedA": {"permit": "Wait"}})

    caused = world.pop("preemptor", cpu="2", priority=10)

    assert world.attempts[-1].victims == ("default/victim",)
    assert world.writes == []
    [bind] = [record for record in caused if isinstance(record, Bind)]
    assert (bind.pod, bind.result, bind.message) == ("default/victim", result, message)


def test_a_victim_that_was_deleted_already_is_an_error_and_the_preemptor_is_tried_again() -> None:
    """It still counts on its node in v1.34, since its binding has not failed yet."""
    world = World(kubernetes="1.34")
    world.node("n1", cpu="4")
    world.schedule("victim", cpu="3", script={"ScriptedA": {"preBind": "Hold"}})
    world.delete_pod("victim")
    assert world.on("n1") == ["victim"]

    attempt = world.schedule("preemptor", cpu="2", priority=10)

    assert attempt.victims == ("default/victim",)
    assert world.writes == []
    assert world.where("preemptor") == "backoff"
    world.release("victim")
    assert world.schedule("preemptor").node == "n1"


def test_where_no_eviction_helps_the_message_says_so(world: World) -> None:
    world.node("n1", unschedulable=True)
    attempt = world.schedule("p", nominated_to="n1")
    assert attempt.nominated_node == ""
    assert attempt.message == (
        "0/1 nodes are available: 1 node(s) were unschedulable. "
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )


@pytest.mark.parametrize(("release", "left", "nominated"), [("1.34", None, "n1"), ("1.35", "", "")])
def test_without_postfilter_a_nomination_is_lost_since_v1_35(
    release: str, left: str | None, nominated: str
) -> None:
    nowhere = profile(postFilter={"disabled": [{"name": "*"}]})
    world = World(configuration(nowhere), kubernetes=release)
    world.node("n1", unschedulable=True)
    attempt = world.schedule("p", nominated_to="n1")
    assert attempt.nominated_node == left
    assert attempt.message == "0/1 nodes are available: 1 node(s) were unschedulable."
    assert nominated_node(world, "p") == nominated


# --- Several plugins ------------------------------------------------------------------------------


@frozen
class Helper:
    """A PostFilter plugin that answers what it is told."""

    name: str
    result: PostFilterResult

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        return self.result


def outcome_of(*results: PostFilterResult) -> tuple[str, str | None]:
    """The message and the nomination that are left when plugins answer so, one after the other."""
    world = World()
    world.node("n1")
    world.pod("p")
    scheduler = world.machine.state
    pod = scheduler.queue.heads()[0]
    helpers: list[Any] = [Helper(f"H{i}", result) for i, result in enumerate(results)]
    framework = Framework("default-scheduler", post_filter_plugins=helpers)
    cycle = Cycle(scheduler, framework, QueuedPod(pod.info, 0.0))
    decision = Decision(PreFilterResult(SUCCESS, CycleState()))
    outcome = run_post_filter(cycle, pod.info, scheduler.snapshot(), decision)
    return outcome.message, outcome.nominated_node


@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ([PostFilterResult(refusal("a"), "n1"), PostFilterResult(refusal("b"))], ("a, b", "n1")),
        ([PostFilterResult(refusal("a"), "n1"), PostFilterResult(refusal("b"), "")], ("a, b", "")),
        ([PostFilterResult(refusal("a")), PostFilterResult(SUCCESS, "n1")], ("", "n1")),
        ([PostFilterResult(SUCCESS, "n1"), PostFilterResult(refusal("not asked"))], ("", "n1")),
        ([PostFilterResult(unresolvable("never")), PostFilterResult(refusal("not asked"))], ("never", None)),
        ([PostFilterResult(error("broken"), ""), PostFilterResult(refusal("not asked"))], ("broken", None)),
    ],
)
def test_plugins_add_up_until_one_decides(
    results: list[PostFilterResult], outcome: tuple[str, str | None]
) -> None:
    assert outcome_of(*results) == outcome


def test_who_is_outranked_and_has_no_nomination_loses_none() -> None:
    outranked = PodInfo(read_as(Pod, {"metadata": {"name": "p", "namespace": "default"}}))
    assert outcome_of(PostFilterResult(SUCCESS, "n1", outranked=(outranked,))) == ("", "n1")


def test_what_is_written_is_reported_after_the_attempt(world: World) -> None:
    world.node("n1")
    world.pod("victim", cpu="3", on="n1")
    caused = world.pop("preemptor", cpu="2", priority=10)
    assert [type(record).__name__ for record in caused] == ["Attempt", "Write"]
    assert isinstance(caused[1], Write)
