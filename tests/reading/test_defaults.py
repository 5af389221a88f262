# SPDX-License-Identifier: Apache-2.0
"""Defaults: what the API server fills in, and that it does so once."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from refsched.errors import InputError
from refsched.objects.meta import LabelSelector, LabelSelectorRequirement
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.priority_class import PriorityClass
from refsched.objects.quantity import Quantity
from refsched.objects.reading import read_as
from refsched.objects.workloads import Namespace
from refsched.reading.defaults import defaulted
from refsched.releases import RELEASES

LOW = PriorityClass(5, read_as(Pod, {"metadata": {"name": "low"}}).metadata, global_default=True)
HIGH = evolve(
    LOW, value=9, metadata=evolve(LOW.metadata, name="high"), preemption_policy="Never", global_default=True
)


def _pod(spec: dict[str, Any] | None = None, **metadata: Any) -> Pod:
    return read_as(Pod, {"metadata": {"name": "p", **metadata}, "spec": spec or {}})


def _requests(pod: Pod) -> dict[str, str]:
    return {name: f"{q.milli_value}m" for name, q in pod.spec.containers[0].resources.requests.items()}


# --- Identity -------------------------------------------------------------------------------------


def test_namespaced_objects_are_in_some_namespace_and_others_in_none() -> None:
    assert defaulted(_pod()).namespace == "default"
    assert defaulted(_pod(namespace="x")).namespace == "x"
    assert defaulted(read_as(Node, {"metadata": {"namespace": "x"}})).metadata.namespace == ""


def test_a_missing_uid_is_made_of_kind_name_and_serial() -> None:
    made = defaulted(_pod()).uid
    assert made == defaulted(_pod(namespace="default")).uid
    others = [defaulted(_pod(), serial=1), defaulted(_pod(namespace="x")), defaulted(Node())]
    assert len({made, *(other.metadata.uid for other in others)}) == 4
    assert defaulted(_pod(uid="u")).uid == "u"
    assert defaulted(_pod(), _pod(uid="before")).uid == "before"


def test_a_namespace_bears_its_name_as_a_label() -> None:
    namespace = defaulted(read_as(Namespace, {"metadata": {"name": "n", "labels": {"a": "b"}}}))
    assert namespace.metadata.labels == {"a": "b", "kubernetes.io/metadata.name": "n"}


# --- Resources ------------------------------------------------------------------------------------


def test_a_node_has_its_capacity_unless_it_says_what_is_allocatable() -> None:
    node = defaulted(read_as(Node, {"status": {"capacity": {"cpu": "2"}}}))
    assert node.status.allocatable == {"cpu": Quantity.of(2)}
    read = defaulted(read_as(Node, {"status": {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "1"}}}))
    assert read.status.allocatable == {"cpu": Quantity.of(1)}


def test_what_is_limited_is_requested_and_amounts_are_whole_thousandths() -> None:
    resources = {"limits": {"cpu": "2", "memory": "1k"}, "requests": {"cpu": "100u", "x.dev/y": "1"}}
    containers = [{"name": "c", "resources": resources}]
    pod = defaulted(_pod({"containers": containers, "initContainers": containers}))
    assert _requests(pod) == {"cpu": "1m", "memory": "1000000m", "x.dev/y": "1000m"}
    assert pod.spec.init_containers == pod.spec.containers


def test_ports_are_tcp_and_on_the_host_network_ports_of_the_host() -> None:
    ports = [{"containerPort": 80, "protocol": ""}, {"containerPort": 81, "hostPort": 82, "protocol": "UDP"}]
    containers = [{"name": "c", "ports": ports}]
    inside, outside = (
        defaulted(_pod({"containers": containers, "hostNetwork": host})) for host in (False, True)
    )
    assert [(p.protocol, p.host_port) for p in inside.spec.containers[0].ports] == [("TCP", 0), ("UDP", 82)]
    assert [(p.protocol, p.host_port) for p in outside.spec.containers[0].ports] == [("TCP", 80), ("UDP", 82)]


@pytest.mark.parametrize(
    ("own", "limits", "requests"),
    [
        ({"limits": {}}, {}, {}),
        ({"limits": {"cpu": "4"}}, {"cpu": "4", "hugepages-2Mi": "4"}, {"cpu": "3", "hugepages-2Mi": "4"}),
        (
            {"limits": {"memory": "9"}},
            {"memory": "9", "hugepages-2Mi": "4"},
            {"cpu": "3", "memory": "9", "hugepages-2Mi": "4"},
        ),
        ({"requests": {"cpu": "5", "hugepages-2Mi": "6"}}, {}, {"cpu": "5", "hugepages-2Mi": "6"}),
        ({"requests": {"cpu": "5"}}, {"hugepages-2Mi": "4"}, {"cpu": "5", "hugepages-2Mi": "4"}),
        (
            {"limits": {"x.dev/y": "1"}, "requests": {"cpu": "5", "hugepages-2Mi": "4"}},
            {"x.dev/y": "1"},
            {"cpu": "5", "hugepages-2Mi": "4"},
        ),
    ],
)
def test_a_pod_with_resources_of_its_own_requests_what_its_containers_do_or_its_limit(
    own: dict[str, Any], limits: dict[str, str], requests: dict[str, str]
) -> None:
    container = {"resources": {"requests": {"cpu": "1", "ephemeral-storage": "1"}}}
    pages = {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "hugepages-2Mi": "2"}}}
    sidecar = {**pages, "restartPolicy": "Always"}
    spec = {"containers": [container, pages], "initContainers": [sidecar], "resources": own}
    resources = defaulted(_pod(spec)).spec.resources
    assert (
        resources
        == read_as(Pod, {"spec": {"resources": {"limits": limits, "requests": requests}}}).spec.resources
    )


def test_a_pod_without_resources_of_its_own_gets_none() -> None:
    assert defaulted(_pod()).spec.resources is None


# --- Scheduler and priority -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "classes", "priority", "policy"),
    [
        ({}, (), 0, "PreemptLowerPriority"),
        ({"schedulerName": ""}, (HIGH, LOW), 5, "PreemptLowerPriority"),
        ({"priorityClassName": "high"}, (HIGH, LOW), 9, "Never"),
        ({"priorityClassName": "system-cluster-critical"}, (), 2_000_000_000, "PreemptLowerPriority"),
        ({"priorityClassName": "system-node-critical"}, (HIGH,), 2_000_001_000, "PreemptLowerPriority"),
        ({"priorityClassName": "gone", "priority": 7}, (), 7, "PreemptLowerPriority"),
        ({"priority": 7, "preemptionPolicy": "Never"}, (LOW,), 7, "Never"),
    ],
)
def test_priority_comes_from_the_class_the_default_class_or_is_zero(
    spec: dict[str, Any], classes: tuple[PriorityClass, ...], priority: int, policy: str
) -> None:
    admitted = defaulted(_pod(spec), classes=classes).spec
    assert (admitted.priority, admitted.preemption_policy) == (priority, policy)
    assert admitted.scheduler_name == "default-scheduler"


def test_a_class_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        defaulted(_pod({"priorityClassName": "gone"}))
    expected = "Pod default/p: spec.priorityClassName: no PriorityClass with name gone was found"
    assert str(refused.value) == expected


def test_an_update_keeps_the_priority_that_it_leaves_out() -> None:
    before = defaulted(_pod({"priorityClassName": "high"}), classes=(HIGH,))
    after = defaulted(_pod({"priorityClassName": "high"}), before)
    assert (after.spec.priority, after.spec.preemption_policy, after.uid) == (9, "Never", before.uid)
    changed = defaulted(_pod({"priority": 3, "preemptionPolicy": "PreemptLowerPriority"}), before)
    assert (changed.spec.priority, changed.spec.preemption_policy) == (3, "PreemptLowerPriority")


# --- Label keys -----------------------------------------------------------------------------------

TERM = {
    "topologyKey": "zone",
    "labelSelector": {"matchLabels": {"app": "a"}},
    "matchLabelKeys": ["ver", "missing"],
    "mismatchLabelKeys": ["tenant"],
}
AFFINITY = {
    "requiredDuringSchedulingIgnoredDuringExecution": [TERM, {**TERM, "labelSelector": None}],
    "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": TERM}],
}
SPREAD = {**TERM, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
LABELS = {"ver": "1", "tenant": "t"}
IN = LabelSelectorRequirement("ver", "In", ("1",))
NOT_IN = LabelSelectorRequirement("tenant", "NotIn", ("t",))


def test_label_keys_join_the_selectors_at_creation() -> None:
    spec = {
        "affinity": {"podAffinity": AFFINITY, "podAntiAffinity": AFFINITY},
        "topologySpreadConstraints": [SPREAD, {**SPREAD, "labelSelector": None}],
    }
    pod = defaulted(_pod(spec, labels=LABELS))
    affinity = pod.spec.affinity
    assert affinity is not None
    assert affinity.node_affinity is None
    assert affinity.pod_affinity == affinity.pod_anti_affinity
    assert affinity.pod_affinity is not None
    first, without = affinity.pod_affinity.required_during_scheduling_ignored_during_execution
    (weighted,) = affinity.pod_affinity.preferred_during_scheduling_ignored_during_execution
    assert first.label_selector == LabelSelector({"app": "a"}, (IN, NOT_IN))
    assert without.label_selector is None
    assert (weighted.weight, weighted.pod_affinity_term) == (1, first)
    spread, without_selector = pod.spec.topology_spread_constraints
    assert spread.label_selector == LabelSelector({"app": "a"}, (IN,))
    assert without_selector.label_selector is None


def test_a_missing_affinity_stays_missing() -> None:
    pod = defaulted(_pod({"affinity": {"podAffinity": {}}}))
    assert pod.spec.affinity is not None
    assert pod.spec.affinity.pod_anti_affinity is None


def test_label_keys_are_not_joined_when_a_pod_is_updated() -> None:
    pod = _pod({"topologySpreadConstraints": [SPREAD]}, labels=LABELS)
    constraint = defaulted(pod, pod).spec.topology_spread_constraints[0]
    assert constraint.label_selector == LabelSelector({"app": "a"})


def test_what_is_complete_stays_as_it_is() -> None:
    spec = {
        "containers": [
            {"name": "c", "resources": {"limits": {"cpu": "1500u"}}, "ports": [{"containerPort": 1}]}
        ],
        "hostNetwork": True,
        "resources": {"limits": {"cpu": "2"}},
        "affinity": {"podAntiAffinity": AFFINITY},
        "topologySpreadConstraints": [SPREAD],
    }
    once = defaulted(_pod(spec, labels=LABELS), classes=(HIGH,))
    assert defaulted(once) == once
    assert defaulted(once, once) == once


# --- Resources of a pod as a whole, by release ----------------------------------------------------

ASKING = {
    "containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1"}}}],
    "resources": {"requests": {"cpu": "2"}},
}
LIMITED = {**ASKING, "resources": {"limits": {"cpu": "2"}}}


def _whole(release: str, spec: dict[str, Any], before: dict[str, Any] | None = None) -> dict[str, str]:
    kubernetes = RELEASES[release]
    old = defaulted(_pod(before), release=kubernetes) if before is not None else None
    resources = defaulted(_pod(spec), old, release=kubernetes).spec.resources
    assert resources is not None
    return {name: f"{amount.milli_value // 1000}" for name, amount in resources.requests.items()}


def test_pod_level_requests_alone_are_completed_at_creation_since_1_37() -> None:
    assert _whole("1.37", ASKING) == {"cpu": "2", "memory": "1"}
    assert _whole("1.36", ASKING) == {"cpu": "2"}


def test_pod_level_requests_are_not_completed_at_an_update_since_1_37() -> None:
    assert _whole("1.37", LIMITED) == {"cpu": "1", "memory": "1"}
    assert _whole("1.37", LIMITED, LIMITED) == {}
    assert _whole("1.36", LIMITED, LIMITED) == {"cpu": "1", "memory": "1"}
