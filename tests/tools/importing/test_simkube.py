# SPDX-License-Identifier: Apache-2.0
"""What SimKube has recorded: the traces are made here as its documentation and its source have them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from refsched.suite.histories.scenario import read_history
from refsched.suite.recording.command import record_scenario
from refsched.tools.cli.main import cli

Json = dict[str, Any]

NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "9"}},
}


def pod(name: str, **labels: str) -> Json:
    """Returns a pod as it is in a trace: without its node, its uid and its times."""
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
    metadata = {"name": name, "namespace": "default", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}}


def trace() -> Json:
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}
    events = [
        {"ts": 1000, "applied_objs": [pod("a"), deployment], "deleted_objs": []},
        {"ts": 1030, "applied_objs": [pod("b"), pod("a", of="later")], "deleted_objs": []},
        {"ts": 1060, "applied_objs": [], "deleted_objs": [pod("a"), pod("unknown")]},
        {"ts": 1090, "applied_objs": [pod("c")], "deleted_objs": []},
    ]
    return {"version": 3, "config": {"trackedObjects": {}}, "events": events, "index": {"v1.Pod": {}}}


class Files:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.scenario = folder / "scenario.yaml"

    def imported(self, data: bytes, *options: str) -> Result:
        file = self._folder / "trace"
        file.write_bytes(data)
        return CliRunner().invoke(
            cli, ["import", "simkube", str(file), "--output", str(self.scenario), *options]
        )


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_a_trace_becomes_a_scenario_that_any_scheduler_can_be_recorded_in(
    files: Files, tmp_path: Path
) -> None:
    msgpack = pytest.importorskip("msgpack", reason="msgpack is not installed: refsched[simkube]")
    (tmp_path / "nodes.json").write_text(json.dumps(NODE))
    done = files.imported(msgpack.packb(trace()), "-f", str(tmp_path / "nodes.json"))
    assert done.exit_code == 0
    assert "1 object of kind Deployment: which pods were made of it is not in the trace" in done.output
    record_scenario("refsched.reference", files.scenario, tmp_path / "t.jsonl", "", lambda line: None)
    recorded = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    attempts = [line["attempt"] for line in recorded if "attempt" in line]
    assert [(each["pod"], each["node"]) for each in attempts] == [
        ("default/a", "n"),
        ("default/b", "n"),
        ("default/c", "n"),
    ]
    assert [line["at"] for line in recorded if "attempt" in line] == [0, 30, 90]


def test_json_is_read_too_and_nodes_are_missed(files: Files) -> None:
    done = files.imported(json.dumps(trace()).encode())
    assert "there is no node in the trace; -f FILE gives some" in done.output
    assert len(read_history(files.scenario).steps) == 12


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 1}, "version: expected version 2 or 3 of SimKube's traces, found 1"),
        ({"events": {}}, "events: expected a list, found {}"),
        ({"events": [{"ts": "now"}]}, "events[0].ts: expected an object with a time in seconds"),
        ({"events": [{"ts": 1, "applied_objs": 1}]}, "events[0].applied_objs: expected a list, found 1"),
        (
            {"events": [{"ts": 1, "applied_objs": [{}], "deleted_objs": []}]},
            "events[0].applied_objs[0].metadata.name: is required and missing",
        ),
    ],
)
def test_a_trace_with_an_error_makes_no_scenario(change: Json, said: str, files: Files) -> None:
    done = files.imported(json.dumps({**trace(), **change}).encode())
    assert said in str(done.exception)
    assert not files.scenario.exists()


def test_what_is_neither_json_nor_msgpack_is_an_error(files: Files) -> None:
    pytest.importorskip("msgpack", reason="msgpack is not installed: refsched[simkube]")
    assert "is neither JSON nor msgpack" in str(files.imported(b"\xc1").exception)


def test_msgpack_is_needed_for_msgpack(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msgpack", None)
    assert "pip install 'refsched[simkube]'" in str(files.imported(b"\x80").exception)


def test_a_scenario_that_cannot_be_written_is_an_error(files: Files) -> None:
    done = files.imported(json.dumps(trace()).encode(), "--output", "/none/scenario.yaml")
    assert "No such file or directory" in str(done.exception)
