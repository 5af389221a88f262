# SPDX-License-Identifier: Apache-2.0
"""The scheduling cycle: from Pop to the end of Permit, and back where something refuses."""

from __future__ import annotations

from typing import Any

import pytest
from world import FEASIBLE, World, configuration, profile, unresolvable, unschedulable

from refsched.records import Attempt, Bind, Delete, PreFilter, Reference

# --- Where a pod may go ---------------------------------------------------------------------------


def test_a_pod_goes_where_it_fits(world: World) -> None:
    world.node("full", cpu="1")
    world.node("free", cpu="4")

    attempt = world.schedule("p", cpu="2")

    assert attempt.filter == {"full": unresolvable("NodeResourcesFit", "Insufficient cpu"), "free": FEASIBLE}
    assert (attempt.result, attempt.node, attempt.evaluated, attempt.feasible) == ("scheduled", "free", 2, 1)
    assert world.binds[0].result == "bound"
    assert world.on("free") == ["p"]


def test_a_single_feasible_node_is_not_scored(world: World) -> None:
    world.node("n1")
    attempt = world.schedule("p", cpu="2")
    assert (attempt.scores, attempt.totals) == (None, None)


def test_the_highest_total_decides(world: World) -> None:
    world.node("busy")
    world.node("idle")
    world.pod("there", cpu="3", on="busy")

    attempt = world.schedule("p", cpu="1")

    assert attempt.totals is not None
    assert attempt.totals["idle"] > attempt.totals["busy"]
    assert attempt.node == "idle"
    assert attempt.scores is not None
    assert sum(attempt.scores["idle"].values()) == attempt.totals["idle"]


def test_without_a_node_no_plugin_is_asked(world: World) -> None:
    attempt = world.schedule("p")
    assert attempt == Attempt(
        "default/p",
        "unschedulable",
        message="no nodes available to schedule pods",
        nominated_node="",
        calls=(),
    )
    assert world.where("p") == "backoff"


def test_the_message_for_a_pod_that_fits_nowhere_counts_nodes_by_reason(world: World) -> None:
    world.node("small", cpu="1")
    world.node("tiny", cpu="500m")
    world.node("closed", unschedulable=True)

    attempt = world.schedule("p", cpu="2", preemptionPolicy="Never")

    assert attempt.result == "unschedulable"
    assert attempt.node is None
    assert attempt.unschedulable_plugins == ("NodeResourcesFit", "NodeUnschedulable")
    assert attempt.message == (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. "
        "preemption: not eligible due to preemptionPolicy=Never."
    )
    assert world.where("p") == "unschedulable"


# --- PreFilter ------------------------------------------------------------------------------------


def only_on(*nodes: str) -> dict[str, Any]:
    """Affinity by field: what PreFilter can narrow the search to."""
    terms = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]} for node in nodes
    ]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def test_prefilter_narrows_the_search(world: World) -> None:
    for name in ("n1", "n2", "n3"):
        world.node(name)

    attempt = world.schedule("p", cpu="2", affinity=only_on("n1", "n3"))

    assert attempt.pre_filter == PreFilter("Success", nodes=("n1", "n3"))
    assert attempt.filter == {"n1": FEASIBLE, "n3": FEASIBLE}


