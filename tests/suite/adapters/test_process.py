# SPDX-License-Identifier: Apache-2.0
"""Programs behind the wire protocol: those that answer, and those that do anything else."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from adapter_children import command, spelled

from refsched.suite.adapters import supervisor
from refsched.suite.adapters.adapter import Adapter, Session
from refsched.suite.adapters.answers import Answer
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.adapters.process import Process
from refsched.suite.adapters.supervisor import descendants_of

POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
FOREVER = "while True: hear(); say({'records': []})\n"
Begin = Callable[..., tuple[Adapter, Session]]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Starts a child and resets it; ends it after the test. ``soon`` is how long an answer then may take."""
    started: list[Adapter] = []

    def run(body: str, soon: float = 30.0, **options: Any) -> tuple[Adapter, Session]:
        process = Process(command(tmp_path, body), **{"timeout": 30.0, "grace": 0.3, **options})
        adapter = Adapter("exec:child", process)
        started.append(adapter)
        session = adapter.reset({})
        process.timeout = soon
        return adapter, session

    yield run
    for adapter in started:
        adapter.close()


def _fault(call: Callable[[], object]) -> str:
    with pytest.raises(AdapterFault) as fault:
        call()
    return str(fault.value)


def _is_alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _ends(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not _is_alive(pid)


# --- Those that answer ----------------------------------------------------------------------------


def test_a_child_is_asked_line_by_line_and_ends_with_its_stdin(begin: Begin) -> None:
    adapter, session = begin("greet()\nhear(); say({'idle': True})\n" + FOREVER)
    assert adapter.hello.name == "child"
    assert session.hello == adapter.hello
    assert session.schedule() == Answer(idle=True)
    assert session.create(POD) == Answer()


def test_blank_lines_and_answers_in_pieces_are_no_fault(begin: Begin) -> None:
    _, session = begin(
        "greet()\nhear()\nsay('')\n"
        "for piece in ('{\"idle\":', ' true}', '\\n'):\n"
        "    sys.stdout.write(piece); sys.stdout.flush(); time.sleep(0.05)\n" + FOREVER
    )
    assert session.schedule().idle
    assert session.create(POD) == Answer()


def test_a_large_request_and_a_large_answer_pass_each_other(begin: Begin) -> None:
    _, session = begin(
        "greet()\n"
        'sys.stdout.write(\'{"records": [], "padding": "\' + \'x\' * 3_000_000); sys.stdout.flush()\n'
        "hear(); say('\"}')\n" + FOREVER,
    )
    assert session.create(POD | {"padding": "y" * 3_000_000}) == Answer()
    assert session.create(POD) == Answer()


def test_stderr_is_read_all_the_time(begin: Begin) -> None:
    flood = "greet()\nhear()\nfor _ in range(50): os.write(2, b'log\\n' * 10_000)\nsay({'idle': True})\n"
    _, session = begin(flood + FOREVER)
    assert session.schedule().idle


# --- Those that do not ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (
            "print('panic: oops', flush=True)",
            "the answer is not JSON: Expecting value (column 1): 'panic: oops'",
        ),
        ("os.write(1, b'\\xff\\xfe\\x00 garbage\\n')", "the answer is not UTF-8 (byte 0): '��"),
        ('say(\'{"records": [], "records": []}\')', "the answer the key 'records' stands twice"),
        ("say('{\"idle\": NaN}')", "the answer NaN is not a number of JSON"),
        ("say('[' * 100_000)", "the answer is nested too deeply"),
        ('say(\'{"error": "\\\\ud800"}\')', "the answer holds half of a character"),
        ("say('1' * 5000)", "the answer holds a number of too many digits"),
        (
            "say({'records': [{'attempt': {'pod': 'a/b'}}]})",
            "records[0].attempt.result: is required and missing",
        ),
    ],
)
def test_an_answer_that_is_none_is_a_fault(begin: Begin, said: str, problem: str) -> None:
    _, session = begin(f"greet()\nhear()\n{said}\n{FOREVER}")
    assert _fault(session.schedule).startswith(f"exec:child: {problem}")


