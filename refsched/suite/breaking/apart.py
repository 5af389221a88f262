# SPDX-License-Identifier: Apache-2.0
"""Apart: what is asked of a broken specification, with a limit of time, in a process that is thrown away."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from refsched.suite.histories.findings import Comparison

SECONDS = 2.0
"""Of a processor, for one history and one breaking: a broken specification that takes as long never ends."""

DEADLINE = 240.0
"""Seconds of the clock after which nothing is answered: nothing hangs."""


def agrees(comparison: Comparison, seconds: float = 0.0) -> bool:
    """Whether the specification, as it is now, allows what came. One that raises, or takes longer than these
    seconds of a processor (0: ``SECONDS``), does not."""
    try:
        with _limited(seconds or SECONDS):
            return comparison.agrees()
    except Exception:
        return False


class _TooLongError(Exception):
    pass


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """A broken specification may never come to an end."""

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


def apart(compute: Callable[[], Any], patience: float) -> Any:
    """What this computes, as JSON, in a process that parts from this one: here nothing is ever broken. None where
    a process cannot part, or ends without an answer, or takes longer than ``patience``, in seconds of a
    processor."""
    if not hasattr(os, "fork"):
        return None
    answers, says = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not need
        pid = os.fork()
    if not pid:
        _answer(says, compute, patience)
    os.close(says)
    try:
        return json.loads(_read(answers, DEADLINE) or b"null")
    finally:
        os.close(answers)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _answer(says: int, compute: Callable[[], Any], patience: float) -> Any:
    """In the child, which does not come back, and in which nobody traces what runs."""
    sys.settrace(None)
    try:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_VIRTUAL, patience)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        with os.fdopen(says, "wb") as answer:
            answer.write(json.dumps(compute()).encode())
    finally:
        os._exit(0)


def _read(answers: int, patience: float) -> bytes:
    """All that comes before the end, or before the patience is over."""
    deadline = time.monotonic() + patience
    said = b""
    while select.select([answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
        more = os.read(answers, 4096)
        if not more:
            return said
        said += more
    return b""
