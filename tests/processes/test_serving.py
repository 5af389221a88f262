# SPDX-License-Identifier: Apache-2.0
"""Serving: an implementation in Python behind the wire protocol."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from refsched import reference
from refsched.processes.serving import Server, no_config, serve

HELLO = {"hello": {"protocol": 1}}
RESET = {"reset": {"config": no_config()}}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "4", "pods": "9"}},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}


class Noted:
    """An implementation that notes how it is called."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(*arguments: Any) -> object:
            self.calls.append((name, *arguments))
            return {"records": []}

        return call


def test_each_request_is_a_call() -> None:
    noted = Noted()
    server = Server(lambda config: noted)
    server.answer(RESET)
    bodies: list[tuple[str, Any]] = [
        ("create", POD),
        ("update", POD),
        ("delete", {"kind": "Pod", "name": "p"}),
        ("advance", 1.5),
        ("permit", {"pod": "a/b", "decision": "allow"}),
        ("permit", {"pod": "a/b", "decision": "reject", "plugin": "ScriptedA"}),
        ("release", {"pod": "a/b"}),
        ("schedule", {}),
        ("schedule", {"pod": "a/b"}),
        ("observe", {}),
        ("hello", {"protocol": 1}),
    ]
    assert all(server.answer({verb: body}) == {"records": []} for verb, body in bodies)
    assert noted.calls == [
        ("create", POD),
        ("update", POD),
        ("delete", {"kind": "Pod", "name": "p"}),
        ("advance", 1.5),
        ("permit", "a/b", "allow"),
        ("permit", "a/b", "reject", "ScriptedA"),
        ("release", "a/b"),
        ("schedule",),
        ("schedule", "a/b"),
        ("observe",),
        ("hello",),
    ]


def test_reset_hands_on_what_create_takes() -> None:
    given: list[dict[str, Any]] = []

    def create(config: object, **more: Any) -> Noted:
        given.append(more)
        return Noted()

    full = {"config": {}, "featureGates": {"Gate": True}, "start": "2026-02-01T00:00:00Z"}
    assert Server(create).answer({"reset": full}) == {}
    assert given == [{"feature_gates": {"Gate": True}, "start": datetime(2026, 2, 1, tzinfo=UTC)}]
    assert Server(lambda config: Noted()).answer({"reset": full}) == {
        "unsupported": "its create(config) does not take feature_gates and start"
    }
    assert "unsupported" in Server(dict).answer({"reset": full})


def test_create_may_say_that_it_does_not_support_a_configuration() -> None:
    server = Server(lambda config: {"unsupported": "extenders"})
    assert server.answer(RESET) == {"unsupported": "extenders"}
    assert server.answer(HELLO) == {"unsupported": "extenders"}
    assert server.answer({"observe": {}}) == {"error": "there is no cluster yet: reset comes first"}


def test_a_request_that_is_none_is_answered_with_an_error() -> None:
    server = Server(reference.create)
    problems = {
        "expected a request, an object of one member, found 'x'": "x",
        "expected a request, an object of one member, found {}": {},
        "there is no request 'destroy'": {"destroy": {}},
        "protocol 2 is asked for, this speaks 1": {"hello": {"protocol": 2}},
    }
    for problem, request in problems.items():
        assert server.answer(request) == {"error": problem}
    message = server.answer({"reset": {}})["error"]
    assert message.startswith("KeyError: 'config' (serving.py:")


def test_an_exception_without_a_traceback_is_reported_too() -> None:
    from refsched.processes.serving import described

    assert described(ValueError("no")) == "ValueError: no"
    assert described(ValueError("no\n  way")) == "ValueError: no way"


def _served(create: Callable[..., Any], *lines: bytes) -> list[Any]:
    answers = io.BytesIO()
    serve(create, io.BytesIO(b"\n".join(lines)), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_lines_that_are_not_json_are_answered_and_blank_ones_are_not() -> None:
    twice, broken, garbage = _served(reference.create, b'{"a": 1, "a": 2}', b"", b"{", b"\xff")
    assert twice == {"error": "the request is not JSON: the key 'a' stands twice"}
    assert broken["error"].startswith("the request is not JSON: Expecting property name")
    assert garbage["error"].startswith("the request is not JSON: 'utf-8' codec can't decode")


def test_an_answer_that_json_cannot_hold_is_an_error() -> None:
    [answer] = _served(lambda config: {"unsupported": {1, 2}}, json.dumps(RESET).encode())
    assert answer["error"].startswith("the answer cannot be written as JSON: Object of type set")


def test_what_an_implementation_prints_does_not_come_between_the_answers() -> None:
    def create(config: object) -> dict[str, str]:
        print("debugging")
        return {"unsupported": "é"}

    assert _served(create, json.dumps(RESET).encode()) == [{"unsupported": "é"}]


def test_the_reference_is_served_by_the_command_line() -> None:
    requests = [HELLO, RESET, {"create": NODE}, {"create": POD}, {"schedule": {}}, {"schedule": {}}]
    done = subprocess.run(
        [sys.executable, "-m", "refsched", "serve"],
        input="\n".join(map(json.dumps, requests)),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["name"] == "refsched"
    assert answers[1] == {}
    assert answers[4]["records"][0]["attempt"]["node"] == "n"
    assert answers[5] == {"idle": True}


def test_a_module_that_cannot_be_served_is_refused_by_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refsched", "serve", "no.such.module"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (2, "refsched: no.such.module: there is no such module\n")
