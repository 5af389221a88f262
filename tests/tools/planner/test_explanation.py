# SPDX-License-Identifier: Apache-2.0
"""Explanation: one pod, node by node."""

from __future__ import annotations

from typing import Any

from plan_world import Json, node, objects_of, pod, scheduler, thing

from refsched.objects.pod import Pod
from refsched.tools.planner.explain import explain
from refsched.tools.planner.explanation import Explanation
from refsched.tools.planner.verdicts import NodeVerdict, Score, Shortage


def _explained(name: str, *values: Json, seed: int = 0, **config: Any) -> Explanation:
    objects = objects_of(*values)
    asked = next(shown for shown in objects if isinstance(shown, Pod) and shown.name == name)
    return explain(scheduler(seed, **config), objects, asked)


def _node(found: Explanation, name: str) -> NodeVerdict:
    return next(verdict for verdict in found.nodes if verdict.node == name)


# --- Placed ---------------------------------------------------------------------------------------


def test_each_score_is_reported_as_given_normalized_and_weighted() -> None:
    found = _explained(
        "a", node("n1"), node("n2", taints=[{"key": "k", "effect": "PreferNoSchedule"}]), pod("a")
    )
    assert (found.result, found.node, found.equals) == ("scheduled", "n1", 1)
    assert found.weights["TaintToleration"] == 3
    chosen, other = found.nodes
    assert (chosen.verdict, chosen.scores["TaintToleration"]) == ("chosen", Score(0, 100, 300))
    assert (other.verdict, other.scores["TaintToleration"]) == ("feasible", Score(1, 0, 0))
    assert chosen.total == sum(score.weighted for score in chosen.scores.values())
    assert (other.total or 0) == (chosen.total or 0) - 300


def test_equals_are_counted_and_the_seed_decides_among_them() -> None:
    nodes = [node(f"n{i}") for i in range(3)]
    found = [_explained("a", *nodes, pod("a"), seed=seed) for seed in range(12)]
    assert {each.equals for each in found} == {3}
    assert {each.node for each in found} == {"n0", "n1", "n2"}
    assert all(each.nodes[0].node == each.node for each in found)


def test_a_single_feasible_node_has_no_scores() -> None:
    assert _explained("a", node("n"), pod("a")).nodes == (NodeVerdict("n", "chosen"),)


def test_a_pod_that_runs_is_decided_as_if_it_did_not() -> None:
    """Its own requests do not count against it."""
    found = _explained("a", node("n", cpu="1"), pod("a", on="n", status={"phase": "Running"}))
    assert (found.result, found.node, found.bound_to) == ("scheduled", "n", "n")


def test_nodes_beyond_what_is_enough_are_surplus_or_unseen() -> None:
    found = _explained("a", *(node(f"n{i:03}") for i in range(102)), pod("a"))
    assert [node.verdict for node in found.nodes[-3:]] == ["feasible", "surplus", "unseen"]
    assert sum(node.verdict in ("chosen", "feasible") for node in found.nodes) == 100


def test_a_nominated_pod_is_tried_on_its_node_and_nowhere_else() -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "n2"}
    found = _explained("a", node("n1"), node("n2"), pod("a", status=nominated))
    assert found.nodes == (NodeVerdict("n2", "chosen"), NodeVerdict("n1", "unseen"))


# --- Refused --------------------------------------------------------------------------------------


def test_what_is_lacking_is_reported_in_numbers_with_nominated_pods_counted() -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "n"}
    found = _explained("a", node("n"), pod("a", cpu="2"), pod("b", cpu="2500m", status=nominated))
    verdict = _node(found, "n")
    assert verdict.lacks == (Shortage("cpu", 2000, 1500, 4000),)
    assert (verdict.nominated, verdict.plugin, verdict.curable) == (("default/b",), "NodeResourcesFit", False)


def test_whether_preemption_would_help_is_what_preemption_itself_says() -> None:
    nodes = [node("full"), node("kept"), node("small", cpu="1")]
    running = [pod("low", cpu="3", on="full"), pod("high", cpu="3", on="kept", priority=9)]
    waiting = pod("a", cpu="2", priority=5)
    found = _explained("a", *nodes, *running, waiting)
    assert {each.node: each.curable for each in found.nodes} == {"full": True, "kept": False, "small": False}
    assert (found.nominated_node, found.victims) == ("full", ("default/low",))

    found = _explained("a", *nodes, *running, pod("a", cpu="2", priority=5, preemptionPolicy="Never"))
    assert not any(each.curable for each in found.nodes)
    assert "preemptionPolicy=Never" in found.message

    found = _explained("a", *nodes, node("free"), *running, waiting)
    assert {each.node: each.curable for each in found.nodes if each.verdict == "refused"} == {
        "full": True,
        "kept": False,
        "small": False,
    }


