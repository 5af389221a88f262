# SPDX-License-Identifier: Apache-2.0
"""Reading: strict, with the path of what is wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from refsched.errors import InputError
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import json_name, make_converter, read_as


def test_unknown_fields_are_ignored_and_null_is_a_field_left_out() -> None:
    pod = read_as(Pod, {"metadata": None, "spec": {"nodeName": None, "hostname": "x", "priority": 3}})
    assert (pod.spec.node_name, pod.spec.priority, pod.metadata.name) == ("", 3, "")


def test_times_are_read_with_their_zone() -> None:
    expected = datetime(2026, 1, 1, tzinfo=UTC)
    for spelled in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00", expected, expected.replace(tzinfo=None)):
        assert read_as(Pod, {"status": {"startTime": spelled}}).status.start_time == expected


def test_names_are_spelled_as_kubernetes_spells_them() -> None:
    spelled = [json_name(name) for name in ("host_ip", "node_selector_terms", "kind")]
    assert spelled == ["hostIP", "nodeSelectorTerms", "kind"]


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"containers": [{"name": 3}]}, r"spec.containers\[0\].name: expected a string, found 3"),
        ({"priority": "3"}, "spec.priority: expected an integer, found '3'"),
        ({"priority": True}, "spec.priority: expected an integer, found True"),
        ({"hostNetwork": "yes"}, "spec.hostNetwork: expected true or false, found 'yes'"),
        ([], r"spec: expected an object, found \[\]"),
        ({"tolerations": 3}, "spec.tolerations: expected a list, found 3"),
        ({"tolerations": "key"}, "spec.tolerations: expected a list, found 'key'"),
        ({"tolerations": {"key": "a"}}, "spec.tolerations: expected a list, found {'key': 'a'}"),
        ({"nodeSelector": ["a"]}, r"spec.nodeSelector: expected an object, found \['a'\]"),
        ({"nodeSelector": "a"}, "spec.nodeSelector: expected an object, found 'a'"),
        ({"nodeSelector": {1: "a"}}, r"spec.nodeSelector\[1\]: expected a string, found 1"),
        ({"nodeSelector": {"a": None}}, "spec.nodeSelector.a: expected a string, found None"),
        ({"priority": 2**63}, "spec.priority: expected an integer of at most 64 bits"),
        ({"priority": -(2**63) - 1}, "spec.priority: expected an integer of at most 64 bits"),
        ({"overhead": {"cpu": 10**5000}}, "spec.overhead.cpu: a quantity of more than 128 digits is out of"),
        ({"overhead": {"cpu": float("inf")}}, "spec.overhead.cpu: 'inf' is not a quantity"),
        ({"topologySpreadConstraints": [{}]}, r"spec.topologySpreadConstraints\[0\].maxSkew: is required"),
        ({"overhead": {"cpu": "x"}}, "spec.overhead.cpu: 'x' is not a quantity"),
    ],
)
def test_what_is_wrong_is_named_with_its_path(spec: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_as(Pod, {"spec": spec})


@pytest.mark.parametrize("spelled", ["noon", "20260101", "2026-13-01T00:00:00Z", 3])
def test_a_time_that_is_none_is_refused(spelled: object) -> None:
    problem = f"^status.startTime: expected an RFC 3339 time, found {spelled!r}$"
    with pytest.raises(InputError, match=problem):
        read_as(Pod, {"status": {"startTime": spelled}})


def test_the_largest_and_the_smallest_integer_are_read() -> None:
    for number in (2**63 - 1, -(2**63)):
        assert read_as(Pod, {"spec": {"priority": number}}).spec.priority == number


def test_an_object_that_is_no_object_is_refused() -> None:
    with pytest.raises(InputError, match="expected an object"):
        read_as(Node, "node")


def test_a_strict_reader_refuses_fields_that_are_not_there_and_what_is_not_a_list() -> None:
    strict = make_converter(strict=True)
    with pytest.raises(InputError, match=r"^spec.taints\[0\].colour: is not a field here$"):
        read_as(Node, {"spec": {"taints": [{"key": "a", "effect": "NoExecute", "colour": "red"}]}}, strict)
    with pytest.raises(InputError, match=r"^spec.taints: expected a list, found \{\}$"):
        read_as(Node, {"spec": {"taints": {}}}, strict)
    taint = {"key": "a", "effect": "NoExecute"}
    assert read_as(Node, {"spec": {"taints": [taint]}}, strict).spec.taints[0].key == "a"
