# SPDX-License-Identifier: Apache-2.0
"""Implementations in Python, in a process of their own and in that of the suite."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from refsched.processes.serving import OutOfTime
from refsched.suite.adapters.adapter import Adapter, ResetRefused, TransportError
from refsched.suite.adapters.answers import Answer
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.adapters.module import InProcess, Module, time_limit

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
Join = Callable[..., Adapter]


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


@pytest.fixture(params=["a process of its own", "the process of the suite"])
def join(request: pytest.FixtureRequest) -> Iterator[Join]:
    """Connects to a module, and closes it after the test."""
    joined: list[Adapter] = []

    def to(what: str, timeout: float = 30.0) -> Adapter:
        joined.append(connect(what, timeout=timeout, in_process=request.param == "the process of the suite"))
        return joined[-1]

    yield to
    for adapter in joined:
        adapter.close()


def _fault(join: Join, what: str) -> str:
    with pytest.raises(AdapterFault) as fault:
        join(what)
    return str(fault.value)


def test_a_module_of_the_working_directory_is_an_implementation(write: Write, join: Join) -> None:
    adapter = join(write(MINE))
    assert adapter.hello.name == "mine"
    assert adapter.reset({}).create(POD) == Answer()


def test_what_an_implementation_does_to_an_object_does_not_reach_the_suite(write: Write, join: Join) -> None:
    join(write(MINE)).reset({}).create(POD)
    assert POD["kind"] == "Pod"


def test_an_answer_that_json_cannot_hold_is_a_fault(write: Write, join: Join) -> None:
    session = join(write(MINE.replace('{"records": ()}', '{"records": {1, 2}}'))).reset({})
    with pytest.raises(AdapterFault, match="the answer cannot be written as JSON: Object of type set"):
        session.create(POD)


def test_a_method_that_is_missing_is_not_supported(write: Write, join: Join) -> None:
    session = join(write(MINE)).reset({})
    assert session.release("a/b") == Answer(unsupported="it has no method release")


def test_what_create_does_not_take_is_not_supported(write: Write, join: Join) -> None:
    adapter = join(write(MINE))
    with pytest.raises(ResetRefused, match=r"unsupported: .* does not take feature_gates and start"):
        adapter.reset({}, {"Gate": True}, datetime(2026, 1, 1, tzinfo=UTC))


def test_an_exception_is_an_error_of_the_implementation(write: Write, join: Join) -> None:
    session = join(write(MINE.replace('return {"records": ()}', "raise KeyError('x')"))).reset({})
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
def test_a_module_that_is_no_implementation_is_a_fault(
    write: Write, join: Join, text: str, problem: str
) -> None:
    assert problem in _fault(join, write(text))


def test_a_module_that_is_not_there_is_a_fault(join: Join) -> None:
    assert _fault(join, "no.such.module") == "no.such.module: there is no such module"
    assert _fault(join, "refsched.no_such") == "refsched.no_such: there is no such module"


# --- Time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Module, InProcess])
def test_an_implementation_that_does_not_return_is_out_of_time(
    write: Write, kind: type[Module] | type[InProcess]
) -> None:
    text = MINE.replace('return {"records": ()}', "\n        while True: pass")
    module = kind(write(text), timeout=30.0)
    with Adapter("mine", module) as adapter:
        session = adapter.reset({})
        module.timeout = 0.5
        with pytest.raises(AdapterFault, match=r"no answer within 0\.5 seconds"):
            session.create(POD)
        module.timeout = 30.0
        adapter.reset({})


@pytest.mark.parametrize("kind", [Module, InProcess])
def test_a_module_whose_import_does_not_end_is_out_of_time(
    write: Write, kind: type[Module] | type[InProcess]
) -> None:
    with pytest.raises(AdapterFault, match=r"not imported within 0\.5 seconds"):
        Adapter("mine", kind(write("while True: pass"), timeout=0.5))


def test_a_closed_module_is_not_asked(write: Write, join: Join) -> None:
    adapter = join(write(MINE))
    adapter.close()
    with pytest.raises(AdapterFault, match=r"has been (closed|ended)"):
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


# --- What a module may do to its process ----------------------------------------------------------


@pytest.fixture
def apart(write: Write) -> Iterator[Join]:
    """A module of this body of ``create``, in a process of its own."""
    joined: list[Adapter] = []

    def to(body: str, timeout: float = 30.0) -> Adapter:
        text = "import os, sys, threading, time\n" + MINE.replace('return {"records": ()}', body)
        joined.append(connect(write(text), timeout=timeout))
        return joined[-1]

    yield to
    for adapter in joined:
        adapter.close()


def _fault_of(adapter: Adapter) -> str:
    session = adapter.reset({})
    with pytest.raises(AdapterFault) as fault:
        session.create(POD)
    return str(fault.value)


@pytest.mark.parametrize("code", [0, 5])
def test_a_module_that_ends_its_process_is_a_fault(apart: Join, code: int) -> None:
    assert f"it has ended, with exit code {code}" in _fault_of(apart(f"os._exit({code})"))


def test_a_module_that_ends_its_process_when_it_is_imported_is_a_fault(write: Write) -> None:
    with pytest.raises(AdapterFault, match="it has ended, with exit code 5"):
        connect(write("import os; os._exit(5)"))


def test_a_module_that_kills_itself_is_a_fault(apart: Join) -> None:
    assert "it was ended by signal 9 (Killed)" in _fault_of(apart("os.kill(os.getpid(), 9)"))


RAISED = {
    "raise KeyboardInterrupt": "KeyboardInterrupt: ",
    "raise SystemExit(0)": "SystemExit: 0",
    "raise GeneratorExit": "GeneratorExit: ",
    "import pytest; pytest.skip('no')": "Skipped: no",
    "import pytest; pytest.exit('no', 0)": "Exit: no",
    "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})": "Mute: its message cannot be had",
}


def test_whatever_a_module_raises_is_its_error(apart: Join) -> None:
    session = apart("exec(object['metadata']['name'])").reset({})
    for raised, error in RAISED.items():
        message = session.create({**POD, "metadata": {"name": raised}}).error
        assert message is not None
        assert message.startswith(error)


def test_a_module_that_is_interrupted_when_it_is_imported_is_a_fault(write: Write) -> None:
    with pytest.raises(AdapterFault, match="cannot be imported: KeyboardInterrupt"):
        connect(write("raise KeyboardInterrupt"))


def test_what_a_module_prints_is_no_answer(apart: Join) -> None:
    body = "print('hello'); os.write(1, b'{}\\n'); return {'records': ()}"
    session = apart(body).reset({})
    assert session.create(POD) == session.create(POD) == Answer()


def test_what_a_module_reads_from_its_stdin_is_empty(apart: Join) -> None:
    assert apart("return {'error': 'read: ' + sys.stdin.read()}").reset({}).create(POD).error == "read: "


def test_a_copy_of_the_process_answers_nothing(apart: Join) -> None:
    session = apart("os.fork(); return {'records': ()}").reset({})
    assert [session.create(POD) for _ in range(3)] == [Answer()] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")
def test_what_a_module_has_started_ends_with_it(apart: Join) -> None:
    body = (
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "        pid = os.fork()\n"
        "        if not pid: os.setsid(); time.sleep(60)\n"
        "        return {'error': str(pid)}"
    )
    adapter = apart(body)
    pid = int(adapter.reset({}).create(POD).error or "")
    assert Path(f"/proc/{pid}").exists()
    adapter.close()
    assert not Path(f"/proc/{pid}").exists()


def test_an_answer_whose_methods_raise_is_a_fault(apart: Join) -> None:
    body = "return type('Bad', (dict,), {'items': lambda self: 1 / 0})(a=1)"
    assert "the answer cannot be written as JSON: ZeroDivisionError" in _fault_of(apart(body))


def test_a_process_that_says_something_else_than_answers_is_a_fault() -> None:
    with pytest.raises(TransportError, match="something other than answers"):
        Module._opened({"records": []})