def test_a_nominated_pod_may_be_helped_elsewhere_too() -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "n1"}
    running = [pod("b", cpu="3", on="n1"), pod("c", cpu="3", on="n2")]
    waiting = pod("a", cpu="2", priority=5, status=nominated)
    found = _explained("a", node("n1"), node("n2"), *running, waiting)
    assert [each.curable for each in found.nodes] == [True, True]


def test_nominated_pods_of_lower_priority_do_not_count() -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "n"}
    found = _explained("a", node("n"), pod("a", cpu="2", priority=1), pod("b", cpu="3", status=nominated))
    assert found.nodes == (NodeVerdict("n", "chosen"),)


def test_every_resource_that_falls_short_is_reported() -> None:
    container = {
        "name": "c",
        "image": "i",
        "resources": {"requests": {"memory": "9Gi", "example.com/gpu": "2"}},
    }
    full = [node("n", pods="1"), pod("b", on="n")]
    verdict = _node(_explained("a", *full, pod("a", containers=[container])), "n")
    gib = 1 << 30
    assert verdict.lacks == (
        Shortage("pods", 1, 0, 1),
        Shortage("memory", 9 * gib, 8 * gib, 8 * gib),
        Shortage("example.com/gpu", 2, 0, 0),
    )
    assert not verdict.curable


def test_the_taints_that_keep_a_pod_away_are_named() -> None:
    taints = [
        {"key": "a", "value": "x", "effect": "NoSchedule"},
        {"key": "b", "effect": "NoExecute"},
        {"key": "c", "effect": "NoSchedule"},
        {"key": "d", "effect": "PreferNoSchedule"},
    ]
    tolerated = pod("a", tolerations=[{"key": "c", "operator": "Exists"}])
    verdict = _node(_explained("a", node("n", taints=taints), tolerated), "n")
    assert verdict.details == ("untolerated a=x:NoSchedule", "untolerated b:NoExecute")


def test_victims_and_their_node_are_reported_and_stay_where_they_are() -> None:
    found = _explained("new", node("n"), pod("old", cpu="3", on="n"), pod("new", cpu="2", priority=7))
    assert (found.result, found.victims, found.nominated_node) == ("unschedulable", ("default/old",), "n")


def test_a_pod_that_pre_filter_refuses_sees_no_node() -> None:
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}
    found = _explained("a", node("n"), pod("a", volumes=[claim]))
    assert found.rejected is not None
    assert (found.rejected.plugin, found.rejected.reasons) == (
        "VolumeRestrictions",
        ('persistentvolumeclaim "gone" not found',),
    )
    assert (found.result, found.nodes) == ("unschedulable", ())


def test_nodes_that_pre_filter_leaves_out_are_refused_by_it() -> None:
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}
    }
    found = _explained("a", node("n1"), node("n2"), pod("a", affinity=affinity))
    assert found.narrowed_by == ("NodeAffinity",)
    assert found.nodes == (
        NodeVerdict("n1", "chosen"),
        NodeVerdict("n2", "refused", "NodeAffinity (PreFilter)", ("left out of the search",)),
    )


def test_a_gated_pod_and_a_cluster_without_nodes_are_reported_as_such() -> None:
    gated = _explained("a", node("n"), pod("a", schedulingGates=[{"name": "g"}]))
    assert gated.rejected is not None
    assert (gated.result, gated.rejected.plugin) == ("gated", "SchedulingGates")
    nowhere = _explained("a", pod("a"))
    assert (nowhere.result, nowhere.message, nowhere.nodes) == (
        "unschedulable",
        "no nodes available to schedule pods",
        (),
    )


def test_a_node_chosen_and_then_refused_by_reserve_is_reported_with_the_error() -> None:
    script = {"refsched.dev/script": '{"ScriptedA": {"reserve": "Error"}}'}
    profile = {"plugins": {"multiPoint": {"enabled": [{"name": "ScriptedA"}]}}}
    found = _explained("a", node("n"), pod("a", meta={"annotations": script}), profiles=[profile])
    assert (found.result, found.node, found.nodes[0].verdict) == ("error", "n", "chosen")


def test_other_pending_pods_are_not_placed_first() -> None:
    found = _explained("a", node("n", cpu="1"), pod("a"), pod("b", priority=5), thing("Namespace", "x"))
    assert found.node == "n"
