# SPDX-License-Identifier: Apache-2.0
"""Recorded: for each rule the shortest recording of kube-scheduler in which the specification applies it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from attrs import frozen

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.replay import replay_file, trace_files
from refsched.checking.trace import json_lines
from refsched.reading.shipped_files import data_folder
from refsched.records import Record
from refsched.rules import listening


@frozen(order=True)
class Recorded:
    """``lines`` are those of the whole trace; the rule is applied first by its ``line``. ``trace`` is its path
    below the folder of the recordings."""

    lines: int
    trace: str
    line: int


class _Listening(Checker):
    """A _Listening notes at which line each rule is applied first; line 1 is the header."""

    def __init__(self, first: dict[str, int], *values: Any, **named: Any) -> None:
        self._line = 1
        self._first = first
        with listening(self._heard):
            super().__init__(*values, **named)

    def take(self, record: Record) -> list[Disagreement]:
        self._line += 1
        with listening(self._heard):
            return super().take(record)

    def _heard(self, rule: str) -> None:
        self._first.setdefault(rule, self._line)


def shortest(jobs: int = 1) -> Mapping[str, Recorded]:
    """Returns, by rule, the shortest one of the shipped recordings."""
    paths = list(trace_files([data_folder()]))
    found: dict[str, Recorded] = {}
    with get_context("fork").Pool(jobs) as pool:
        for heard in pool.imap_unordered(_heard_in, paths, chunksize=20):
            for rule, recorded in heard.items():
                found[rule] = min(found.get(rule, recorded), recorded)
    return found


def _heard_in(path: Path) -> Mapping[str, Recorded]:
    first: dict[str, int] = {}
    report = replay_file(path, partial(_Listening, first))
    if report.disagree:
        return {}
    trace = path.relative_to(data_folder()).as_posix()
    lines = sum(1 for _ in json_lines(path))
    return {rule: Recorded(lines, trace, line) for rule, line in first.items()}
