# SPDX-License-Identifier: Apache-2.0
"""The cycles of v1.19, from Pop to the end of binding, where they are not those of today."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.pod import Pod
from refsched.records import Bind, Write
from tests.volume_objects import by_hand, claim, storage_class, using
from tests.world import World, node_object, pod_object, unresolvable

Json = dict[str, Any]
API_VERSION = "kubescheduler.config.k8s.io/v1beta1"


def configuration(**plugins: Any) -> Json:
    scripted = {"enabled": [{"name": "ScriptedA"}, {"name": "ScriptedB"}]}
    binders = [{"name": "ScriptedBinder"}, {"name": "DefaultBinder"}]
    standard = dict.fromkeys(("reserve", "permit", "preBind", "postBind"), scripted)
    standard["bind"] = {"disabled": [{"name": "*"}], "enabled": binders}
    profile = {"schedulerName": "default-scheduler", "plugins": standard | plugins}
    return {"apiVersion": API_VERSION, "kind": "KubeSchedulerConfiguration", "profiles": [profile]}


def world_of(**plugins: Any) -> World:
    return World(configuration(**plugins), kubernetes="1.19")


def bind_of(records: list[Any]) -> Bind:
    [bind] = [record for record in records if isinstance(record, Bind)]
    return bind


# --- Before a node is chosen ----------------------------------------------------------------------


def test_a_pod_whose_claim_is_missing_is_an_error_before_any_node_is_looked_at() -> None:
    world = world_of()
    attempt = world.schedule("p", volumes=using("c"))
    assert (attempt.result, attempt.message) == ("error", 'persistentvolumeclaim "c" not found')


def test_a_pod_whose_claim_is_being_deleted_is_an_error() -> None:
    world = world_of()
    leaving = claim("c")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    world.create(by_hand())
    world.create(leaving)
    attempt = world.schedule("p", volumes=[{"name": "e", "emptyDir": {}}, *using("c")])
    assert (attempt.result, attempt.message) == ("error", 'persistentvolumeclaim "c" is being deleted')


def test_without_a_node_a_pod_is_unschedulable() -> None:
    attempt = world_of().schedule("p")
    assert (attempt.result, attempt.message) == ("unschedulable", "no nodes available to schedule pods")


def test_the_message_counts_reasons_and_says_nothing_of_preemption() -> None:
    world = world_of()
    world.node("n1", cpu="1")
    world.node("n2", taints=[{"key": "a", "effect": "NoSchedule"}])
    attempt = world.schedule("p", cpu="2")
    assert attempt.message == (
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had taint {a: }, that the pod didn't tolerate."
    )
    assert attempt.unschedulable_plugins is None
    assert attempt.nominated_node is None
    taint = "node(s) had taint {a: }, that the pod didn't tolerate"
    assert attempt.filter is not None
    assert attempt.filter["n2"] == unresolvable("TaintToleration", taint)


def test_a_pod_that_pre_filter_rejects_is_rejected_on_every_node() -> None:
    world = world_of()
    world.create(storage_class("now", waits=False))
    world.create(claim("c", "now"))
    for name in ("n1", "n2"):
        world.node(name)
    attempt = world.schedule("p", volumes=using("c"))
    unbound = "pod has unbound immediate PersistentVolumeClaims"
    assert attempt.message == f"0/2 nodes are available: 2 {unbound}."
    assert attempt.filter is None


def test_the_nominated_node_is_searched_like_any_other() -> None:
    world = world_of()
    for name in ("n1", "n2"):
        world.node(name)
    attempt = world.schedule("p", nominated_to="n2")
    assert attempt.filter is not None
    assert sorted(attempt.filter) == ["n1", "n2"]
    assert attempt.evaluated == 2


def test_any_feasible_node_is_chosen_where_nothing_scores() -> None:
    nothing = {"disabled": [{"name": "*"}]}
    world = world_of(preScore=nothing, score=nothing)
    for name in ("n1", "n2"):
        world.node(name)
    attempt = world.schedule("p")
    assert (attempt.feasible, attempt.node, attempt.scores, attempt.totals) == (2, "n1", None, None)


def test_every_score_plugin_scores_every_node() -> None:
    world = world_of()
    for name in ("n1", "n2"):
        world.node(name)
    attempt = world.schedule("p", cpu="1")
    assert attempt.scores is not None
    assert attempt.scores["n1"] == {
        "NodeResourcesBalancedAllocation": 75,
        "ImageLocality": 0,
        "InterPodAffinity": 0,
        "NodeResourcesLeastAllocated": 87,
        "NodeAffinity": 0,
        "NodePreferAvoidPods": 1000000,
        "PodTopologySpread": 200,
        "TaintToleration": 100,
        "SelectorSpread": 100,
    }


# --- Points that a configuration leaves out -------------------------------------------------------


def test_a_filter_whose_pre_filter_is_disabled_fails() -> None:
    world = world_of(preFilter={"disabled": [{"name": "NodePorts"}]})
    world.node("n1")
    attempt = world.schedule("p")
    read = 'error reading "PreFilterNodePorts" from cycleState: not found'
    assert attempt.message == f'running "NodePorts" filter plugin for pod "p": {read}'
    assert attempt.result == "error"


def test_a_score_whose_pre_score_is_disabled_fails() -> None:
    world = world_of(preScore={"disabled": [{"name": "SelectorSpread"}]})
    for name in ("n1", "n2"):
        world.node(name)
    read = 'Error reading "PreScoreSelectorSpread" from cycleState: not found'
    assert world.schedule("p").message == f'error while running score plugin for pod "p": {read}'
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    assert world.schedule("q", topologySpreadConstraints=[constraint]).result == "scheduled"


def test_an_unreadable_preference_fails_when_nodes_are_scored() -> None:
    world = world_of()
    for name in ("n1", "n2"):
        world.node(name)
    term = {"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["large"]}]}
    preferred = [{"weight": 1, "preference": term}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    attempt = world.schedule("p", affinity=affinity)
    why = "for 'Gt', 'Lt' operators, the value must be an integer"
    assert attempt.message == f'error while running score plugin for pod "p": {why}'


# --- After a node is chosen -----------------------------------------------------------------------


def test_a_refusal_of_reserve_is_an_error() -> None:
    world = world_of()
    world.node("n1")
    attempt = world.schedule("p", script={"ScriptedA": {"reserve": "Unschedulable"}})
    assert attempt.result == "error"
    assert (
        attempt.message == 'error while running Reserve in "ScriptedA" reserve plugin for pod "p": scripted'
    )
    assert attempt.calls == ("ScriptedA.reserve", "ScriptedB.unreserve", "ScriptedA.unreserve")
    assert world.on("n1") == []


@pytest.mark.parametrize(
    ("answer", "result", "message"),
    [
        ("Unschedulable", "unschedulable", 'rejected pod "p" by permit plugin "ScriptedB": scripted'),
        ("Error", "error", 'error while running "ScriptedB" permit plugin for pod "p": scripted'),
    ],
)
def test_permit_may_reject_or_fail(answer: str, result: str, message: str) -> None:
    world = world_of()
    world.node("n1")
    attempt = world.schedule("p", script={"ScriptedB": {"permit": answer}})
    assert (attempt.result, attempt.message) == (result, message)
    assert world.on("n1") == []


def test_a_pod_that_is_rejected_while_it_waits_is_unschedulable() -> None:
    world = world_of()
    world.node("n1")
    assert world.schedule("p", script={"ScriptedA": {"permit": "Wait"}}).waiting
    bind = bind_of(world.permit("p", "reject"))
    assert (bind.result, bind.message) == (
        "unschedulable",
        'pod "p" rejected while waiting on permit: scripted',
    )
    assert world.on("n1") == []


def test_a_pod_that_is_allowed_is_bound() -> None:
    world = world_of()
    world.node("n1")
    world.schedule("p", script={"ScriptedA": {"permit": "Wait"}})
    assert bind_of(world.permit("p", "allow")).result == "bound"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            {"ScriptedA": {"preBind": "Unschedulable"}},
            'error while running "ScriptedA" prebind plugin for pod "p": scripted',
        ),
        (
            {"ScriptedBinder": {"bind": "Error"}},
            'Binding rejected: plugin "ScriptedBinder" failed to bind pod "default/p": scripted',
        ),
    ],
)
def test_what_fails_in_the_binding_cycle_is_an_error(script: Any, message: str) -> None:
    world = world_of()
    world.node("n1")
    bind = bind_of(world.pop("p", script=script))
    assert (bind.result, bind.message) == ("error", message)
    assert world.on("n1") == []


def test_a_binding_that_every_plugin_skips_is_an_error() -> None:
    world = world_of(bind={"disabled": [{"name": "*"}], "enabled": [{"name": "ScriptedBinder"}]})
    world.node("n1")
    bind = bind_of(world.pop("p"))
    assert (bind.result, bind.message) == ("error", "Binding rejected: bind status: Skip, ")


# --- Preemption -----------------------------------------------------------------------------------


def crowded(*victims: Json) -> World:
    world = world_of()
    world.create(node_object("n1", cpu="2"))
    for victim in victims:
        world.create(victim)
    return world


def test_the_victims_are_deleted_and_the_pod_is_nominated() -> None:
    world = crowded(pod_object("v", cpu="2", on="n1"))
    caused = world.pop("p", cpu="2", priority=1)
    [attempt, write] = caused
    assert (attempt.victims, attempt.nominated_node) == (("default/v",), "n1")
    assert attempt.message == "0/1 nodes are available: 1 Insufficient cpu."
    assert isinstance(write, Write)
    assert (write.verb, write.object["metadata"]["name"]) == ("delete", "v")


def test_a_victim_that_waits_on_permit_is_rejected_and_deleted() -> None:
    world = crowded()
    assert world.schedule("v", cpu="2", script={"ScriptedA": {"permit": "Wait"}}).waiting
    caused = world.pop("p", cpu="2", priority=1)
    assert [type(record).__name__ for record in caused] == ["Attempt", "Write", "Bind"]
    assert caused[2].message == 'pod "v" rejected while waiting on permit: preempted'


def deleted_while_it_was_queued(*fillers: Json) -> World:
    """A pod of priority 9 is in the queue, though it was deleted, and its node is full."""
    world = crowded(pod_object("v", cpu="1", on="n1"))
    waiting = pod_object("p", cpu="1", priority=9, script={"ScriptedA": {"permit": "Wait"}})
    world.create(waiting)
    world.pop()
    world.update({**waiting, "spec": {**waiting["spec"], "nodeName": "n1"}})
    world.delete_pod("p")
    for filler in fillers:
        world.create(filler)
    world.advance(11)
    return world


@pytest.mark.parametrize("name", ["w", "p"])
def test_preemption_is_for_the_pod_that_is_stored_under_the_name(name: str) -> None:
    world = deleted_while_it_was_queued(pod_object(name, cpu="1", on="n1"))
    attempt = world.pop()[0]
    assert (attempt.pod, attempt.result) == ("default/p", "unschedulable")
    assert (attempt.victims, attempt.nominated_node) == (None, None)


def test_a_pod_that_never_preempts_does_not() -> None:
    world = crowded(pod_object("v", cpu="2", on="n1"))
    attempt = world.schedule("p", cpu="2", priority=1, preemptionPolicy="Never")
    assert (attempt.victims, attempt.nominated_node) == (None, None)


def test_a_nomination_is_cleared_where_preemption_could_help_on_no_node() -> None:
    world = world_of()
    world.node("n1", unschedulable=True)
    attempt = world.schedule("p", nominated_to="n1")
    assert attempt.nominated_node == ""
    assert world.schedule("q").nominated_node is None


def test_a_pod_waits_for_a_victim_that_leaves_for_whatever_reason() -> None:
    leaving = pod_object("v", cpu="2", on="n1")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    world = crowded(leaving)
    assert world.schedule("p", cpu="2", priority=1, nominated_to="n1").victims is None


def test_pods_of_lower_priority_lose_their_nomination_to_the_node() -> None:
    world = crowded(pod_object("v", cpu="2", on="n1"))
    world.pod("low", cpu="2", priority=1, nominated_to="n1")
    attempt = world.schedule("p", cpu="2", priority=2)
    assert attempt.victims == ("default/v",)
    low = world.machine.state.objects.get(Pod, "low", "default")
    assert low is not None
    assert low.status.nominated_node_name == ""


def test_less_important_victims_on_another_node_are_taken() -> None:
    world = crowded(pod_object("v", cpu="2", on="n1", priority=1))
    world.node("n2", cpu="2")
    world.pod("w", cpu="1", on="n2")
    world.pod("x", cpu="1", on="n2")
    attempt = world.schedule("p", cpu="2", priority=2)
    assert attempt.victims == ("default/w", "default/x")


def test_a_node_where_no_pod_is_less_important_is_no_candidate() -> None:
    world = crowded(pod_object("v", cpu="2", on="n1", priority=5))
    assert world.schedule("p", cpu="2", priority=2).victims is None


def test_a_node_that_is_too_small_is_no_candidate_though_it_is_tried() -> None:
    world = crowded(pod_object("v", cpu="1", on="n1"))
    assert world.schedule("p", cpu="4", priority=2).victims is None