def test_what_prefilter_left_out_stands_in_the_message_too(world: World) -> None:
    world.node("n1", cpu="1")
    world.node("n2")
    world.node("n3")

    attempt = world.schedule("p", cpu="2", affinity=only_on("n1"), preemptionPolicy="Never")

    assert attempt.unschedulable_plugins == ("NodeAffinity", "NodeResourcesFit")
    assert attempt.message is not None
    assert attempt.message.startswith(
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_prefilter_may_refuse_the_pod_before_any_node_is_looked_at(world: World) -> None:
    world.node("n1")
    claims = [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]

    attempt = world.schedule("p", volumes=claims)

    reason = 'persistentvolumeclaim "missing" not found'
    assert attempt.pre_filter is not None
    assert attempt.pre_filter.code == "UnschedulableAndUnresolvable"
    assert attempt.pre_filter.reasons == (reason,)
    assert attempt.filter is None
    assert attempt.message is not None
    assert attempt.message.startswith(f"0/1 nodes are available: {reason}.")


# --- The start of the search ----------------------------------------------------------------------


def one_at_a_time() -> World:
    """Without scoring, the first feasible node ends the search: the start index shows."""
    return World(
        configuration(profile(score={"disabled": [{"name": "*"}]}, preScore={"disabled": [{"name": "*"}]}))
    )


def test_each_search_starts_where_the_last_one_ended() -> None:
    world = one_at_a_time()
    world.node("n1")
    world.node("n2")
    world.node("n3")
    nodes = [world.schedule(name).node for name in ("a", "b", "c", "d")]
    assert nodes == ["n1", "n2", "n3", "n1"]


def test_refused_nodes_move_the_start_on_as_well() -> None:
    world = one_at_a_time()
    world.node("n1", cpu="1")
    world.node("n2")
    world.node("n3")
    assert world.schedule("a", cpu="2").node == "n2"
    assert world.schedule("b", cpu="2").node == "n3"


def test_a_nominated_node_that_is_taken_leaves_the_start_where_it_is() -> None:
    world = one_at_a_time()
    world.node("n1")
    world.node("n2")
    assert world.schedule("a", nominated_to="n2").node == "n2"
    assert world.schedule("b").node == "n1"


# --- Nominated pods -------------------------------------------------------------------------------


def test_the_nominated_node_is_tried_first_and_alone(world: World) -> None:
    world.node("n1")
    world.node("n2")
    attempt = world.schedule("p", cpu="2", nominated_to="n2")
    assert attempt.filter == {"n2": FEASIBLE}
    assert attempt.node == "n2"


def test_a_nominated_node_that_was_deleted_is_passed_over(world: World) -> None:
    world.node("n1")
    assert world.schedule("p", nominated_to="gone").node == "n1"


def waiting_for(world: World, node: str, *, priority: int) -> None:
    """A pod that is nominated to the node, asks for 3 CPUs and waits: ``guest`` still has its place."""
    world.pod("guest", cpu="4", priority=100, on=node)
    world.pod("nominated", cpu="3", priority=priority, nominated_to=node, preemptionPolicy="Never")
    assert world.schedule("nominated").result == "unschedulable"
    world.delete_pod("guest")
    assert world.where("nominated") == "backoff"


def test_a_nominated_pod_of_equal_priority_holds_its_place(world: World) -> None:
    world.node("n1", cpu="4")
    waiting_for(world, "n1", priority=5)

    attempt = world.schedule("newcomer", cpu="2", priority=5)

    assert attempt.filter == {"n1": unschedulable("NodeResourcesFit", "Insufficient cpu")}


def test_a_nominated_pod_of_lower_priority_does_not(world: World) -> None:
    world.node("n1", cpu="4")
    waiting_for(world, "n1", priority=5)
    assert world.schedule("newcomer", cpu="2", priority=6).node == "n1"


def test_a_pod_must_fit_without_the_nominated_pods_too(world: World) -> None:
    """What only a pod that has not come yet would allow is not to be relied on."""
    world.node("n1", cpu="4", labels={"kubernetes.io/hostname": "n1"})
    world.pod("guest", cpu="4", priority=100, on="n1")
    friend = {"app": "friend"}
    world.pod("friend", cpu="1", priority=5, nominated_to="n1", labels=friend, preemptionPolicy="Never")
    world.schedule("friend")
    world.delete_pod("guest")
    term = {"labelSelector": {"matchLabels": friend}, "topologyKey": "kubernetes.io/hostname"}

    attempt = world.schedule(
        "fan",
        priority=5,
        affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
    )

    assert attempt.filter == {
        "n1": unresolvable("InterPodAffinity", "node(s) didn't match pod affinity rules")
    }


def test_an_assumed_pod_is_nominated_no_more(world: World) -> None:
    world.node("n1", cpu="4")
    world.schedule("a", cpu="2", nominated_to="n1", script={"ScriptedA": {"permit": "Wait"}})
    assert world.schedule("b", cpu="2").node == "n1"


# --- Reserve and Permit ---------------------------------------------------------------------------


def test_every_stage_is_asked_in_its_order(world: World) -> None:
    world.node("n1")
    attempt = world.schedule("p")
    assert attempt.calls == ("ScriptedA.reserve", "ScriptedB.reserve", "ScriptedA.permit", "ScriptedB.permit")
    assert world.binds[0].calls == (
        "ScriptedA.preBind",
        "ScriptedB.preBind",
        "ScriptedBinder.bind",
        "ScriptedA.postBind",
        "ScriptedB.postBind",
    )


def test_calls_are_reported_only_where_a_scripted_plugin_is_configured() -> None:
    world = World({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"})
    world.node("n1")
    assert world.schedule("p").calls is None
    assert world.binds[0].calls is None


@pytest.mark.parametrize("point", ["reserve", "permit"])
@pytest.mark.parametrize(
    ("code", "queue"),
    [("Unschedulable", "backoff"), ("UnschedulableAndUnresolvable", "backoff"), ("Pending", "active")],
)
def test_a_rejection_is_a_fit_error_of_one_node(world: World, point: str, code: str, queue: str) -> None:
    """The pod's own PodScheduled condition is the event that sends it on: the plugin registered for none."""
    world.node("n1")
    world.node("n2")

    attempt = world.schedule("p", cpu="1", script={"ScriptedA": {point: code}})

    assert attempt.result == "unschedulable"
    assert attempt.node in ("n1", "n2")
    assert attempt.message == "0/1 nodes are available: 1 scripted."
    assert attempt.unschedulable_plugins == ("ScriptedA",)
    assert attempt.nominated_node == ""
    assert world.on(attempt.node) == []
    assert world.where("p") == queue


@pytest.mark.parametrize("point", ["reserve", "permit"])
@pytest.mark.parametrize(("code", "said"), [("Error", "scripted"), ("Skip", "%!w(<nil>)")])
def test_anything_else_is_an_error_that_says_where(world: World, point: str, code: str, said: str) -> None:
    world.node("n1")

    attempt = world.schedule("p", cpu="1", script={"ScriptedB": {point: code}})

    assert attempt.result == "error"
    assert attempt.message == f'running {point.capitalize()} plugin "ScriptedB": {said}'
    assert attempt.unschedulable_plugins is None
    assert world.on("n1") == []
    assert world.where("p") == "backoff"


def test_a_plugin_that_was_not_asked_to_reserve_is_called_to_unreserve_all_the_same(world: World) -> None:
    world.node("n1")
    attempt = world.schedule("p", script={"ScriptedA": {"reserve": "Unschedulable"}})
    assert attempt.calls == ("ScriptedA.reserve", "ScriptedB.unreserve", "ScriptedA.unreserve")


def test_after_permit_refuses_what_was_reserved_is_given_back_in_reverse_order(world: World) -> None:
    world.node("n1")
    attempt = world.schedule("p", script={"ScriptedA": {"permit": "Unschedulable"}})
    assert attempt.calls == (
        "ScriptedA.reserve",
        "ScriptedB.reserve",
        "ScriptedA.permit",
        "ScriptedB.unreserve",
        "ScriptedA.unreserve",
    )


def test_a_refusal_ends_a_wait_that_another_plugin_asked_for(world: World) -> None:
    world.node("n1")
    script = {"ScriptedA": {"permit": "Wait"}, "ScriptedB": {"permit": "Unschedulable"}}
    attempt = world.schedule("p", script=script)
    assert (attempt.result, attempt.waiting) == ("unschedulable", None)
    assert world.binds == []


def test_a_pod_that_waits_counts_on_its_node(world: World) -> None:
    world.node("n1", cpu="2")
    attempt = world.schedule("p", cpu="2", script={"ScriptedA": {"permit": "Wait"}})
    assert (attempt.result, attempt.waiting) == ("scheduled", True)
    assert world.on("n1") == ["p"]
    assert world.binds == []
    assert world.schedule("other", cpu="1").result == "unschedulable"


# --- Mid-cycle ------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["reserve", "permit"])
def test_while_a_cycle_is_held_no_other_begins(world: World, point: str) -> None:
    world.node("n1")
    assert world.pop("p", script={"ScriptedA": {point: "Hold"}}) == []
    assert world.held == f"p: ScriptedA.{point}"
    assert world.held == ""

    attempt, bind = world.release("p")

    assert isinstance(attempt, Attempt)
    assert attempt.node == "n1"
    assert isinstance(bind, Bind)
    assert bind.result == "bound"


@pytest.mark.parametrize("code", ["Unschedulable", "Error"])
def test_a_hold_may_end_in_a_refusal(world: World, code: str) -> None:
    world.node("n1")
    world.pop("p", script={"ScriptedA": {"reserve": f"Hold:{code}"}})
    [attempt] = world.release("p")
    assert isinstance(attempt, Attempt)
    assert attempt.result == {"Unschedulable": "unschedulable", "Error": "error"}[code]


def test_a_node_that_is_deleted_after_it_was_chosen_still_gets_its_pod(world: World) -> None:
    world.node("n1")
    world.pop("p", cpu="1", script={"ScriptedA": {"reserve": "Hold"}})
    world.delete_node("n1")
    _, bind = world.release("p")
    assert isinstance(bind, Bind)
    assert (bind.node, bind.result) == ("n1", "bound")
    assert world.on("n1") == ["p"]


def test_a_pod_that_is_deleted_in_mid_cycle_is_forgotten_when_its_binding_fails(world: World) -> None:
    world.node("n1")
    world.pop("p", cpu="1", script={"ScriptedA": {"reserve": "Hold"}})
    world.delete_pod("p")
    assert world.on("n1") == []

    _, bind = world.release("p")

    assert isinstance(bind, Bind)
    assert (bind.result, bind.message) == ("error", 'running Bind plugin "DefaultBinder": pods "p" not found')
    assert world.on("n1") == []
    assert world.where("p") == "nowhere"


def test_a_pod_that_is_deleted_and_refused_does_not_come_back(world: World) -> None:
    world.node("n1")
    world.pop("p", script={"ScriptedA": {"reserve": "Hold:Unschedulable"}})
    world.delete_pod("p")
    world.release("p")
    assert world.where("p") == "nowhere"


def test_a_pod_that_came_anew_meanwhile_waits_as_the_new_one(world: World) -> None:
    world.node("n1")
    world.pop("p", script={"ScriptedA": {"reserve": "Hold:Unschedulable"}})
    world.delete_pod("p")
    world.pod("p")
    world.release("p")
    assert world.where("p") == "active"


def test_a_pod_that_is_updated_in_mid_cycle_goes_back_as_it_is_now(world: World) -> None:
    world.node("n1", cpu="2")
    world.pop("p", cpu="1", script={"ScriptedA": {"reserve": "Hold:Unschedulable"}})
    world.update_pod("p", cpu="1", labels={"changed": "yes"})
    world.release("p")
    assert world.where("p") == "backoff"
    world.advance(2)
    assert world.schedule("p").result == "scheduled"


def test_what_happens_during_a_cycle_may_requeue_its_pod(world: World) -> None:
    """A scripted plugin registers for no event, so any may cure what it refused."""
    world.node("n1")
    world.pop("p", script={"ScriptedA": {"reserve": "Hold:Unschedulable"}})
    world.node("n2")
    world.release("p")
    assert world.where("p") == "backoff"


def test_a_cycle_sees_the_cluster_as_it_was_when_the_pod_was_popped(world: World) -> None:
    world.node("n1")
    world.pop("p", cpu="4", script={"ScriptedA": {"reserve": "Hold"}})
    world.pod("meanwhile", cpu="4", on="n1")
    world.release("p")
    assert world.on("n1") == ["meanwhile", "p"]


# --- Who is recorded to have refused it -----------------------------------------------------------


def _claim() -> dict[str, Any]:
    requests = [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"devices": {"requests": requests}},
    }


def test_a_pod_that_is_held_at_the_gate_on_its_way_back_was_refused_by_that_plugin_too(world: World) -> None:
    world.node("n1")
    world.create(_claim())
    world.pod(
        "p",
        resourceClaims=[{"name": "gpu", "resourceClaimName": "c"}],
        script={"ScriptedA": {"reserve": "Hold:Unschedulable"}},
    )
    world.create(
        {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    )
    pool = {"name": "s", "generation": 1, "resourceSliceCount": 1}
    world.create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {"driver": "d", "pool": pool, "allNodes": True, "devices": [{"name": "d1"}]},
        }
    )
    assert world.pop() == []
    world.apply(Delete(Reference("ResourceClaim", "c", "resource.k8s.io/v1", "default")))
    world.node("n2")
    [attempt] = world.release("p")
    assert isinstance(attempt, Attempt)
    assert attempt.unschedulable_plugins == ("DynamicResources", "ScriptedA")
    assert world.where("p") == "unschedulable"


@pytest.mark.parametrize("kubernetes", ["1.34", "1.37"])
def test_the_gate_of_a_pod_that_came_anew_under_its_name_did_not_refuse_it(kubernetes: str) -> None:
    world = World(kubernetes=kubernetes)
    world.node("n1")
    world.pop("p", script={"ScriptedA": {"permit": "Hold:Unschedulable"}})
    world.delete_pod("p")
    world.pod("p", schedulingGates=[{"name": "wait"}])
    [attempt] = world.release("p")
    assert isinstance(attempt, Attempt)
    assert attempt.unschedulable_plugins == ("ScriptedA",)
    assert world.where("p") == "unschedulable"
