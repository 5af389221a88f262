# SPDX-License-Identifier: Apache-2.0
"""Forking: a mutant in a process of its own, which parts from this one, so that little has to be imported
again.

A function is changed where it stands; where that is not enough, the mutated module is imported again in the
child, with all that imports it. The parent, which judges, keeps the specification as it is. The time that
the child takes counts as this process's, once it has ended.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from refsched import reference
from refsched.suite.adapters.adapter import Json, TransportError
from refsched.suite.breaking.replacing import forget, replaced
from refsched.tools import serving

_CHUNK = 1 << 16
_RELEASES = "refsched.releases"
"""It imports its modules by their names, and keeps what is in them."""


class Forked:
    """Serves ``refsched.reference`` after ``change``, in the child. ``timeout`` is for each answer."""

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
            _be(self._change, requests, answers)
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


def _be(change: Callable[[], None], requests: int, answers: int) -> None:
    """In the child, which does not come back."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        change()
        mutated = importlib.import_module(reference.__name__)
        with os.fdopen(requests, "rb") as read, os.fdopen(answers, "wb") as write:
            serving.serve(mutated.create, read, write)
        code = 0
    finally:
        os._exit(code)


# --- A function that is changed where it stands ---------------------------------------------------


def replace_function(module: str, name: str, code: CodeType) -> bool:
    """Lets the function do what the same one does in ``code``, the module's, and forgets what was remembered.
    False where that cannot be."""
    if module not in sys.modules or replaced(module, name, code) is None:
        return False
    forget()
    return True


# --- A module that is imported again --------------------------------------------------------------


def forget_modules(module: str) -> None:
    """The next import is of new ones, also where it asks a package, which stays, for a module by its name."""
    for name in [name for name in sys.modules if name in importers_of(module)]:
        package, _, own = name.rpartition(".")
        del sys.modules[name]
        if package in sys.modules:
            vars(sys.modules[package]).pop(own, None)


@cache
def importers_of(module: str) -> frozenset[str]:
    """The module, and those of refsched that import it, or one that does."""
    found = {module}
    while more := {name for name, imported in _imports().items() if imported & found} - found:
        found |= more
    return frozenset(found)


@cache
def _imports() -> dict[str, frozenset[str]]:
    loaded = {name: value for name, value in sys.modules.items() if name.partition(".")[0] == "refsched"}
    imports = {
        name: _imported_by(name, Path(value.__file__)) for name, value in loaded.items() if value.__file__
    }
    by_name = {name for name in loaded if name.rpartition(".")[0] == _RELEASES}
    return imports | {_RELEASES: imports[_RELEASES] | by_name}


def _imported_by(module: str, path: Path) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ImportFrom(str(origin), names, 0):
                found |= {origin, *(f"{origin}.{name.name}" for name in names)}
            case ast.Import(names):
                found |= {name.name for name in names}
    return frozenset(found - {module})
