# SPDX-License-Identifier: Apache-2.0
"""Records to JSON and back."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.reading.record_json import read_record, to_json
from refsched.records import (
    Advance,
    Attempt,
    Bind,
    Delete,
    Nodes,
    NodeStatus,
    NodeUsage,
    Queues,
    Record,
    Reference,
)

RECORDS: list[tuple[Record, dict[str, Any]]] = [
    (Advance(1.5), {"advance": 1.5}),
    (
        Delete(Reference("Pod", "a", "v1", "default")),
        {"delete": {"kind": "Pod", "name": "a", "apiVersion": "v1", "namespace": "default"}},
    ),
    (
        Attempt(
            "default/a", "unschedulable", filter={"n": NodeStatus("Unschedulable", "X", ("no",))}, calls=()
        ),
        {
            "attempt": {
                "pod": "default/a",
                "result": "unschedulable",
                "filter": {"n": {"code": "Unschedulable", "plugin": "X", "reasons": ["no"]}},
                "calls": [],
            }
        },
    ),
    (
        Attempt("default/a", "unschedulable", nominated_node=""),
        {"attempt": {"pod": "default/a", "result": "unschedulable", "nominatedNode": ""}},
    ),
    (
        Bind("default/a", "n", "bound", calls=("ScriptedA.preBind",)),
        {"bind": {"pod": "default/a", "node": "n", "result": "bound", "calls": ["ScriptedA.preBind"]}},
    ),
    (Queues((), ("a/b",), ()), {"queues": {"active": [], "backoff": ["a/b"], "unschedulable": []}}),
    (
        Nodes({"n": NodeUsage((), 100, 5)}),
        {"nodes": {"n": {"pods": [], "milliCPU": 100, "memory": 5}}},
    ),
]


@pytest.mark.parametrize(("record", "json"), RECORDS)
def test_a_record_survives_the_trip_through_json(record: Record, json: dict[str, Any]) -> None:
    assert to_json(record) == json
    assert read_record({"at": 0, **json}) == record


@pytest.mark.parametrize(
    ("json", "problem"),
    [
        ({"at": 0}, "found nothing"),
        ({"atempt": {}}, "found atempt"),
        ({"bind": {}, "attempt": {}}, "exactly one"),
        ({"attempt": {"pod": 3, "result": "x"}}, "attempt.pod"),
        ({"advance": "soon"}, "advance.seconds"),
        ({"advance": True}, "expected a number"),
        ({"bind": {"pod": "a/b", "node": "n"}}, "bind.result"),
    ],
)
def test_a_wrong_record_is_refused_with_its_member(json: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_record(json)
