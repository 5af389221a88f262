# SPDX-License-Identifier: Apache-2.0
"""A process that is forked from this one, and sends what it computes.

It shares the memory of this one until either changes it. Nothing that it does changes this process, and nothing
needs to be imported or prepared again. ``multiprocessing.Process`` is not used: it may not be started in a worker
of a pool or of Dask.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from attrs import frozen

LOOK = 0.5
"""Every so many seconds a child looks whether its parent still runs."""


def can_fork() -> bool:
    return hasattr(os, "fork")


@frozen
class Ended:
    """An Ended says how a process ended, and how many seconds of a processor it took."""

    exit_code: int
    """It is negative for the number of a signal."""
    seconds: float


class ForkedProcess:
    """A ForkedProcess calls ``compute`` with a connection to this process, and ends when that returns."""

    def __init__(self, compute: Callable[[Connection], None]) -> None:
        """Raises OSError if no process can be forked now."""
        self._connection, its_end = Pipe()
        parent = os.getpid()
        with its_end:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", DeprecationWarning
                )  # of threads, which the child does not need
                self._pid = os.fork()
            if not self._pid:
                self._connection.close()
                _compute(compute, its_end, parent)

    def send(self, message: object) -> None:
        """Raises OSError if the process has ended."""
        self._connection.send(message)

    def receive(self, seconds: float | None = None) -> Any:
        """Returns the next message. Raises EOFError if the process ended before it, and TimeoutError if none came
        within these seconds."""
        if not self._connection.poll(seconds):
            raise TimeoutError
        try:
            return self._connection.recv()
        except OSError:
            raise EOFError from None

    def end(self) -> Ended:
        """Ends the process, if it has not ended itself. It is called once."""
        self._connection.close()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._pid, 0)
        return Ended(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime)


def discard_output() -> None:
    """Discards what the process, a child, prints from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _end_after(parent: int) -> None:
    """Ends this process when its parent has ended, in whatever way: it would keep open what it has inherited."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def _compute(compute: Callable[[Connection], None], connection: Connection, parent: int) -> None:
    """Computes in the child, which never returns, and in which nothing is traced."""
    sys.settrace(None)
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    code = 1
    try:
        compute(connection)
        code = 0
    finally:
        os._exit(code)
