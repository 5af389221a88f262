# SPDX-License-Identifier: Apache-2.0
"""The machine: whose turn it is, what moves the clock, and what cannot be asked of it."""

from __future__ import annotations

import time

import pytest
from world import World, configuration, pod_object, profile

from refsched.errors import InputError
from refsched.machine.scheduler import CycleHeldError
from refsched.records import Attempt, Bind, NodeUsage

# --- Whose turn it is -----------------------------------------------------------------------------


def test_the_more_important_pod_is_tried_first(world: World) -> None:
    world.node("n1")
    world.pod("early")
    world.pod("important", priority=10)
    assert world.schedule().pod == "default/important"
    assert world.schedule().pod == "default/early"
    assert world.is_idle()


def test_of_equal_pods_the_one_that_waits_longer_is_tried_first(world: World) -> None:
    world.node("n1")
    world.pod("b")
    world.advance(1)
    world.pod("a")
    assert world.schedule().pod == "default/b"


def test_a_driver_may_say_which_pod_is_tried(world: World) -> None:
    world.node("n1")
    world.pod("first", priority=10)
    world.pod("second")
    assert world.machine.schedule("default/second")
    [attempt, _] = world.machine.take_records()
    assert isinstance(attempt, Attempt)
    assert attempt.pod == "default/second"
    with pytest.raises(KeyError):
        world.machine.schedule("default/second")


