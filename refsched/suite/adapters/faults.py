# SPDX-License-Identifier: Apache-2.0
"""Faults: the reasons why an implementation cannot be judged, as opposed to a wrong answer."""

from __future__ import annotations

import json
from typing import Any

from attrs import frozen

SHOWN = 400
"""A fault quotes this many characters of a request or an answer."""

REQUEST = "  request  "

MOST_FAULTS = 5
"""After this many tests in which it had a fault, an implementation is not asked any more."""

FINAL = f"  It is not asked any more: it had a fault in {MOST_FAULTS} tests."


@frozen
class AdapterFault(Exception):  # noqa: N818  (the protocol calls it a fault, and an error something else)
    """An AdapterFault says that the adapter broke the protocol: its answer is none, or there is no answer.

    ``request`` is what was not answered as it should be, ``log`` the last lines of the process's stderr.
    """

    what: str
    problem: str
    request: Any = None
    log: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.what}: {self.problem}"]
        if self.request is not None:
            lines.append(f"{REQUEST}{quoted(self.request)}")
        if self.log:
            lines.append("  stderr, its last lines")
            lines.extend(f"    {line}" for line in self.log)
        return "\n".join(lines)


@frozen
class AdapterUnavailable(Exception):  # noqa: N818
    """An AdapterUnavailable says that the implementation is not available on this machine, what is missing, and
    what to do."""

    what: str
    problem: str

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


def cause_of(problem: str) -> str:
    """Returns the words of a fault without the request that showed it, and without those that say whether it was
    the last one."""
    lines = problem.removesuffix(f"\n{FINAL}").split("\n")
    return "\n".join(line for line in lines if not line.startswith(REQUEST))


def quoted(value: Any) -> str:
    """Returns a request or an answer, as JSON if possible, and shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"
