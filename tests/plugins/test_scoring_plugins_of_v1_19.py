# SPDX-License-Identifier: Apache-2.0
"""What only v1.19 scores with: resources, avoided pods, labels, and the pods of Services and controllers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from attrs import evolve

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, error, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import ReplicaSet, ReplicationController, Service, StatefulSet
from refsched.plugins.resource_scoring import ResourceSpec, UtilizationShapePoint
from refsched.releases.v1_19.plugins.node_label import NodeLabel
from refsched.releases.v1_19.plugins.node_prefer_avoid_pods import ANNOTATION, NodePreferAvoidPods
from refsched.releases.v1_19.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.releases.v1_19.plugins.node_resources_least_allocated import NodeResourcesLeastAllocated
from refsched.releases.v1_19.plugins.node_resources_most_allocated import NodeResourcesMostAllocated
from refsched.releases.v1_19.plugins.requested_to_capacity_ratio import RequestedToCapacityRatio
from refsched.releases.v1_19.plugins.selector_spread import SelectorSpread
from refsched.releases.v1_19.plugins.service_affinity import ServiceAffinity
from tests.applied import applied, container, info, on, requesting
from tests.applied import node as node_of
from tests.snapshots import snapshot_of

T = TypeVar("T")
GPU = "example.com/gpu"
RISING = (UtilizationShapePoint(0, 0), UtilizationShapePoint(100, 10))


def free(**allocatable: str) -> NodeInfo:
    return on(node_of(allocatable={"cpu": "4", "memory": "4Gi", "pods": "10", **allocatable}))


def named(name: str, *pods: PodInfo, annotations: Any = None, **labels: str) -> NodeInfo:
    metadata = {"name": name, "labels": labels, "annotations": annotations or {}}
    known = NodeInfo(read_as(Node, {"metadata": metadata}))
    for each in pods:
        known = known.with_pod(each)
    return known


# --- Resources ------------------------------------------------------------------------------------


def test_the_emptier_a_node_would_be_the_better() -> None:
    asking = info(containers=requesting(cpu="1", memory="2Gi"))
    assert NodeResourcesLeastAllocated().score(None, asking, free()) == (75 + 50) // 2


def test_the_fuller_a_node_would_be_the_better_for_most_allocated() -> None:
    asking = info(containers=requesting(cpu="1", memory="2Gi"))
    assert NodeResourcesMostAllocated().score(None, asking, free()) == (25 + 50) // 2


def test_a_resource_that_the_node_does_not_have_scores_nothing_and_counts_with_its_weight() -> None:
    asking = info(containers=requesting(cpu="1", memory="2Gi"))
    resources = (ResourceSpec("cpu", 1), ResourceSpec(GPU, 3))
    assert NodeResourcesLeastAllocated(resources).score(None, asking, free()) == 75 // 4
    assert NodeResourcesMostAllocated(resources).score(None, asking, free()) == 25 // 4


def test_what_is_requested_beyond_the_capacity_is_full() -> None:
    asking = info(containers=requesting(cpu="8", memory="8Gi"))
    assert NodeResourcesLeastAllocated().score(None, asking, free()) == 0
    assert NodeResourcesMostAllocated().score(None, asking, free()) == 100


def test_a_container_without_requests_counts_with_defaults() -> None:
    asking = info(containers=container())
    rules = applied(lambda: NodeResourcesLeastAllocated().score(None, asking, free(cpu="1", memory="400Mi")))
    assert "R-ALLOC-02" in rules
    assert NodeResourcesLeastAllocated().score(None, asking, free(cpu="1", memory="400Mi")) == (90 + 50) // 2


def test_the_largest_init_container_counts_where_it_asks_for_more() -> None:
    asking = info(
        containers=requesting(cpu="1", memory="1Gi"), initContainers=requesting(cpu="2", memory="1Gi")
    )
    assert NodeResourcesMostAllocated().score(None, asking, free()) == (50 + 25) // 2


def test_the_cpu_of_overhead_counts_in_whole_cpus() -> None:
    asking = info(containers=requesting(cpu="1", memory="1Gi"), overhead={"cpu": "500m", "memory": "1Gi"})
    small = free(cpu="1001m")
    assert NodeResourcesMostAllocated((ResourceSpec("cpu", 1),)).score(None, asking, small) == 100
    assert "R-ALLOC-03" in applied(lambda: NodeResourcesMostAllocated().score(None, asking, small))


def test_a_name_that_is_no_resource_counts_as_nothing_of_nothing() -> None:
    asking = info(containers=requesting(cpu="1"))
    assert NodeResourcesMostAllocated((ResourceSpec("pods", 1),)).score(None, asking, free()) == 0


@pytest.mark.parametrize(("cpu", "score"), [("1", 34), ("3", 100), ("6", 100)])
def test_the_ratio_counts_what_stays_free_in_whole_percent(cpu: str, score: int) -> None:
    plugin = RequestedToCapacityRatio(RISING, (ResourceSpec("cpu", 1),))
    assert plugin.score(None, info(containers=requesting(cpu=cpu)), free(cpu="3")) == score


def test_the_ratio_takes_a_resource_that_the_node_does_not_have_as_used_up() -> None:
    plugin = RequestedToCapacityRatio(RISING, (ResourceSpec(GPU, 1),))
    assert plugin.score(None, info(containers=requesting(cpu="1")), free()) == 100


def test_balance_is_what_the_shares_of_cpu_and_memory_do_not_differ_by() -> None:
    asking = info(containers=requesting(cpu="1", memory="2Gi"))
    assert NodeResourcesBalancedAllocation().score(None, asking, free()) == 75


def test_a_node_whose_cpu_would_be_used_up_is_not_balanced() -> None:
    asking = info(containers=requesting(cpu="4", memory="4Gi"))
    assert NodeResourcesBalancedAllocation().score(None, asking, free()) == 0
    assert NodeResourcesBalancedAllocation().score(None, asking, on(node_of())) == 0


# --- Avoided pods ---------------------------------------------------------------------------------


def owned_by(kind: str, uid: str) -> PodInfo:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": uid, "controller": True}
    return PodInfo(read_as(Pod, {"metadata": {"name": "p", "ownerReferences": [owner]}, "spec": {}}))


def avoiding(kind: str, uid: str) -> NodeInfo:
    controller = {"kind": kind, "uid": uid, "controller": True}
    entry = {"podSignature": {"podController": controller}}
    return named("n", annotations={ANNOTATION: json.dumps({"preferAvoidPods": [entry]})})


@pytest.mark.parametrize(
    ("pod", "score"),
    [
        (owned_by("ReplicaSet", "u"), 0),
        (owned_by("ReplicaSet", "other"), 100),
        (owned_by("ReplicationController", "u"), 100),
        (owned_by("StatefulSet", "u"), 100),
        (info(), 100),
    ],
)
def test_a_node_avoids_the_pods_of_the_controllers_that_it_names(pod: PodInfo, score: int) -> None:
    assert NodePreferAvoidPods().score(None, pod, avoiding("ReplicaSet", "u")) == score


@pytest.mark.parametrize("written", ["", "{", "[]", '{"preferAvoidPods": [1]}', '{"preferAvoidPods": [{}]}'])
def test_an_annotation_that_cannot_be_read_avoids_nobody(written: str) -> None:
    node = named("n", annotations={ANNOTATION: written})
    assert NodePreferAvoidPods().score(None, owned_by("ReplicaSet", "u"), node) == 100


# --- Labels ---------------------------------------------------------------------------------------


def test_a_node_needs_the_labels_and_must_not_have_the_others() -> None:
    plugin = NodeLabel(present_labels=("disk",), absent_labels=("old",))
    rejected = unresolvable("node(s) didn't have the requested labels")
    assert plugin.filter(None, info(), named("n", disk="x")) == SUCCESS
    assert plugin.filter(None, info(), named("n")) == rejected
    assert plugin.filter(None, info(), named("n", disk="x", old="")) == rejected


def test_a_node_scores_the_share_of_label_preferences_that_it_meets() -> None:
    plugin = NodeLabel(present_labels_preference=("disk", "gpu"), absent_labels_preference=("old",))
    assert plugin.score(None, info(), named("n", disk="x")) == 66
    assert plugin.score(None, info(), named("n", disk="x", gpu="y", old="")) == 66


# --- Pods that belong together --------------------------------------------------------------------

WEB = {"app": "web"}


def web(uid: str, on_node: str = "", **more: str) -> PodInfo:
    metadata = {"name": uid, "namespace": "default", "uid": uid, "labels": {**WEB, **more}}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"nodeName": on_node}}))


def store(*objects: Any) -> ObjectStore:
    objects_of = ObjectStore()
    for each in objects:
        objects_of.put(each)
    return objects_of


def service(name: str, **selector: str) -> Service:
    return read_as(
        Service, {"metadata": {"name": name, "namespace": "default"}, "spec": {"selector": selector}}
    )


def owner(kind: Any, **match: str) -> Any:
    spec = {"selector": match if kind is ReplicationController else {"matchLabels": match}}
    return read_as(kind, {"metadata": {"name": "o", "namespace": "default"}, "spec": spec})


def spread(pod: PodInfo, nodes: list[NodeInfo], objects: ObjectStore) -> dict[str, int]:
    plugin = SelectorSpread()
    answer = plugin.pre_score(pod, nodes, snapshot_of(*nodes, objects=objects))
    counts = {node.name: plugin.score(answer.state, pod, node) for node in nodes}
    return dict(plugin.normalize_score(answer.state, pod, counts))


@pytest.mark.parametrize(
    "selecting",
    [service("s", **WEB), *(owner(kind, **WEB) for kind in (ReplicationController, ReplicaSet, StatefulSet))],
)
def test_pods_spread_from_those_that_the_same_service_or_controller_selects(selecting: Any) -> None:
    nodes = [named("n1", web("a"), web("b")), named("n2", web("c")), named("n3")]
    assert spread(web("p"), nodes, store(selecting)) == {"n1": 0, "n2": 50, "n3": 100}


def test_a_zone_counts_for_two_thirds_of_the_spread() -> None:
    zone = "topology.kubernetes.io/zone"
    nodes = [
        named("n1", web("a"), **{zone: "z1"}),
        named("n2", **{zone: "z1"}),
        named("n3", **{zone: "z2"}),
        named("n4"),
    ]
    assert spread(web("p"), nodes, store(service("s", **WEB))) == {"n1": 0, "n2": 33, "n3": 100, "n4": 100}


def test_a_pod_that_nothing_selects_spreads_from_nobody() -> None:
    nodes = [named("n1", web("a")), named("n2")]
    others = [service("s", app="db"), service("all"), owner(ReplicaSet)]
    assert spread(info(), nodes, store(*others)) == {"n1": 100, "n2": 100}


def test_a_pod_with_constraints_of_its_own_is_not_spread_by_selector() -> None:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    pod = info(labels=WEB, topologySpreadConstraints=[constraint])
    assert spread(pod, [named("n1"), named("n2")], store(service("s", **WEB))) == {"n1": 0, "n2": 0}


# --- Services -------------------------------------------------------------------------------------

OTHER = unschedulable("node(s) didn't match service affinity")


def affine(plugin: ServiceAffinity, pod: PodInfo, nodes: list[NodeInfo], *objects: Any) -> dict[str, Any]:
    answer = plugin.pre_filter(pod, snapshot_of(*nodes, objects=store(*objects)))
    assert isinstance(answer, Continue)
    return {node.name: plugin.filter(answer.state, pod, node) for node in nodes}


def test_the_pods_of_a_service_run_where_labels_are_those_of_the_first() -> None:
    nodes = [named("n1", web("a", "n1"), zone="z1"), named("n2", zone="z1"), named("n3", zone="z2")]
    found = affine(ServiceAffinity(("zone",)), web("p"), nodes, service("s", **WEB))
    assert found == {"n1": SUCCESS, "n2": SUCCESS, "n3": OTHER}


def test_a_node_selector_goes_before_the_service() -> None:
    nodes = [named("n1", web("a", "n1"), zone="z1"), named("n3", zone="z2")]
    picky = PodInfo(evolve(web("p").pod, spec=evolve(web("p").pod.spec, node_selector={"zone": "z2"})))
    found = affine(ServiceAffinity(("zone",)), picky, nodes, service("s", **WEB))
    assert found == {"n1": OTHER, "n3": SUCCESS}


def test_without_a_service_any_node_will_do() -> None:
    nodes = [named("n1", web("a", "n1"), zone="z1"), named("n3", zone="z2")]
    assert affine(ServiceAffinity(("zone",)), web("p"), nodes) == {"n1": SUCCESS, "n3": SUCCESS}


def test_a_first_pod_whose_node_is_not_there_is_an_error() -> None:
    plugin, pod, nodes = ServiceAffinity(("zone",)), web("p"), [named("n1", zone="z1")]
    snapshot = snapshot_of(*nodes, objects=store(service("s", **WEB)))
    state = plugin.pre_filter(pod, snapshot).state
    nominated = plugin.add_pod(state, pod, web("nominated"), nodes[0], snapshot)
    assert plugin.filter(nominated, pod, nodes[0]) == error("node not found")
    stranger = PodInfo(
        read_as(Pod, {"metadata": {"name": "x", "namespace": "other", "labels": WEB}, "spec": {}})
    )
    assert plugin.add_pod(state, pod, stranger, nodes[0], snapshot) == state


def test_a_pod_that_the_dry_run_has_taken_away_does_not_count() -> None:
    plugin, pod = ServiceAffinity(("zone",)), web("p")
    victim = web("a", "n1")
    nodes = [named("n1", victim, zone="z1"), named("n2", zone="z2")]
    snapshot = snapshot_of(*nodes, objects=store(service("s", **WEB)))
    state = plugin.pre_filter(pod, snapshot).state
    without = nodes[0].without_pod("a")
    assert plugin.filter(plugin.remove_pod(state, pod, victim, without, snapshot), pod, nodes[1]) == SUCCESS
    assert plugin.filter(state, pod, without) == SUCCESS
    assert plugin.filter(state, pod, nodes[1]) == OTHER


def test_of_two_pods_of_one_name_the_dry_run_takes_away_the_first() -> None:
    plugin, pod = ServiceAffinity(("zone",)), web("p")
    old, new = web("a", "n1"), web("a", "n2")
    nodes = [named("n1", old, zone="z1"), named("n2", new, zone="z2")]
    snapshot = snapshot_of(*nodes, objects=store(service("s", **WEB)))
    state = plugin.pre_filter(pod, snapshot).state
    without = nodes[0].without_pod("a")
    left = plugin.remove_pod(state, pod, old, without, snapshot)
    assert plugin.filter(left, pod, nodes[1]) == SUCCESS
    assert plugin.filter(left, pod, without) == OTHER
    assert plugin.remove_pod(left, pod, web("b", "n1"), without, snapshot) == left


def test_the_pods_of_a_service_spread_over_the_values_of_a_label() -> None:
    plugin = ServiceAffinity(anti_affinity_labels_preference=("zone", "rack"))
    nodes = [
        named("n1", web("a"), web("b"), zone="z1"),
        named("n2", web("c"), zone="z2", rack="r1"),
        named("n3"),
    ]
    answer = plugin.pre_score(web("p"), nodes, snapshot_of(*nodes, objects=store(service("s", **WEB))))
    counts = {node.name: plugin.score(answer.state, web("p"), node) for node in nodes}
    assert counts == {"n1": 2, "n2": 1, "n3": 0}
    assert plugin.normalize_score(answer.state, web("p"), counts) == {"n1": 16, "n2": 66, "n3": 0}


def test_any_service_of_the_pod_may_count_another_for_each_node() -> None:
    class Last:
        def choose(self, question: str, options: Sequence[T]) -> T:
            asked.append((question, tuple(options)))
            return options[-1]

    asked: list[tuple[str, Any]] = []
    plugin = ServiceAffinity()
    metadata = {"name": "p", "namespace": "default", "uid": "p", "labels": WEB | {"tier": "x"}}
    both = PodInfo(read_as(Pod, {"metadata": metadata, "spec": {}}))
    nodes = [named("n1", web("a"), both), named("n2", both), named("n3", web("b"))]
    objects = store(service("s", **WEB), service("t", tier="x"))
    state = plugin.pre_score(both, nodes, evolve(snapshot_of(*nodes, objects=objects), choices=Last())).state
    assert [plugin.score(state, both, node) for node in nodes] == [2, 1, 1]
    assert asked == [("service", (1, 2)), ("service", (1,)), ("service", (0, 1))]


def test_without_a_service_every_value_is_as_good() -> None:
    plugin = ServiceAffinity(anti_affinity_labels_preference=("zone",))
    nodes = [named("n1", web("a"), zone="z1"), named("n2")]
    answer = plugin.pre_score(web("p"), nodes, snapshot_of(*nodes))
    counts = {node.name: plugin.score(answer.state, web("p"), node) for node in nodes}
    assert plugin.normalize_score(answer.state, web("p"), counts) == {"n1": 100, "n2": 0}
