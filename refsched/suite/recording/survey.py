# SPDX-License-Identifier: Apache-2.0
"""Survey: how often recorded traces apply each rule, counted while the specification follows them.

The specification agrees with every recorded attempt and with every recorded state of the queues: a rule that it
applies there is one that kube-scheduler kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from attrs import Factory, define

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.replay import FirstDisagreement, replay_file
from refsched.records import ERROR, SCHEDULED, Attempt, Nodes, Record
from refsched.rules import listening


@define
class AreaCounts:
    """An AreaCounts counts the traces of one area, and their attempts by result. ``nodes`` is the largest number
    of nodes that one of the traces has shown."""

    traces: int = 0
    attempts: int = 0
    scheduled: int = 0
    unschedulable: int = 0
    error: int = 0
    nodes: int = 0

    def take(self, record: Record) -> None:
        """Counts a record."""
        match record:
            case Attempt(result=result):
                self.attempts += 1
                self.scheduled += result == SCHEDULED
                self.error += result == ERROR
                self.unschedulable += result not in (SCHEDULED, ERROR)
            case Nodes(nodes):
                self.nodes = max(self.nodes, len(nodes))


@define
class Survey:
    """A Survey has the ``areas`` by folder and area, and in ``applied`` how often each rule was applied.
    ``disagreements`` has the first one of each trace that has any."""

    areas: dict[tuple[str, str], AreaCounts] = Factory(dict)
    applied: Counter[str] = Factory(Counter)
    disagreements: dict[str, FirstDisagreement] = Factory(dict)

    @property
    def traces(self) -> int:
        return sum(area.traces for area in self.areas.values())

    @property
    def attempts(self) -> int:
        return sum(area.attempts for area in self.areas.values())


def survey(paths: Iterable[Path]) -> Survey:
    """Counts what the traces cover. Raises InputError if one of the files is no trace."""
    found = Survey()
    for path in paths:
        area = found.areas.setdefault((_folder(path), area_of(path)), AreaCounts())
        area.traces += 1
        heard: list[str] = []
        with listening(heard.append):
            report = replay_file(path, partial(_Counting, area))
        found.applied.update(heard)
        if report.first is not None:
            found.disagreements[str(path)] = report.first
    return found


def _folder(path: Path) -> str:
    """Returns the folder of ``traces/`` that it is in; the areas of some have folders of their own."""
    folder = path.parent
    return folder.parent.name if folder.name == area_of(path) else folder.name


def area_of(path: Path) -> str:
    """Returns ``pod_affinity`` for ``pod_affinity-003.jsonl.gz``; a scenario is an area of its own."""
    name = path.name.partition(".")[0]
    area, _, number = name.rpartition("-")
    return area if number.isdigit() else name


class _Counting(Checker):
    """A _Counting counts in ``area`` what it is shown."""

    def __init__(self, area: AreaCounts, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._area = area

    def take(self, record: Record) -> list[Disagreement]:
        self._area.take(record)
        return super().take(record)