def test_a_fault_quotes_the_request_the_answer_and_the_end_of_stderr(begin: Begin) -> None:
    _, session = begin(
        "greet()\nhear()\n"
        "for n in range(30): print('line', n, '\\x1b[31m', file=sys.stderr)\n"
        "say({'records': 'x' * 1000})\n" + FOREVER
    )
    shown = _fault(lambda: session.create(POD)).splitlines()
    assert shown[0].startswith("exec:child: records: expected a list, found 'xxx")
    assert shown[1].startswith('  answer   {"records": "xxx')
    assert shown[1].endswith("… (1,015 characters)")
    assert shown[2] == '  request  {"create": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}}'
    assert shown[3:5] == ["  stderr, its last lines", "    line 10 �[31m"]
    assert shown[-1] == "    line 29 �[31m"


def test_how_a_child_ended_and_what_it_said_last_is_reported(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nprint('out of luck', file=sys.stderr)\nsys.exit(3)\n")
    shown = _fault(session.schedule)
    assert "it has ended, with exit code 3\n" in shown
    assert shown.endswith("    out of luck")


def test_the_signal_that_killed_a_child_is_reported(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert "it was ended by signal 9 (Killed)\n" in _fault(session.schedule)


def test_a_child_that_dies_in_the_middle_of_an_answer_is_quoted(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nos.write(1, b'{\"rec')\nsys.exit(0)\n")
    assert "it has ended, with exit code 0, in the middle of an answer: '{\"rec'" in _fault(session.schedule)


def test_what_is_left_by_a_child_that_has_died_is_read(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nsay({'error': 'x' * 500_000})\nsys.exit(1)\n")
    error = session.schedule().error
    assert error is not None
    assert len(error) == 500_000
    assert "it has ended, with exit code 1" in _fault(session.schedule)


def test_a_child_that_closes_its_stdout_is_distinguished_from_one_that_died(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nos.close(1)\nhear()\n")
    assert "it has closed its stdin or its stdout\n" in _fault(session.schedule)


def test_a_request_to_a_closed_stdin_is_a_fault(begin: Begin) -> None:
    _, session = begin("hear(); say(HELLO); hear(); os.close(0); say({})\ntime.sleep(60)\n")
    assert "it has closed its stdin or its stdout\n" in _fault(session.schedule)


def test_an_answer_that_nobody_asked_for_is_a_fault(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nos.write(1, b'{\"idle\": true}\\n' * 2)\n" + FOREVER)
    assert session.schedule().idle
    assert "it said what nobody had asked for: '{\"idle\": true}'" in _fault(session.schedule)


def test_an_answer_after_death_does_not_count(begin: Begin) -> None:
    _, session = begin(
        "greet()\nif os.fork() == 0: hear(); time.sleep(0.5); say({'idle': True}); sys.exit(0)\nos._exit(7)\n"
    )
    time.sleep(0.1)
    assert "it has ended, with exit code 7" in _fault(session.schedule)


def test_a_line_without_end_is_cut_off(begin: Begin) -> None:
    _, session = begin("greet()\nhear()\nwhile True: os.write(1, b'x' * 65536)\n", max_line=300_000)
    assert "an answer of more than 300,000 bytes: 'xxx" in _fault(session.schedule)


# --- Time -----------------------------------------------------------------------------------------


def test_a_child_that_says_nothing_is_out_of_time(begin: Begin) -> None:
    _, session = begin("greet()\ntime.sleep(60)\n", soon=0.5)
    began = time.monotonic()
    shown = _fault(session.schedule)
    assert "no answer within 0.5 seconds (does it flush its stdout after each line?)" in shown
    assert '  request  {"schedule": {}}' in shown
    assert time.monotonic() - began < 20


def test_a_child_that_never_comes_to_the_end_of_a_line_is_out_of_time(begin: Begin) -> None:
    _, session = begin("greet()\nwhile True: os.write(1, b'x'); time.sleep(0.02)\n", soon=0.3)
    assert "no answer within 0.3 seconds, in the middle of an answer: 'x" in _fault(session.schedule)


def test_a_child_that_does_not_read_is_out_of_time(begin: Begin) -> None:
    _, session = begin("greet()\ntime.sleep(60)\n", soon=0.3)
    assert "no answer within 0.3 seconds: it does not read its stdin" in _fault(
        lambda: session.create(POD | {"padding": "y" * 1_000_000})
    )


def test_a_child_that_will_not_end_is_killed_with_all_that_it_started(begin: Begin) -> None:
    adapter, session = begin(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "greet()\nhear()\n"
        "other = os.fork()\n"
        "if other: say({'error': f'{os.getpid()} {other}'})\n"
        "while True: time.sleep(60)\n",
        grace=0.1,
    )
    error = session.schedule().error
    assert error is not None
    pids = [int(pid) for pid in error.split()]
    assert all(map(_is_alive, pids))
    adapter.close()
    assert all(map(_ends, pids))


def test_what_a_child_leaves_behind_is_killed(begin: Begin) -> None:
    adapter, session = begin(
        "greet()\nhear()\nother = os.fork()\nif not other: time.sleep(60)\nsay({'error': str(other)})\nhear()\n"
    )
    pid = int(session.schedule().error or "")
    adapter.close()
    assert _ends(pid)


DAEMON = (
    "greet()\nhear()\nread, write = os.pipe()\n"
    "if not os.fork():\n"
    "    os.setsid()\n"
    "    if os.fork(): os._exit(0)\n"
    "    os.write(write, str(os.getpid()).encode()); time.sleep(60)\n"
    "os.wait()\n"
    "say({'error': os.read(read, 20).decode()})\n"
)
"""A process of a session of its own, whose parent has ended: it is in no group that the suite knows."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")
def test_a_daemon_that_a_child_has_started_does_not_outlive_a_child_that_is_ended(begin: Begin) -> None:
    adapter, session = begin(DAEMON + FOREVER)
    pid = int(session.schedule().error or "")
    assert _is_alive(pid)
    began = time.monotonic()
    adapter.close()
    assert _ends(pid)
    assert time.monotonic() - began < 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")
def test_a_daemon_that_a_child_has_started_does_not_outlive_a_child_that_ends_by_itself(begin: Begin) -> None:
    _, session = begin(DAEMON + "hear()\nsys.exit(3)\n")
    pid = int(session.schedule().error or "")
    assert "it has ended, with exit code 3" in _fault(session.schedule)
    assert _ends(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")
def test_nothing_outlives_a_suite_that_is_killed(tmp_path: Path) -> None:
    suite = (
        "import sys\n"
        "from refsched.suite.adapters.connecting import connect\n"
        "session = connect(sys.argv[1]).reset({})\n"
        "print(session.schedule().error, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", suite, spelled(tmp_path, DAEMON + FOREVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as run:
        assert run.stdout
        pid = int(run.stdout.readline())
        assert _is_alive(pid)
        run.kill()
    assert _ends(pid)


def test_what_is_started_for_a_suite_that_was_killed_meanwhile_is_ended() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        ours.close()
        end = str(theirs.fileno())
        command = [sys.executable, "-I", "-S", supervisor.__file__, end, "sleep", "600"]
        done = subprocess.run(command, check=False, pass_fds=[theirs.fileno()], timeout=60)
    assert done.returncode == -signal.SIGKILL


def test_what_lies_below_a_process_is_found() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        assert child.pid in descendants_of(os.getpid())
        assert descendants_of(child.pid) == []
        child.kill()


# --- Starting -------------------------------------------------------------------------------------


def test_a_command_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(AdapterFault, match=r"cannot be started: .*No such file or directory"):
        Adapter("exec:gone", Process([str(tmp_path / "gone")]))


def test_a_process_that_was_ended_is_not_asked(begin: Begin) -> None:
    adapter, _ = begin("greet()\n" + FOREVER)
    adapter.close()
    adapter.close()
    assert "the process has been ended" in _fault(lambda: adapter.reset({}))


def test_a_process_that_was_never_started_has_no_log() -> None:
    assert Process(["true"]).log() == ()
