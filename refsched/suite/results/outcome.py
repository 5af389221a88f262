# SPDX-License-Identifier: Apache-2.0
"""Outcome: what one test found, as plain values that travel on its report (and through pytest-xdist with it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cattrs
from attrs import field, frozen

PROPERTY = "refsched.outcome"
"""An outcome stands under this name in a report's ``user_properties``."""

ADAPTER, SUITE = "adapter", "suite"
"""One of these has the fault if a test could not judge."""


@frozen
class Failure:
    """A Failure is a broken rule, with everything that is reported about it.

    ``lines`` are the history's steps as text, and what was expected is printed below the one at ``line``.
    ``trace`` and ``scenario`` are the contents of the files that are written. ``shrunk`` says that the history
    was shrunk, and ``repeats`` that the same inputs broke the rule again. ``case`` is the sentence of the case
    that was run, if it was one. ``also`` are rules that may be broken instead of this one. ``explained`` is the
    pod whose last decision ``refsched explain`` shows from the trace, if it can. ``under`` is the rule that was
    broken first in the same record, if another one was wherever this one was broken. ``level`` is that of the rule
    at which it shows, which may be another one than the rule that is named; empty where that is not known."""

    rule: str
    test: str
    lines: tuple[str, ...]
    steps: int
    steps_at_first: int
    size: int
    line: int
    member: str
    pod: str
    expected: str
    got: str
    trace: str
    scenario: str
    shrunk: bool
    repeats: bool = True
    case: str = ""
    also: tuple[str, ...] = ()
    explained: str = ""
    under: str = ""
    level: str = ""


@frozen
class Fault:
    """A Fault says why nothing could be judged; ``whose`` is ADAPTER or SUITE."""

    whose: str
    problem: str


@frozen
class Outcome:
    """An Outcome is what one test found. ``missing`` are capabilities that the test needs and the implementation
    does not claim: it did not run. ``target`` is the broken rule that failed the test; ``failures`` are all that
    were seen on the way. ``ended`` counts, by reason, the histories that could not be run to their end, though
    nothing was wrong; ``without`` by field, which the implementation does not take, those that were run without
    it. ``is_late`` says that not all its histories were tried, since the time of the budget was over. ``place`` is
    the number of the test among all that were selected, in their order."""

    test: str
    rules: tuple[str, ...]
    missing: tuple[str, ...] = ()
    examples: int = 0
    decisive: Mapping[str, int] = field(factory=dict)
    choices: int = 0
    single: int = 0
    ended: Mapping[str, int] = field(factory=dict)
    failures: tuple[Failure, ...] = ()
    fault: Fault | None = None
    target: str = ""
    without: Mapping[str, int] = field(factory=dict)
    is_late: bool = False
    place: int = 0

    @property
    def is_untried(self) -> bool:
        """Returns whether the time was over before its first history."""
        return self.is_late and not self.examples

    @property
    def has_failed(self) -> bool:
        return bool(self.target)

    @property
    def done(self) -> int:
        """Returns how many histories were run to their end, or until something was wrong."""
        return self.examples - sum(self.ended.values())

    @property
    def is_incomplete(self) -> bool:
        """Returns whether it had histories, and none of them was run to its end."""
        return bool(self.examples) and not self.done

    @property
    def adapter_fault(self) -> Fault | None:
        """Returns the fault of the adapter that kept the test from judging, if there was one."""
        return self.fault if self.fault is not None and self.fault.whose == ADAPTER else None

    @property
    def is_claimed(self) -> bool:
        return not self.missing


def to_plain(outcome: Outcome) -> dict[str, Any]:
    """Returns the outcome as lists, mappings, strings and numbers."""
    plain: dict[str, Any] = cattrs.unstructure(outcome)
    return plain


def from_plain(value: Mapping[str, Any]) -> Outcome:
    return cattrs.structure(value, Outcome)


def with_property(properties: list[tuple[str, object]], outcome: Outcome) -> None:
    """Adds an outcome to the ``user_properties`` of a report."""
    properties.append((PROPERTY, to_plain(outcome)))


def outcome_in(properties: list[tuple[str, object]]) -> Outcome | None:
    """Returns the outcome among the ``user_properties`` of a report, if it has one."""
    for name, value in properties:
        if name == PROPERTY and isinstance(value, Mapping):
            return from_plain(value)
    return None
