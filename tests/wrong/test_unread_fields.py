# SPDX-License-Identifier: Apache-2.0
"""Schedulers that do not read a field: which there are, and that one of them is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.wrong.mutating.unread import METADATA, NO_CONSEQUENCE, Unread, all_unread, left_out, stands
from conformance.wrong.running.mutant_page import Attack, End
from conformance.wrong.running.unread_runs import Result, main, page, read, try_one, write
from refsched.suite.histories.history import History, creating, deleting

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


@pytest.mark.parametrize(
    "unread", [Unread("Node", ("spec", "taints")), Unread("Pod", unheard="delete")], ids=lambda one: one.name
)
def test_who_does_not_read_taints_or_hear_of_deletions_is_found_wrong(unread: Unread) -> None:
    found = try_one(unread, limit=20)
    assert found.attack.end is End.KILLED
    assert found.drawn >= found.attack.tried > 0
    assert found.attack.rule


def test_what_no_history_contains_is_unreached() -> None:
    found = try_one(Unread("Node", ("spec", "podCIDR")), limit=1)
    assert (found.drawn, found.attack.end) == (0, End.UNREACHED)


def test_results_are_kept_and_reported_survivors_first(tmp_path: Path) -> None:
    results = [
        Result("Node.spec.taints", 5, Attack(End.KILLED, "conformance.test_plugins::test_taints", "R-T-01")),
        Result("Node.status.images", 3, Attack(End.SURVIVED)),
        Result("Node.spec.gone", 3, Attack(End.SURVIVED)),
    ]
    write(results, tmp_path / "a.json")
    assert read(tmp_path / "a.json") == {one.name: one for one in results}
    assert read(tmp_path / "b.json") == {}
    shown = page(read(tmp_path / "a.json"))
    assert "| all | 2 |" in shown
    assert shown.index("`Node.status.images` | 3") < shown.index("`Node.spec.taints` | R-T-01 | test_taints")
    assert "gone" not in shown
    assert "Timeouts" not in shown


def test_a_name_that_is_no_field_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["Node.spec.gone"]) == 2
    assert capsys.readouterr().err == "there is no such field: Node.spec.gone\n"


def test_the_command_tries_what_is_named_and_keeps_it(tmp_path: Path) -> None:
    kept, shown = tmp_path / "a.json", tmp_path / "a.md"
    assert main(["Node.spec.unschedulable", "--jobs", "1", "--json", str(kept), "--page", str(shown)]) == 0
    assert list(read(kept)) == ["Node.spec.unschedulable"]
    assert "`Node.spec.unschedulable` | R-" in shown.read_text()
