# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread: whom it refuses, and what may cure that."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.events import NODE, POD, ActionType
from refsched.framework.interface import Continue, PreFilterExtensions, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.node import HOSTNAME_LABEL, ZONE_LABEL, Node
from refsched.objects.pod import Pod, TopologySpreadConstraint
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Service
from refsched.plugins.pod_topology_spread import PodTopologySpread
from tests.snapshots import snapshot_of

PLUGIN = PodTopologySpread()
NOTHING_STORED = ObjectStore()
NO_MATCH = unschedulable("node(s) didn't match pod topology spread constraints")
NO_LABEL = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
WEB = {"app": "web"}


def constraint(key: str = ZONE_LABEL, **asked: Any) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": WEB},
        **asked,
    }


def pod(
    *constraints: dict[str, Any], uid: str = "new", labels: Any = WEB, metadata: Any = None, **spec: Any
) -> PodInfo:
    meta = {"name": uid, "namespace": "default", "uid": uid, "labels": labels, **(metadata or {})}
    return PodInfo(
        read_as(Pod, {"metadata": meta, "spec": {"topologySpreadConstraints": list(constraints), **spec}})
    )


def node(name: str, *pods: PodInfo, labels: Any = None, **spec: Any) -> NodeInfo:
    """``a1`` is a node of zone ``a``."""
    of_zone = {ZONE_LABEL: name[0], HOSTNAME_LABEL: name}
    meta = {"name": name, "labels": of_zone if labels is None else labels}
    info = NodeInfo(read_as(Node, {"metadata": meta, "spec": spec}))
    for placed in pods:
        info = info.with_pod(placed)
    return info


def webs(count: int, **metadata: Any) -> list[PodInfo]:
    return [pod(uid=f"web-{number}", metadata=metadata) for number in range(count)]


def verdicts(asking: PodInfo, *nodes: NodeInfo, plugin: PodTopologySpread = PLUGIN) -> dict[str, Status]:
    outcome = plugin.pre_filter(asking, snapshot_of(*nodes))
    assert isinstance(outcome, Continue)
    return {info.name: plugin.filter(outcome.state, asking, info) for info in nodes}


def refused(asking: PodInfo, *nodes: NodeInfo) -> set[str]:
    return {name for name, status in verdicts(asking, *nodes).items() if status == NO_MATCH}


# --- Skew -----------------------------------------------------------------------------------------


def test_a_pod_without_hard_constraints_is_not_filtered() -> None:
    assert PLUGIN.pre_filter(pod(), Snapshot()) == Skip()
    assert PLUGIN.pre_filter(pod(constraint(whenUnsatisfiable="ScheduleAnyway")), Snapshot()) == Skip()


@pytest.mark.parametrize(
    ("max_skew", "labels", "expected"),
    [
        (1, WEB, {"a1", "a2"}),
        (2, WEB, {"a1", "a2"}),
        (3, WEB, set()),
        (2, {"app": "db"}, set()),
        (1, {"app": "db"}, {"a1", "a2"}),
    ],
)
def test_a_domain_may_not_get_more_than_max_skew_ahead_and_the_pod_counts_if_it_matches(
    max_skew: int, labels: Any, expected: set[str]
) -> None:
    asking = pod(constraint(maxSkew=max_skew), labels=labels)
    nodes = (node("a1", *webs(2)), node("a2", *webs(1)), node("b1", *webs(1)), node("c1", *webs(1)))
    assert refused(asking, *nodes) == expected


def test_every_constraint_must_hold_and_the_first_that_does_not_gives_the_reason() -> None:
    asking = pod(constraint(), constraint("rack"))
    nodes = (
        node("a1", *webs(1), labels={ZONE_LABEL: "a", "rack": "r1"}),
        node("b1", labels={ZONE_LABEL: "b", "rack": "r1"}),
        node("b2", labels={ZONE_LABEL: "b", "rack": "r2"}),
        node("b3", labels={ZONE_LABEL: "b"}),
        node("c1", labels={"rack": "r2"}),
    )
    assert verdicts(asking, *nodes) == {
        "a1": NO_MATCH,
        "b1": NO_MATCH,
        "b2": SUCCESS,
        "b3": NO_LABEL,
        "c1": NO_LABEL,
    }


