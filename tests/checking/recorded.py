# SPDX-License-Identifier: Apache-2.0
"""Sessions that the specification itself had, written down as a trace is, and altered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve
from world import World, configuration

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.other_scheduler import OtherScheduler
from refsched.framework.choices import Choices
from refsched.records import Attempt, Input, Output, Record


class Recorded(World):
    """A world that writes down what happens, as a trace does."""

    def __init__(self, config: dict[str, Any] | None = None, choices: Choices | None = None) -> None:
        self.records: list[Record] = []
        super().__init__(config, choices=choices)

    def apply(self, record: Input) -> list[Output]:
        self.records.append(record)
        return super().apply(record)

    def _caused(self) -> list[Output]:
        caused = super()._caused()
        self.records.extend(caused)
        return caused

    def observe(self) -> None:
        self.records.extend([self.machine.queues(), self.machine.nodes()])


def check(
    records: Sequence[Record], config: dict[str, Any] | None = None, *, reports_nominations: bool = False
) -> list[Disagreement]:
    other = OtherScheduler(reports_nominations=reports_nominations)
    checker = Checker(config or configuration(), other=other)
    return [found for record in records for found in checker.take(record)] + checker.take_missing()


def altered(records: Sequence[Record], kind: type[Any], **change: Any) -> list[Record]:
    """The last record of this kind says something else."""
    last = max(i for i, record in enumerate(records) if isinstance(record, kind))
    return [evolve(record, **change) if i == last else record for i, record in enumerate(records)]


def the_attempt(world: Recorded) -> Attempt:
    return world.attempts[-1]