def test_a_pod_that_is_being_deleted_is_popped_and_skipped(world: World) -> None:
    world.node("n1")
    dying = pod_object("dying", priority=10)
    dying["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    world.create(dying)
    world.pod("other")
    assert world.schedule().pod == "default/other"
    assert world.where("dying") == "nowhere"


def test_skipping_may_leave_nobody(world: World) -> None:
    world.node("n1")
    dying = pod_object("dying")
    dying["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    world.create(dying)
    assert world.is_idle()


def test_a_pod_of_another_scheduler_is_nobody_s_turn(world: World) -> None:
    world.node("n1")
    world.pod("p", schedulerName="somebody-else")
    assert world.is_idle()
    assert world.where("p") == "nowhere"


def test_each_profile_decides_for_its_own_pods() -> None:
    binds_late = profile("late")
    plain = profile("plain", filter={"disabled": [{"name": "NodeUnschedulable"}]})
    world = World(configuration(binds_late, plain))
    world.node("n1", unschedulable=True)
    assert world.schedule("a", schedulerName="late").result == "unschedulable"
    assert world.schedule("b", schedulerName="plain").node == "n1"


def test_only_one_scheduling_cycle_runs_at_a_time(world: World) -> None:
    world.node("n1")
    world.pod("other")
    world.pop("p", priority=1, script={"ScriptedA": {"reserve": "Hold"}})
    with pytest.raises(CycleHeldError, match="runs one at a time"):
        world.machine.schedule()
    with pytest.raises(CycleHeldError):
        world.machine.schedule("default/other")
    world.release("p")
    assert world.schedule("other").result == "scheduled"


# --- The clock ------------------------------------------------------------------------------------


def refused(world: World, name: str = "p") -> None:
    """A pod that an event has moved to the backoff queue, after its first attempt."""
    world.node("n1")
    world.schedule(name, script={"ScriptedA": {"reserve": "Unschedulable"}})
    assert world.where(name) == "backoff"


def test_a_backoff_is_looked_at_each_whole_second_and_over_when_its_own_second_is(world: World) -> None:
    world.advance(0.25)
    refused(world)
    world.advance(1.5)
    assert world.where("p") == "backoff"
    world.advance(0.25)
    assert world.where("p") == "active"


def test_while_nobody_else_waits_a_pod_need_not_sit_out_its_backoff(world: World) -> None:
    refused(world)
    assert world.schedule().pod == "default/p"


def test_backoff_doubles_with_each_refusal_up_to_ten_seconds(world: World) -> None:
    refused(world)
    for attempt, backoff in enumerate((1, 2, 4, 8, 10, 10)):
        world.node(f"event-{attempt}")
        world.advance(backoff)
        assert world.where("p") == "backoff"
        world.advance(1)
        assert world.where("p") == "active"
        world.schedule("p")


def test_a_pod_that_nothing_requeues_is_tried_again_after_five_minutes(world: World) -> None:
    world.node("n1", cpu="1")
    world.schedule("p", cpu="2")
    assert world.where("p") == "unschedulable"
    world.advance(300)
    assert world.where("p") == "unschedulable"
    world.advance(30)
    assert world.where("p") == "active"


def test_a_timer_that_is_frozen_does_not_fire() -> None:
    world = World(frozen_timers=["permit", "unschedulableFlush"])
    world.node("n1", cpu="1")
    world.schedule("waits", script={"ScriptedA": {"permit": "Wait:10"}})
    world.schedule("p", cpu="2")
    assert world.advance(1000) == []
    assert world.where("p") == "unschedulable"
    [bind] = world.permit("waits", "allow")
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


def test_the_clock_does_not_go_back(world: World) -> None:
    with pytest.raises(InputError, match="advance: the clock does not go back"):
        world.advance(-1)


def test_of_two_deadlines_at_one_moment_the_older_pod_s_comes_first(world: World) -> None:
    world.node("n1")
    world.schedule("a", script={"ScriptedA": {"permit": "Wait:30"}})
    world.schedule("b", script={"ScriptedA": {"permit": "Wait:30"}})
    assert [bind.pod for bind in world.advance(30) if isinstance(bind, Bind)] == ["default/a", "default/b"]


# --- What cannot be asked -------------------------------------------------------------------------


def test_a_pod_that_does_not_wait_on_permit_cannot_be_decided(world: World) -> None:
    world.node("n1")
    with pytest.raises(InputError, match=r"permit\.pod: default/p does not wait on Permit"):
        world.permit("p", "allow")
    world.schedule("p", script={"ScriptedA": {"preBind": "Hold"}})
    with pytest.raises(InputError, match="does not wait on Permit"):
        world.permit("p", "allow")


def test_only_those_that_a_pod_waits_for_can_decide_it(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait"}, "ScriptedB": {"permit": "Wait"}})
    with pytest.raises(
        InputError, match=r"permit\.plugin: default/p waits on Permit for ScriptedA, ScriptedB"
    ):
        world.permit("p", "allow", "Coscheduling")
    world.permit("p", "allow", "ScriptedA")
    with pytest.raises(InputError, match="waits on Permit for ScriptedB"):
        world.permit("p", "reject", "ScriptedA")


def test_a_decision_is_one_of_two(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait"}})
    with pytest.raises(InputError, match=r"permit\.decision: expected allow or reject, found 'perhaps'"):
        world.permit("p", "perhaps")


def test_only_a_pod_that_is_held_can_be_released(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait"}})
    with pytest.raises(InputError, match=r"release\.pod: default/p is not held"):
        world.release("p")


def test_a_script_that_no_plugin_can_follow_is_refused_at_once(world: World) -> None:
    with pytest.raises(InputError, match="there is no such plugin and point"):
        world.pod("p", script={"ScriptedC": {"reserve": "Error"}})
    world.pod("p")
    with pytest.raises(InputError, match="is no answer"):
        world.update_pod("p", script={"ScriptedA": {"reserve": "Perhaps"}})


# --- What can be seen -----------------------------------------------------------------------------


def test_a_node_is_seen_with_all_that_is_requested_there(world: World) -> None:
    world.node("n1")
    requests = {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Mi", "example.com/gpu": "2"}
    container = {"name": "c", "image": "i", "resources": {"requests": requests, "limits": requests}}
    world.pod("p", on="n1", containers=[container])
    gpus = {"example.com/gpu": 2}
    assert world.nodes == {"n1": NodeUsage(("default/p",), 500, 1 << 30, 1 << 20, gpus)}


def test_records_are_taken_once(world: World) -> None:
    world.node("n1")
    world.pod("p")
    world.machine.schedule()
    assert len(world.machine.take_records()) == 2
    assert world.machine.take_records() == []


# --- Far ahead ------------------------------------------------------------------------------------


def test_the_clock_jumps_where_nothing_is_due(world: World) -> None:
    world.node("n1")
    world.advance(100 * 365 * 86400.0)
    world.pod("a")
    assert world.schedule().result == "scheduled"


def test_after_a_jump_a_pod_backs_off_as_ever(world: World) -> None:
    world.advance(1_000_000.5)
    world.pod("a")
    assert world.schedule().result == "unschedulable"
    world.node("n1")
    assert world.where("a") == "backoff"
    world.advance(2)
    assert world.schedule().result == "scheduled"


def test_a_pod_that_waits_is_flushed_on_the_way(world: World) -> None:
    world.pod("a")
    assert world.schedule().result == "unschedulable"
    world.advance(10_000)
    assert world.where("a") == "active"


def test_the_clock_jumps_where_only_gated_pods_wait(world: World) -> None:
    world.node("n1")
    world.pod("a", schedulingGates=[{"name": "g"}])
    began = time.monotonic()
    world.advance(100 * 365 * 86400.0)
    assert time.monotonic() - began < 10
    assert world.where("a") == "unschedulable"
    world.update_pod("a", schedulingGates=[])
    assert world.schedule().result == "scheduled"


def test_the_clock_jumps_where_pods_stay_since_nothing_flushes_them() -> None:
    world = World(frozen_timers=("unschedulableFlush",))
    world.node("n1", cpu="1")
    world.pod("a", cpu="2")
    assert world.schedule().result == "unschedulable"
    began = time.monotonic()
    world.advance(100 * 365 * 86400.0)
    assert time.monotonic() - began < 10
    assert world.where("a") == "unschedulable"


@pytest.mark.parametrize("seconds", [10.0**11, float("inf"), float("nan"), -1.0])
def test_the_clock_goes_neither_back_nor_out_of_all_bounds(world: World, seconds: float) -> None:
    with pytest.raises(InputError, match="the clock"):
        world.advance(seconds)
