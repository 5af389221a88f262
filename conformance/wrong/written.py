# SPDX-License-Identifier: Apache-2.0
"""Mistakes that somebody has written into a file like those of ``refsched/mistakes/planted``, before any was
tried: ``python -m conformance.wrong try written --from FILE``.

What they show of the suite is said by the line ``power:`` of a report, so that they must not be improved with it:
each time others are written, none of which is like one that is planted or was tried before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from conformance.wrong.forking import Forked, import_again
from conformance.wrong.kinds import TIMEOUT, TryOptions, WrongKind, WrongResult
from conformance.wrong.mutants import source_of
from conformance.wrong.profile import SuiteTest, areas_about, histories_of
from conformance.wrong.trying import (
    End,
    TrialSummary,
    applicable_tests,
    attack,
    in_turn,
    nearest_first,
)
from refsched.errors import InputError
from refsched.mistakes.planting import PlantingError, replacing
from refsched.mistakes.wrong import Area, WrongScheduler, read_area
from refsched.releases import DEFAULT
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.histories.history import History

LIMIT = 600.0
"""The seconds for one, in which all that the suite draws can be tried."""


def connect_edited(wrong: WrongScheduler) -> Adapter:
    """Returns the specification with this edit, in a process that is forked from this one."""
    change = partial(import_again, {wrong.module: replacing(wrong.before, wrong.after)})
    return Adapter(wrong.name, Forked(change, TIMEOUT), wrong.kubernetes or DEFAULT.name)


def written(path: Path, seed: str) -> WrongKind:
    """Returns the mistakes of a file as a kind of wrong schedulers, tried with what is drawn with this seed.
    Raises InputError if the file cannot be read, is no such text, or quotes what is not in the specification."""
    try:
        area = read_area(path.read_text("utf-8"))
        for wrong in area.planted:
            replacing(wrong.before, wrong.after)(source_of(wrong.module))
    except (OSError, ValueError, PlantingError) as problem:
        raise InputError(str(problem), where=str(path)) from None
    names = [wrong.name for wrong in area.planted]
    return WrongKind(lambda: names, partial(_try_written, area, seed), LIMIT)


def _try_written(area: Area, seed: str, name: str, /, asked: TryOptions) -> WrongResult:
    wrong = next(each for each in area.planted if each.name == name)
    near = tuple(dict.fromkeys((*areas_about(wrong.breaks), *area.near)))
    try:
        adapter = connect_edited(wrong)
    except AdapterFault as fault:
        return WrongResult(name, "", wrong.says, TrialSummary(End.ERROR, problem=fault.problem))
    with adapter:
        tests = nearest_first(applicable_tests(adapter), near, wrong.breaks)
        by_test = ((test, _once_asked(test, seed)) for test in tests)
        return WrongResult(name, "", wrong.says, attack(adapter, in_turn(by_test), asked.limit))


def _once_asked(test: SuiteTest, seed: str) -> Iterator[History]:
    """Yields what the test runs. It is drawn when the first history is asked for."""
    yield from histories_of(test, seed)
