# SPDX-License-Identifier: Apache-2.0
"""Runs of kube-scheduler's own mutants: the default profile's histories against each, up to the first kill.

A file that this process shares with the scheduler says which mutant is on, and which mutants a history reached
with an immediate difference. Only such histories are tried, a few of each test in turn.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from conformance.wrong.go_mutants import GoMutant, Mutated, part_of
from conformance.wrong.kinds import WrongResult
from conformance.wrong.profile import SuiteTest, histories_of, suite_tests
from conformance.wrong.trying import End, attack, in_turn
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import try_history

VARIABLE = "REFSCHED_MUTANTS"
HEADER = 4
SIZE = HEADER + (1 << 16)
"""Bytes that are shared: the number of the mutant that is on, and one byte for each mutant (switch.go.txt)."""

TIMEOUT = 8.0
"""The seconds within which an answer must arrive."""

HistoriesByMutant = dict[int, dict[SuiteTest, list[History]]]
"""For the number of each mutant, the histories that reach it, by test."""


def try_all(mutated: Mutated, mutants: Sequence[GoMutant], limit: float) -> Iterator[WrongResult]:
    """Yields what becomes of each mutant. Raises RuntimeError if the suite fails kube-scheduler as it is."""
    with _Switched.starting(mutated) as scheduler:
        met = scheduler.reach()
        for mutant in mutants:
            yield scheduler.try_one(mutant, met, limit)


class _Switched:
    """A _Switched is the scheduler with all mutants in it, and the switches that both processes hold."""

    def __init__(self, program: Path, switches: mmap.mmap) -> None:
        self._command = f"exec:{program}"
        self._switches = switches
        self._adapter: Adapter = self._fresh()

    @classmethod
    @contextmanager
    def starting(cls, mutated: Mutated) -> Iterator[_Switched]:
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(SIZE)
            os.environ[VARIABLE] = file.name
            switched = cls(mutated.program, mmap.mmap(file.fileno(), SIZE))
            try:
                yield switched
            finally:
                switched._adapter.close()
                del os.environ[VARIABLE]

    def _fresh(self) -> Adapter:
        self._turn_on(0)
        return connect(self._command, timeout=TIMEOUT)

    def _turn_on(self, number: int) -> None:
        self._switches[:HEADER] = struct.pack("<I", number)

    def reach(self) -> HistoriesByMutant:
        """Returns which histories reach which mutants, with no mutant on."""
        met: HistoriesByMutant = {}
        for test in suite_tests():
            for history in () if test.recorded else histories_of(test):
                self._switches[HEADER:] = bytes(SIZE - HEADER)
                findings = try_history(self._adapter, history).findings
                if findings:
                    raise RuntimeError(f"{test.name} fails kube-scheduler as it is: {findings[0]}")
                for number, byte in enumerate(self._switches[HEADER:]):
                    if byte:
                        met.setdefault(number, {}).setdefault(test, []).append(history)
        return met

    def try_one(self, mutant: GoMutant, met: HistoriesByMutant, limit: float) -> WrongResult:
        """Tries first the histories of those tests of which the fewest reach the mutant."""
        by_test = sorted(met.get(mutant.number, {}).items(), key=lambda item: len(item[1]))
        self._turn_on(mutant.number)
        suite = attack(self._adapter, in_turn(by_test), limit)
        if suite.end is End.ERROR:
            with suppress(AdapterFault):
                self._adapter.close()
            self._adapter = self._fresh()
        self._turn_on(0)
        return WrongResult(mutant.name, part_of(mutant.name), mutant.text, suite)
