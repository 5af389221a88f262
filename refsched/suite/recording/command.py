# SPDX-License-Identifier: Apache-2.0
"""``refsched record``: a scenario, or histories drawn with a seed, against any implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

from attrs import frozen
from hypothesis.strategies import SearchStrategy

from refsched.checking.trace import START, SUFFIXES
from refsched.errors import InputError
from refsched.objects.reading import read_as
from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import read_history
from refsched.suite.recording.recorder import Recorded, record, write_trace
from refsched.suite.session.drawing import collected, load_profile
from refsched.tools.shipped import import_tests

Say = Callable[[str], None]


@frozen
class Asked:
    """Asked has the options: either a scenario, or an area with a seed; a trace must have ``at_least`` so many
    attempts."""

    implementation: str
    output: Path
    scenario: Path | None = None
    area: str | None = None
    seed: int = 0
    examples: int = 100
    at_least: int = 1
    start: str = ""


def run(asked: Asked, say: Say) -> None:
    """Writes the traces, and says what was written. Raises InputError if something requested is not available."""
    if (asked.scenario is None) == (asked.area is None):
        raise InputError("expected either --scenario FILE or --area AREA")
    start = _start(asked.start)
    histories = [_scenario(asked.scenario)] if asked.scenario else None
    if asked.area is not None and asked.area not in recorded_areas():
        raise InputError(
            f"expected one of {', '.join(recorded_areas())}; found {asked.area!r:.60}", where="--area"
        )
    if histories is not None and not asked.output.name.endswith(SUFFIXES):
        raise InputError(f"expected a file that ends in {' or '.join(SUFFIXES)}", where="--output")
    if histories is None and asked.output.name.endswith(SUFFIXES):
        raise InputError("expected a folder: there is one trace for each history", where="--output")
    try:
        with connect(asked.implementation) as adapter:
            if histories is not None:
                _record_one(adapter, histories[0], asked.output, start, say)
            else:
                _record_area(adapter, asked, start, say)
    except (AdapterFault, AdapterUnavailable) as fault:
        raise InputError(str(fault)) from fault
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(error.filename or asked.output)) from None


# --- A scenario -----------------------------------------------------------------------------------


def _scenario(path: Path) -> History:
    try:
        return read_history(path)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None


def _record_one(adapter: Adapter, history: History, output: Path, start: datetime, say: Say) -> None:
    try:
        recorded = record(adapter, history, start)
    except ResetRefused as refused:
        raise InputError(f"it will not be configured so: {refused}", where=adapter.what) from None
    write_trace(output, recorded.text)
    say(f"{output}  {recorded.attempts} attempts{_unless_over(recorded)}")


def _unless_over(recorded: Recorded) -> str:
    return f" (not to the end: {recorded.ended})" if recorded.ended else ""


# --- An area --------------------------------------------------------------------------------------


def _record_area(adapter: Adapter, asked: Asked, start: datetime, say: Say) -> None:
    area = asked.area or ""
    written = attempts = left_out = 0
    for recorded in _recordings(adapter, histories_of(area, asked.seed, asked.examples), start):
        if recorded is None or recorded.ended or recorded.attempts < asked.at_least:
            left_out += 1
            continue
        written += 1
        attempts += recorded.attempts
        write_trace(asked.output / f"{area}-{written:03}.jsonl.gz", recorded.text)
    say(f"{asked.output}  {written} traces, {attempts} attempts ({left_out} histories left out)")


def _recordings(adapter: Adapter, histories: list[History], start: datetime) -> Iterator[Recorded | None]:
    for history in histories:
        try:
            yield record(adapter, history, start)
        except ResetRefused:
            yield None


@cache
def recorded_areas() -> Mapping[str, Callable[[], SearchStrategy[History]]]:
    """Returns the areas of the suite, and those that exist only to be recorded."""
    return {**import_tests("strategies").AREAS, **import_tests("campaigns.steered").STEERED}


def histories_of(area: str, seed: int, examples: int) -> list[History]:
    """Returns as many histories as Hypothesis finds to differ; they are the same for the same seed, whatever is
    recorded."""
    load_profile()
    return collected(recorded_areas()[area](), examples=examples, seed=str(seed), name=f"record {area}")


# --- Options --------------------------------------------------------------------------------------


def _start(text: str) -> datetime:
    if not text:
        return START
    try:
        return read_as(datetime, text)
    except InputError as error:
        raise error.at("--start") from None
