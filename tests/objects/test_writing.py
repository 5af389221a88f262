# SPDX-License-Identifier: Apache-2.0
"""Objects as they are written: the JSON that would be read as the same object again."""

from __future__ import annotations

import pytest

from refsched.objects.dra import ResourceSlice
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.quantity import Quantity, parse_quantity
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolumeClaim
from refsched.objects.writing import as_json


@pytest.mark.parametrize(
    ("amount", "written"), [("1Ki", "1024"), ("1.5", "1500m"), ("0.5m", "500u"), ("1n", "1n"), ("-2", "-2")]
)
def test_an_amount_is_written_as_it_can_be_read_again(amount: str, written: str) -> None:
    value = {
        "metadata": {"name": "c", "namespace": "n"},
        "spec": {"resources": {"requests": {"storage": amount}}},
    }
    claim = read_as(PersistentVolumeClaim, value)

    requests = as_json(claim)["spec"]["resources"]["requests"]

    assert requests == {"storage": written}
    assert parse_quantity(written) == parse_quantity(amount) != Quantity()


@pytest.mark.parametrize("value", [{"bool": False}, {"bool": True}, {"int": 0}, {"int": 7}, {"string": "a"}])
def test_a_value_that_was_said_to_be_false_or_zero_is_written(value: dict[str, object]) -> None:
    device = {"name": "d", "attributes": {"a": value}}
    spec = {"metadata": {"name": "s"}, "spec": {"devices": [device]}}
    assert as_json(read_as(ResourceSlice, spec))["spec"]["devices"][0]["attributes"] == {"a": value}


def test_what_is_not_set_is_left_out() -> None:
    assert as_json(read_as(Node, {"metadata": {"name": "n"}, "spec": {"unschedulable": False}})) == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n"},
    }


def test_a_time_is_written_to_the_second() -> None:
    when = "2026-01-02T03:04:05Z"
    pod = read_as(Pod, {"metadata": {"name": "p", "deletionTimestamp": when}})
    assert as_json(pod)["metadata"] == {"name": "p", "deletionTimestamp": when}
