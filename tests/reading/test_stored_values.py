# SPDX-License-Identifier: Apache-2.0
"""What no API server would have stored is refused with its object and field."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.objects.meta import ApiObject
from refsched.reading.defaults import defaulted
from refsched.reading.objects import read_object
from refsched.reading.stored_values import check_stored

SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


def _pod(**spec: Any) -> ApiObject:
    metadata = {"name": "a"}
    return defaulted(read_object({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}))


def _node(**more: Any) -> ApiObject:
    return defaulted(read_object({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, **more}))


def _container(**more: Any) -> dict[str, Any]:
    return {"containers": [{"name": "c", **more}]}


def _spread(**more: Any) -> dict[str, Any]:
    return {"topologySpreadConstraints": [SPREAD | more]}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"priority": 2**31}, "priority: expected a number of 32 bits, found 2147483648"),
        ({"priority": -(2**31) - 1}, "priority: expected a number of 32 bits, found -2147483649"),
        (
            {"preemptionPolicy": "Sometimes"},
            "preemptionPolicy: expected PreemptLowerPriority or Never, found 'Sometimes'",
        ),
        (
            {"tolerations": [{"operator": "Exists"}, {"key": "a", "operator": "Like"}]},
            "tolerations[1].operator: expected Equal or Exists, found 'Like'",
        ),
        (
            {"tolerations": [{"operator": "Exists", "effect": "NoSched"}]},
            "tolerations[0].effect: expected NoSchedule, PreferNoSchedule or NoExecute, found 'NoSched'"
            "; did you mean NoSchedule?",
        ),
        (_spread(maxSkew=0), "topologySpreadConstraints[0].maxSkew: expected at least 1, found 0"),
        (
            _spread(whenUnsatisfiable="DoNotSchedul"),
            "topologySpreadConstraints[0].whenUnsatisfiable: expected DoNotSchedule or ScheduleAnyway, found"
            " 'DoNotSchedul'; did you mean DoNotSchedule?",
        ),
        (_spread(minDomains=0), "topologySpreadConstraints[0].minDomains: expected at least 1, found 0"),
        (
            _spread(minDomains=2, whenUnsatisfiable="ScheduleAnyway"),
            "topologySpreadConstraints[0].minDomains: is only for a constraint with whenUnsatisfiable"
            " DoNotSchedule",
        ),
        (
            _spread(nodeTaintsPolicy="Never"),
            "topologySpreadConstraints[0].nodeTaintsPolicy: expected Honor or Ignore, found 'Never'",
        ),
        (
            _container(resources={"requests": {"cpu": -1}}),
            "containers[0].resources.requests.cpu: expected an amount that is not negative, found -1",
        ),
        (
            _container(resources={"limits": {"cpu": "-1500m"}}),
            "containers[0].resources.limits.cpu: expected an amount that is not negative, found -1500m",
        ),
        (
            _container(resources={"requests": {"cpu": 5}, "limits": {"cpu": 2}}),
            "containers[0].resources.requests.cpu: expected at most the limit of 2, found 5",
        ),
        (
            {"initContainers": [{"name": "i", "resources": {"requests": {"memory": "-1Ki"}}}]},
            "initContainers[0].resources.requests.memory: expected an amount that is not negative, found -1024",
        ),
        (
            {"resources": {"requests": {"cpu": 5}, "limits": {"cpu": 2}}},
            "resources.requests.cpu: expected at most the limit of 2, found 5",
        ),
        ({"overhead": {"cpu": -1}}, "overhead.cpu: expected an amount that is not negative, found -1"),
        (
            _container(ports=[{"containerPort": 80, "hostPort": 99_999}]),
            "containers[0].ports[0].hostPort: expected a number from 0 to 65535, found 99999",
        ),
        (
            _container(ports=[{"containerPort": 80, "protocol": "TPC"}]),
            "containers[0].ports[0].protocol: expected TCP, UDP or SCTP, found 'TPC'; did you mean TCP?",
        ),
        (
            {
                "affinity": {
                    "podAntiAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": [
                            {"weight": 101, "podAffinityTerm": {"topologyKey": "zone"}}
                        ]
                    }
                }
            },
            "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: expected a"
            " number from 1 to 100, found 101",
        ),
    ],
)
def test_a_pod_that_no_api_server_would_have_stored_is_refused(spec: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        check_stored(_pod(**spec))
    assert str(refused.value) == f"Pod default/a: spec.{problem}"


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (
            {"spec": {"taints": [{"key": "a", "effect": "NoSchedul"}]}},
            "spec.taints[0].effect: expected NoSchedule, PreferNoSchedule or NoExecute, found 'NoSchedul'"
            "; did you mean NoSchedule?",
        ),
        (
            {"status": {"allocatable": {"cpu": "-4"}}},
            "status.allocatable.cpu: expected an amount that is not negative, found -4",
        ),
        (
            {"status": {"allocatable": {"cpu": 4}, "capacity": {"memory": -1}}},
            "status.capacity.memory: expected an amount that is not negative, found -1",
        ),
    ],
)
def test_a_node_that_no_api_server_would_have_stored_is_refused(node: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        check_stored(_node(**node))
    assert str(refused.value) == f"Node a: {problem}"


def test_a_script_that_no_plugin_can_follow_is_reported_with_its_pod() -> None:
    metadata = {"name": "a", "namespace": "default", "annotations": {"refsched.dev/script": "{"}}
    with pytest.raises(
        InputError, match=r"^Pod default/a: metadata.annotations\[refsched.dev/script\]: is not JSON"
    ):
        check_stored(read_object({"apiVersion": "v1", "kind": "Pod", "metadata": metadata}))


def test_what_is_at_the_bounds_is_taken() -> None:
    for priority in (2**31 - 1, -(2**31)):
        check_stored(_pod(priority=priority, preemptionPolicy="Never", tolerations=[{"operator": "Exists"}]))
    check_stored(_pod(**_spread(minDomains=1, nodeAffinityPolicy="Ignore")))
    check_stored(
        _pod(**_container(resources={"requests": {"cpu": 2}, "limits": {"cpu": "2000m", "x.y/z": 0}}))
    )
    check_stored(_pod(**_container(ports=[{"containerPort": 80, "hostPort": 65_535}, {"containerPort": 8}])))
    check_stored(
        _node(status={"allocatable": {"cpu": 0}}, spec={"taints": [{"key": "a", "effect": "NoExecute"}]})
    )
