# SPDX-License-Identifier: Apache-2.0
"""Runs of kube-scheduler's own mutants: the default profile's histories against each, up to its first kill.

A file that this process shares with the scheduler says which mutant is on, and which mutants a history reached
with an immediate difference. Only such histories are tried, a few of each test in turn.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import struct
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from conformance.wrong.mutating.go_mutants import GoMutant, Mutated
from conformance.wrong.running import go_mutant_page
from conformance.wrong.running.go_mutant_page import GoAttack
from conformance.wrong.running.profile import histories_of, suite_tests
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
"""Seconds for one answer."""


def run(mutated: Mutated, options: Namespace) -> int:
    """0 where nothing survives."""
    chosen = [one for one in mutated.mutants if one.name in options.names] or mutated.sample(options.sample)
    known = go_mutant_page.read(options.json) if options.json else {}
    with _Hunt.starting(mutated) as hunt:
        met = _reach(hunt, options.reach)
        for mutant in chosen:
            if mutant.name not in known or mutant.name in options.names:
                known[mutant.name] = attack = hunt.attack(mutant, met.get(mutant.number, []), options.limit)
                print(f"{attack.end:<10} {attack.name}  {attack.text}  {attack.rule}", flush=True)
                if options.json:
                    go_mutant_page.write(known.values(), options.json)
    if options.page:
        options.page.write_text(go_mutant_page.page(known, len(mutated.mutants)), "utf-8")
    return 1 if any(attack.end == "survived" for attack in known.values()) else 0


def _reach(hunt: _Hunt, path: Path | None) -> dict[int, list[int]]:
    """By a mutant's number, the numbers of the histories that meet it."""
    if path is not None and path.exists():
        kept = json.loads(path.read_text("utf-8"))
        return {int(number): histories for number, histories in kept.items()}
    met = hunt.reach()
    if path is not None:
        path.write_text(json.dumps(met), "utf-8")
    return met


class _Hunt:
    """The default profile's histories with seed 0, the scheduler, and the switches that both hold."""

    def __init__(self, program: Path, switches: mmap.mmap) -> None:
        self._command = f"exec:{program}"
        self._switches = switches
        self._histories: list[tuple[str, History]] = [
            (test.name, history)
            for test in suite_tests()
            if not test.recorded
            for history in histories_of(test)
        ]
        self._adapter: Adapter = self._fresh()

    @classmethod
    @contextmanager
    def starting(cls, mutated: Mutated) -> Iterator[_Hunt]:
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(SIZE)
            os.environ[VARIABLE] = file.name
            hunt = cls(mutated.program, mmap.mmap(file.fileno(), SIZE))
            try:
                yield hunt
            finally:
                hunt._adapter.close()
                del os.environ[VARIABLE]

    def _fresh(self) -> Adapter:
        self._turn_on(0)
        return connect(self._command, timeout=TIMEOUT)

    def _turn_on(self, number: int) -> None:
        self._switches[:HEADER] = struct.pack("<I", number)

    def reach(self) -> dict[int, list[int]]:
        """With no mutant on. A finding would be a mistake of the suite: RuntimeError."""
        met: dict[int, list[int]] = {}
        for index, (test, history) in enumerate(self._histories):
            self._switches[HEADER:] = bytes(SIZE - HEADER)
            findings = try_history(self._adapter, history).findings
            if findings:
                raise RuntimeError(f"{test} fails kube-scheduler as it is: {findings[0]}")
            seen = self._switches[HEADER:]
            for number in (place for place, byte in enumerate(seen) if byte):
                met.setdefault(number, []).append(index)
        return met

    def attack(self, mutant: GoMutant, met: Sequence[int], limit: float) -> GoAttack:
        began = time.monotonic()
        end, rule, test, tried = "survived" if met else "unreached", "", "", 0
        try:
            self._turn_on(mutant.number)
            for index in self._in_turn(met):
                if time.monotonic() - began > limit:
                    break
                tried += 1
                name, history = self._histories[index]
                findings = try_history(self._adapter, history).findings
                if findings:
                    end, rule, test = "killed", findings[0].rule, name
                    break
        except AdapterFault:
            end = "error"
            with suppress(AdapterFault):
                self._adapter.close()
            self._adapter = self._fresh()
        self._turn_on(0)
        seconds = round(time.monotonic() - began, 1)
        return GoAttack(mutant.name, mutant.function, mutant.text, end, rule, test, tried, len(met), seconds)

    def _in_turn(self, met: Sequence[int]) -> Iterator[int]:
        """One of each test, those tests first of which the fewest histories meet it; and again."""
        by_test: dict[str, list[int]] = {}
        for index in met:
            by_test.setdefault(self._histories[index][0], []).append(index)
        lots = random.Random(0)
        waiting = sorted(by_test.values(), key=len)
        for indexes in waiting:
            lots.shuffle(indexes)
        while waiting:
            for indexes in waiting:
                yield indexes.pop()
            waiting = [indexes for indexes in waiting if indexes]
