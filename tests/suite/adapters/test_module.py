# SPDX-License-Identifier: Apache-2.0
"""Implementations in Python, in the process of the suite."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.adapters.answers import Answer
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.adapters.module import Module, OutOfTime, time_limit

POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
MINE = """
HELLO = {"name": "mine", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}

class Mine:
    def hello(self):
        return HELLO
    def create(self, object):
        object["kind"] = "Changed"
        return {"records": ()}

def create(config):
    return Mine()
"""
Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Write:
    """Writes a module into the working directory, and answers its name."""
    name = f"mine_{abs(hash(request.node.name))}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def as_module(text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return as_module


def _fault(what: str) -> str:
    with pytest.raises(AdapterFault) as fault:
        connect(what)
    return str(fault.value)


def test_a_module_of_the_working_directory_is_an_implementation(write: Write) -> None:
    adapter = connect(write(MINE))
    assert adapter.hello.name == "mine"
    assert adapter.reset({}).create(POD) == Answer()


def test_what_an_implementation_does_to_an_object_does_not_reach_the_suite(write: Write) -> None:
    connect(write(MINE)).reset({}).create(POD)
    assert POD["kind"] == "Pod"


def test_an_answer_that_json_cannot_hold_is_a_fault(write: Write) -> None:
    session = connect(write(MINE.replace('{"records": ()}', '{"records": {1, 2}}'))).reset({})
    with pytest.raises(AdapterFault, match="the answer cannot be written as JSON: Object of type set"):
        session.create(POD)


def test_a_method_that_is_missing_is_not_supported(write: Write) -> None:
    session = connect(write(MINE)).reset({})
    assert session.release("a/b") == Answer(unsupported="it has no method release")


def test_what_create_does_not_take_is_not_supported(write: Write) -> None:
    adapter = connect(write(MINE))
    with pytest.raises(ResetRefused, match=r"unsupported: .* does not take feature_gates and start"):
        adapter.reset({}, {"Gate": True}, datetime(2026, 1, 1, tzinfo=UTC))


def test_an_exception_is_an_error_of_the_implementation(write: Write) -> None:
    session = connect(write(MINE.replace('return {"records": ()}', "raise KeyError('x')"))).reset({})
    error = session.create(POD).error
    assert error is not None
    assert error.startswith("KeyError: 'x' (mine_")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1", "has no function create(config)"),
        ("create = 1", "has no function create(config)"),
        (
            "import nothing_like_it",
            "cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'",
        ),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        ("def create(", "cannot be imported: SyntaxError: '(' was never closed"),
        (
            "def create(config): raise ValueError('no')",
            "hello must be answered, and not refused: 'ValueError: no",
        ),
        ("def create(config): return {'unsupported': 'x'}", "hello must be answered, and not refused: 'x'"),
    ],
)
def test_a_module_that_is_no_implementation_is_a_fault(write: Write, text: str, problem: str) -> None:
    assert problem in _fault(write(text))


def test_a_module_that_is_not_there_is_a_fault() -> None:
    assert _fault("no.such.module") == "no.such.module: there is no such module"
    assert _fault("refsched.no_such") == "refsched.no_such: there is no such module"


# --- Time -----------------------------------------------------------------------------------------


def test_an_implementation_that_does_not_return_is_out_of_time(write: Write) -> None:
    text = MINE.replace('return {"records": ()}', "\n        while True: pass")
    adapter = Adapter("mine", Module(write(text), timeout=0.5))
    session = adapter.reset({})
    with pytest.raises(AdapterFault, match=r"no answer within 0\.5 seconds"):
        session.create(POD)
    adapter.reset({})


def test_a_module_whose_import_does_not_end_is_out_of_time(write: Write) -> None:
    with pytest.raises(AdapterFault, match=r"not imported within 0\.1 seconds"):
        Adapter("mine", Module(write("while True: pass"), timeout=0.1))


def test_a_closed_module_is_not_asked(write: Write) -> None:
    adapter = connect(write(MINE))
    adapter.close()
    with pytest.raises(AdapterFault, match="the module has been closed"):
        adapter.reset({})


def test_a_time_limit_leaves_the_timer_of_others_as_it_was() -> None:
    def others(number: int, frame: object) -> None:
        raise AssertionError("never this soon")

    before = signal.signal(signal.SIGALRM, others)
    signal.setitimer(signal.ITIMER_REAL, 50.0)
    try:
        with pytest.raises(OutOfTime), time_limit(0.01):
            time.sleep(10)
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert 40 < left < 50
        assert signal.getsignal(signal.SIGALRM) is others
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_another_thread_has_no_time_limit() -> None:
    done = []

    def run() -> None:
        with time_limit(0.001):
            time.sleep(0.02)
            done.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done
