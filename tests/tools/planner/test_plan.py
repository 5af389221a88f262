# SPDX-License-Identifier: Apache-2.0
"""Plan: all to the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from plan_world import Json, node, planned, pod, thing

from refsched.errors import InputError
from refsched.records import Attempt, NodeStatus, PreFilter
from refsched.tools.planner.plan import Plan, PodOutcome, Preempted
from refsched.tools.planner.rejections import LEFT_OUT, Rejection, rejections_of

NO_HELP = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."


def _outcome(plan: Plan, name: str) -> PodOutcome:
    return next(outcome for outcome in plan.outcomes if outcome.pod == f"default/{name}")


def test_each_pod_goes_where_it_fits_or_it_is_reported_why_it_fits_nowhere() -> None:
    plan = planned(node("n"), pod("large", cpu="5"), pod("small"))
    message = f"0/1 nodes are available: 1 Insufficient cpu. {NO_HELP}"
    refusals = (Rejection("NodeResourcesFit", "Insufficient cpu", ("n",)),)
    assert plan.outcomes == (
        PodOutcome(
            "default/large", 0, "unschedulable", "", _outcome(plan, "large").attempts, message, refusals
        ),
        PodOutcome("default/small", 0, "placed", "n", 1),
    )
    assert (plan.placed, plan.is_complete) == (1, False)
    assert planned(node("n"), pod("small")).is_complete


def test_pods_are_listed_together_if_one_sentence_says_why_they_fit_nowhere() -> None:
    plan = planned(node("n"), *(pod(name, cpu=cpu) for name, cpu in (("a", "5"), ("b", "6"), ("c", "6"))))
    said = "It asks for {} cpu, and the only node, n, has 4 allocatable."
    assert plan.headlines == {
        "default/a": said.format(5),
        **dict.fromkeys(("default/b", "default/c"), said.format(6)),
    }
    assert "✗ 2 pods  unschedulable: default/b, default/c" in str(plan).splitlines()


def test_a_cluster_without_nodes_says_so() -> None:
    outcome = _outcome(planned(pod("a")), "a")
    assert (outcome.result, outcome.message, outcome.rejections) == (
        "unschedulable",
        "no nodes available to schedule pods",
        (),
    )


def test_a_gated_pod_is_never_tried() -> None:
    outcome = _outcome(planned(node("n"), pod("a", schedulingGates=[{"name": "g"}])), "a")
    why = "waiting for scheduling gates: [g]"
    assert outcome == PodOutcome(
        "default/a", 0, "gated", message=why, rejections=(Rejection("SchedulingGates", why),)
    )


def _beside(app: str) -> Json:
    """Affinity to pods of this app, on the same node."""
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_a_pod_that_another_requeues_is_tried_again() -> None:
    first = pod("first", affinity=_beside("b"), meta={"creationTimestamp": "2026-03-01T10:00:00Z"})
    second = pod("second", meta={"labels": {"app": "b"}})
    plan = planned(node("n", labels={"kubernetes.io/hostname": "n"}), first, second)
    assert plan.is_complete
    assert _outcome(plan, "first").attempts == 2


def test_a_pod_that_no_event_requeues_is_tried_again_after_five_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """``small`` has come since, and takes nothing from ``large`` that it could have had."""
    large = pod("large", cpu="5", meta={"creationTimestamp": "2026-03-01T10:00:00Z"})
    cluster = (node("n"), large, pod("small"))
    assert _outcome(planned(*cluster), "large").attempts == 2
    monkeypatch.setattr("refsched.tools.planner.planning.PATIENCE", 3)
    assert _outcome(planned(*cluster), "large").attempts == 1


# --- Preemption -----------------------------------------------------------------------------------


def test_victims_are_deleted_and_reported_and_the_preemptor_comes() -> None:
    plan = planned(node("n"), pod("old", cpu="3", on="n"), pod("new", cpu="2", priority=7))
    assert _outcome(plan, "new") == PodOutcome("default/new", 7, "placed", "n", 2)
    assert plan.preempted == (Preempted("default/old", "n", "default/new"),)


def test_a_pod_that_was_placed_may_have_to_leave_again() -> None:
    """``needy`` waits for ``friend``, who waits for ``between``, who leaves when both have come."""
    plan = planned(
        node("n", labels={"kubernetes.io/hostname": "n"}),
        pod("needy", cpu="2", affinity=_beside("friend"), priority=9),
        pod("friend", affinity=_beside("between"), priority=9, meta={"labels": {"app": "friend"}}),
        pod("between", cpu="3", priority=8, meta={"labels": {"app": "between"}}),
    )
    assert plan.preempted == (Preempted("default/between", "n", "default/needy"),)
    left = _outcome(plan, "between")
    assert (left.result, left.node, left.message) == ("preempted", "", "left n for default/needy")
    assert plan.placed == 2


# --- Errors, and what waits -----------------------------------------------------------------------

SCRIPTED = {"plugins": {"multiPoint": {"enabled": [{"name": "ScriptedA"}]}}}


def _scripted(name: str, **points: str) -> Json:
    return pod(name, meta={"annotations": {"refsched.dev/script": json.dumps({"ScriptedA": points})}})


def _with_scripts(*values: Json) -> Plan:
    return planned(node("n"), *values, profiles=[SCRIPTED])


def test_an_error_is_tried_until_nothing_changes() -> None:
    plan = _with_scripts(_scripted("a", reserve="Error"), pod("b"))
    outcome = _outcome(plan, "a")
    assert (outcome.result, outcome.node) == ("error", "")
    assert outcome.message.startswith('running Reserve plugin "ScriptedA": ')
    assert _outcome(plan, "b").result == "placed"


def test_a_pod_whose_binding_fails_is_reported_with_its_error() -> None:
    outcome = _outcome(_with_scripts(_scripted("a", preBind="Error")), "a")
    assert (outcome.result, outcome.node) == ("error", "n")
    assert outcome.message.startswith('running PreBind plugin "ScriptedA": ')


def test_a_pod_that_waits_on_permit_is_refused_when_patience_ends() -> None:
    outcome = _outcome(_with_scripts(_scripted("a", permit="Wait:30")), "a")
    assert outcome.result == "error"
    assert "timeout" in outcome.message


def test_a_cycle_that_is_held_for_ever_is_bad_input() -> None:
    with pytest.raises(InputError) as refused:
        _with_scripts(_scripted("a", reserve="Hold"))
    assert str(refused.value) == "Pod default/a: ScriptedA holds it at reserve, and nobody releases it"


# --- Volumes --------------------------------------------------------------------------------------


def _class(name: str, provisioner: str = "csi.example.com") -> Json:
    return thing(
        "StorageClass",
        name,
        "storage.k8s.io/v1",
        provisioner=provisioner,
        volumeBindingMode="WaitForFirstConsumer",
    )


def _claim(name: str, storage_class: str, **meta: Any) -> Json:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": "1Gi"}},
    }
    return thing("PersistentVolumeClaim", name, meta=meta, spec=spec)


def _using(name: str, claim: str) -> Json:
    return pod(name, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim}}])


def test_a_volume_that_the_scheduler_binds_is_bound() -> None:
    spec = {"capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    volume = thing("PersistentVolume", "disk", spec=spec, status={"phase": "Available"})
    local = _class("local", "kubernetes.io/no-provisioner")
    plan = planned(node("n"), local, volume, _claim("c", "local"), _using("a", "c"))
    assert plan.is_complete
    assert [(v.claim, v.volume, v.provisioned) for v in plan.volumes] == [("default/c", "disk", False)]


def test_a_volume_is_made_for_a_claim_that_waited_for_its_pod() -> None:
    claim = _claim("c", "fast", uid="7")
    plan = planned(node("n"), _class("fast"), claim, _using("a", "c"), _using("b", "c"))
    assert plan.is_complete
    assert [(v.claim, v.volume, v.provisioned) for v in plan.volumes] == [("default/c", "pvc-7", True)]


def test_a_claim_whose_volume_cannot_be_made_keeps_its_pod_waiting_until_it_times_out() -> None:
    """A volume of that name is there, and is another's."""
    other = thing("PersistentVolume", "pvc-7", spec={"capacity": {"storage": "2Gi"}})
    plan = planned(node("n"), _class("fast"), _claim("c", "fast", uid="7"), other, _using("a", "c"))
    outcome = _outcome(plan, "a")
    assert (outcome.result, outcome.node) == ("error", "n")
    assert "context deadline exceeded" in outcome.message


