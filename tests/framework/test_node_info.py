# SPDX-License-Identifier: Apache-2.0
"""PodInfo and NodeInfo: what is computed once of a pod, and what a node counts."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.node_info import HostPort, NodeInfo, PodInfo
from refsched.framework.status import SKIP, SUCCESS, error, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as

GIB = 2**30


def pod(name: str = "p", spec: dict[str, Any] | None = None) -> PodInfo:
    metadata = {"name": name, "namespace": "ns", "uid": name, "labels": {"app": "web"}}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": spec or {}}))


def asking(**requests: str) -> dict[str, Any]:
    return {"containers": [{"name": "c", "resources": {"requests": requests}}]}


def term(**members: Any) -> dict[str, Any]:
    return {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}, **members}


def test_scoring_counts_a_default_for_a_container_that_asks_for_nothing() -> None:
    info = pod(spec=asking(cpu="2"))
    assert (info.requests.milli_cpu, info.requests.memory) == (2000, 0)
    assert (info.non_zero_requests.milli_cpu, info.non_zero_requests.memory) == (2000, 200 * 2**20)


def test_pod_level_requests_leave_no_default_for_what_they_name() -> None:
    info = pod(spec={**asking(), "resources": {"requests": {"memory": "1Gi"}}})
    assert (info.non_zero_requests.milli_cpu, info.non_zero_requests.memory) == (100, GIB)


def test_a_node_counts_its_pods_and_gives_back_what_leaves() -> None:
    empty = NodeInfo(read_as(Node, {"metadata": {"name": "n1"}}))
    a, b, c = (pod(name, asking(cpu="1", **{"example.com/gpu": "1"})) for name in "abc")
    full = empty.with_pod(a).with_pod(b).with_pod(c)
    assert (full.requested.milli_cpu, full.requested.scalar) == (3000, {"example.com/gpu": 3})
    left = full.without_pod("a")
    assert ([p.pod.name for p in left.pods], left.requested.milli_cpu) == (["c", "b"], 2000)
    assert (left.name, empty.pods) == ("n1", ())
    with pytest.raises(KeyError):
        left.without_pod("a")


def test_sidecars_claim_host_ports_and_other_init_containers_do_not() -> None:
    ports = [{"containerPort": 1, "hostPort": 80}, {"containerPort": 2}]
    info = pod(
        spec={
            "initContainers": [
                {"name": "i", "ports": ports},
                {"name": "s", "restartPolicy": "Always", "ports": [{"hostPort": 81, "hostIP": "10.0.0.1"}]},
            ],
            "containers": [{"name": "c", "ports": ports}],
        }
    )
    assert info.host_ports == (HostPort("10.0.0.1", "TCP", 81), HostPort("0.0.0.0", "TCP", 80))
    assert NodeInfo(None).with_pod(info).host_ports == frozenset(info.host_ports)


def test_of_two_pods_that_claim_one_port_the_first_to_leave_frees_it() -> None:
    port = {"containerPort": 80, "hostPort": 80}
    one, other = (
        PodInfo(
            read_as(Pod, {"metadata": {"uid": uid}, "spec": {"containers": [{"name": "c", "ports": [port]}]}})
        )
        for uid in ("1", "2")
    )
    assert NodeInfo(None).with_pod(one).with_pod(other).without_pod("1").host_ports == frozenset()


def test_a_term_without_namespaces_speaks_of_its_own_pods_namespace() -> None:
    anti = {"requiredDuringSchedulingIgnoredDuringExecution": [term()]}
    info = pod(spec={"affinity": {"podAntiAffinity": anti}})
    (only,) = info.required_anti_affinity_terms
    assert only.matches(pod().pod, None)
    assert not only.matches(read_as(Pod, {"metadata": {"namespace": "other", "labels": {"app": "web"}}}), {})
    assert (info.required_affinity_terms, info.preferred_anti_affinity_terms) == ((), ())
    node = NodeInfo(None).with_pod(info).with_pod(pod("plain"))
    assert node.pods_with_affinity == node.pods_with_required_anti_affinity == (info,)


def test_a_namespace_selector_reaches_other_namespaces_by_their_labels() -> None:
    selecting = term(namespaces=["a"], namespaceSelector={"matchLabels": {"team": "x"}})
    preferred = [{"weight": 7, "podAffinityTerm": selecting}]
    spec = {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}}
    (only,) = pod(spec=spec).preferred_affinity_terms
    assert (only.weight, only.matches(pod().pod, {"team": "x"}), only.matches(pod().pod, {})) == (
        7,
        True,
        False,
    )


def test_only_rejections_reject() -> None:
    assert [s.is_rejected for s in (SUCCESS, SKIP, error("x"), unschedulable("x"), unresolvable("x"))] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert unschedulable("a", "b").message == "a, b"
