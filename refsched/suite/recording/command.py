# SPDX-License-Identifier: Apache-2.0
"""``refsched record``: a scenario, against any implementation."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from refsched.checking.trace import SUFFIXES
from refsched.errors import InputError, counted, one_line
from refsched.machine.state import START
from refsched.objects.reading import read_as
from refsched.reading.record_json import to_json
from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable, quoted
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import read_history
from refsched.suite.recording.recorder import RecordedTrace, record, write_trace

Say = Callable[[str], None]


def record_scenario(
    implementation: str, scenario: Path, output: Path, start: str, say: Say, *, as_json: bool = False
) -> None:
    """Writes the trace, and says what was written, as JSON or in words. ``start`` is an RFC 3339 time, or empty.
    Raises InputError if something requested is not available."""
    begins = start_of(start)
    history = _scenario(scenario)
    if not output.name.endswith(SUFFIXES):
        raise InputError(f"expected a file that ends in {' or '.join(SUFFIXES)}", where="--output")
    with recording(implementation, output) as adapter:
        try:
            recorded = record(adapter, history, begins)
        except ResetRefused as refused:
            raise InputError(f"it will not be configured so: {refused}", where=adapter.what) from None
        write_trace(output, recorded.text)
        for step in recorded.left_out:
            text = f"{scenario}: a step is left out, since it does not fit what is there: {quoted(to_json(step))}"
            print(one_line(f"refsched: warning: {text}"), file=sys.stderr)
        written = {"output": str(output), "attempts": recorded.attempts, "ended": recorded.ended}
        words = f"{output}  {counted(recorded.attempts, 'attempt')}{_why_it_ended(recorded)}"
        say(json.dumps(written) if as_json else words)


def _scenario(path: Path) -> History:
    try:
        return read_history(path)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None


def _why_it_ended(recorded: RecordedTrace) -> str:
    """Returns why the history was not run to its end, or "" if it was."""
    return f" (not to the end: {recorded.ended})" if recorded.ended else ""


@contextmanager
def recording(implementation: str, output: Path) -> Iterator[Adapter]:
    """Yields the implementation, of which a trace is written to ``output``. Raises InputError if it cannot be had
    or does not answer, or if nothing can be written."""
    try:
        with connect(implementation) as adapter:
            yield adapter
    except (AdapterFault, AdapterUnavailable) as fault:
        lines = (" ".join(line.split(maxsplit=1)) for line in str(fault).splitlines())
        raise InputError("; ".join(lines)) from fault
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(error.filename or output)) from None


def start_of(text: str) -> datetime:
    """Returns the time at which the clock of a recording starts. Raises InputError if the text is no time."""
    if not text:
        return START
    try:
        return read_as(datetime, text)
    except InputError as error:
        raise error.at("--start") from None
