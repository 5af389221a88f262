# SPDX-License-Identifier: Apache-2.0
"""The binding cycle: from Permit to bound, and back where something refuses."""

from __future__ import annotations

import pytest
from device_world import claim, device, device_class, one, piece
from world import World, configuration, pod_object, profile

from refsched.objects.dra import ResourceClaim
from refsched.records import Bind

# --- Bound ----------------------------------------------------------------------------------------


def test_a_bound_pod_counts_on_its_node_and_waits_nowhere(world: World) -> None:
    world.node("n1")
    world.schedule("p", cpu="1")
    assert [(bind.node, bind.result, bind.message) for bind in world.binds] == [("n1", "bound", None)]
    assert world.on("n1") == ["p"]
    assert world.where("p") == "nowhere"
    assert world.is_idle()


def test_a_binder_that_succeeds_has_bound_and_no_other_is_asked(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedBinder": {"bind": "Success"}})
    assert world.binds[0].result == "bound"
    assert world.on("n1") == ["p"]


# --- Permit ---------------------------------------------------------------------------------------

WAIT = {"ScriptedA": {"permit": "Wait"}}
BOTH_WAIT = {"ScriptedA": {"permit": "Wait"}, "ScriptedB": {"permit": "Wait"}}


def test_a_pod_that_waits_is_bound_when_it_is_allowed(world: World) -> None:
    world.node("n1")
    world.schedule("p", script=WAIT)
    [bind] = world.permit("p", "allow")
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


def test_others_are_scheduled_while_a_pod_waits(world: World) -> None:
    world.node("n1")
    world.schedule("p", script=WAIT)
    assert world.schedule("other").result == "scheduled"
    assert [bind.pod for bind in world.binds] == ["default/other"]


@pytest.mark.parametrize("plugin", ["", "ScriptedA"])
def test_a_pod_that_is_rejected_is_given_back_and_backs_off(world: World, plugin: str) -> None:
    world.node("n1")
    world.schedule("p", cpu="1", script=WAIT)

    [bind] = world.permit("p", "reject", plugin)

    assert bind == Bind(
        "default/p",
        "n1",
        "unschedulable",
        ("ScriptedB.unreserve", "ScriptedA.unreserve"),
        "0/1 nodes are available: 1 scripted.",
        ("ScriptedA",),
    )
    assert world.on("n1") == []
    assert world.where("p") == "backoff"


def test_a_pod_waits_for_all_that_asked_it_to(world: World) -> None:
    world.node("n1")
    world.schedule("p", script=BOTH_WAIT)
    assert world.permit("p", "allow", "ScriptedA") == []
    [bind] = world.permit("p", "allow", "ScriptedB")
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


def test_one_decision_allows_it_for_all(world: World) -> None:
    world.node("n1")
    world.schedule("p", script=BOTH_WAIT)
    [bind] = world.permit("p", "allow")
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


def test_the_one_that_rejects_is_named(world: World) -> None:
    world.node("n1")
    world.schedule("p", script=BOTH_WAIT)
    [bind] = world.permit("p", "reject", "ScriptedB")
    assert isinstance(bind, Bind)
    assert bind.unschedulable_plugins == ("ScriptedB",)


def test_patience_ends(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait:30"}})
    assert world.advance(29) == []
    [bind] = world.advance(1)
    assert isinstance(bind, Bind)
    assert (bind.result, bind.unschedulable_plugins) == ("unschedulable", ("ScriptedA",))
    assert bind.message == (
        "0/1 nodes are available: 1 rejected due to timeout after waiting 30s at plugin ScriptedA."
    )
    assert world.where("p") == "backoff"


def test_the_first_patience_to_end_decides(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait:30"}, "ScriptedB": {"permit": "Wait:20"}})
    [bind] = world.advance(60)
    assert isinstance(bind, Bind)
    assert bind.unschedulable_plugins == ("ScriptedB",)


def test_nobody_waits_longer_than_a_quarter_of_an_hour(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait:5000"}})
    assert world.advance(899) == []
    [bind] = world.advance(1)
    assert isinstance(bind, Bind)
    assert bind.message is not None
    assert "after waiting 15m0s at plugin ScriptedA" in bind.message


def test_a_pod_that_is_deleted_while_it_waits_frees_its_place(world: World) -> None:
    world.node("n1", cpu="2")
    world.schedule("p", cpu="2", script=WAIT)
    world.schedule("other", cpu="1", preemptionPolicy="Never")
    assert world.where("other") == "unschedulable"

    [bind] = world.delete_pod("p")

    assert isinstance(bind, Bind)
    assert (bind.result, bind.message) == ("unschedulable", "0/1 nodes are available: 1 removed.")
    assert world.on("n1") == []
    assert world.where("p") == "nowhere"
    assert world.where("other") == "backoff"


def test_a_pod_that_is_updated_while_it_waits_goes_on_waiting(world: World) -> None:
    world.node("n1")
    world.schedule("p", cpu="1", script=WAIT)
    world.update_pod("p", cpu="1", script=WAIT, labels={"changed": "yes"})
    assert world.where("p") == "nowhere"
    [bind] = world.permit("p", "allow")
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


# --- PreBind and Bind -----------------------------------------------------------------------------

GIVEN_BACK = ("ScriptedB.unreserve", "ScriptedA.unreserve")


@pytest.mark.parametrize("code", ["Unschedulable", "UnschedulableAndUnresolvable", "Pending"])
def test_prebind_may_reject(world: World, code: str) -> None:
    world.node("n1")

    world.schedule("p", cpu="1", script={"ScriptedA": {"preBind": code}})

    assert world.binds == [
        Bind("default/p", "n1", "unschedulable", ("ScriptedA.preBind", *GIVEN_BACK), "scripted", None)
    ]
    assert world.on("n1") == []
    assert world.where("p") == "backoff"


@pytest.mark.parametrize(
    ("plugin", "point", "name"), [("ScriptedB", "preBind", "PreBind"), ("ScriptedBinder", "bind", "Bind")]
)
def test_an_error_on_the_way_is_reported_with_its_place(
    world: World, plugin: str, point: str, name: str
) -> None:
    world.node("n1")

    world.schedule("p", cpu="1", script={plugin: {point: "Error"}})

    [bind] = world.binds
    assert (bind.result, bind.message) == ("error", f'running {name} plugin "{plugin}": scripted')
    assert bind.calls is not None
    assert bind.calls[-2:] == GIVEN_BACK
    assert world.on("n1") == []
    assert world.where("p") == "backoff"


@pytest.mark.parametrize("code", ["Unschedulable", "Pending"])
def test_a_binder_may_reject(world: World, code: str) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedBinder": {"bind": code}})
    assert (world.binds[0].result, world.binds[0].message) == ("unschedulable", "scripted")
    assert world.where("p") == "backoff"


def test_what_a_failed_binding_had_assumed_is_given_back_before_the_next_cycle(world: World) -> None:
    world.node("n1", cpu="2")
    world.schedule("a", cpu="2", script={"ScriptedA": {"preBind": "Error"}})
    assert world.schedule("b", cpu="2").node == "n1"


def test_where_no_binder_takes_the_pod_it_is_not_bound() -> None:
    only_scripted = {"disabled": [{"name": "*"}], "enabled": [{"name": "ScriptedBinder"}]}
    world = World(configuration(profile(bind=only_scripted)))
    world.node("n1")
    world.schedule("p")
    assert (world.binds[0].result, world.on("n1")) == ("error", [])


def test_an_error_after_the_api_server_took_the_binding_leaves_the_pod_bound(world: World) -> None:
    world.node("n1", cpu="2")

    world.schedule("p", cpu="2", script={"ScriptedBinder": {"bind": "ErrorAfterBound"}})

    [bind] = world.binds
    assert (bind.result, bind.message) == ("error", 'running Bind plugin "ScriptedBinder": scripted')
    assert world.on("n1") == ["p"]
    assert world.where("p") == "nowhere"


def test_the_room_that_a_failed_binding_leaves_is_an_event_for_others(world: World) -> None:
    world.node("n1", cpu="2")
    world.schedule("p", cpu="2", script={"ScriptedA": {"preBind": "Hold:Error"}})
    world.schedule("other", cpu="2", preemptionPolicy="Never")
    assert world.where("other") == "unschedulable"
    world.release("p")
    assert world.where("other") == "backoff"


def test_the_room_that_a_rejected_pod_leaves_is_one_too_but_not_for_itself(world: World) -> None:
    world.node("n1", cpu="2")
    world.schedule("p", cpu="2", script=WAIT)
    world.schedule("other", cpu="2", preemptionPolicy="Never")
    world.permit("p", "reject")
    assert world.where("other") == "backoff"


# --- Meanwhile ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plugin", "point"),
    [("ScriptedA", "preBind"), ("ScriptedB", "preBind"), ("ScriptedBinder", "bind")],
)
def test_others_are_scheduled_while_a_binding_is_held(world: World, plugin: str, point: str) -> None:
    world.node("n1")
    world.schedule("p", cpu="1", script={plugin: {point: "Hold"}})
    assert world.held == f"p: {plugin}.{point}"
    assert world.schedule("other").result == "scheduled"
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert (bind.pod, bind.result) == ("default/p", "bound")


def test_of_two_that_are_held_each_goes_on_by_itself(world: World) -> None:
    world.node("n1")
    world.schedule("a", script={"ScriptedA": {"preBind": "Hold"}})
    world.schedule("b", script={"ScriptedA": {"preBind": "Hold"}})
    assert [bind.pod for bind in world.release("b") if isinstance(bind, Bind)] == ["default/b"]
    assert [bind.pod for bind in world.release("a") if isinstance(bind, Bind)] == ["default/a"]


def test_a_pod_may_be_held_more_than_once(world: World) -> None:
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"preBind": "Hold"}, "ScriptedBinder": {"bind": "Hold"}})
    assert world.held == "p: ScriptedA.preBind"
    assert world.release("p") == []
    assert world.held == "p: ScriptedBinder.bind"
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


