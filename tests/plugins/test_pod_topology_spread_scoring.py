# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread: which nodes it prefers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.node import HOSTNAME_LABEL, ZONE_LABEL, Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Service
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.plugins.pod_topology_spread_scoring import normalized
from tests.snapshots import snapshot_of

PLUGIN = PodTopologySpread()
WEB = {"app": "web"}


def constraint(key: str = ZONE_LABEL, **asked: Any) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": WEB},
        **asked,
    }


def pod(*constraints: dict[str, Any], uid: str = "new", **spec: Any) -> PodInfo:
    meta = {"name": uid, "namespace": "default", "uid": uid, "labels": WEB}
    return PodInfo(
        read_as(Pod, {"metadata": meta, "spec": {"topologySpreadConstraints": list(constraints), **spec}})
    )


def node(name: str, webs: int = 0, **labels: str) -> NodeInfo:
    """``a1`` is a node of zone ``a``; ``_1`` is one without a zone."""
    zone = {} if name[0] == "_" else {ZONE_LABEL: name[0]}
    meta = {"name": name, "labels": {**zone, HOSTNAME_LABEL: name, **labels}}
    info = NodeInfo(read_as(Node, {"metadata": meta}))
    for number in range(webs):
        info = info.with_pod(pod(uid=f"{name}-{number}"))
    return info


def scores(
    asking: PodInfo, feasible: list[NodeInfo], snapshot: Snapshot | None = None
) -> tuple[dict[str, int], dict[str, int]]:
    """The raw scores and the normalized ones."""
    outcome = PLUGIN.pre_score(asking, feasible, snapshot or snapshot_of(*feasible))
    assert isinstance(outcome, Continue)
    raw = {info.name: PLUGIN.score(outcome.state, asking, info) for info in feasible}
    return raw, dict(PLUGIN.normalize_score(outcome.state, asking, raw))


def test_a_pod_without_soft_constraints_is_not_scored() -> None:
    nodes = [node("a1")]
    for asking in (pod(), pod(constraint(whenUnsatisfiable="DoNotSchedule"))):
        assert PLUGIN.pre_score(asking, nodes, snapshot_of(*nodes)) == Skip()


def test_a_zone_counts_with_the_pods_of_all_its_nodes_feasible_or_not() -> None:
    a1, a2, b1, c1 = node("a1", 1), node("a2", 3), node("b1", 2), node("c1", 9)
    raw, final = scores(pod(constraint()), [a1, b1], snapshot_of(a1, a2, b1, c1))
    weight = math.log(2 + 2)
    assert raw == {"a1": round(4 * weight), "b1": round(2 * weight)}
    assert raw == {"a1": 6, "b1": 3}
    assert final == {"a1": 50, "b1": 100}


def test_hosts_count_with_their_own_pods_and_weigh_by_the_number_of_feasible_nodes() -> None:
    raw, final = scores(pod(constraint(HOSTNAME_LABEL)), [node("a1", 1), node("a2", 2), node("b1")])
    weight = math.log(3 + 2)
    assert raw == {"a1": round(weight), "a2": round(2 * weight), "b1": 0}
    assert final == {"a1": 33, "a2": 0, "b1": 100}


def test_max_skew_waters_differences_down() -> None:
    _, final = scores(pod(constraint(maxSkew=11)), [node("a1", 2), node("b1")])
    assert final == {"a1": 76, "b1": 100}


def test_constraints_add_up_before_the_sum_is_rounded() -> None:
    asking = pod(constraint(), constraint(HOSTNAME_LABEL, maxSkew=3))
    raw, _ = scores(asking, [node("a1", 1), node("b1", 2)])
    assert raw == {"a1": round(2 * math.log(4) + 2), "b1": round(4 * math.log(4) + 2)}


def test_domains_without_any_matching_pod_are_all_best() -> None:
    raw, final = scores(pod(constraint()), [node("a1"), node("b1")])
    assert raw == {"a1": 0, "b1": 0}
    assert final == {"a1": 100, "b1": 100}


