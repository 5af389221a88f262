# SPDX-License-Identifier: Apache-2.0
"""The machine: whose turn it is, what moves the clock, and what cannot be asked of it."""

from __future__ import annotations

import time

import pytest
from world import World

from refsched.errors import InputError
from refsched.machine.scheduler import CycleHeldError
from refsched.queue.queued_pod import NotWaitingError
from refsched.records import Attempt

# --- Whose turn it is -----------------------------------------------------------------------------


def test_a_driver_may_say_which_pod_is_tried(world: World) -> None:
    world.node("n1")
    world.pod("first", priority=10)
    world.pod("second")
    assert world.machine.schedule("default/second")
    [attempt, _] = world.machine.take_records()
    assert isinstance(attempt, Attempt)
    assert attempt.pod == "default/second"
    with pytest.raises(NotWaitingError):
        world.machine.schedule("default/second")


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


def test_the_clock_does_not_go_back(world: World) -> None:
    with pytest.raises(InputError, match="advance: the clock does not go back"):
        world.advance(-1)


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


def test_a_script_that_no_plugin_can_follow_is_refused_at_once(world: World) -> None:
    with pytest.raises(InputError, match="there is no such plugin and point"):
        world.pod("p", script={"ScriptedC": {"reserve": "Error"}})
    world.pod("p")
    with pytest.raises(InputError, match="is no answer"):
        world.update_pod("p", script={"ScriptedA": {"reserve": "Perhaps"}})


# --- What can be seen -----------------------------------------------------------------------------


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