def test_a_pod_that_is_deleted_before_it_is_bound_cannot_be(world: World) -> None:
    world.node("n1")
    world.schedule("p", cpu="1", script={"ScriptedA": {"preBind": "Hold"}})
    world.delete_pod("p")
    assert world.on("n1") == []
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert bind.message == 'running Bind plugin "DefaultBinder": pods "p" not found'
    assert world.on("n1") == []


def test_a_pod_that_came_anew_is_not_the_one_that_was_assumed(world: World) -> None:
    world.node("n1")
    world.schedule("p", cpu="1", script={"ScriptedA": {"preBind": "Hold"}})
    world.delete_pod("p")
    world.pod("p", cpu="1")
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert bind.result == "error"
    assert bind.message is not None
    assert "Precondition failed: UID in precondition" in bind.message
    assert world.where("p") == "active"


def test_a_pod_that_is_being_deleted_cannot_be_bound(world: World) -> None:
    world.node("n1")
    script = {"ScriptedA": {"preBind": "Hold"}}
    world.schedule("p", cpu="1", script=script)
    terminate(world, "p")
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert bind.message == (
        'running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding "p": '
        "pod p is being deleted, cannot be assigned to a host"
    )


def terminate(world: World, name: str, cpu: str = "1") -> None:
    """The pod's deletion has begun; its containers still run."""
    dying = pod_object(name, cpu)
    dying["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    world.update(dying)


def test_a_node_that_is_deleted_before_the_binding_still_gets_its_pod(world: World) -> None:
    world.node("n1")
    world.schedule("p", cpu="1", script={"ScriptedBinder": {"bind": "Hold"}})
    world.delete_node("n1")
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert (bind.node, bind.result) == ("n1", "bound")
    assert world.on("n1") == ["p"]


def test_somebody_else_may_have_bound_the_pod_meanwhile(world: World) -> None:
    world.node("n1")
    world.node("n2", unschedulable=True)
    script = {"ScriptedA": {"preBind": "Hold"}}
    world.schedule("p", cpu="1", script=script)
    world.update_pod("p", cpu="1", script=script, on="n2")
    assert (world.on("n1"), world.on("n2")) == ([], ["p"])
    [bind] = world.release("p")
    assert isinstance(bind, Bind)
    assert bind.message == (
        'running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding "p": '
        'pod p is already assigned to node "n2"'
    )
    assert (world.on("n1"), world.on("n2")) == ([], ["p"])


def test_a_claim_that_is_bound_twice_loses_the_reservation_that_was_written_first() -> None:
    world = World(kubernetes="1.37")
    world.node("n1")
    world.create(device_class("gpu"))
    world.create(piece("s", device("d1"), device("d2")))
    world.create(claim("c", one()))
    names = [{"name": name, "resourceClaimName": "c"} for name in ("g0", "g1")]
    attempt = world.schedule("p", resourceClaims=names)
    assert attempt.node == "n1"
    assert world.binds[0].message is not None
    assert "got allocated elsewhere in the meantime" in world.binds[0].message
    stored = world.machine.state.api.get(ResourceClaim, "c", "default")
    assert stored is not None
    assert stored.is_allocated
    assert stored.status.reserved_for == ()
