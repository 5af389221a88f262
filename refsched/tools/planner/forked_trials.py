# SPDX-License-Identifier: Apache-2.0
"""Forked trials: one prepared state is continued in many ways, each in a process that is forked from this one.

So a cluster is shown once, and not once for each way. Where no process can be forked, the state is prepared anew
for each way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from refsched.errors import InputError
from refsched.processes.forked_process import ForkedProcess, can_fork

S = TypeVar("S")
T = TypeVar("T")
AT_ONCE = 2
"""This many processes run at once, at most: each may take as much memory as it changes."""


def in_forked_processes(
    prepare: Callable[[], S], ways: Sequence[int], go_on: Callable[[S, int], T]
) -> Iterator[T]:
    """Yields what ``go_on`` returns for each of the ways, in their order. An InputError is raised here, too;
    RuntimeError says that a process ended before it had answered."""
    if not can_fork():
        yield from (go_on(prepare(), way) for way in ways)
        return
    state = prepare()
    running: list[ForkedProcess] = []
    for way in ways:
        if len(running) == min(AT_ONCE, os.cpu_count() or 1):
            yield _answer(running.pop(0))
        running.append(ForkedProcess(partial(_say, partial(go_on, state, way))))
    while running:
        yield _answer(running.pop(0))


def _say(compute: Callable[[], object], connection: Connection) -> None:
    try:
        connection.send((compute(), None))
    except InputError as problem:
        connection.send((None, str(problem)))


def _answer(process: ForkedProcess) -> Any:
    try:
        answer, problem = process.receive()
    except EOFError:
        raise RuntimeError("a forked process ended before it had answered") from None
    finally:
        process.end()
    if problem:
        raise InputError(problem)
    return answer
