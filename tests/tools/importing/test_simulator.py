# SPDX-License-Identifier: Apache-2.0
"""What kube-scheduler-simulator has written. The files are made here as its source and its documentation have
them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from refsched.tools.cli.main import cli

Json = dict[str, Any]

PREFIX = "kube-scheduler-simulator.sigs.k8s.io/"
INSUFFICIENT = {"NodeName": "passed", "NodeResourcesFit": "Insufficient cpu"}
FEASIBLE = {"NodeName": "passed", "NodeResourcesFit": "passed"}
EARLY = "2025-12-31T00:00:00Z"


def node(name: str, cpu: str = "4") -> Json:
    metadata = {"name": name, "uid": name, "creationTimestamp": EARLY}
    return {"metadata": metadata, "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "9"}}}


def pod(name: str, cpu: str = "1", to: str = "", second: int = 0, **results: Any) -> Json:
    """Returns a pod that is bound at a second of a minute, with results in its annotations."""
    annotations = {PREFIX + called.replace("_", "-"): json.dumps(value) for called, value in results.items()}
    at = f"2026-01-01T00:00:{second:02}Z"
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    bound = {"nodeName": to} if to else {}
    condition = {"type": "PodScheduled", "status": "True", "lastTransitionTime": at}
    if not to:
        condition |= {"status": "False", "reason": "Unschedulable", "message": "no"}
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": name,
            "creationTimestamp": at,
            "annotations": annotations,
        },
        "spec": {"schedulerName": "default-scheduler", "containers": containers, **bound},
        "status": {"conditions": [condition]},
    }


class Files:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.trace = folder / "trace.jsonl"

    def imported(self, text: str) -> Result:
        file = self._folder / "written.json"
        file.write_text(text)
        return CliRunner().invoke(cli, ["import", "simulator", str(file), "--output", str(self.trace)])

    def judged(self) -> Json:
        read: Json = json.loads(CliRunner().invoke(cli, ["replay", str(self.trace), "-o", "json"]).output)
        return read


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def recorded(*changes: tuple[str, str, Json]) -> str:
    lines = [
        {
            "time": f"2026-01-01T00:01:{second:02}.123456789+01:00",
            "event": event,
            "resource": {"apiVersion": "v1", "kind": kind, **value},
        }
        for second, (event, kind, value) in enumerate(changes)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_what_the_recorder_writes_has_attempts_and_their_results_come_later(files: Files) -> None:
    found = {"n1": FEASIBLE, "small": INSUFFICIENT}
    done = files.imported(
        recorded(
            ("Add", "Namespace", {"metadata": {"name": "default", "uid": "d", "creationTimestamp": EARLY}}),
            ("Add", "ConfigMap", {"metadata": {"name": "c"}}),
            ("Add", "Node", node("n1")),
            ("Add", "Node", node("small", "1")),
            ("Add", "Pod", {**pod("a", "2"), "status": {}}),
            ("Update", "Pod", pod("a", "2", "n1")),
            ("Update", "Pod", pod("a", "2", "n1", filter_result=found)),
            ("Add", "Pod", {**pod("b", "2"), "status": {}}),
            ("Update", "Pod", pod("b", "2", "n1")),
            ("Update", "Pod", pod("b", "2", "n1", filter_result={**found, "n1": INSUFFICIENT})),
            ("Delete", "Pod", {"metadata": {"name": "b", "namespace": "default"}}),
            ("Add", "Pod", {**pod("huge", "9"), "status": {}}),
            ("Update", "Pod", pod("huge", "9")),
            ("Update", "Pod", pod("huge", "9", filter_result=dict.fromkeys(found, INSUFFICIENT))),
        )
    )
    assert f"wrote 3 attempts to {files.trace}" in done.output
    judged = files.judged()
    assert (judged["attempts"], judged["disagree"]) == (3, 1)
    expected = "n1 is rejected by NodeResourcesFit: Insufficient cpu, and by the specification feasible"
    assert judged["files"][0]["first"]["expected"] == expected


def test_an_export_has_one_attempt_for_each_second_and_its_scores(files: Files) -> None:
    results = {
        "filter_result": {"n1": FEASIBLE, "n2": FEASIBLE},
        "finalscore_result": {
            name: {"ImageLocality": "0", "TaintToleration": "300"} for name in ("n1", "n2")
        },
    }
    wrong = {**results, "finalscore_result": {"n1": {"ImageLocality": "7", "Mine": "1"}}}
    once = {**results, "filter_result": dict.fromkeys(("n1", "n2"), INSUFFICIENT)}
    export = {
        "pods": [
            pod("right", "1", "n1", 1, **results),
            pod("wrong", "1", "n2", 2, **wrong),
            pod("tied", "1", "n1", 3, **results),
            pod("tied-too", "1", "n1", 3, **results),
            pod("silent", "1", "n1", 4),
            pod("once", "9", "", 5, **once, result_history=[{"filter-result": ""}]),
            pod("often", "9", "", 6, **once, result_history=[{"filter-result": ""}, {"filter-result": ""}]),
        ],
        "nodes": [node("n1"), node("n2")],
        "schedulerConfig": {},
    }
    done = files.imported(json.dumps(export))
    assert "no attempt is known of 2 pods: scheduled in the same second as another one" in done.output
    assert "of 1 pod: without results" in done.output
    assert "of 1 pod: waiting, and attempted more than once" in done.output
    judged = files.judged()
    assert (judged["attempts"], judged["disagree"], judged["unchecked"]) == (3, 1, 0)
    expected = "ImageLocality gives n1 a score of 7, and by the specification 0"
    assert judged["files"][0]["first"]["expected"] == expected


def test_what_kubectl_prints_is_a_snapshot_too(files: Files) -> None:
    scheduled = pod("a", "1", "n1", 1, filter_result={"n1": FEASIBLE})
    items = [
        {"apiVersion": "v1", "kind": "Node", **node("n1")},
        {"apiVersion": "v1", "kind": "Pod", **scheduled},
    ]
    files.imported(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert files.judged()["agree"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "holds no pod of which it is known when it was scheduled"),
        (json.dumps({"pods": ["p"]}), "pods[0]: expected an object, found 'p'"),
        (
            json.dumps({"pods": [{"metadata": {"name": "p"}}]}),
            "pods[0]: metadata.uid: is required and missing",
        ),
        (
            recorded(("Move", "Node", node("n"))),
            "line 1: event: expected Add, Update or Delete, found 'Move'",
        ),
        (recorded(("Add", "Node", {"metadata": []})), "line 1: metadata: expected an object, found []"),
        (
            json.dumps({"time": "", "event": "Add", "resource": 1}) + "\n",
            "line 1: resource: expected an object, found 1",
        ),
        (
            recorded(("Add", "Pod", pod("p", filter_result="passed"))),
            f"line 1: metadata.annotations[{PREFIX}filter-result]: expected node, plugin and answer",
        ),
        (
            recorded(("Add", "Pod", pod("p", filter_result={}, finalscore_result={"n": {"A": "high"}}))),
            f"line 1: metadata.annotations[{PREFIX}finalscore-result]: invalid literal for int",
        ),
    ],
)
def test_a_file_with_an_error_makes_no_trace(text: str, said: str, files: Files) -> None:
    done = files.imported(text)
    assert said in str(done.exception)
    assert not files.trace.exists()


def test_an_annotation_that_is_not_json_is_an_error(files: Files) -> None:
    wrong = pod("p")
    wrong["metadata"]["annotations"] = {"scheduler-simulator/filter-result": "{"}
    said = "line 1: metadata.annotations[scheduler-simulator/filter-result]: is not JSON: '{'"
    assert said in str(files.imported(recorded(("Add", "Pod", wrong))).exception)
