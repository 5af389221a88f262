# SPDX-License-Identifier: Apache-2.0
"""Objects: what an object is read as, and what is said of one that is not read."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.objects.pod import Pod
from refsched.reading.objects import UnknownKindError, key_named, key_of, kind_called, read_object


def _object(api_version: object = "v1", kind: object = "Pod", **more: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "namespace": "ns"}, **more}


def test_an_object_is_read_as_its_kind_and_unknown_fields_are_ignored() -> None:
    pod = read_object(_object(spec={"nodeName": "n", "hostname": "h"}, extra=1))
    assert isinstance(pod, Pod)
    assert (pod.key, pod.spec.node_name) == ("ns/a", "n")


@pytest.mark.parametrize(
    ("api_version", "kind"), [("v1", "ConfigMap"), ("example.dev/v1", "Pod"), ("v1", "")]
)
def test_a_kind_that_scheduling_does_not_read_is_distinguished(api_version: str, kind: str) -> None:
    with pytest.raises(UnknownKindError, match=f"{api_version} {kind} is nothing that scheduling reads"):
        kind_called(api_version, kind)
    assert kind_called("v1", "Node").api_version == "v1"
    assert kind_called("scheduling.k8s.io/v1beta1", "PriorityClass").api_version == "scheduling.k8s.io/v1"


@pytest.mark.parametrize(
    ("api_version", "kind", "problem"),
    [
        ("v1", "Nod", "kind: there is no 'Nod' in v1; Node may be meant"),
        ("v1", "Nodes", "kind: there is no 'Nodes' in v1; Node may be meant"),
        ("v1", "pod", "kind: there is no 'pod' in v1; Pod may be meant"),
        (
            "v1",
            "PersistantVolumeClaim",
            "kind: there is no 'PersistantVolumeClaim' in v1; PersistentVolumeClaim",
        ),
        ("apps/v1", "Replicaset", "kind: there is no 'Replicaset' in apps/v1; ReplicaSet may be meant"),
        ("apps/v1", "Node", "apiVersion: Node is read as v1, not as 'apps/v1'"),
    ],
)
def test_a_misspelt_kind_is_refused(api_version: str, kind: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        kind_called(api_version, kind)
    assert not isinstance(refused.value, UnknownKindError)
    assert str(refused.value).startswith(problem)


NOT_READ = {
    "v1": "Binding ComponentStatus ConfigMap Endpoints Event LimitRange List PodTemplate ResourceQuota Secret"
    " ServiceAccount Status",
    "apps/v1": "ControllerRevision DaemonSet Deployment Scale",
    "extensions/v1beta1": "DaemonSet Deployment Ingress ReplicaSet",
    "policy/v1beta1": "Eviction PodSecurityPolicy",
    "resource.k8s.io/v1": "ResourcePoolStatusRequest",
    "resource.k8s.io/v1alpha2": "PodSchedulingContext ResourceClass ResourceClassParameters",
    "scheduling.k8s.io/v1alpha1": "PodGroup Workload",
    "storage.k8s.io/v1": "VolumeAttributesClass",
    "serving.knative.dev/v1": "Service",
    "metrics.k8s.io/v1beta1": "NodeMetrics PodMetrics",
}
"""Kinds that clusters have, of the groups in which a misspelt one is refused, and of some others."""


@pytest.mark.parametrize(
    ("api_version", "kind"), [(group, kind) for group, kinds in NOT_READ.items() for kind in kinds.split()]
)
def test_a_kind_that_clusters_have_is_not_taken_for_a_misspelt_one(api_version: str, kind: str) -> None:
    with pytest.raises(UnknownKindError):
        kind_called(api_version, kind)


def test_an_unknown_kind_stays_one_when_its_place_is_added() -> None:
    with pytest.raises(UnknownKindError) as refused:
        read_object(_object(kind="ConfigMap"))
    assert str(refused.value) == "ConfigMap ns/a: kind: v1 ConfigMap is nothing that scheduling reads"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("pod", "expected an API object, found 'pod'"),
        ({}, "apiVersion: is required and missing"),
        (_object(api_version=1), "Pod ns/a: apiVersion: expected a string, found 1"),
        (_object(kind=None), "ns/a: kind: is required and missing"),
        (_object(kind=["x"]), "ns/a: kind: expected a string, found ['x']"),
        (_object(api_version="v2"), "Pod ns/a: apiVersion: Pod is read as v1, not as 'v2'"),
        (_object(spec={"priority": "x"}), "Pod ns/a: spec.priority: expected an integer, found 'x'"),
        (_object(metadata=3), "Pod: metadata: expected an object, found 3"),
        (_object(metadata={"name": ["x"]}), "Pod: metadata.name: expected a string, found ['x']"),
        (_object(metadata={"namespace": "b"}), "Pod b: metadata.name: is required and missing"),
        (
            _object("scheduling.k8s.io/v1", "PriorityClass"),
            "PriorityClass ns/a: value: is required and missing",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_object_and_field(value: object, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        read_object(value)
    assert str(refused.value) == problem


def test_an_object_is_in_the_default_namespace_unless_it_names_another_or_its_kind_has_none() -> None:
    assert key_of({"kind": "Pod", "metadata": {"name": "p"}}) == ("Pod", "default", "p")
    assert key_named("Pod", "other", "p") == ("Pod", "other", "p")
    assert key_named("VolumeAttachment", "other", "v") == ("VolumeAttachment", "", "v")
