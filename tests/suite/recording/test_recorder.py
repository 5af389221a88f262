# SPDX-License-Identifier: Apache-2.0
"""A recording tells what was done and what came of it, so that it can be replayed to the letter."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformance.campaigns import steered_newer
from conformance.campaigns.campaign import PLAN
from conformance.campaigns.recording import RECORDED, histories_of
from conformance.campaigns.steered import STEERED
from conformance.vocabulary.scripted import SCRIPTED
from refsched.checking.replay import replay_file
from refsched.records import Reference
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import (
    Advance,
    Delete,
    History,
    Observe,
    Release,
    Schedule,
    Update,
    creating,
)
from refsched.suite.histories.recordings import read_recording, replay_recording
from refsched.suite.histories.scenario import read_history
from refsched.suite.recording.recorder import record, write_trace

Json = dict[str, Any]
NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "9"}},
}


def pod(name: str, script: Json | None = None, **metadata: Any) -> Json:
    annotations = {"refsched.dev/script": json.dumps(script)} if script else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations, **metadata},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
    }


def lines(text: str) -> list[Json]:
    return [json.loads(line) for line in text.splitlines()]


def kept(folder: Path, text: str) -> Path:
    path = folder / "a.jsonl.gz"
    write_trace(path, text)
    return path


def _done(text: str) -> list[Json]:
    """All that a trace tells, but what was only looked at."""
    return [line for line in lines(text) if not line.keys() & {"queues", "nodes"}]


HOLDING = History(
    (
        *creating(NODE, pod("a", {"ScriptedA": {"reserve": "Hold", "preBind": "Hold"}})),
        Schedule(),
        Advance(1.5),
        Release("default/a"),
        *creating(pod("b")),
        Schedule(),
        Release("default/a"),
        Schedule(2),
        Observe(),
    ),
    SCRIPTED,
)


def test_a_scheduling_cycle_that_is_held_is_reported_by_the_record_that_comes_next(
    reference: Adapter,
) -> None:
    held = [line for line in lines(record(reference, HOLDING).text) if "held" in line]
    queues = {"active": [], "backoff": [], "unschedulable": []}
    assert held == [{"at": 0, "queues": queues, "held": "default/a"}]


def test_a_cycle_that_was_held_is_followed_to_the_letter(reference: Adapter, tmp_path: Path) -> None:
    path = kept(tmp_path, record(reference, HOLDING).text)
    report = replay_file(path)
    assert (report.attempts, report.agree) == (2, 2)


def test_a_cycle_that_was_held_is_held_again_when_the_trace_is_done_again(
    reference: Adapter, tmp_path: Path
) -> None:
    text = record(reference, HOLDING).text
    again = record(reference, read_history(kept(tmp_path, text))).text
    assert _done(again) == _done(text)


def test_a_cycle_that_was_held_is_held_by_another_implementation_too(
    reference: Adapter, tmp_path: Path
) -> None:
    transcript = replay_recording(reference, read_recording(kept(tmp_path, record(reference, HOLDING).text)))
    assert (transcript.ended, transcript.findings) == ("", [])


LEAVING = History(
    (
        *creating(NODE, pod("a")),
        Update(pod("a", deletionTimestamp="2025-12-31T23:00:00Z")),
        Schedule(),
        Observe(),
        Delete(Reference("Pod", "a", namespace="default")),
    )
)


def test_a_pod_that_is_popped_and_skipped_is_reported_when_no_pod_is_left(
    reference: Adapter, tmp_path: Path
) -> None:
    text = record(reference, LEAVING).text
    assert [line["idle"] for line in lines(text) if "idle" in line] == [True]
    path = kept(tmp_path, text)
    assert replay_file(path).first is None
    transcript = replay_recording(reference, read_recording(path))
    assert (transcript.ended, transcript.findings) == ("", [])


def test_who_had_a_pod_to_pop_may_not_say_that_there_was_none(tmp_path: Path) -> None:
    header = {
        "trace": "refsched.trace/v1",
        "scheduler": {"name": "lazy", "version": "1"},
        "config": SCRIPTED,
    }
    records: list[Json] = [
        {"at": 0, "create": NODE},
        {"at": 0, "create": pod("a")},
        {"at": 1, "advance": 1, "idle": True},
    ]
    path = tmp_path / "lazy.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *records)), "utf-8")
    first = replay_file(path).first
    assert first is not None
    assert (first.line, first.member, first.expected) == (4, "pod", ["default/a"])


def test_an_advance_bears_the_time_after_it(reference: Adapter) -> None:
    history = History((Advance(1), *creating(NODE), Advance(0.25)))
    assert [line["at"] for line in lines(record(reference, history).text)[1:]] == [1, 1, 1.25]


def test_when_it_began_stands_in_the_header_where_it_is_not_the_default(reference: Adapter) -> None:
    start = datetime(2027, 2, 3, 4, 5, 6, tzinfo=UTC)
    [header] = lines(record(reference, History(()), start).text)
    assert header["start"] == "2027-02-03T04:05:06Z"
    [header] = lines(record(reference, History(())).text)
    assert "start" not in header


def test_the_same_text_is_the_same_bytes_whatever_the_file_is_called(tmp_path: Path) -> None:
    write_trace(tmp_path / "one" / "a.jsonl.gz", "told\n")
    write_trace(tmp_path / "b.jsonl.gz", "told\n")
    write_trace(tmp_path / "c.jsonl", "told\n")
    assert (tmp_path / "one" / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "b.jsonl.gz").read_bytes()) == b"told\n"
    assert (tmp_path / "c.jsonl").read_bytes() == b"told\n"


CHOOSES_NOTHING = """
from refsched.reference import create as complete

class Planner:
    def __init__(self, config):
        self._scheduler = complete(config)

    def hello(self):
        return {"name": "planner", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}

    def __getattr__(self, name):
        return getattr(self._scheduler, name)

def create(config):
    return Planner(config)
"""


def test_who_chooses_no_pod_is_asked_for_each_in_its_turn_and_again_when_something_has_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planner_of_this_test.py").write_text(CHOOSES_NOTHING, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    gated = pod("g")
    gated["spec"]["schedulingGates"] = [{"name": "g"}]
    running = pod("r")
    running["spec"]["nodeName"] = "n1"
    history = History(
        (
            *creating(NODE, running, gated, pod("a"), pod("b"), pod("c"), pod("gone")),
            Delete(Reference("Pod", "gone", namespace="default")),
            Schedule(9),
            Advance(11),
            Schedule(9),
        )
    )
    with connect("planner_of_this_test") as adapter:
        recorded = lines(record(adapter, history).text)
    attempts = [line["attempt"]["pod"] for line in recorded if "attempt" in line]
    assert attempts[:3] == ["default/a", "default/b", "default/c"]


@pytest.fixture(scope="module")
def newest() -> Iterator[Adapter]:
    with connect("refsched.reference:1.37") as adapter:
        yield adapter


@pytest.mark.parametrize("area", sorted(STEERED))
def test_areas_for_recordings_alone_come_to_attempts_and_draw_the_same_again(
    reference: Adapter, newest: Adapter, area: str
) -> None:
    has_it = newest if STEERED[area].__module__ == steered_newer.__name__ else reference
    drawn = histories_of(area, 1, 4)
    assert drawn == histories_of(area, 1, 4)
    assert sum(record(has_it, history).attempts for history in drawn) > 0


def test_the_plan_names_areas_that_there_are_each_once() -> None:
    areas = [part.area for part in PLAN]
    assert len(areas) == len(set(areas))
    assert set(areas) <= set(RECORDED.keys())
