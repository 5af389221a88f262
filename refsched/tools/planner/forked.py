# SPDX-License-Identifier: Apache-2.0
"""Forked: one prepared state is continued in many ways, each in a process that is forked from this one.

A forked process shares the memory of this one until it changes it, so that a cluster is shown once and not once
for each way. Where no process can be forked, the state is prepared anew for each way.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from refsched.errors import InputError

S = TypeVar("S")
AT_ONCE = 2
"""This many processes run at once, at most: each may take as much memory as it changes."""


def in_forked_processes(
    prepare: Callable[[], S], ways: Sequence[int], go_on: Callable[[S, int], Any]
) -> Iterator[Any]:
    """Yields what ``go_on`` returns for each of the ways, in their order, as JSON reads it. An InputError is
    raised here, too; RuntimeError says that a process ended before it had answered."""
    if not can_fork():
        yield from (go_on(prepare(), way) for way in ways)
        return
    state = prepare()
    running: list[tuple[int, int]] = []
    for way in ways:
        if len(running) == min(AT_ONCE, os.cpu_count() or 1):
            yield _answer(*running.pop(0))
        running.append(_begin(lambda way=way: go_on(state, way)))  # type: ignore[misc]
    while running:
        yield _answer(*running.pop(0))


def can_fork() -> bool:
    return hasattr(os, "fork")


def _begin(compute: Callable[[], Any]) -> tuple[int, int]:
    """Returns the process, and where its answer is read."""
    answers, says = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not need
        pid = os.fork()
    if not pid:
        _say(says, compute)
    os.close(says)
    return pid, answers


def _say(says: int, compute: Callable[[], Any]) -> None:
    """Computes in the child, which never returns, and in which nothing is traced."""
    sys.settrace(None)
    code = 1
    try:
        with os.fdopen(says, "w") as answer:
            try:
                said = {"answer": compute()}
            except InputError as problem:
                said = {"problem": str(problem)}
            json.dump(said, answer)
        code = 0
    finally:
        os._exit(code)


def _answer(pid: int, answers: int) -> Any:
    with os.fdopen(answers) as answer:
        text = answer.read()
    _, status = os.waitpid(pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError("a forked process ended before it had answered")
    said = json.loads(text)
    if "problem" in said:
        raise InputError(said["problem"])
    return said["answer"]
