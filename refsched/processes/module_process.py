# SPDX-License-Identifier: Apache-2.0
"""The process of a Python module: what ``python -m refsched.processes.module_process`` runs.

It answers the requests of the suite as ``refsched serve`` does, but keeps the streams to itself. What the module
prints, by whichever means, goes to stderr; what it reads is empty; a copy of the process that it makes with
``os.fork`` and lets return answers nothing. Each answer stands in an envelope: ``{"answer": ...}``, or
``{"fault": why}`` where there is none.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO

from refsched.errors import InputError
from refsched.processes.garbage_collection import keep_what_there_is
from refsched.processes.serving import Create, Server, described, load


def main() -> None:
    """Answers requests. The first line names the module, and where modules are found; each line after it is a
    request."""
    requests, answers = _streams_of_our_own()
    asked = json.loads(requests.readline())
    sys.path[:] = asked["path"]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    create = _loaded(asked["module"], answers)
    keep_what_there_is()
    if create is not None:
        answer_all(Server(create), requests, answers)


def _streams_of_our_own() -> tuple[BinaryIO, BinaryIO]:
    """Returns what stdin and stdout were; the module finds an empty stdin, and a stdout that is stderr."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _loaded(module: str, answers: BinaryIO) -> Create | None:
    myself = os.getpid()
    envelope: Mapping[str, Any] = {"answer": {}}
    create = None
    try:
        create = load(module)
    except InputError as problem:
        envelope = {"fault": problem.problem}
    except KeyboardInterrupt as error:
        envelope = {"fault": f"cannot be imported: {described(error)}"}
    _end_a_copy_of(myself)
    _say(envelope, answers)
    return create


def answer_all(server: Server, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers each line with one line, until there are no more."""
    myself = os.getpid()
    for line in requests:
        try:
            envelope: Mapping[str, Any] = {"answer": server.answer(json.loads(line))}
        except KeyboardInterrupt as error:
            envelope = {"answer": {"error": described(error)}}
        _end_a_copy_of(myself)
        _say(envelope, answers)


def _end_a_copy_of(pid: int) -> None:
    if os.getpid() != pid:
        os._exit(0)


def _say(envelope: Mapping[str, Any], answers: BinaryIO) -> None:
    """Writes an answer, which may be anything, even a mapping whose methods raise."""
    try:
        text = json.dumps(envelope, allow_nan=False)
    except BaseException as error:
        problem = described(error)
        if isinstance(error, TypeError | ValueError):
            problem = problem.partition(": ")[2]
        text = json.dumps({"fault": f"the answer cannot be written as JSON: {problem}"})
    answers.write(text.encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
