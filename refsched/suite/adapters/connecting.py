# SPDX-License-Identifier: Apache-2.0
"""Connecting: the value of ``--impl`` becomes an adapter that has answered hello."""

from __future__ import annotations

import re
import shlex
from math import inf
from pathlib import Path

from refsched.errors import InputError
from refsched.suite.adapters.adapter import Adapter, Transport
from refsched.suite.adapters.kube_scheduler import LATEST, Log, kube_scheduler
from refsched.suite.adapters.module import InProcess, Module
from refsched.suite.adapters.over_the_api import over_the_api
from refsched.suite.adapters.process import TIMEOUT, Process
from refsched.suite.adapters.selection import EVERYTHING, Selection

REFERENCE = "refsched.reference"
"""This is the specification itself. The suite runs it in its own process, and without a limit of time, as it runs
the specification that judges."""
KUBE_SCHEDULER = "kube-scheduler"
_MODULE = re.compile(r"(?P<path>[^\W\d]\w*(\.[^\W\d]\w*)*)(:(?P<release>v?\d+\.\d+(\.\d+)?))?")


def connect(
    what: str = REFERENCE,
    *,
    timeout: float = TIMEOUT,
    log: Log | None = None,
    in_process: bool = False,
    only: Selection = EVERYTHING,
) -> Adapter:
    """Connects to the implementation ``what``, which is one of:

    - the path of a Python module (refsched/processes/implementation.py), or such a path, a colon and the
      release of Kubernetes by which it is to decide; it runs in a process of its own, or in this one with
      ``in_process`` and where it is REFERENCE,
    - ``exec:COMMAND``, a program that speaks the wire protocol on stdin and stdout,
    - ``kube-scheduler`` or ``kube-scheduler:v1.34``, the real one,
    - ``api:COMMAND``, a program that speaks to an API server, or ``api:kube-scheduler``.

    ``timeout`` is for each answer, in seconds; ``log`` takes lines on what lasts; ``only`` is the part of it
    that is to be judged. Raises InputError if ``what`` is none of these, AdapterUnavailable if it cannot be had
    here, and AdapterFault if it does not answer hello.
    """
    module = _MODULE.fullmatch(what)
    release = (module["release"] or "") if module else ""
    return Adapter(what, _transport(what, timeout, log, in_process), release, only)


def _transport(what: str, timeout: float, log: Log | None, in_process: bool) -> Transport:
    scheme, colon, rest = what.partition(":")
    match scheme:
        case "exec" if colon:
            return Process(_command(what, rest), timeout=timeout)
        case _ if is_kube_scheduler(what):
            return Process([str(kube_scheduler(rest if colon else LATEST, log))], timeout=timeout)
        case "api" if colon:
            return over_the_api(_command(what, rest), timeout, log)
    module = _MODULE.fullmatch(what)
    if what.endswith(".py"):
        raise InputError(
            f"names a file; a module is named as it is imported ({Path(what).stem}), and a program by its command "
            f'("exec:python {what}")',
            where=what,
        )
    if module is None:
        raise InputError(
            "expected the path of a Python module, exec:COMMAND, api:COMMAND or kube-scheduler",
            where=f"{what!r:.80}",
        )
    path = module["path"]
    if path == REFERENCE:
        return InProcess(path, inf)
    return InProcess(path, timeout) if in_process else Module(path, timeout)


def is_kube_scheduler(what: str) -> bool:
    """Returns whether this is the real kube-scheduler, of any release."""
    return what.partition(":")[0] == KUBE_SCHEDULER


def is_over_the_api(what: str) -> bool:
    """Returns whether this is a scheduler that speaks to an API server."""
    return what.startswith("api:")


def is_module(what: str) -> bool:
    """Returns whether this is the path of a Python module, without a release."""
    found = _MODULE.fullmatch(what)
    return found is not None and not found["release"]


def _command(what: str, line: str) -> list[str]:
    try:
        command = shlex.split(line)
    except ValueError as error:
        raise InputError(f"is not a command line: {error}", where=what) from None
    if not command:
        raise InputError("names no command", where=what)
    return command
