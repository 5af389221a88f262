# SPDX-License-Identifier: Apache-2.0
"""What is counted in traces, and where the tables stand in the documentation."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from refsched.errors import InputError
from refsched.records import Attempt, Bind
from refsched.suite.recording.recorded_calls import asked_of_extenders
from refsched.suite.recording.survey import area_of, survey, way_back_of_a_bind, way_back_of_an_attempt
from refsched.suite.recording.table import BEGIN, END, with_tables
from refsched.tools.shipped_files import data_folder

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("calls", "result", "way"),
    [
        (("ScriptedA.reserve", "ScriptedA.unreserve"), "error", "reserve: error"),
        (
            ("ScriptedA.reserve", "ScriptedA.permit", "ScriptedA.unreserve"),
            "unschedulable",
            "permit: unschedulable",
        ),
        ((), "error", "reserve, a plugin of its own: error"),
    ],
)
def test_where_an_attempt_came_back_from(calls: tuple[str, ...], result: str, way: str) -> None:
    assert way_back_of_an_attempt(Attempt("a/b", result, "n", calls=calls)) == way


@pytest.mark.parametrize(
    ("bind", "way"),
    [
        (
            Bind(
                "a/b", "n", "unschedulable", ("A.unreserve",), "rejected due to timeout after waiting 5s at A"
            ),
            "waiting on Permit: timed out",
        ),
        (
            Bind("a/b", "n", "unschedulable", ("A.unreserve",), "scripted"),
            "waiting on Permit: rejected",
        ),
        (
            Bind("a/b", "n", "unschedulable", (), "0/1 nodes are available: 1 removed."),
            "waiting on Permit: deleted",
        ),
        (
            Bind("a/b", "n", "unschedulable", None, "0/1 nodes are available: 1 preempted."),
            "waiting on Permit: preempted",
        ),
        (
            Bind("a/b", "n", "error", ("B.bind",), 'running Bind plugin "DefaultBinder": it has a node'),
            "Bind, DefaultBinder: error",
        ),
        (
            Bind("a/b", "n", "error", ("B.bind",), 'running Bind plugin "ScriptedBinder": scripted'),
            "bind: error",
        ),
        (Bind("a/b", "n", "error", ("A.preBind", "A.unreserve"), "scripted"), "preBind: error"),
        (Bind("a/b", "n", "error", (), "no"), "bind, an extender: error"),
    ],
)
def test_where_a_binding_came_back_from(bind: Bind, way: str) -> None:
    assert way_back_of_a_bind(bind) == way


def test_the_area_of_a_trace_is_in_its_name() -> None:
    assert area_of(Path("pod_affinity-003.jsonl.gz")) == "pod_affinity"
    assert area_of(Path("gpu-job-with-dra.jsonl.gz")) == "gpu-job-with-dra"


def _trace(folder: Path, *records: Json) -> Path:
    header: Json = {
        "trace": "refsched.trace/v1",
        "scheduler": {"name": "s", "version": "1"},
        "config": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"},
        "featureGates": {"SchedulerPopFromBackoffQ": False},
    }
    path = folder / "taints" / "taints-001.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *records)), "utf-8")
    return path


def test_a_trace_that_disagrees_is_reported_and_counted(tmp_path: Path) -> None:
    node: Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "1", "pods": "1"}},
    }
    pod: Json = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    path = _trace(
        tmp_path / "recorded",
        {"at": 0, "create": node},
        {"at": 0, "create": pod},
        {
            "at": 0,
            "attempt": {
                "pod": "default/p",
                "result": "unschedulable",
                "filter": {"n": {"code": "Unschedulable", "plugin": "NodePorts"}},
            },
        },
    )
    found = survey([path])
    assert list(found.disagreements) == [str(path)]
    assert (found.traces, found.attempts) == (1, 1)
    [((folder, area), counted)] = found.areas.items()
    assert (folder, area, counted.unschedulable) == ("recorded", "taints", 1)
    assert found.refused == {"NodePorts": 1}
    assert found.happened["feature gate SchedulerPopFromBackoffQ off"] == 1
    assert found.transitions["R-QUEUE-01"] == 1


def test_what_extenders_were_asked_is_counted_by_what_came_back() -> None:
    path = data_folder() / "scenarios-v1.34.2" / "licences-of-an-extender.jsonl.gz"
    asked = Counter(asked_of_extenders(path))
    assert asked["filter: no answer"] == 1
    assert asked["filter: an answer"] == 4
    assert asked["prioritize: an answer"] == asked["prioritize, of more weight than 1"] == 1
    assert asked["preempt, sent names"] == asked["preempt, of one that manages a resource"] == 1
    assert asked["bind: an answer"] == 4
    found = survey([path])
    assert found.asked == asked
    assert (found.scored["an extender"], found.separated["an extender"]) == (1, 1)


def test_tables_stand_between_two_marks(tmp_path: Path) -> None:
    nothing = {"1.34": survey([]), "1.19": survey([])}
    text = with_tables(f"before\n{BEGIN}old\n{END}after\n", nothing)
    assert text.startswith(f"before\n{BEGIN}\n## Of v1.34.2\n\n0 traces")
    assert "## Of v1.19.16\n\n0 traces" in text
    assert text.endswith(f"{END}after\n")
    assert with_tables(text, nothing) == text
    with pytest.raises(InputError, match="expected"):
        with_tables("no marks", nothing)
