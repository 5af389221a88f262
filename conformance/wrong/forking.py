# SPDX-License-Identifier: Apache-2.0
"""A changed specification in a forked process.

The parent judges, and keeps the specification as it is. In the child what is changed is imported again, and
whatever else is imported already, such as Hypothesis, need not be.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from refsched.mistakes.planting import Change, plant
from refsched.processes.forked_process import ForkedProcess, discard_output
from refsched.suite.adapters.adapter import Json, TransportError


class Forked:
    """A Forked is a transport to a child that serves ``refsched.reference`` after ``change``.

    ``timeout`` are the seconds within which an answer must arrive. ``more`` are requests of other names, with what
    answers them in the child."""

    def __init__(
        self,
        change: Callable[[], None],
        timeout: float,
        more: Mapping[str, Callable[[], Any]] = {},
    ) -> None:
        self._change = change
        self._timeout = timeout
        self._more = more
        self._process: ForkedProcess | None = None

    def open(self) -> None:
        """Forks a child, in place of the one that there is."""
        self.close()
        self._process = ForkedProcess(partial(_serve, self._change, self._more))

    def ask(self, request: Json) -> Any:
        """Returns the answer. Raises TransportError if there is none in time, or no child."""
        if self._process is None:
            raise TransportError("the process has been ended")
        try:
            self._process.send(json.dumps(request).encode())
            answer = self._process.receive(self._timeout)
        except TimeoutError:
            raise TransportError(f"no answer within {self._timeout:g} seconds") from None
        except (EOFError, OSError):
            raise TransportError("it has ended") from None
        return json.loads(answer)

    def close(self, *, at_once: bool = False) -> None:
        """Ends the child, if there is one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def log(self) -> tuple[str, ...]:
        return ()


def _serve(change: Callable[[], None], more: Mapping[str, Callable[[], Any]], connection: Connection) -> None:
    discard_output()
    change()
    reference = importlib.import_module("refsched.reference")
    serving = importlib.import_module("refsched.processes.serving")
    server = serving.Server(reference.create)
    own = {json.dumps({name: {}}).encode(): answer for name, answer in more.items()}
    while True:
        request = connection.recv()
        answer = own.get(request)
        connection.send(
            serving.answer_line(server, request) if answer is None else json.dumps(answer()).encode()
        )


def import_again(changes: Mapping[str, Change]) -> None:
    """Forgets all modules of refsched, so that each is imported again, and these with a change."""
    for name in list(sys.modules):
        if name.partition(".")[0] == "refsched":
            del sys.modules[name]
    for module, change in changes.items():
        plant(module, change)
