# SPDX-License-Identifier: Apache-2.0
"""Child process: a broken specification is asked in a forked process, with a limit of time."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from attrs import frozen

from refsched.errors import one_line
from refsched.processes.forked_process import ForkedProcess, can_fork, discard_output
from refsched.suite.findings import Comparison

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
class ChildAnswers:
    """ChildAnswers are what a child process ``said``, in its order. ``why`` says why it did not come to its end,
    and is empty if it did; ``is_over`` says that its time was over. ``seconds`` is the time of a processor that it
    took."""

    said: tuple[Any, ...] = ()
    why: str = ""
    is_over: bool = False
    seconds: float = 0.0


def run_in_child(compute: Callable[[], Iterable[Any]], patience: float) -> ChildAnswers:
    """Returns what this computes in a forked process, so that nothing is ever broken in this one. The process may
    take ``patience`` seconds of a processor; what it has returned by then counts."""
    if not can_fork():
        return ChildAnswers(why="on this system no process can be forked")
    try:
        process = ForkedProcess(partial(_answer, compute, patience))
    except OSError as error:
        return ChildAnswers(why=f"no process could be forked: {error.strerror}")
    deadline = time.monotonic() + DEADLINE
    said: list[Any] = []
    why = None
    is_over = False
    try:
        while why is None:
            one, why = process.receive(max(0.0, deadline - time.monotonic()))
            if why is None:
                said.append(one)
    except TimeoutError:
        is_over = True
        why = f"the process that breaks rules took longer than {DEADLINE:g} s"
    except EOFError:
        pass
    finally:
        ended = process.end()
    if why is None and ended.exit_code == -signal.SIGVTALRM:
        is_over = True
        why = f"the process that breaks rules took longer than {patience:.0f} s of a processor"
    elif why is None:
        why = f"the process that breaks rules {_ending(ended.exit_code)}"
    return ChildAnswers(tuple(said), why, is_over, ended.seconds)


def _ending(exit_code: int) -> str:
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    return f"ended with exit code {exit_code}, and had not said all"


def _answer(compute: Callable[[], Iterable[Any]], patience: float, connection: Connection) -> None:
    """Sends each answer, and in the end what went wrong."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, patience)
    discard_output()
    problem = ""
    try:
        for one in compute():
            connection.send((one, None))
    except BaseException as raised:
        problem = f"the process that breaks rules has raised {type(raised).__name__}: {raised}"
    connection.send((None, one_line(problem)))
