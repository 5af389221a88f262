# SPDX-License-Identifier: Apache-2.0
"""Module: an implementation in Python, in a process of its own; for debuggers, in the process of the suite.

It answers through the same ``Server`` as behind the wire protocol, and all goes through JSON as there: what it
does to an object, then or later, does not reach the suite's.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from types import FrameType
from typing import Any

from refsched.errors import InputError
from refsched.processes.serving import OutOfTime, Server, load
from refsched.suite.adapters.adapter import Json, TransportError
from refsched.suite.adapters.process import GRACE, LateError, Process

COMMAND = (sys.executable, "-m", "refsched.processes.module_process")

AGAIN = 1.0
"""After this many seconds an implementation that did not stop is stopped again."""


class Module:
    """A Module is a Transport that calls ``create`` of a module, by the module's path. Whatever
    that does to its process, it does not do to ours."""

    def __init__(self, path: str, timeout: float, *, grace: float = GRACE) -> None:
        self._path = path
        self.timeout = timeout
        self._process = Process(COMMAND, timeout=timeout, grace=grace)

    def open(self) -> None:
        self._process.timeout = self.timeout
        self._process.open()
        try:
            self._opened(self._process.ask({"module": self._path, "path": sys.path}))
        except LateError:
            raise TransportError(f"not imported within {self.timeout:g} seconds") from None

    def ask(self, request: Json) -> Any:
        self._process.timeout = self.timeout
        return self._opened(self._process.ask(request))

    @staticmethod
    def _opened(envelope: Any) -> Any:
        """Returns the content of the envelope (refsched/processes/module_process.py)."""
        if not isinstance(envelope, dict) or not envelope.keys() & {"answer", "fault"}:
            raise TransportError("its process writes something other than answers")
        if "fault" in envelope:
            raise TransportError(str(envelope["fault"]))
        return envelope["answer"]

    def close(self, *, at_once: bool = False) -> None:
        self._process.close(at_once=at_once)

    def log(self) -> tuple[str, ...]:
        return self._process.log()


class InProcess:
    """An InProcess is a Transport that runs the module without a process of its own; ``timeout`` is in
    seconds, and may be infinite. A module that ends its process ends the run: this is for debuggers, and for
    trusted modules."""

    def __init__(self, path: str, timeout: float) -> None:
        self._path = path
        self.timeout = timeout
        self._server: Server | None = None

    def open(self) -> None:
        try:
            with time_limit(self.timeout):
                self._server = Server(load(self._path))
        except InputError as problem:
            raise TransportError(problem.problem) from problem
        except OutOfTime:
            raise TransportError(f"not imported within {self.timeout:g} seconds") from None

    def ask(self, request: Json) -> Any:
        if self._server is None:
            raise TransportError("the module has been closed")
        copied = json.loads(json.dumps(request))
        try:
            with time_limit(self.timeout):
                answer = self._server.answer(copied)
        except OutOfTime:
            raise TransportError(f"no answer within {self.timeout:g} seconds") from None
        try:
            return json.loads(json.dumps(answer, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise TransportError(f"the answer cannot be written as JSON: {error}") from None

    def close(self, *, at_once: bool = False) -> None:
        self._server = None

    def log(self) -> tuple[str, ...]:
        return ()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises OutOfTime after this many seconds. Only a main thread can be interrupted: another has no limit."""
    if seconds == inf or threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGALRM, _out_of_time)
    began = time.monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        rest = max(left - (time.monotonic() - began), 0.001) if left else 0.0
        signal.setitimer(signal.ITIMER_REAL, rest, interval)
        signal.signal(signal.SIGALRM, handler)


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise OutOfTime
