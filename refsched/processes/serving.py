# SPDX-License-Identifier: Apache-2.0
"""Serving: the requests of docs/protocol.md answered by an implementation written in Python.

``Server`` takes one request at a time; ``serve`` puts it behind two streams of JSON Lines.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from datetime import datetime
from typing import Any, BinaryIO

from attrs import frozen

from refsched.errors import InputError
from refsched.objects.reading import read_as
from refsched.processes.implementation import Implementation
from refsched.reading.documents import read_json
from refsched.releases import DEFAULT, release_of
from refsched.releases.release import Release

Json = dict[str, Any]
Create = Callable[..., Any]

PROTOCOL = 1
"""The version of docs/protocol.md."""


def no_config(release: Release = DEFAULT) -> Json:
    """Returns a configuration of defaults alone, for an implementation that is only to say its name."""
    return {"apiVersion": release.api_versions[0], "kind": "KubeSchedulerConfiguration"}


def load(path: str) -> Create:
    """Returns the ``create`` of a module, which may be in the working directory. Raises InputError, which says
    what is wrong."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as missing:
        if missing.name and f"{path}.".startswith(f"{missing.name}."):
            raise InputError("there is no such module", where=path) from None
        raise InputError(f"cannot be imported: {described(missing)}", where=path) from missing
    except NOT_THE_MODULES:
        raise
    except BaseException as error:
        raise InputError(f"cannot be imported: {described(error)}", where=path) from error
    create: Create | None = getattr(module, "create", None)
    if not callable(create):
        raise InputError("has no function create(config)", where=path)
    return create


def described(error: BaseException) -> str:
    """Returns an exception in one line: its type, its message, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "its message cannot be had"
    return f"{type(error).__name__}: {message}{where}"


@frozen
class _Start:
    start: datetime


class OutOfTime(BaseException):
    """An OutOfTime is raised in a module that does not answer in time; no ``except Exception`` of its own
    catches it."""


NOT_THE_MODULES = (KeyboardInterrupt, OutOfTime)
"""If one of these is raised while a module answers, its cause is outside of the module."""


class Server:
    """A Server holds one implementation, created anew by each ``reset``, of the release ``kubernetes`` unless
    another is asked for. Whatever it raises is answered as an ``error``: also what ends a program (SystemExit),
    or what skips a test of pytest."""

    def __init__(self, create: Create, kubernetes: str = DEFAULT.name) -> None:
        self._create = create
        self._release = release_of(kubernetes)
        self._knows_releases = "kubernetes" in _keywords(create, ("kubernetes",))
        self._kubernetes: Json = {}
        self._implementation: Implementation | None = None

    def answer(self, request: Any) -> Any:
        """Returns what the implementation answers, unchanged."""
        if not isinstance(request, Mapping) or len(request) != 1:
            return {"error": f"expected a request, an object of one member, found {request!r:.60}"}
        [(name, body)] = request.items()
        handle = _REQUESTS.get(name)
        if handle is None:
            return {"error": f"there is no request {name!r:.60}"}
        try:
            return handle(self, body)
        except NOT_THE_MODULES:
            raise
        except BaseException as error:
            return {"error": described(error)}

    # --- Requests ---------------------------------------------------------------------------------

    def _hello(self, body: Json) -> Any:
        if body.get("protocol") != PROTOCOL:
            return {"error": f"protocol {body.get('protocol')!r:.20} is asked for, this speaks {PROTOCOL}"}
        release = release_of(body["kubernetes"]) if body.get("kubernetes") else self._release
        if self._knows_releases:
            self._kubernetes = {"kubernetes": release.name}
        made = self._implementation or self._create(no_config(release), **self._kubernetes)
        return made if isinstance(made, Mapping) else made.hello()

    def _reset(self, body: Json) -> Any:
        self._implementation = None
        wanted: Json = {}
        if body.get("featureGates"):
            wanted["feature_gates"] = body["featureGates"]
        if body.get("start"):
            wanted["start"] = read_as(_Start, body).start
        refused = sorted(wanted.keys() - _keywords(self._create, wanted))
        if refused:
            return {"unsupported": f"its create(config) does not take {' and '.join(refused)}"}
        made = self._create(body["config"], **wanted, **self._kubernetes)
        if isinstance(made, Mapping):
            return made
        self._implementation = made
        return {}

    def _schedule(self, body: Json) -> Any:
        pod = body.get("pod")
        return self._call("schedule") if pod is None else self._call("schedule", pod)

    def _permit(self, body: Json) -> Any:
        plugin = [body["plugin"]] if body.get("plugin") else []
        return self._call("permit", body["pod"], body["decision"], *plugin)

    def _call(self, name: str, *arguments: Any) -> Any:
        if self._implementation is None:
            return {"error": "there is no cluster yet: reset comes first"}
        method = getattr(self._implementation, name, None)
        if method is None:
            return {"unsupported": f"it has no method {name}"}
        return method(*arguments)


_REQUESTS: Mapping[str, Callable[[Server, Any], Any]] = {
    "hello": Server._hello,
    "reset": Server._reset,
    "create": lambda server, body: server._call("create", body),
    "update": lambda server, body: server._call("update", body),
    "delete": lambda server, body: server._call("delete", body),
    "advance": lambda server, body: server._call("advance", body),
    "permit": Server._permit,
    "release": lambda server, body: server._call("release", body["pod"]),
    "schedule": Server._schedule,
    "observe": lambda server, _: server._call("observe"),
}


def _keywords(create: Create, wanted: Iterable[str]) -> set[str]:
    """Returns those of ``wanted`` that ``create`` takes; none if it does not say."""
    try:
        parameters = inspect.signature(create).parameters
    except (TypeError, ValueError):
        return set()
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    return {name for name in wanted if takes_all or name in parameters}


# --- Streams --------------------------------------------------------------------------------------


def serve(create: Create, requests: BinaryIO, answers: BinaryIO, kubernetes: str = DEFAULT.name) -> None:
    """Answers each line with one line, until there are no more. What is printed meanwhile is written to stderr.
    ``kubernetes`` is the release by which the implementation decides if it is not asked for another."""
    server = Server(create, kubernetes)
    with redirect_stdout(sys.stderr):
        for line in requests:
            if line.strip():
                answers.write(answer_line(server, line))
                answers.flush()


def answer_line(server: Server, line: bytes) -> bytes:
    """Returns the line that answers a line, whatever is in it."""
    try:
        request = read_json(line.decode())
    except (InputError, ValueError) as error:
        return _line({"error": f"the request is not JSON: {error}"})
    answer = server.answer(request)
    try:
        return _line(answer)
    except (TypeError, ValueError, RecursionError) as error:
        return _line({"error": f"the answer cannot be written as JSON: {error}"})


def _line(answer: Any) -> bytes:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode() + b"\n"