def test_a_node_counts_only_with_the_keys_of_all_constraints() -> None:
    asking = pod(constraint(), constraint("rack", maxSkew=5))
    nodes = (
        node("a1", *webs(1), labels={ZONE_LABEL: "a", "rack": "r1"}),
        node("b1", labels={ZONE_LABEL: "b"}),
    )
    assert verdicts(asking, *nodes) == {"a1": SUCCESS, "b1": NO_LABEL}


def test_with_fewer_domains_than_min_domains_the_least_is_nought() -> None:
    nodes = (node("a1", *webs(1)), node("b1", *webs(1)))
    assert refused(pod(constraint()), *nodes) == set()
    assert refused(pod(constraint(minDomains=2)), *nodes) == set()
    assert refused(pod(constraint(minDomains=3)), *nodes) == {"a1", "b1"}


def test_where_no_node_counts_every_domain_holds_nought() -> None:
    nowhere = pod(constraint(), nodeSelector={"disk": "ssd"})
    assert verdicts(nowhere, node("a1", *webs(3))) == {"a1": SUCCESS}


def test_of_no_domains_the_least_is_beyond_reach_if_none_is_asked_for() -> None:
    plugin = PodTopologySpread((read_as(TopologySpreadConstraint, constraint(minDomains=0)),), False)
    objects = ObjectStore()
    objects.put(
        read_as(Service, {"metadata": {"name": "s", "namespace": "default"}, "spec": {"selector": WEB}})
    )
    outcome = plugin.pre_filter(pod(), snapshot_of(objects=objects))
    assert isinstance(outcome, Continue)
    assert plugin.filter(outcome.state, pod(), node("a1")) == SUCCESS


# --- Who counts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        pod(uid="other", metadata={"namespace": "elsewhere"}),
        pod(uid="other", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
        pod(uid="other", labels={"app": "db"}),
    ],
)
def test_pods_that_are_elsewhere_terminating_or_not_selected_do_not_count(other: PodInfo) -> None:
    assert refused(pod(constraint()), node("a1", *webs(1)), node("b1")) == {"a1"}
    assert refused(pod(constraint()), node("a1", other), node("b1")) == set()


@pytest.mark.parametrize("selector", [{}, None])
def test_a_selector_without_requirements_counts_none_and_no_selector_neither(selector: Any) -> None:
    asking = pod(constraint(labelSelector=selector))
    assert refused(asking, node("a1", *webs(3)), node("b1")) == set()


@pytest.mark.parametrize(("policy", "expected"), [(None, set()), ("Honor", set()), ("Ignore", {"a1"})])
@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": {"disk": "ssd"}},
        {
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
                    }
                }
            }
        },
    ],
)
def test_nodes_that_the_pod_may_not_use_count_only_where_affinity_is_ignored(
    spec: Any, policy: str | None, expected: set[str]
) -> None:
    nodes = (
        node("a1", *webs(1), labels={ZONE_LABEL: "a", "disk": "ssd"}),
        node("b1", labels={ZONE_LABEL: "b"}),
    )
    assert refused(pod(constraint(nodeAffinityPolicy=policy), **spec), *nodes) == expected


def test_an_affinity_that_requires_nothing_of_nodes_leaves_none_out() -> None:
    nodes = (node("a1", *webs(1)), node("b1"))
    for affinity in ({}, {"nodeAffinity": {}}):
        assert refused(pod(constraint(), affinity=affinity), *nodes) == {"a1"}