def test_a_node_without_one_of_the_keys_gets_nought_and_is_not_counted() -> None:
    asking = pod(constraint(), constraint("rack"))
    nodes = [node("a1", 1, rack="r1"), node("a2", 5), node("b1", 2, rack="r2")]
    raw, final = scores(asking, nodes)
    assert raw == {"a1": round(2 * math.log(4)), "a2": 0, "b1": round(4 * math.log(4))}
    assert final == {"a1": 100, "a2": 0, "b1": 50}


def test_the_policies_leave_nodes_out_of_zones_but_not_out_of_hosts() -> None:
    nodes = [node("a1", 1), node("b1", 1, disk="ssd")]
    asking = pod(constraint(), nodeSelector={"disk": "ssd"})
    by_host = pod(constraint(HOSTNAME_LABEL), nodeSelector={"disk": "ssd"})
    assert scores(asking, nodes)[0] == {"a1": 0, "b1": 1}
    assert scores(by_host, nodes)[0] == {"a1": 1, "b1": 1}


@pytest.mark.parametrize(
    ("raw", "ignored", "expected"),
    [
        ({"n1": 0, "n2": 0}, (), {"n1": 100, "n2": 100}),
        ({"n1": 3, "n2": 6, "n3": 4}, (), {"n1": 100, "n2": 50, "n3": 83}),
        ({"n1": 0, "n2": 7}, ("n1",), {"n1": 0, "n2": 100}),
        ({"n1": 0}, ("n1",), {"n1": 0}),
    ],
)
def test_fewer_is_better_in_proportion_to_the_largest(
    raw: dict[str, int], ignored: tuple[str, ...], expected: dict[str, int]
) -> None:
    assert normalized(raw, frozenset(ignored)) == expected


# --- Defaults -------------------------------------------------------------------------------------


def serving_web() -> ObjectStore:
    objects = ObjectStore()
    meta = {"name": "web", "namespace": "default"}
    objects.put(read_as(Service, {"metadata": meta, "spec": {"selector": WEB}}))
    return objects


def test_by_the_systems_defaults_a_node_without_a_zone_is_scored_by_host() -> None:
    nodes = [node("a1", 1), node("_1", 1), node("_2")]
    raw, final = scores(pod(), nodes, snapshot_of(*nodes, objects=serving_web()))
    by_host, by_zone = math.log(3 + 2) + 2, math.log(2 + 2) + 4
    assert raw == {"a1": round(by_host + by_zone), "_1": round(by_host), "_2": 2}
    assert final == {"a1": 22, "_1": 77, "_2": 100}


def test_by_a_list_of_defaults_a_node_without_the_key_gets_nought() -> None:
    nodes = [node("a1", 1), node("_1")]
    listed = pod(constraint(labelSelector=None)).pod.spec.topology_spread_constraints
    plugin = PodTopologySpread(default_constraints=listed, system_defaulted=False)
    outcome = plugin.pre_score(pod(), nodes, snapshot_of(*nodes, objects=serving_web()))
    assert isinstance(outcome, Continue)
    assert outcome.state.ignored == {"_1"}
    assert plugin.score(outcome.state, pod(), nodes[0]) == 1


def test_a_pod_with_constraints_of_its_own_or_without_company_gets_no_defaults() -> None:
    nodes = [node("a1")]
    own = pod(constraint(whenUnsatisfiable="DoNotSchedule"))
    assert PLUGIN.pre_score(own, nodes, snapshot_of(*nodes, objects=serving_web())) == Skip()
    assert PLUGIN.pre_score(pod(), nodes, snapshot_of(*nodes)) == Skip()
    bare = PodTopologySpread(system_defaulted=False)
    assert bare.pre_score(pod(), nodes, snapshot_of(*nodes, objects=serving_web())) == Skip()
