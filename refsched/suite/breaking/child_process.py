# SPDX-License-Identifier: Apache-2.0
"""Child process: a broken specification is asked in a forked process, with a limit of time."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from attrs import frozen

from refsched.errors import one_line
from refsched.suite.histories.findings import Comparison

SECONDS = 0.5
"""One history and one breaking may take this many seconds of a processor, a hundred times as many as most need: a
broken specification that takes longer never ends."""

DEADLINE = 240.0
"""After this many seconds of the clock no answer is waited for any more."""


def agrees(comparison: Comparison) -> bool:
    """Returns whether the specification, as it is now, allows what came. One that raises, or takes longer than
    ``SECONDS``, does not."""
    return bool(answer(comparison, if_raised=False))


def answer(comparison: Comparison, if_raised: bool | None) -> bool | None:
    """Returns the same as ``agrees``, but ``if_raised`` if the specification raises, or takes longer."""
    try:
        with _limited(SECONDS):
            return comparison.agrees()
    except Exception:
        return if_raised


class _TooLongError(Exception):
    pass


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raises _TooLongError in the block after this many seconds of a processor: a broken specification may never
    come to an end."""

    def late(number: int, frame: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, late)
    # again and again, as it may end a callback of Python's own instead
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@frozen
class Answers:
    """Answers are what a child process ``said``, in its order. ``why`` says why it did not come to its end, and is
    empty if it did; ``is_over`` says that its time was over. ``seconds`` is the time of a processor that it
    took."""

    said: tuple[Any, ...] = ()
    why: str = ""
    is_over: bool = False
    seconds: float = 0.0


def run_in_child(compute: Callable[[], Iterable[Any]], patience: float) -> Answers:
    """Returns what this computes, as JSON, in a forked process, so that nothing is ever broken in this one. The
    process may take ``patience`` seconds of a processor; what it has returned by then counts."""
    if not hasattr(os, "fork"):
        return Answers(why="on this system no process can be forked")
    answers, says = os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not need
            pid = os.fork()
    except OSError as error:
        os.close(answers)
        os.close(says)
        return Answers(why=f"no process could be forked: {error.strerror}")
    if not pid:
        _answer(says, compute, patience)
    os.close(says)
    try:
        lines, is_over = _read(answers, DEADLINE)
    finally:
        os.close(answers)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
    messages = [json.loads(line) for line in lines]
    said = tuple(message[ONE] for message in messages if ONE in message)
    seconds = usage.ru_utime + usage.ru_stime
    if messages and END in messages[-1]:
        return Answers(said, messages[-1][END], seconds=seconds)
    if is_over:
        return Answers(said, f"the process that breaks rules took longer than {DEADLINE:g} s", True, seconds)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGVTALRM:
        late = f"the process that breaks rules took longer than {patience:.0f} s of a processor"
        return Answers(said, late, True, seconds)
    return Answers(said, f"the process that breaks rules {_ending(status)}", seconds=seconds)


ONE, END = "one", "end"
"""A line of the child has one of these members: one answer, or its end, with what went wrong."""


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"was ended by signal {os.WTERMSIG(status)}"
    return f"ended with exit code {os.WEXITSTATUS(status)}, and had not said all"


def _answer(says: int, compute: Callable[[], Iterable[Any]], patience: float) -> Any:
    """Computes in the child, which never returns, and in which nothing is traced."""
    sys.settrace(None)
    try:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_VIRTUAL, patience)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        with os.fdopen(says, "wb", buffering=0) as answer:
            problem = ""
            try:
                for one in compute():
                    _write(answer, {ONE: one})
            except BaseException as raised:
                problem = f"the process that breaks rules has raised {type(raised).__name__}: {raised}"
            _write(answer, {END: one_line(problem)})
    finally:
        os._exit(0)


def _write(answer: IO[bytes], message: dict[str, Any]) -> None:
    """Writes a line, all of it: a pipe may take a part."""
    left = json.dumps(message).encode() + b"\n"
    while left:
        left = left[answer.write(left) :]


def _read(answers: int, patience: float) -> tuple[list[bytes], bool]:
    """Returns the whole lines that come before the end or before the patience is over, and whether it is over."""
    deadline = time.monotonic() + patience
    said = b""
    while select.select([answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
        more = os.read(answers, 65536)
        if not more:
            return said.split(b"\n")[:-1], False
        said += more
    return said.split(b"\n")[:-1], True