@pytest.mark.parametrize(
    ("policy", "effect", "tolerations", "expected"),
    [
        (None, "NoSchedule", [], {"a1"}),
        ("Ignore", "NoSchedule", [], {"a1"}),
        ("Honor", "NoSchedule", [], set()),
        ("Honor", "NoExecute", [], set()),
        ("Honor", "PreferNoSchedule", [], {"a1"}),
        ("Honor", "NoSchedule", [{"operator": "Exists"}], {"a1"}),
    ],
)
def test_tainted_nodes_count_unless_taints_are_honored(
    policy: str | None, effect: str, tolerations: list[Any], expected: set[str]
) -> None:
    nodes = (node("a1", *webs(1)), node("b1", taints=[{"key": "t", "effect": effect}]))
    assert refused(pod(constraint(nodeTaintsPolicy=policy), tolerations=tolerations), *nodes) == expected


def test_constraints_with_the_same_selector_but_other_policies_count_apart() -> None:
    asking = pod(constraint(), constraint("rack", nodeAffinityPolicy="Ignore"), nodeSelector={"disk": "ssd"})
    nodes = (
        node("a1", *webs(1), labels={ZONE_LABEL: "a", "rack": "r1", "disk": "ssd"}),
        node("b1", labels={ZONE_LABEL: "b", "rack": "r2"}),
    )
    assert verdicts(asking, *nodes) == {"a1": NO_MATCH, "b1": SUCCESS}


def test_match_label_keys_count_pods_with_the_same_labels() -> None:
    asking = pod(
        constraint(matchLabelKeys=["version", "missing"]), labels={**WEB, "version": "2", "tier": "front"}
    )
    second = pod(uid="second", labels={**WEB, "version": "2"})
    assert refused(asking, node("a1", *webs(1)), node("b1")) == set()
    assert refused(asking, node("a1", second), node("b1")) == {"a1"}


def test_match_label_keys_that_the_api_server_folded_already_change_nothing() -> None:
    folded = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}
    asking = pod(constraint(matchLabelKeys=["app"], labelSelector=folded))
    unfolded = pod(constraint(labelSelector=folded))
    assert PLUGIN.pre_filter(asking, Snapshot()) == PLUGIN.pre_filter(unfolded, Snapshot())
    assert refused(asking, node("a1", *webs(1)), node("b1")) == {"a1"}
    assert refused(pod(constraint(matchLabelKeys=["app"], labelSelector=None)), node("a1", *webs(1))) == set()


# --- Pods that come and go ------------------------------------------------------------------------


def after_moves(
    asking: PodInfo, nodes: tuple[NodeInfo, ...], at: NodeInfo, *, come: Any = (), go: Any = ()
) -> set[str]:
    assert isinstance(PLUGIN, PreFilterExtensions)
    snapshot = snapshot_of(*nodes)
    outcome = PLUGIN.pre_filter(asking, snapshot)
    assert isinstance(outcome, Continue)
    before, state = [dict(spread.counts) for spread in outcome.state], outcome.state
    for removed in go:
        state = PLUGIN.remove_pod(state, asking, removed, at, snapshot)
    for added in come:
        state = PLUGIN.add_pod(state, asking, added, at, snapshot)
    assert [spread.counts for spread in outcome.state] == before
    return {n.name for n in nodes if PLUGIN.filter(state, asking, n) == NO_MATCH}


def test_pods_that_come_or_go_change_the_count_of_their_domain() -> None:
    nodes = (node("a1", *webs(1)), node("b1"))
    asking = pod(constraint())
    assert after_moves(asking, nodes, nodes[0], go=webs(1)) == set()
    assert after_moves(asking, nodes, nodes[1], come=webs(1)) == set()
    assert after_moves(asking, nodes, nodes[1], come=webs(2)) == {"b1"}
    assert after_moves(asking, nodes, nodes[0], go=webs(1), come=webs(1)) == {"a1"}


def test_pods_that_are_not_counted_change_nothing_when_they_come() -> None:
    nodes = (node("a1"), node("b1"), node("c1", labels={}))
    elsewhere = pod(uid="other", metadata={"namespace": "elsewhere"})
    unlike = pod(uid="other", labels={"app": "db"})
    picky = pod(constraint(), nodeSelector={"disk": "ssd"})
    assert after_moves(pod(constraint()), nodes, nodes[0], come=[elsewhere, unlike]) == set()
    assert after_moves(pod(constraint()), nodes, nodes[2], come=webs(2)) == set()
    assert after_moves(picky, nodes, nodes[0], come=webs(2)) == set()


