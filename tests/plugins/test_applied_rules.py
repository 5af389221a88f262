# SPDX-License-Identifier: Apache-2.0
"""Which rules the small plugins apply, and where they apply none because there is nothing to decide."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from refsched.framework.node_info import ImageState
from refsched.framework.snapshot import Snapshot
from refsched.objects.pod import NodeAffinity as Affinity
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.image_locality import ImageLocality, normalized_image_name
from refsched.plugins.node_affinity import NodeAffinity
from refsched.plugins.node_name import NodeName
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.priority_sort import PrioritySort
from refsched.plugins.resource_scoring import (
    Use,
    UtilizationShapePoint,
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
)
from refsched.plugins.scheduling_gates import SchedulingGates
from refsched.plugins.taint_toleration import TaintToleration
from refsched.queue.queued_pod import QueuedPod
from tests.applied import Call, applied, container, info, node, on, pod, requesting

NOTHING = ObjectStore()
CORDON = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
PORT = container(ports=[{"containerPort": 80, "hostPort": 80}])
UDP = container(ports=[{"containerPort": 80, "hostPort": 80, "protocol": "UDP"}])
SSD = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
UNREADABLE = {"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["large"]}]}
NAMED = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
PREFERS_SSD = ({"weight": 1, "preference": SSD},)
WITH_SSD = node({"disk": "ssd"})
SMALL = node(allocatable={"cpu": "1", "memory": "1Gi", "pods": "1"})
LARGE = node(allocatable={"cpu": "2", "memory": "1Gi", "pods": "1"})
GPU = "example.com/gpu"


def decided(call: Call) -> list[str]:
    """The rules that are applied, but for those by which requests are added up."""
    return [rule for rule in applied(call) if not rule.startswith("R-REQUEST-")]


def tainted(effect: str) -> Any:
    return node(taints=[{"key": "k", "effect": effect}])


def affine(*terms: Any, prefers: tuple[Any, ...] = ()) -> Any:
    required = {"nodeSelectorTerms": list(terms)} if terms else None
    return info(
        affinity={
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": required,
                "preferredDuringSchedulingIgnoredDuringExecution": list(prefers),
            }
        }
    )


def preferring() -> Any:
    return affine(prefers=PREFERS_SSD).pod.spec.affinity.node_affinity


def queued(priority: int, timestamp: int) -> QueuedPod:
    return QueuedPod(info(priority=priority), timestamp=timestamp)


ADDED = read_as(Affinity, {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [SSD]}})
IMAGES = evolve(on(node()), image_states={"registry:5000/app:latest": ImageState(2**20, 1)})
ENFORCING = NodeAffinity(ADDED)
FIT, FREE = NodeResourcesFit(), on(node(allocatable={"cpu": "1", GPU: "1", "pods": "9"}))
POD_LEVEL = {"resources": {"requests": {"cpu": "1"}}}
RESIZED = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]}


def fits(requesting_pod: Any, a_node: Any = FREE, plugin: NodeResourcesFit = FIT) -> Call:
    wanted = plugin.pre_filter(requesting_pod, Snapshot()).state
    return lambda: plugin.filter(wanted, requesting_pod, a_node)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: NodeName().filter(None, info(nodeName="n2"), on(node())), ["R-NODENAME-01"]),
        (lambda: NodeName().filter(None, info(nodeName="n1"), on(node())), []),
        (lambda: NodePorts().pre_filter(info(), Snapshot()), ["R-PORTS-01"]),
        (lambda: NodePorts().pre_filter(info(containers=PORT), Snapshot()), []),
        (lambda: fits_ports(PORT, PORT), ["R-PORTS-02", "R-PORTS-03"]),
        (lambda: fits_ports(PORT, UDP), []),
        (lambda: after_deletion(PORT, nodeName="n1"), ["R-PORTS-02", "R-PORTS-04"]),
        (lambda: after_deletion(PORT), []),
        (lambda: after_deletion(UDP, nodeName="n1"), []),
    ],
)
def test_names_and_ports(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


def fits_ports(wanted: Any, taken: Any) -> object:
    return NodePorts().filter(info(containers=wanted).host_ports, info(), on(node(), info(containers=taken)))


def after_deletion(ports: Any, **spec: Any) -> object:
    return NodePorts().after_pod_deleted(pod(containers=PORT), pod(containers=ports, **spec), None, NOTHING)


CORDONED = node(unschedulable=True)
CORDONS = NodeUnschedulable()


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: CORDONS.filter(None, info(), on(node())), []),
        (lambda: CORDONS.filter(None, info(), on(CORDONED)), ["R-CORDON-01"]),
        (lambda: CORDONS.filter(None, info(tolerations=[CORDON]), on(CORDONED)), ["R-CORDON-02"]),
        (lambda: CORDONS.after_node_change(pod(), None, node(), NOTHING), ["R-CORDON-03"]),
        (lambda: CORDONS.after_node_change(pod(), CORDONED, node(), NOTHING), ["R-CORDON-03"]),
        (lambda: CORDONS.after_node_change(pod(), node(), node(), NOTHING), []),
        (lambda: CORDONS.after_node_change(pod(), None, CORDONED, NOTHING), []),
        (
            lambda: CORDONS.after_toleration_change(pod(), pod(), pod(tolerations=[CORDON]), NOTHING),
            ["R-CORDON-04"],
        ),
        (lambda: CORDONS.after_toleration_change(pod(), pod(), pod(), NOTHING), []),
    ],
)
def test_cordoned_nodes(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules


TAINTS = TaintToleration()


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: TAINTS.filter(None, info(), on(tainted("NoSchedule"))), ["R-TAINT-01"]),
        (lambda: TAINTS.filter(None, info(), on(tainted("PreferNoSchedule"))), ["R-TAINT-02"]),
        (lambda: TAINTS.filter(None, info(), on(node())), []),
        (
            lambda: TAINTS.pre_score(info(tolerations=[{"effect": "NoExecute"}]), [], Snapshot()),
            ["R-TAINT-03"],
        ),
        (lambda: TAINTS.pre_score(info(tolerations=[CORDON]), [], Snapshot()), []),
        (lambda: TAINTS.normalize_score((), info(), {"n1": 1, "n2": 0}), ["R-TAINT-04"]),
        (lambda: TAINTS.normalize_score((), info(), {"n1": 0, "n2": 0}), []),
        (lambda: TAINTS.after_node_change(pod(), None, node(), NOTHING), ["R-TAINT-05"]),
        (lambda: TAINTS.after_node_change(pod(), node(), node(), NOTHING), []),
        (lambda: TAINTS.after_toleration_change(pod(), pod(), pod(), NOTHING), ["R-TAINT-06"]),
        (lambda: TAINTS.after_toleration_change(pod(), pod("q"), pod("q"), NOTHING), []),
    ],
)
def test_taints(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: NodeAffinity().pre_filter(info(), Snapshot()), ["R-NODEAFF-01"]),
        (lambda: NodeAffinity().pre_filter(affine(SSD), Snapshot()), []),
        (lambda: NodeAffinity().pre_filter(affine(NAMED), Snapshot()), ["R-NODEAFF-02"]),
        (lambda: ENFORCING.filter(None, info(), on(node())), ["R-NODEAFF-03"]),
        (lambda: NodeAffinity().filter(None, affine(SSD), on(node())), ["R-NODEAFF-04"]),
        (lambda: NodeAffinity().filter(None, affine(SSD), on(WITH_SSD)), []),
        (lambda: NodeAffinity().pre_score(info(), [], Snapshot()), ["R-NODEAFF-05"]),
        (lambda: NodeAffinity().pre_score(affine(prefers=PREFERS_SSD), [], Snapshot()), []),
        (
            lambda: NodeAffinity().pre_score(
                affine(prefers=({"weight": 1, "preference": UNREADABLE},)), [], Snapshot()
            ),
            ["R-NODEAFF-08"],
        ),
        (lambda: NodeAffinity().score(preferred(), info(), on(WITH_SSD)), ["R-NODEAFF-06"]),
        (lambda: NodeAffinity().score(preferred(), info(), on(node())), []),
        (lambda: NodeAffinity().normalize_score((), info(), {"n1": 1, "n2": 2}), ["R-NODEAFF-09"]),
        (lambda: NodeAffinity().normalize_score((), info(), {"n1": 0, "n2": 0}), []),
        (lambda: after_change(affine(SSD), None, WITH_SSD), ["R-NODEAFF-07"]),
        (lambda: after_change(affine(SSD), WITH_SSD, WITH_SSD), []),
        (lambda: after_change(affine(UNREADABLE), None, node()), ["R-NODEAFF-07"]),
    ],
)
def test_node_affinity(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules


def preferred() -> Any:
    return preferring().preferred_during_scheduling_ignored_during_execution


def after_change(rejected: Any, before: Any, after: Any) -> object:
    return NodeAffinity().after_node_change(rejected.pod, before, after, NOTHING)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: FIT.pre_filter(info(containers=requesting(cpu="1")), Snapshot()), []),
        (lambda: FIT.pre_filter(info(containers=container(), **POD_LEVEL), Snapshot()), ["R-FIT-01"]),
        (lambda: FIT.pre_filter(info(containers=container(), status=RESIZED), Snapshot()), ["R-FIT-01"]),
        (fits(info(containers=requesting(cpu="1"))), []),
        (fits(info(), on(SMALL, info("q"))), ["R-FIT-02"]),
        (
            fits(info(containers=requesting(cpu="1")), on(LARGE, info(containers=requesting(cpu="2")))),
            ["R-FIT-02"],
        ),
        (fits(info(containers=requesting(cpu="2"))), ["R-FIT-03", "R-FIT-02"]),
        (
            fits(
                info(containers=requesting(**{GPU: "2"})),
                plugin=NodeResourcesFit(ignored_resource_groups=frozenset({"example.com"})),
            ),
            ["R-FIT-04"],
        ),
        (lambda: FIT.pre_score(info(containers=container()), [], Snapshot()), ["R-FIT-05"]),
        (lambda: FIT.pre_score(info(containers=requesting(cpu="1", memory="1")), [], Snapshot()), []),
        (lambda: least_allocated([Use(1, 2, 1)]), ["R-FIT-06"]),
        (lambda: most_allocated([Use(1, 2, 1)]), ["R-FIT-07"]),
        (lambda: requested_to_capacity_ratio([UtilizationShapePoint(0, 5)], [Use(1, 2, 1)]), ["R-FIT-08"]),
        (lambda: least_allocated([]), []),
        (lambda: FIT.after_pod_change(pod(), pod("q", nodeName="n1"), None, NOTHING), ["R-FIT-09"]),
        (lambda: FIT.after_pod_change(pod(), pod("q"), None, NOTHING), []),
        (lambda: FIT.after_pod_change(pod(), pod(), pod(), NOTHING), ["R-FIT-10"]),
        (lambda: FIT.after_pod_change(pod(), pod("q"), pod("q"), NOTHING), []),
        (lambda: FIT.after_node_change(pod(), None, SMALL, NOTHING), ["R-FIT-11"]),
        (lambda: FIT.after_node_change(pod(containers=requesting(cpu="2")), None, SMALL, NOTHING), []),
        (
            lambda: FIT.after_node_change(pod(containers=requesting(cpu="1")), SMALL, LARGE, NOTHING),
            ["R-FIT-12"],
        ),
        (lambda: FIT.after_node_change(pod(), SMALL, LARGE, NOTHING), []),
    ],
)
def test_resources(call: Call, rules: list[str]) -> None:
    assert sorted(decided(call)) == sorted(rules)


BALANCED = NodeResourcesBalancedAllocation()
BOTH = node(allocatable={"cpu": "1", "memory": "1"})


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: BALANCED.pre_score(info(containers=container()), [], Snapshot()), ["R-BALANCED-01"]),
        (lambda: BALANCED.pre_score(info(containers=requesting(cpu="1")), [], Snapshot()), ["R-BALANCED-02"]),
        (lambda: BALANCED.pre_score(info(containers=requesting(cpu="1", memory="1")), [], Snapshot()), []),
        (lambda: BALANCED.score((1, 1), info(), on(BOTH)), ["R-BALANCED-03", "R-BALANCED-05"]),
        (
            lambda: BALANCED.score((1, 1), info(), on(node(allocatable={"cpu": "1"}))),
            ["R-BALANCED-04", "R-BALANCED-05"],
        ),
    ],
)
def test_balanced_allocation(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: ImageLocality().score(1, info(containers=container(image="other:1")), IMAGES), []),
        (
            lambda: ImageLocality().score(1, info(containers=container(image="registry:5000/app")), IMAGES),
            ["R-IMAGE-03", "R-IMAGE-01", "R-IMAGE-02"],
        ),
        (lambda: normalized_image_name("app:1"), []),
        (
            lambda: SchedulingGates().pre_enqueue(pod(schedulingGates=[{"name": "g"}]), NOTHING),
            ["R-GATES-01"],
        ),
        (lambda: SchedulingGates().pre_enqueue(pod(), NOTHING), []),
        (lambda: SchedulingGates().after_gates_eliminated(pod(), pod(), pod(), NOTHING), ["R-GATES-02"]),
        (lambda: SchedulingGates().after_gates_eliminated(pod(), pod(), pod("q"), NOTHING), []),
        (lambda: PrioritySort().less(queued(1, 0), queued(2, 0)), ["R-SORT-01"]),
        (lambda: PrioritySort().less(queued(1, 0), queued(1, 0)), ["R-SORT-02"]),
    ],
)
def test_images_gates_and_order(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules
