# SPDX-License-Identifier: Apache-2.0
"""A changed specification in a forked process.

The parent judges, and keeps the specification as it is. In the child what is changed is imported again, and
whatever else is imported already, such as Hypothesis, need not be.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from refsched.mistakes.planting import Change, plant
from refsched.suite.adapters.adapter import Json, TransportError

_CHUNK = 1 << 16


class Forked:
    """A Forked is a transport to a child that serves ``refsched.reference`` after ``change``.

    ``timeout`` are the seconds within which an answer must arrive."""

    def __init__(self, change: Callable[[], None], timeout: float) -> None:
        self._change = change
        self._timeout = timeout
        self._pid = 0
        self._requests = self._answers = -1
        self._said = b""

    def open(self) -> None:
        self.close()
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._said = b""
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._requests)
            os.close(self._answers)
            _serve(self._change, requests, answers)
        os.close(requests)
        os.close(answers)

    def ask(self, request: Json) -> Any:
        if not self._pid:
            raise TransportError("the process has been ended")
        deadline = time.monotonic() + self._timeout
        try:
            os.write(self._requests, json.dumps(request).encode() + b"\n")
        except BrokenPipeError:
            raise TransportError("it has ended") from None
        while b"\n" not in self._said:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TransportError(f"no answer within {self._timeout:g} seconds")
            said = os.read(self._answers, _CHUNK)
            if not said:
                raise TransportError("it has ended")
            self._said += said
        line, _, self._said = self._said.partition(b"\n")
        return json.loads(line)

    def close(self, *, at_once: bool = False) -> None:
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            os.close(self._requests)
            os.close(self._answers)
            self._pid = 0

    def log(self) -> tuple[str, ...]:
        return ()


def _serve(change: Callable[[], None], requests: int, answers: int) -> None:
    """Serves in the child, and never returns."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        change()
        reference = importlib.import_module("refsched.reference")
        serving = importlib.import_module("refsched.tools.serving")
        with os.fdopen(requests, "rb") as read, os.fdopen(answers, "wb") as write:
            serving.serve(reference.create, read, write)
        code = 0
    finally:
        os._exit(code)


def import_again(module: str, change: Change) -> None:
    """Forgets all modules of refsched, so that each is imported again, and this one with the change."""
    for name in list(sys.modules):
        if name.partition(".")[0] == "refsched":
            del sys.modules[name]
    plant(module, change)
