# SPDX-License-Identifier: Apache-2.0
"""Schedulers that do not read a field: which there are, and that one of them is found."""

from __future__ import annotations

import re

import pytest

from conformance.wrong import kinds
from conformance.wrong.fields import METADATA, NO_CONSEQUENCE, Unread, all_unread, left_out, stands
from conformance.wrong.kinds import TryOptions, try_unread
from conformance.wrong.profile import suite_tests
from conformance.wrong.trying import End
from refsched.suite.histories.history import History, creating, deleting

LIMIT = 60.0
"""Seconds."""

TAINTED = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "b", "value": "c"}]},
}
VALUE = ("spec", "taints", "[]", "value")


def test_fields_are_found_at_any_depth_and_each_once() -> None:
    names = [one.name for one in all_unread()]
    assert len(set(names)) == len(names)
    assert {
        "Node.spec.taints[].value",
        "Pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "Pod.spec.containers[].resources.requests",
        "PersistentVolume.metadata.labels",
        "ResourceClaim.spec.devices.requests[].firstAvailable[].count",
        "Namespace:update",
    } <= set(names)
    assert "Node.spec.taints[].key" not in names
    assert not any(name.startswith("PriorityClass") for name in names)


def test_each_reason_is_of_some_field_and_each_kind_of_the_metadata_is_one() -> None:
    every = list(all_unread())
    for pattern in NO_CONSEQUENCE:
        assert any(re.fullmatch(pattern, one.name) for one in every), pattern
    kinds = {one.kind for one in every}
    assert set("|".join(METADATA.values()).split("|")) <= kinds


def test_a_member_is_left_out_of_lists_and_maps_and_nothing_else_is() -> None:
    assert stands(TAINTED, VALUE)
    without = left_out(TAINTED, VALUE)
    assert without["spec"]["taints"] == [{"key": "a", "effect": "NoSchedule"}, {"key": "b"}]
    assert TAINTED["spec"]["taints"][1]["value"] == "c"  # type: ignore[index]
    assert not stands(without, VALUE)
    assert left_out({"a": {"x": {"b": 1}, "y": {}}}, ("a", "[]", "b")) == {"a": {"x": {}, "y": {}}}
    assert left_out(without, VALUE) == without
    assert left_out({"spec": "odd"}, VALUE) == {"spec": "odd"}
    assert left_out({"a": 1}, ()) == {"a": 1}
    assert left_out({"a": 1}, ("a", "[]", "b")) == {"a": []}


def test_a_history_matters_where_the_field_stands_or_the_request_is_made() -> None:
    history = History((*creating(TAINTED), deleting(TAINTED)))
    assert Unread("Node", VALUE).matters_in(history)
    assert not Unread("Pod", VALUE).matters_in(history)
    assert not Unread("Node", ("spec", "unschedulable")).matters_in(history)
    assert Unread("Node", unheard="delete").matters_in(history)
    assert not Unread("Node", unheard="update").matters_in(history)
    assert not Unread("Pod", unheard="delete").matters_in(history)


@pytest.fixture
def in_one_area(monkeypatch: pytest.MonkeyPatch) -> None:
    """To draw the whole profile takes half a minute where coverage is measured."""
    of_ports = [test for test in suite_tests() if test.area == "ports"]
    monkeypatch.setattr(kinds, "suite_tests", lambda: of_ports)


@pytest.mark.usefixtures("in_one_area")
def test_who_does_not_hear_of_deletions_is_found_wrong() -> None:
    found = try_unread("Pod:delete", TryOptions(LIMIT)).suite
    assert found.end is End.KILLED
    assert found.rule


@pytest.mark.usefixtures("in_one_area")
def test_what_no_history_contains_is_unreached(monkeypatch: pytest.MonkeyPatch) -> None:
    unread = Unread("Node", ("spec", "podCIDR"))
    monkeypatch.setattr(kinds, "all_unread", lambda: [unread])
    assert try_unread(unread.name, TryOptions(LIMIT)).suite.end is End.UNREACHED
