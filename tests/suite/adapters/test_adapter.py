# SPDX-License-Identifier: Apache-2.0
"""Adapters: sessions, and what follows a fault."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from refsched.suite.adapters.adapter import Adapter, ResetRefused, TransportError
from refsched.suite.adapters.answers import Answer
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable, quoted

HELLO: dict[str, Any] = {"name": "mine", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}
ATTEMPT: dict[str, Any] = {"records": [{"attempt": {"pod": "a/b", "result": "error"}}]}
POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


class Scripted:
    """A transport that answers what it is told to: hello and reset as they should be, where nothing is left."""

    def __init__(self, *answers: Any) -> None:
        self.answers = deque(answers)
        self.asked: list[Any] = []
        self.opened = 0
        self.closed: list[bool] = []
        self.hello: Any = HELLO

    def open(self) -> None:
        self.opened += 1
        if isinstance(self.hello, TransportError):
            raise self.hello

    def ask(self, request: Any) -> Any:
        self.asked.append(request)
        if "hello" in request:
            return self.hello
        if "reset" in request and not (self.answers and self.answers[0] == "at reset"):
            return {}
        if self.answers and self.answers[0] == "at reset":
            self.answers.popleft()
        answer = self.answers.popleft() if self.answers else {"records": []}
        if isinstance(answer, TransportError):
            raise answer
        return answer

    def close(self, *, at_once: bool = False) -> None:
        self.closed.append(at_once)

    def log(self) -> tuple[str, ...]:
        return ("the last line",)


LOST = TransportError("it is gone")

# --- Sessions -------------------------------------------------------------------------------------


def test_a_session_asks_as_the_protocol_has_it() -> None:
    transport = Scripted()
    adapter = Adapter("mine", transport)
    start = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    session = adapter.reset({"kind": "K"}, {"Gate": True}, start)
    session.create(POD)
    session.update(POD)
    session.delete({"apiVersion": "v1", "kind": "Pod", "name": "a"})
    session.advance(1.5)
    session.permit("a/b", "allow")
    session.permit("a/b", "reject", "ScriptedA")
    session.release("a/b")
    session.observe()
    transport.answers.extend([ATTEMPT, {"idle": True}])
    assert session.schedule("a/b").attempt is not None
    assert session.schedule() == Answer(idle=True)
    assert session.hello.claims("filter")
    assert transport.asked == [
        {"hello": {"protocol": 1}},
        {
            "reset": {
                "config": {"kind": "K"},
                "featureGates": {"Gate": True},
                "start": "2026-01-01T00:00:00Z",
            }
        },
        {"create": POD},
        {"update": POD},
        {"delete": {"apiVersion": "v1", "kind": "Pod", "name": "a"}},
        {"advance": 1.5},
        {"permit": {"pod": "a/b", "decision": "allow"}},
        {"permit": {"pod": "a/b", "decision": "reject", "plugin": "ScriptedA"}},
        {"release": {"pod": "a/b"}},
        {"observe": {}},
        {"schedule": {"pod": "a/b"}},
        {"schedule": {}},
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [({"unsupported": "no extenders"}, "unsupported: no extenders"), ({"error": "what?"}, "what?")],
)
def test_a_reset_can_be_refused(answer: dict[str, str], message: str) -> None:
    adapter = Adapter("mine", Scripted("at reset", answer))
    with pytest.raises(ResetRefused) as refused:
        adapter.reset({})
    assert refused.value.answer == Answer(**answer)
    assert str(refused.value) == message
    assert adapter.reset({}).create(POD) == Answer()


def test_a_session_ends_with_the_next_and_with_the_adapter() -> None:
    with Adapter("mine", Scripted()) as adapter:
        first = adapter.reset({})
        second = adapter.reset({})
        second.create(POD)
        with pytest.raises(RuntimeError, match="this session is over"):
            first.create(POD)
    with pytest.raises(RuntimeError, match="this session is over"):
        second.create(POD)


# --- Faults ---------------------------------------------------------------------------------------


def test_nothing_more_is_asked_after_a_fault_until_the_next_reset() -> None:
    transport = Scripted(LOST)
    adapter = Adapter("mine", transport)
    session = adapter.reset({})
    for _ in range(2):
        with pytest.raises(AdapterFault) as fault:
            session.create(POD)
        assert fault.value.problem == "it is gone"
        assert fault.value.request == {"create": POD}
        assert fault.value.log == ("the last line",)
    assert transport.opened == 1
    assert transport.closed == [True]

    assert adapter.reset({}).create(POD) == Answer()
    assert transport.opened == 2


def test_a_reset_that_is_not_answered_is_a_fault() -> None:
    adapter = Adapter("mine", Scripted("at reset", LOST))
    with pytest.raises(AdapterFault, match="it is gone"):
        adapter.reset({})
    adapter.reset({})


def test_an_implementation_that_does_not_start_again_has_a_fault_of_its_own() -> None:
    transport = Scripted(LOST)
    adapter = Adapter("mine", transport)
    session = adapter.reset({})
    with pytest.raises(AdapterFault):
        session.schedule()
    transport.hello = TransportError("cannot be started")
    with pytest.raises(AdapterFault, match="cannot be started") as fault:
        adapter.reset({})
    assert fault.value.request is None


def test_an_implementation_that_calls_itself_another_after_a_restart_is_a_fault() -> None:
    transport = Scripted()
    adapter = Adapter("mine", transport)
    transport.hello = HELLO | {"version": "2"}
    with pytest.raises(AdapterFault, match=r"it was .*version='1'.*, and now is .*version='2'"):
        adapter.restart()


def test_a_hello_that_is_wrong_is_a_fault() -> None:
    transport = Scripted()
    transport.hello = HELLO | {"capabilities": ["telepathy"]}
    with pytest.raises(AdapterFault) as fault:
        Adapter("mine", transport)
    assert str(fault.value).startswith("mine: capabilities[0]: expected one of api, cache, ")
    assert "  answer   {" in str(fault.value)
    assert '  request  {"hello": {"protocol": 1}}' in str(fault.value)
    assert transport.closed == [True]


def test_what_is_no_json_is_quoted_all_the_same() -> None:
    circular: list[Any] = []
    circular.append(circular)
    assert quoted(circular) == "[[...]]"
    assert quoted({"a": {1}}) == '{"a": "{1}"}'


def test_what_cannot_be_had_says_so() -> None:
    assert str(AdapterUnavailable("kube-scheduler:v1.34", "there is no Go")) == (
        "kube-scheduler:v1.34: there is no Go"
    )