# --- Refusals -------------------------------------------------------------------------------------


def test_rejections_of_most_nodes_come_first() -> None:
    said = {"a": NodeStatus("Unschedulable", "P", ("y", "x")), "b": NodeStatus("Unschedulable", "P", ("x",))}
    assert rejections_of(Attempt("p", "unschedulable", filter=said), ["a", "b"]) == (
        Rejection("P", "x", ("a", "b")),
        Rejection("P", "y", ("a",)),
    )


def test_pre_filter_refuses_the_pod_or_leaves_nodes_out() -> None:
    refused = Attempt("p", "unschedulable", pre_filter=PreFilter("Unschedulable", "P", ("no",)))
    assert rejections_of(refused, ["a"]) == (Rejection("P", "no"),)
    nobody = PreFilter("UnschedulableAndUnresolvable", reasons=("none is left",))
    assert rejections_of(Attempt("p", "unschedulable", pre_filter=nobody), ["a"]) == (
        Rejection("PreFilter", "none is left"),
    )
    narrowed = PreFilter("Success", nodes=("a",))
    said = {"a": NodeStatus("Unschedulable", "P", ("x",))}
    assert rejections_of(
        Attempt("p", "unschedulable", pre_filter=narrowed, filter=said), ["a", "c", "b"]
    ) == (
        Rejection("PreFilter", LEFT_OUT, ("b", "c")),
        Rejection("P", "x", ("a",)),
    )
    assert rejections_of(Attempt("p", "unschedulable", pre_filter=narrowed, filter=said), ["a"]) == (
        Rejection("P", "x", ("a",)),
    )
