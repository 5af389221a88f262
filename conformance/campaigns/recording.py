# SPDX-License-Identifier: Apache-2.0
"""Recording: histories that are drawn from an area, against any implementation, as a trace of each.

    python -m conformance.campaigns.recording --impl kube-scheduler --area preemption --seed 7 --output recorded/

draws a hundred of them. The same seed draws the same histories.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import click
from hypothesis.strategies import SearchStrategy

from conformance.campaigns.steered import STEERED
from conformance.strategies import AREAS
from refsched.errors import InputError
from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.histories.history import History
from refsched.suite.recording.command import Say, recording, start_of
from refsched.suite.recording.recorder import RecordedTrace, record, write_trace
from refsched.suite.session.drawing import collected, load_profile

RECORDED: Mapping[str, Callable[[], SearchStrategy[History]]] = {**AREAS, **STEERED}
"""The areas of the suite, and those that exist only to be recorded."""


def record_area(
    implementation: str,
    area: str,
    output: Path,
    say: Say,
    *,
    seed: int,
    examples: int,
    at_least: int,
    start: str,
) -> None:
    """Writes a trace of each history that has ``at_least`` attempts to the folder ``output``, and says how
    many were written. Raises InputError if the implementation is not available."""
    written = attempts = left_out = 0
    begins = start_of(start)
    with recording(implementation, output) as adapter:
        for recorded in _recordings(adapter, histories_of(area, seed, examples), begins):
            if recorded is None or recorded.ended or recorded.attempts < at_least:
                left_out += 1
                continue
            written += 1
            attempts += recorded.attempts
            write_trace(output / f"{area}-{written:03}.jsonl.gz", recorded.text)
    say(f"{output}  {written} traces, {attempts} attempts ({left_out} histories left out)")


def _recordings(
    adapter: Adapter, histories: list[History], start: datetime
) -> Iterator[RecordedTrace | None]:
    for history in histories:
        try:
            yield record(adapter, history, start)
        except ResetRefused:
            yield None


def histories_of(area: str, seed: int, examples: int) -> list[History]:
    """Returns as many histories as Hypothesis finds to differ; they are the same for the same seed, whatever is
    recorded."""
    load_profile()
    return collected(RECORDED[area](), examples=examples, seed=str(seed), name=f"record {area}")


@click.command()
@click.option("--impl", "implementation", required=True, metavar="WHAT")
@click.option("--area", required=True, type=click.Choice(tuple(RECORDED)), metavar="AREA")
@click.option("--output", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--examples", type=click.IntRange(1), default=100, show_default=True)
@click.option(
    "--at-least", type=click.IntRange(0), default=1, show_default=True, help="The fewest attempts of a trace."
)
@click.option("--start", default="", metavar="TIME", help="The time at which the clock starts.")
def main(
    implementation: str, area: str, output: Path, seed: int, examples: int, at_least: int, start: str
) -> None:
    """Draw histories from an area of the suite, and write a trace of each."""
    options = {"seed": seed, "examples": examples, "at_least": at_least}
    try:
        record_area(implementation, area, output, click.echo, start=start, **options)
    except InputError as problem:
        click.echo(f"recording: {problem}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
