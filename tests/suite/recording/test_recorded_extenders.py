# SPDX-License-Identifier: Apache-2.0
"""Traces of schedulers with extenders: what these were asked is told, and a replay asks nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.vocabulary.scripted import SCRIPTED
from refsched.checking.replay import FileReport, replay_file
from refsched.errors import InputError
from refsched.extenders.failures import CLOSED, TIMED_OUT
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.extender_server import ANNOTATION
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Release, Schedule, Update, creating
from refsched.suite.histories.recordings import read_recording, replay_recording
from refsched.suite.histories.scenario import read_history
from refsched.suite.recording.recorder import record, write_trace

Json = dict[str, Any]

PREFIX = f"{EXTENDERS}/a"
EXTENDER: Json = {
    "urlPrefix": PREFIX,
    "filterVerb": "filter",
    "prioritizeVerb": "prioritize",
    "preemptVerb": "preempt",
    "bindVerb": "bind",
    "weight": 1,
    "nodeCacheCapable": True,
    "httpTimeout": "1s",
}


def node(name: str) -> Json:
    status = {"allocatable": {"cpu": "1", "memory": "4Gi", "pods": "9"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def pod(name: str, answers: Json | None = None, script: Json | None = None, **spec: Any) -> Json:
    annotations = {ANNOTATION: json.dumps({"a": answers or {}})}
    if script is not None:
        annotations["refsched.dev/script"] = json.dumps(script)
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    metadata = {"name": name, "namespace": "default", "annotations": annotations}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], **spec},
    }


def history(*steps: Any, config: Json = DEFAULT_CONFIG, **extender: Any) -> History:
    return History(steps, {**config, "extenders": [EXTENDER | extender]})


PREEMPTING = history(
    *creating(node("n1"), node("n2"), pod("u", nodeName="n1"), pod("v", nodeName="n2"), pod("p", priority=9)),
    Schedule(2),
)


def lines(text: str) -> list[Json]:
    return [json.loads(line) for line in text.splitlines()]


def replayed(folder: Path, text: str) -> FileReport:
    path = folder / "a.jsonl.gz"
    write_trace(path, text)
    return replay_file(path)


def changed(text: str, change: Callable[[Json], None]) -> str:
    records = lines(text)
    for line in records[1:]:
        change(line)
    return "".join(json.dumps(line) + "\n" for line in records)


def test_what_an_extender_is_asked_stands_beside_what_came_of_it(reference: Adapter) -> None:
    text = record(
        reference, history(*creating(node("n1"), pod("p", {"prioritize": {"n1": 7}})), Schedule())
    ).text

    header, *records = lines(text)
    [answers] = [line for line in records if "asked" in line]

    assert header["extenderCalls"] is True
    assert header["config"]["extenders"][0]["urlPrefix"] == PREFIX
    assert "attempt" in answers
    assert [(call["extender"], call["verb"]) for call in answers["asked"]] == [
        (PREFIX, "filter"),
        (PREFIX, "bind"),
    ]
    assert answers["asked"][0]["request"]["NodeNames"] == ["n1"]
    assert answers["asked"][0]["answer"]["NodeNames"] == ["n1"]
    assert "127.0.0.1" not in text


def test_a_trace_without_extenders_reports_nothing_of_them(reference: Adapter) -> None:
    text = record(reference, History(creating(node("n1")))).text
    assert "extenderCalls" not in lines(text)[0]


def test_an_extender_with_an_address_of_its_own_is_asked_by_whoever_is_recorded(reference: Adapter) -> None:
    refusing = history(*creating(node("n1"), pod("p")), Schedule(), urlPrefix="http://127.0.0.1:1/a")
    header, *records = lines(record(reference, refusing).text)
    assert "extenderCalls" not in header
    assert all("asked" not in line for line in records)


def test_a_replay_calls_nobody(reference: Adapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = record(reference, PREEMPTING).text

    def refused(*_: object) -> None:
        raise AssertionError("a replay has no business with a network")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)
    assert replayed(tmp_path, text).first is None


def test_a_replay_is_answered_from_the_trace(reference: Adapter, tmp_path: Path) -> None:
    recorded = record(reference, PREEMPTING)
    verbs = [call["verb"] for line in lines(recorded.text) for call in line.get("asked", ())]
    assert verbs == ["preempt", "filter", "bind"]
    report = replayed(tmp_path, recorded.text)
    assert (report.attempts, report.agree, report.first) == (2, 2, None)


@pytest.mark.parametrize(("script", "failed"), [("Drop", CLOSED), ("Hang", TIMED_OUT)])
def test_a_call_that_is_not_answered_is_reported_as_the_client_saw_it(
    reference: Adapter, tmp_path: Path, script: str, failed: str
) -> None:
    steps = (*creating(node("n1"), pod("p", {"filter": script})), Schedule())
    text = record(reference, history(*steps)).text
    [call] = [call for line in lines(text) for call in line.get("asked", ())]
    [attempt] = [line["attempt"] for line in lines(text) if "attempt" in line]
    assert (call["failed"], attempt["result"]) == (failed, "error")
    assert f'Post "{PREFIX}/filter": {failed}' in attempt["message"]
    assert replayed(tmp_path, text).first is None


def test_a_call_that_is_answered_with_another_status_is_reported_with_it(
    reference: Adapter, tmp_path: Path
) -> None:
    text = record(
        reference, history(*creating(node("n1"), pod("p", {"filter": "Fail"})), Schedule(), ignorable=True)
    ).text
    assert [call["status"] for line in lines(text) for call in line.get("asked", ()) if "status" in call] == [
        500
    ]
    assert replayed(tmp_path, text).first is None


def test_the_binding_of_a_pod_that_was_held_is_asked_for_later(reference: Adapter, tmp_path: Path) -> None:
    held = pod("p", script={"ScriptedA": {"reserve": "Hold", "preBind": "Hold"}})
    again = history(
        *creating(node("n1"), held),
        Schedule(),
        Update(node("n1")),
        Release("default/p"),
        Release("default/p"),
        config=SCRIPTED,
    )
    text = record(reference, again).text
    answers = {next(iter(line.keys() - {"at", "asked", "held"})) for line in lines(text) if "asked" in line}
    assert answers == {"queues", "bind"}
    assert replayed(tmp_path, text).first is None


# --- What is not as it was told -------------------------------------------------------------------


def test_another_answer_has_other_consequences(reference: Adapter, tmp_path: Path) -> None:
    def other(line: Json) -> None:
        for call in line.get("asked", ()):
            if call["verb"] == "filter":
                call["answer"] |= {"NodeNames": [], "FailedNodes": {"n1": "no"}}

    text = record(reference, history(*creating(node("n1"), pod("p")), Schedule())).text
    first = replayed(tmp_path, changed(text, other)).first
    assert first is not None
    assert first.member == "node"


def test_a_call_that_the_specification_makes_and_nobody_recorded_is_a_disagreement(
    reference: Adapter, tmp_path: Path
) -> None:
    text = record(reference, history(*creating(node("n1"), pod("p")), Schedule())).text
    silent = changed(text, lambda line: line.pop("asked", None))
    first = replayed(tmp_path, silent).first
    assert first is not None
    assert (first.member, first.got) == (f"asked.{PREFIX}.filter", None)
    assert first.expected == {"pod": "default/p", "nodeNames": ["n1"]}


def test_a_call_that_the_specification_would_not_make_is_a_disagreement(
    reference: Adapter, tmp_path: Path
) -> None:
    def twice(line: Json) -> None:
        if "asked" in line:
            line["asked"] += [call for call in line["asked"] if call["verb"] == "bind"]

    text = record(reference, history(*creating(node("n1"), pod("p")), Schedule())).text
    first = replayed(tmp_path, changed(text, twice)).first
    assert first is not None
    assert (first.member, first.expected) == (f"asked.{PREFIX}.bind", None)
    assert first.got == {"PodNamespace": "default", "PodName": "p", "Node": "n1"}


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ([{"verb": "filter", "request": {}}], "asked[0].extender"),
        ({}, "asked: "),
        ([{"extender": PREFIX, "verb": "filter", "request": 7}], "asked[0].request"),
    ],
)
def test_calls_that_are_none_are_refused_by_line(
    reference: Adapter, tmp_path: Path, asked: object, answers: str
) -> None:
    text = record(reference, history(*creating(node("n1"), pod("p")), Schedule())).text
    broken = changed(text, lambda line: line.update(asked=asked) if "attempt" in line else None)
    with pytest.raises(InputError, match=r"line 4: ") as refused:
        replayed(tmp_path, broken)
    assert answers in str(refused.value)


def done(text: str) -> list[Json]:
    """All that a trace tells, but what was only looked at."""
    return [line for line in lines(text) if not line.keys() & {"queues", "nodes"}]


# --- Done again -----------------------------------------------------------------------------------


def test_a_trace_with_extenders_can_be_done_again_by_anybody(reference: Adapter, tmp_path: Path) -> None:
    path = tmp_path / "extenders-001.jsonl.gz"
    text = record(reference, PREEMPTING).text
    write_trace(path, text)

    again = record(reference, read_history(path)).text
    assert done(again) == done(text)
    transcript = replay_recording(reference, read_recording(path))
    assert (transcript.ended, transcript.findings) == ("", [])


# --- What was sent of an object -------------------------------------------------------------------


def test_what_was_sent_of_an_object_is_compared(reference: Adapter, tmp_path: Path) -> None:
    def other(line: Json) -> None:
        for call in line.get("asked", ()):
            if "Nodes" in call["request"]:
                call["request"]["Nodes"]["items"][0]["status"]["allocatable"]["cpu"] = "3"

    whole = history(*creating(node("n1"), pod("p")), Schedule(), nodeCacheCapable=False)
    text = record(reference, whole).text
    assert replayed(tmp_path, text).first is None
    first = replayed(tmp_path, changed(text, other)).first
    assert first is not None
    assert first.member == f"asked.{PREFIX}.filter.Node n1.status"


def test_victims_that_were_sent_whole_are_compared_too(reference: Adapter, tmp_path: Path) -> None:
    def other(line: Json) -> None:
        for call in line.get("asked", ()):
            for victims in (call["request"].get("NodeNameToVictims") or {}).values():
                victims["Pods"][0]["spec"]["priority"] = 7

    whole = History(
        PREEMPTING.steps, {**DEFAULT_CONFIG, "extenders": [EXTENDER | {"nodeCacheCapable": False}]}
    )
    text = record(reference, whole).text
    assert replayed(tmp_path, text).first is None
    first = replayed(tmp_path, changed(text, other)).first
    assert first is not None
    assert first.member == f"asked.{PREFIX}.preempt.Pod default/u.spec"
