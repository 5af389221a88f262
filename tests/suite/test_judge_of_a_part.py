# SPDX-License-Identifier: Apache-2.0
"""Of a part of a scheduler, a failure names first a rule that can show in what the part reports."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from refsched.records import Attempt, Bind, Create, Delete, Nodes, NodeStatus, NodeUsage, Reference, Update
from refsched.suite.adapters.answers import HAS_A_GATE
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import Judge
from refsched.suite.histories.part import Part
from refsched.suite.histories.sent_to_part import history_for

FILTERS = Part(PROFILES["filter"])


def judge_of_one_node() -> Judge:
    judge = Judge(history_for(FILTERS, History(())), FILTERS)
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    judge.take(Create({**node, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}))
    judge.take(Create(_pod("p", "1")))
    return judge


def _pod(name: str, cpu: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


def test_a_rule_that_the_part_cannot_show_comes_last() -> None:
    judge = judge_of_one_node()
    attempt = Attempt("default/p", "scheduled", "n1", filter={"n1": NodeStatus("Success")})
    assert judge.take(attempt) == judge.take(Bind("default/p", "n1", "bound")) == []
    [finding] = judge.take(Nodes({"n1": NodeUsage(("default/p",), 0, 0)}))
    lacking = [bool(FILTERS.lacks(rule)) for rule in finding.suspected]
    assert (finding.rule, *finding.also) == finding.suspected[:3]
    assert True in lacking
    assert lacking == sorted(lacking)


def test_that_a_pod_gets_no_node_is_no_failure_beside_the_status_that_rejects_the_node() -> None:
    rejected = NodeStatus("Unschedulable", "NodeResourcesFit", ("Insufficient cpu",))
    findings = judge_of_one_node().take(Attempt("default/p", "unschedulable", filter={"n1": rejected}))
    assert [finding.member for finding in findings if finding.member != "result"] == ["filter.n1"]


def test_who_attempts_a_pod_with_a_gate_breaks_the_rule_of_gates() -> None:
    [finding] = judge_of_one_node().error("schedule", f"the pod default/g {HAS_A_GATE}")
    assert (finding.rule, finding.expected) == ("R-GATES-01", "no attempt of it")


def test_a_part_of_an_older_release_is_sent_what_that_release_does_not_read() -> None:
    part = evolve(FILTERS, kubernetes="1.36")
    judge = Judge(history_for(part, History(())), part)
    status = {"initContainerStatuses": [{"name": "i0"}, {"name": "i1", "resources": {"requests": {}}}]}
    containers = [{"name": "i0", "image": "i"}, {"name": "i1", "image": "i", "restartPolicy": "Always"}]
    spec = {"containers": [{"name": "c", "image": "i"}], "initContainers": containers}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec, "status": status}
    judge.take(Create(pod))
    assert judge.stored(pod)["status"]["initContainerStatuses"] == status["initContainerStatuses"]


def test_a_part_is_sent_the_requirements_of_label_keys_beside_those_that_a_selector_has() -> None:
    judge = Judge(history_for(FILTERS, History(())), FILTERS)
    given = {"key": "app", "operator": "In", "values": ["a"]}
    selector = {"labelSelector": {"matchExpressions": [given]}, "matchLabelKeys": ["version"]}
    terms = [{"topologyKey": "zone", **selector}]
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    spec = {"containers": [{"name": "c", "image": "i"}], "affinity": affinity}
    metadata = {"name": "p", "labels": {"version": "1"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    judge.take(Create(pod))
    [term] = judge.stored(pod)["spec"]["affinity"]["podAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    folded = {"key": "version", "operator": "In", "values": ["1"]}
    assert term["labelSelector"]["matchExpressions"] == [given, folded]


def test_victims_may_be_left_out_where_it_is_open_whether_all_are_being_deleted() -> None:
    """Of two pods that are left on a node after others were evicted, one is being deleted, which is not named."""
    part = Part(PROFILES["preemption"])
    judge = Judge(history_for(part, History(())), part)
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    judge.take(Create({**node, "status": {"allocatable": {"cpu": "2", "pods": "3"}}}))
    for name, cpu in (("r1", "1"), ("r2", "1"), ("r3", "0"), ("r4", "0")):
        judge.take(Create(_pod(name, cpu, nodeName="n1")))
    judge.take(Create(_pod("a", "2", priority=10)))
    full = {"n1": NodeStatus("Unschedulable", "NodeResourcesFit", ("Too many pods", "Insufficient cpu"))}
    victims = ("default/r1", "default/r2")
    assert not judge.take(
        Attempt("default/a", "unschedulable", filter=full, victims=victims, nominated_node="n1")
    )
    for name in ("r1", "r2"):
        judge.take(Delete(Reference("Pod", name, "v1", "default")))
    leaving, other = _pod("r3", "0", nodeName="n1"), _pod("r4", "0", nodeName="n1")
    judge.take(Update({**leaving, "metadata": {"name": "r3", "deletionTimestamp": "2026-01-01T00:00:00Z"}}))
    judge.take(Update({**other, "metadata": {"name": "r4", "labels": {"a": "b"}}}))
    judge.take(Create(_pod("b", "0", priority=9)))
    full = {"n1": NodeStatus("Unschedulable", "NodeResourcesFit", ("Too many pods",))}
    assert not judge.take(Attempt("default/b", "unschedulable", filter=full, nominated_node="n1"))
    assert judge.has_diverged