def test_a_terminating_pod_counts_when_it_goes_though_it_did_not_before() -> None:
    leaving = webs(1, deletionTimestamp="2026-01-01T00:00:00Z")
    nodes = (node("a1", *leaving), node("b1"))
    assert after_moves(pod(constraint()), nodes, nodes[0], go=leaving) == {"b1"}


# --- Events ---------------------------------------------------------------------------------------


def assigned(uid: str = "other", labels: Any = WEB, **metadata: Any) -> Pod:
    return pod(uid=uid, labels=labels, metadata=metadata, nodeName="a1").pod


DB = {"app": "db"}


def test_the_table_names_pods_and_nodes() -> None:
    assert [(row.resource, row.action) for row in PLUGIN.EVENTS] == [
        (
            POD,
            ActionType.ADD
            | ActionType.DELETE
            | ActionType.UPDATE_POD_LABEL
            | ActionType.UPDATE_POD_TOLERATION,
        ),
        (
            NODE,
            ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,
        ),
    ]


@pytest.mark.parametrize(
    ("before", "after", "worth_it"),
    [
        (None, assigned(), True),
        (assigned(), None, True),
        (None, assigned(labels=DB), False),
        (assigned(labels=DB), None, False),
        (None, pod(uid="other").pod, False),
        (None, assigned(namespace="elsewhere"), False),
        (assigned(), assigned(labels=DB), True),
        (assigned(labels=DB), assigned(), True),
        (assigned(), assigned(labels={**WEB, "version": "2"}), False),
        (pod(uid="other").pod, assigned(), False),
        (pod(labels=DB).pod, pod().pod, True),
        (pod().pod, pod(tolerations=[{"operator": "Exists"}]).pod, False),
    ],
)
def test_a_pod_matters_where_a_constraint_counts_it(
    before: Pod | None, after: Pod | None, worth_it: bool
) -> None:
    hint = PLUGIN.EVENTS[0].hint
    assert hint is not None
    assert hint(PLUGIN, pod(constraint()).pod, before, after, NOTHING_STORED) is worth_it


def test_a_new_toleration_of_the_pod_itself_matters_where_taints_are_honored() -> None:
    before, after = pod().pod, pod(tolerations=[{"operator": "Exists"}]).pod
    honoring = pod(constraint(nodeTaintsPolicy="Honor")).pod
    assert PLUGIN.after_pod_change(honoring, before, after, NOTHING_STORED)
    assert not PLUGIN.after_pod_change(honoring, before, before, NOTHING_STORED)
    other = pod(uid="other", tolerations=[{"operator": "Exists"}], nodeName="a1").pod
    assert not PLUGIN.after_pod_change(honoring, assigned(), other, NOTHING_STORED)


def just(info: NodeInfo) -> Node:
    return info.existing_node


@pytest.mark.parametrize(
    ("before", "after", "worth_it"),
    [
        (None, just(node("a1")), True),
        (just(node("a1")), None, True),
        (None, just(node("a1", labels={})), False),
        (just(node("a1", labels={})), None, False),
        (just(node("a1", labels={})), just(node("a1")), True),
        (just(node("a1")), just(node("a1", labels={})), True),
        (just(node("a1")), just(node("b1")), True),
        (just(node("a1")), just(node("a1", taints=[{"key": "t", "effect": "NoSchedule"}])), True),
        (just(node("a1")), just(node("a2")), False),
        (just(node("a1", labels={})), just(node("a1", labels={"rack": "r"})), False),
    ],
)
def test_a_node_matters_if_it_has_the_keys_and_something_of_it_changed(
    before: Node | None, after: Node | None, worth_it: bool
) -> None:
    hint = PLUGIN.EVENTS[1].hint
    assert hint is not None
    assert hint(PLUGIN, pod(constraint()).pod, before, after, NOTHING_STORED) is worth_it
