# SPDX-License-Identifier: Apache-2.0
"""Which rules PodTopologySpread applies, and where it applies none because there is nothing to decide."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.store import ObjectStore
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.plugins.pod_topology_spread_constraints import compile_constraints
from refsched.plugins.pod_topology_spread_scoring import normalized
from tests.applied import Call, applied, info, node, on, pod
from tests.snapshots import snapshot_of

PLUGIN = PodTopologySpread()
WEB = {"app": "web"}
ZONE = "topology.kubernetes.io/zone"
NOTHING = ObjectStore()


def constraint(**fields: Any) -> dict[str, Any]:
    standard = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    return {**standard, "labelSelector": {"matchLabels": WEB}, **fields}


SOFT = constraint(whenUnsatisfiable="ScheduleAnyway")
HONORING = constraint(nodeTaintsPolicy="Honor")
A, B = node({ZONE: "a"}), node({ZONE: "b"})


def spreading(*constraints: dict[str, Any], **spec: Any) -> PodInfo:
    return info("new", WEB, topologySpreadConstraints=list(constraints), **spec)


def pre_filter(newcomer: PodInfo, *nodes: NodeInfo) -> Any:
    found = PLUGIN.pre_filter(newcomer, snapshot_of(*nodes))
    assert isinstance(found, Continue)
    return found.state


def filtering(newcomer: PodInfo, where: NodeInfo, *nodes: NodeInfo) -> Call:
    state = pre_filter(newcomer, *nodes)
    return lambda: PLUGIN.filter(state, newcomer, where)


def scoring(*nodes: NodeInfo) -> Call:
    found = PLUGIN.pre_score(spreading(SOFT), nodes, snapshot_of(*nodes))
    assert isinstance(found, Continue)
    return lambda: PLUGIN.score(found.state, spreading(SOFT), nodes[0])


def moving(added: PodInfo) -> Call:
    state = pre_filter(spreading(constraint()), on(A))
    return lambda: PLUGIN.add_pod(state, spreading(constraint()), added, on(A), snapshot_of(on(A)))


RUNNING = on(A, info("web", WEB))


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: PLUGIN.pre_filter(info(), snapshot_of(on(A))), ["R-SPREAD-06"]),
        (lambda: PLUGIN.pre_filter(spreading(constraint()), snapshot_of(on(A))), ["R-SPREAD-01"]),
        (
            lambda: PLUGIN.pre_filter(spreading(constraint()), snapshot_of(on(node()))),
            ["R-SPREAD-01", "R-SPREAD-07"],
        ),
        (
            lambda: PLUGIN.pre_filter(spreading(constraint()), snapshot_of(RUNNING)),
            ["R-SPREAD-01", "R-SPREAD-05"],
        ),
        (
            lambda: PLUGIN.pre_filter(
                spreading(constraint(), nodeSelector={"disk": "ssd"}), snapshot_of(on(A))
            ),
            ["R-SPREAD-01", "R-SPREAD-04"],
        ),
        (
            lambda: PLUGIN.pre_filter(
                spreading(HONORING),
                snapshot_of(on(node({ZONE: "a"}, taints=[{"key": "k", "effect": "NoSchedule"}]))),
            ),
            ["R-SPREAD-01", "R-SPREAD-04"],
        ),
        (
            lambda: compile_constraints(
                spreading(constraint(matchLabelKeys=["app"])).pod.spec.topology_spread_constraints,
                pod("new", WEB),
                "DoNotSchedule",
            ),
            ["R-SPREAD-03"],
        ),
        (filtering(spreading(constraint()), on(A), on(A)), ["R-SPREAD-08"]),
        (filtering(spreading(constraint()), on(node()), on(A)), ["R-SPREAD-10"]),
        (filtering(spreading(constraint()), on(A), RUNNING, on(B)), ["R-SPREAD-08", "R-SPREAD-11"]),
        (moving(info("web", WEB)), ["R-SPREAD-09"]),
        (moving(info("db")), []),
        (lambda: PLUGIN.pre_score(info(), [on(A)], snapshot_of(on(A))), ["R-SPREAD-02", "R-SPREAD-12"]),
        (
            lambda: PLUGIN.pre_score(spreading(constraint()), [on(A)], snapshot_of(on(A))),
            ["R-SPREAD-01", "R-SPREAD-12"],
        ),
        (
            lambda: PLUGIN.pre_score(spreading(SOFT), [on(node())], snapshot_of(on(node()))),
            ["R-SPREAD-01", "R-SPREAD-13"],
        ),
        (scoring(RUNNING), ["R-SPREAD-14"]),
        (scoring(on(A)), []),
        (lambda: normalized({"n1": 0}, frozenset()), []),
        (lambda: normalized({"n1": 1}, frozenset()), ["R-SPREAD-15"]),
        (lambda: normalized({"n1": 0}, frozenset({"n1"})), ["R-SPREAD-15"]),
    ],
)
def test_domains_and_skew(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules


def after_pod(before: Any, after: Any, *constraints: dict[str, Any]) -> Call:
    rejected = spreading(*(constraints or (constraint(),))).pod
    return lambda: PLUGIN.after_pod_change(rejected, before, after, NOTHING)


def after_node(before: Any, after: Any) -> Call:
    return lambda: PLUGIN.after_node_change(spreading(constraint()).pod, before, after, NOTHING)


TOLERANT = pod("new", WEB, tolerations=[{"operator": "Exists"}])


@pytest.mark.parametrize(
    ("call", "requeues"),
    [
        (after_pod(None, pod("web", WEB, nodeName="n1")), True),
        (after_pod(pod("web", WEB, nodeName="n1"), None), True),
        (after_pod(None, pod("db", nodeName="n1")), False),
        (after_pod(None, pod("web", WEB)), False),
        (after_pod(pod("web", WEB, nodeName="n1"), pod("web", nodeName="n1")), True),
        (after_pod(pod("new", WEB), TOLERANT), False),
        (after_pod(pod("new", WEB), TOLERANT, HONORING), True),
    ],
)
def test_a_pod_that_changes_a_selection_or_tolerates_more_requeues(call: Call, requeues: bool) -> None:
    assert ("R-SPREAD-16" in applied(call)) is requeues
    assert call() is requeues


@pytest.mark.parametrize(
    ("call", "requeues"),
    [
        (after_node(None, A), True),
        (after_node(A, None), True),
        (after_node(None, node()), False),
        (after_node(node(), A), True),
        (after_node(A, B), True),
        (after_node(A, A), False),
        (after_node(A, node({ZONE: "a"}, taints=[{"key": "k", "effect": "NoSchedule"}])), True),
    ],
)
def test_a_node_that_changes_its_domain_or_its_taints_requeues(call: Call, requeues: bool) -> None:
    assert ("R-SPREAD-17" in applied(call)) is requeues
    assert call() is requeues
