# SPDX-License-Identifier: Apache-2.0
"""What a run of a history has seen, and each thing that the scheduler did and may not do."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from refsched.records import Record


@frozen
class Finding:
    """A Finding is one thing that a scheduler did and may not do. ``member`` is a path in the record, such as
    ``filter.n1`` or ``queues.active``. ``pod`` is the pod that it is about (``namespace/name``), or empty.
    ``step`` is the index in the history of the step that showed it; the driver sets it. ``symptom`` is the rule of
    the place where it shows, which stays the same while a history is shrunk. ``suspected`` are the rules that may
    be broken, the most suspected first, and ``also`` those that are named after ``rule``."""

    rule: str
    member: str
    expected: object
    got: object
    pod: str = ""
    step: int = 0
    symptom: str = ""
    also: tuple[str, ...] = ()
    suspected: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Returns what two findings of the same mistake have in common."""
        return self.symptom or self.rule


@frozen
class Seen:
    """A Seen is a record of a run: the step that caused it, and the time at which it came."""

    step: int
    at: float
    record: Record


@frozen
class Comparison:
    """A Comparison is of the ``records`` of one history; ``agrees`` returns whether the specification, as its code
    is when it is called, allows all of them."""

    agrees: Callable[[], bool]
    records: int


class KnownDefectMetError(Exception):
    """A KnownDefectMetError says that a known defect of the release ends the history here."""
