# SPDX-License-Identifier: Apache-2.0
"""A history in a file is the same history when it is read again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from refsched.errors import InputError
from refsched.suite.histories.history import (
    Advance,
    History,
    Observe,
    Permit,
    Release,
    Schedule,
    Update,
    creating,
    deleting,
)
from refsched.suite.histories.scenario import IMAGE, read_history, scenario_text, trace_lines

Json = dict[str, Any]
NODE: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
CONFIG: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 50,
}


def pod(name: str, **container: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"containers": [{"name": "c", "image": "i", **container}]},
    }


HISTORY = History(
    (
        *creating(NODE, pod("a")),
        Schedule(3),
        Update(pod("a", image="j")),
        Advance(1.5),
        Permit("team/a", "reject", "ScriptedA"),
        Release("team/a"),
        deleting(pod("a")),
        *creating(pod("a", image="k")),
        Observe(),
    ),
    CONFIG,
    {"PodLevelResources": False},
)


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "yaml"])
def test_every_kind_of_step_comes_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"history.{suffix}"
    text = (
        scenario_text(HISTORY, title="R-X-01: what it says")
        if suffix == "yaml"
        else trace_lines(HISTORY, (), {"name": "mine", "version": "1"})
    )
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    assert read_history(path) == HISTORY


def test_a_trace_may_begin_with_a_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text("\n" + trace_lines(HISTORY, (), {"name": "mine", "version": "1"}), "utf-8")
    assert read_history(path) == HISTORY


def test_a_trace_without_steps_is_done_again_by_its_inputs_and_attempts(tmp_path: Path) -> None:
    header = {
        "trace": "refsched.trace/v1",
        "scheduler": {"name": "kube-scheduler", "version": "v1.34.2"},
        "config": CONFIG,
    }
    records: list[Json] = [
        {"at": 0, "create": NODE},
        {"at": 0, "attempt": {"pod": "team/a", "result": "scheduled"}},
        {"at": 0, "bind": {"pod": "team/a", "node": "n1", "result": "bound"}},
        {"at": 0, "nodes": {}},
    ]
    path = tmp_path / "recorded.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (header, *records)) + "\n", "utf-8")
    assert read_history(path) == History((*creating(NODE), Schedule(), Observe()), CONFIG)


def test_a_container_without_an_image_gets_one_that_the_api_server_takes(tmp_path: Path) -> None:
    bare = pod("a")
    del bare["spec"]["containers"][0]["image"]
    assert f"image: '{IMAGE}'" in scenario_text(History(creating(bare)), title="R-X-01")
    assert "image" not in bare["spec"]["containers"][0]


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ("- schedule: 0", "steps[0].schedule: expected a number from 1, found 0"),
        ("- dance: 1", "steps[0]: expected exactly one of *"),
        (
            "- queues: {active: [], backoff: [], unschedulable: []}",
            "steps[0]: queues is what a scheduler does*",
        ),
        ("- 7", "steps[0]: expected an object, found 7"),
        (
            "- create: Pod a",
            "steps[0].create: the file's objects come in the order of their creation: expected Pod a, found no",
        ),
        ("{}", "steps: expected a list of steps"),
    ],
)
def test_a_step_that_is_none_is_refused_with_its_place(tmp_path: Path, steps: str, problem: str) -> None:
    path = tmp_path / "scenario.yaml"
    labels = "{refsched.dev/scenario: steps}"
    path.write_text(
        f"kind: ConfigMap\nmetadata: {{labels: {labels}}}\ndata:\n  steps: |\n    {steps}\n", "utf-8"
    )
    with pytest.raises(InputError) as refused:
        read_history(path)
    assert str(refused.value).startswith(f"{path}: {problem.rstrip('*')}")


def test_a_manifest_without_steps_is_no_scenario(tmp_path: Path) -> None:
    path = tmp_path / "pods.yaml"
    path.write_text("kind: Pod\n---\n7\n", "utf-8")
    with pytest.raises(InputError, match=r"expected one ConfigMap labelled refsched.dev/scenario, found 0"):
        read_history(path)


def test_a_trace_whose_steps_are_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    header = json.loads(trace_lines(History(()), (), {"name": "mine", "version": "1"}))
    path.write_text(json.dumps(header | {"steps": [{"dance": 1}]}) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"wrong.jsonl: line 1: steps\[0\]: expected exactly one of"):
        read_history(path)


def test_what_is_no_field_is_refused_or_warned_of_where_a_cluster_printed_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scenario.yaml"
    value = {**NODE, "spec": {"taint": []}}
    path.write_text(scenario_text(History(creating(value)), title="t"))
    with pytest.raises(
        InputError, match=r"scenario.yaml: Node n1: spec.taint: is no field; did you mean taints"
    ):
        read_history(path)
    value["metadata"] = {"name": "n1", "uid": "u"}
    path.write_text(scenario_text(History(creating(value)), title="t"))
    assert read_history(path).steps == creating(value)
    assert "Node spec.taint is not a known field, and is ignored" in capsys.readouterr().err
