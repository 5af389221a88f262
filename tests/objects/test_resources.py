# SPDX-License-Identifier: Apache-2.0
"""Resources: what a pod requests, and what counts as a resource."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.pod import Pod
from refsched.objects.quantity import Quantity, parse_quantity
from refsched.objects.reading import read_as
from refsched.objects.resources import is_scalar_resource, pod_requests, resource_of
from refsched.objects.writing import as_json
from refsched.releases import RELEASES


def container(name: str = "c", *, sidecar: bool = False, **requests: str) -> dict[str, Any]:
    always = {"restartPolicy": "Always"} if sidecar else {}
    return {"name": name, "resources": {"requests": requests}, **always}


def requests(
    spec: dict[str, Any], status: dict[str, Any] | None = None, **options: Any
) -> dict[str, Quantity]:
    return pod_requests(read_as(Pod, {"spec": spec, "status": status or {}}), **options)


def amounts(**of: str) -> dict[str, Quantity]:
    return {name: parse_quantity(text) for name, text in of.items()}


@pytest.mark.parametrize(
    ("reason", "cpu"),
    [("", "3"), ("Deferred", "3"), ("Infeasible", "2")],
)
def test_while_a_resize_is_under_way_the_largest_counts_unless_it_is_infeasible(
    reason: str, cpu: str
) -> None:
    held = {"name": "c", "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {"cpu": "2"}}
    status = {
        "containerStatuses": [held],
        "conditions": [{"type": "Ready"}, {"type": "PodResizePending", "reason": reason}],
    }
    assert requests({"containers": [container(cpu="3")]}, status) == amounts(cpu=cpu)


EXCHANGED = {
    "containerStatuses": [
        {"name": "a", "allocatedResources": {"cpu": "2"}},
        {"name": "b", "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "3"}}},
    ],
    "initContainerStatuses": [{"name": "i", "allocatedResources": {"cpu": "7"}, "resources": {}}],
}
INFEASIBLE = {"conditions": [{"type": "PodResizePending", "reason": "Infeasible"}]}
WHOLE = {"allocatedResources": {"cpu": "4"}, "resources": {"requests": {"cpu": "6"}}}


@pytest.mark.parametrize(
    ("release", "init", "status", "cpu"),
    [
        ("1.37", "1", {}, "3"),  # 1 + 2 are desired
        ("1.37", "1", {"containerStatuses": EXCHANGED["containerStatuses"]}, "5"),  # 2 + 3 are in use
        ("1.36", "1", {"containerStatuses": EXCHANGED["containerStatuses"]}, "4"),  # a reports no resources
        ("1.37", "1", EXCHANGED, "7"),
        ("1.36", "1", EXCHANGED, "4"),
        ("1.37", "9", {**EXCHANGED, **INFEASIBLE}, "7"),
        ("1.36", "9", {**EXCHANGED, **INFEASIBLE}, "9"),
        ("1.37", "1", {**EXCHANGED, **WHOLE}, "6"),
        ("1.37", "9", {**EXCHANGED, **WHOLE, **INFEASIBLE}, "6"),
        ("1.36", "1", {**EXCHANGED, **WHOLE}, "4"),
        ("1.37", "1", {"allocatedResources": {"cpu": "9"}}, "3"),  # what is in use is not reported
        ("1.37", "1", {"resources": {"requests": {"cpu": "9"}}}, "3"),  # nor is what is allocated
        ("1.37", "1", INFEASIBLE, "0"),
    ],
)
def test_what_two_containers_request_while_they_are_resized(
    release: str, init: str, status: dict[str, Any], cpu: str
) -> None:
    spec = {
        "initContainers": [container("i", cpu=init)],
        "containers": [container("a", cpu="1"), container("b", cpu="2")],
    }
    read = RELEASES[release].as_read(read_as(Pod, {"spec": spec, "status": status}))
    assert isinstance(read, Pod)
    assert pod_requests(read).get("cpu", Quantity()) == parse_quantity(cpu)


@pytest.mark.parametrize(
    ("release", "status", "expected"),
    [
        ("1.37", {}, amounts(cpu="2", memory="1Gi")),
        ("1.37", {"allocatedResources": {"cpu": "3"}}, amounts(cpu="2", memory="1Gi")),
        ("1.37", {"resources": {}}, amounts(cpu="2", memory="1Gi")),
        ("1.37", {"resources": {}, "allocatedResources": {"cpu": "3"}}, amounts(cpu="3", memory="1Gi")),
        ("1.36", {"resources": {}, "allocatedResources": {"cpu": "3"}}, amounts(cpu="3", memory="1Gi")),
        ("1.37", {"resources": {"requests": {"memory": "2Gi"}}, **INFEASIBLE}, amounts(memory="2Gi")),
        (
            "1.36",
            {"resources": {"requests": {"memory": "2Gi"}}, **INFEASIBLE},
            amounts(cpu="0", memory="1Gi"),
        ),
    ],
)
def test_pod_level_requests_while_the_pod_is_resized_as_a_whole(
    release: str, status: dict[str, Any], expected: dict[str, Quantity]
) -> None:
    spec = {
        "containers": [container("a", memory="1Gi")],
        "resources": {"requests": {"cpu": "2"}},
    }
    read = RELEASES[release].as_read(read_as(Pod, {"spec": spec, "status": status}))
    assert isinstance(read, Pod)
    asked = pod_requests(read)
    assert {name: asked[name] for name in expected} == expected


def test_extenders_are_sent_the_status_of_each_init_container() -> None:
    status = {"initContainerStatuses": [{"name": "i", "resources": {"requests": {"cpu": "9"}}}]}
    shown = read_as(Pod, {"spec": {"initContainers": [container("i", cpu="1")]}, "status": status})
    read = RELEASES["1.36"].as_read(shown)
    assert as_json(read) == as_json(shown)
    assert isinstance(read, Pod)
    assert pod_requests(read) == amounts(cpu="1")


@pytest.mark.parametrize(
    ("name", "is_scalar"),
    [
        ("example.com/gpu", True),
        ("hugepages-2Mi", True),
        ("attachable-volumes-csi", True),
        ("kubernetes.io/batch", True),
        ("requests.example.com/gpu", False),
        ("storage", False),
        ("cpu", False),
    ],
)
def test_only_some_names_count_as_resources(name: str, is_scalar: bool) -> None:
    assert is_scalar_resource(name) is is_scalar
    assert resource_of({name: Quantity.of(2)}).scalar == ({name: 2} if is_scalar else {})
