# SPDX-License-Identifier: Apache-2.0
"""The scenarios from real life: told, recorded from kube-scheduler, and allowed by the specification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refsched.checking.replay import replay_file
from refsched.checking.trace import read_trace
from refsched.reading.shipped_files import data_folder
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.histories.history import Create
from refsched.suite.histories.scenario import read_history
from refsched.suite.recording.recorder import record, write_trace

FOLDER = data_folder() / "scenarios"
RECORDED = data_folder() / "scenarios-v1.34.2"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def test_every_scenario_is_recorded() -> None:
    assert len(NAMES) >= 8
    assert sorted(path.name for path in RECORDED.iterdir()) == [f"{name}.jsonl.gz" for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_begins_with_what_happens_in_it(name: str) -> None:
    text = (FOLDER / f"{name}.yaml").read_text("utf-8")
    comment = text[: text.index("apiVersion:")].splitlines()
    assert all(line.startswith("# ") for line in comment)
    assert len(comment) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_what_kube_scheduler_did_in_it_is_allowed(name: str) -> None:
    report = replay_file(RECORDED / f"{name}.jsonl.gz")
    assert report.first is None
    assert report.attempts >= 4


@pytest.mark.parametrize("name", NAMES)
def test_the_recording_is_of_the_scenario_as_it_stands(name: str) -> None:
    created = [step for step in read_history(FOLDER / f"{name}.yaml").steps if isinstance(step, Create)]
    shown = [
        entry.record.object
        for entry in read_trace(RECORDED / f"{name}.jsonl.gz").entries
        if isinstance(entry.record, Create)
    ]
    own = [value for value in shown if not _is_provisioned(value)]
    assert [_without_uid(step.object) for step in created] == list(map(_without_uid, own))


def _without_uid(value: dict[str, Any]) -> dict[str, Any]:
    """The API server made it, and an object of a trace has it as soon as it is created."""
    return {**value, "metadata": {**value["metadata"], "uid": ""}}


def _is_provisioned(value: dict[str, dict[str, str]]) -> bool:
    """The driver, or the recorder's API server, made it in the scenario's course."""
    return value["metadata"]["name"].startswith("pvc-")


@pytest.mark.parametrize("name", NAMES)
def test_the_specification_can_be_recorded_in_it_too(name: str, reference: Adapter, tmp_path: Path) -> None:
    recorded = record(reference, read_history(FOLDER / f"{name}.yaml"))
    assert recorded.ended == ""
    write_trace(tmp_path / "a.jsonl.gz", recorded.text)
    assert replay_file(tmp_path / "a.jsonl.gz").first is None
