# SPDX-License-Identifier: Apache-2.0
"""Reading traces: what is in them, and what is said of those that are broken."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformance.vocabulary.objects import SCRIPT
from conformance.vocabulary.scripted import SCRIPTED
from refsched.checking import trace as reading
from refsched.checking.replay import FileReport, replay_file
from refsched.checking.trace import Entry, read_trace
from refsched.errors import InputError
from refsched.machine.state import START
from refsched.records import Advance, Create, Permit, Release, Update
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import History, Observe, Schedule, creating
from refsched.suite.recording.recorder import record

HEADER: dict[str, Any] = {
    "trace": "refsched.trace/v1",
    "scheduler": {"name": "kube-scheduler", "version": "v1.34.2"},
    "config": {"kind": "KubeSchedulerConfiguration"},
}
ADVANCE = b'{"at": 1, "advance": 1}\n'


def _trace(folder: Path, *lines: bytes, header: object = HEADER, name: str = "t.jsonl") -> Path:
    path = folder / name
    path.write_bytes(b"".join([json.dumps(header).encode() + b"\n", *lines]))
    return path


def _refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        list(read_trace(path).entries)
    return str(refused.value).replace(str(path), path.name)


def test_a_trace_has_a_header_and_records_with_their_lines(tmp_path: Path) -> None:
    header = HEADER | {
        "featureGates": {"A": True},
        "start": "2025-06-01T00:00:00Z",
        "frozenTimers": ["permit"],
    }
    path = _trace(
        tmp_path, b"\n", ADVANCE, b'{"at": 1.5, "release": {"pod": "a/b"}, "more": 1}', header=header
    )
    trace = read_trace(path)
    assert (trace.path, trace.header.scheduler.version) == (str(path), "v1.34.2")
    assert trace.header.feature_gates == {"A": True}
    assert trace.header.start == datetime(2025, 6, 1, tzinfo=UTC)
    assert trace.header.frozen_timers == ("permit",)
    assert list(trace.entries) == [Entry(3, 1.0, Advance(1.0)), Entry(4, 1.5, Release("a/b"))]


def test_a_compressed_trace_is_the_same_trace(tmp_path: Path) -> None:
    path = _trace(tmp_path, ADVANCE)
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    plain, unpacked = read_trace(path), read_trace(packed)
    assert plain.header == unpacked.header
    assert plain.header.start == START
    assert list(plain.entries) == list(unpacked.entries)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ({"at": 0, "advance": 1}, "trace: expected a header, 'refsched.trace/v1', found a line without it"),
        ({"trace": "v2"}, "trace: expected a header, 'refsched.trace/v1', found 'v2'"),
        (HEADER | {"config": None}, "config: is required and missing"),
        (HEADER | {"scheduler": {"name": 1, "version": ""}}, "scheduler.name: expected a string, found 1"),
        ([], "expected a JSON object, found []"),
    ],
)
def test_a_trace_without_a_good_header_is_refused(tmp_path: Path, header: object, problem: str) -> None:
    assert _refusal(_trace(tmp_path, header=header)) == f"t.jsonl: line 1: {problem}"


def test_a_file_that_is_empty_or_missing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    assert _refusal(path) == "t.jsonl: No such file or directory"
    path.write_bytes(b"\n\n")
    assert _refusal(path) == "t.jsonl: is empty"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{]\n", "is not JSON: Expecting property name enclosed in double quotes (column 2)"),
        (b'{"at": 0, "adva', "is cut off in the middle"),
        (b'{"at": 0, "advance": "\xc3', "is cut off in the middle"),
        (b"\xff\n", "is not UTF-8 text"),
        (b"3\n", "expected a JSON object, found 3"),
        (b'{"at": 0, "at": 1}\n', "the key 'at' stands twice"),
        (b'{"at": NaN, "advance": 1}\n', "NaN is not a number of JSON"),
        (
            b'{"at": 1e999, "advance": 1}\n',
            "at: expected a number of seconds, 10,000,000,000 at most, found inf",
        ),
        (
            b'{"at": true, "advance": 1}\n',
            "at: expected a number of seconds, 10,000,000,000 at most, found True",
        ),
        (b'{"advance": 1}\n', "at: is required and missing"),
        (b'{"at": -1, "advance": 1}\n', "at: -1 is before the 0 of an earlier line"),
        (
            b'{"at": 2, "advance": 1}\n{"at": 1.5, "advance": 1}\n',
            "at: 1.5 is before the 2 of an earlier line",
        ),
        (b'{"at": 0, "advance": "x"}\n', "advance"),
        (
            b'{"at": 1' + b"0" * 400 + b', "advance": 1}\n',
            "at: expected a number of seconds, 10,000,000,000 at most, found 1000",
        ),
        (b'{"at": 0, "bang": 1}\n', "expected exactly one of "),
        (b'{"at": 0, "advance": 1, "delete": {}}\n', "expected exactly one of "),
        (b"[" * 100_000 + b"\n", "is nested too deeply"),
        (b" " * (1024 * 1024 + 1), "is longer than 1 MiB"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: bytes, problem: str
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 1024 * 1024)
    number = 2 + line[:-1].count(b"\n")
    assert _refusal(_trace(tmp_path, line)).startswith(f"t.jsonl: line {number}: {problem}")


def test_a_record_that_is_nested_too_deep_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(reading, "read_record", too_deep)
    assert _refusal(_trace(tmp_path, ADVANCE)) == "t.jsonl: line 2: is nested too deeply"


def test_a_compressed_file_that_is_broken_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(HEADER).encode() + b"\n" + ADVANCE * 10_000)
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(whole[:-4])
    assert _refusal(path) == "t.jsonl.gz: the compressed file is cut off after line 10001"
    path.write_bytes(path.read_bytes()[:12])
    assert _refusal(path) == "t.jsonl.gz: the compressed file is cut off in its first line"
    path.write_bytes(whole[:40] + b"\xff" * 20 + whole[60:])
    assert _refusal(path).startswith("t.jsonl.gz: cannot be decompressed: ")
    path.write_bytes(b"plain text")
    assert _refusal(path).startswith("t.jsonl.gz: cannot be decompressed: Not a gzipped file")


def test_a_record_may_name_what_happened_before_it_without_one(tmp_path: Path) -> None:
    path = _trace(tmp_path, b'{"at": 1, "advance": 1, "held": "a/b", "idle": true}\n')
    assert list(read_trace(path).entries) == [Entry(2, 1.0, Advance(1.0), "a/b", idle=True)]


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        (b'"held": "b"', "held: expected namespace/name of a pod, found 'b'"),
        (b'"held": 7', "held: expected namespace/name of a pod, found 7"),
        (b'"idle": "yes"', "idle: expected true or false, found 'yes'"),
    ],
)
def test_a_record_that_names_it_wrongly_is_refused(tmp_path: Path, members: bytes, problem: str) -> None:
    path = _trace(tmp_path, b'{"at": 1, "advance": 1, ' + members + b"}\n")
    assert _refusal(path) == f"t.jsonl: line 2: {problem}"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ({}, "write.object.kind: expected a kind, found None"),
        ({"kind": "PersistentVolume", "metadata": []}, "write.object.metadata"),
        ({"kind": "ResourceClaim", "metadata": {"name": 1}}, "write.object.metadata.name"),
    ],
)
def test_a_written_object_that_cannot_be_read_is_named(
    tmp_path: Path, written: dict[str, object], problem: str
) -> None:
    line = json.dumps({"at": 0, "write": {"verb": "update", "object": written}}).encode() + b"\n"
    assert _refusal(_trace(tmp_path, line)).startswith(f"t.jsonl: line 2: {problem}")


def test_a_start_near_the_end_of_time_is_refused(tmp_path: Path) -> None:
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    path = _trace(tmp_path, header=HEADER | {"config": config, "start": "9999-12-31T23:59:59Z"})
    with pytest.raises(InputError, match="line 1: start: expected a time before the year 9001, found 9999"):
        replay_file(path)


# --- Uids that the API server made ----------------------------------------------------------------


def _shown(name: str, uid: str = "", **more: str) -> dict[str, Any]:
    metadata = {"name": name, **({"uid": uid} if uid else {}), **more}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [{"name": "c"}]}}


NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n", "uid": "n-1"},
    "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "2"}},
}


def _line(**members: Any) -> bytes:
    return json.dumps({"at": 0, **members}).encode() + b"\n"


def _created(path: Path) -> list[str]:
    records = (entry.record for entry in read_trace(path).entries)
    return [record.object["metadata"].get("uid", "") for record in records if isinstance(record, Create)]


def test_an_object_has_from_the_beginning_the_uid_that_its_update_shows(tmp_path: Path) -> None:
    lines = [
        _line(create=_shown("a")),
        _line(create=_shown("b", "b-1")),
        _line(create=_shown("c")),
        _line(update=_shown("a", "a-1", namespace="default")),
        _line(update=_shown("b", "b-2")),
        _line(delete={"apiVersion": "v1", "kind": "Pod", "name": "c"}),
        _line(update=_shown("c", "c-1")),
        _line(update=_shown("a", "a-2")),
    ]
    for name in ("t.jsonl", "t.jsonl.gz"):
        path = _trace(tmp_path, *lines)
        if name.endswith(".gz"):
            path = tmp_path / name
            path.write_bytes(gzip.compress((tmp_path / "t.jsonl").read_bytes()))
        assert _created(path) == ["a-1", "b-1", ""]


def test_what_stands_before_a_line_that_cannot_be_read_has_its_uid(tmp_path: Path) -> None:
    path = _trace(tmp_path, _line(create=_shown("a")), _line(update=_shown("a", "a-1")), b"{]\n")
    assert "is not JSON" in _refusal(path)
    assert next(read_trace(path).entries).record == Create(_shown("a", "a-1"))


@pytest.mark.parametrize("release", ["1.34", "1.19"])
def test_an_update_that_shows_the_uid_first_is_an_update_of_that_pod(tmp_path: Path, release: str) -> None:
    adapter = connect(f"refsched.reference:{release}")
    waits = {SCRIPT: json.dumps({"ScriptedA": {"permit": "Wait"}})}
    created = _shown("a", "a-1")
    created["metadata"]["annotations"] = waits
    changed = {**created, "metadata": {**created["metadata"], "labels": {"x": "y"}}}
    steps = (*creating(NODE, created), Schedule(), Update(changed), Permit("default/a", "allow"), Observe())
    again = History(steps, SCRIPTED)
    text = record(adapter, again).text
    assert _replayed(tmp_path, text).first is None
    without = text.replace(',"uid":"a-1"', "", 1)
    assert without.count("a-1") == text.count("a-1") - 1
    assert _replayed(tmp_path, without).first is None


def _replayed(folder: Path, text: str) -> FileReport:
    path = folder / "t.jsonl"
    path.write_text(text, "utf-8")
    return replay_file(path)
