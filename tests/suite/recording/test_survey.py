# SPDX-License-Identifier: Apache-2.0
"""What is counted in traces, and where the tables stand in the documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refsched.errors import InputError
from refsched.suite.recording.survey import area_of, survey
from refsched.suite.recording.table import BEGIN, END, with_tables

Json = dict[str, Any]


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
    assert found.applied["R-QUEUE-01"] == 1
    assert not found.applied["R-PORTS-03"]


def test_tables_stand_between_two_marks(tmp_path: Path) -> None:
    nothing = {"1.34": survey([]), "1.19": survey([])}
    text = with_tables(f"before\n{BEGIN}old\n{END}after\n", nothing)
    assert text.startswith(f"before\n{BEGIN}\n## Of v1.34.2\n\n0 traces")
    assert "## Of v1.19.16\n\n0 traces" in text
    assert text.endswith(f"{END}after\n")
    assert with_tables(text, nothing) == text
    with pytest.raises(InputError, match="expected"):
        with_tables("no marks", nothing)
