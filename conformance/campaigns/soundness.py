# SPDX-License-Identifier: Apache-2.0
"""Soundness: many histories against one scheduler, to see whether the suite ever fails one that is right.

``python -m conformance.campaigns.soundness --impl kube-scheduler --examples 20000`` draws from every area in
turn, a batch for each seed, and prints figures; a finding is printed in full, and the run goes on. The batches are
shared out (machines.py), and the figures do not depend on how, but for the seconds. Exit codes as everywhere:
0 none was found, 1 some were, 2 it could not be judged.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import Any

import click
import hypothesis
from attrs import Factory, asdict, define, frozen
from hypothesis import Phase, settings

from conformance.campaigns.machines import Each, machines
from conformance.strategies import AREAS
from refsched.records import Attempt, Bind
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.histories.driver import Transcript
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import load_profile

BATCH = 100
"""Histories of one area and one seed, before it is the next area's turn."""


class ProblemError(Exception):
    """The scheduler could not be judged."""


@define
class Figures:
    """What a run came to. ``ended`` counts histories that were not run to their end, by why."""

    implementation: str
    first_seed: int
    seeds: int = 0
    seconds: float = 0.0
    histories: int = 0
    attempts: int = 0
    bindings: int = 0
    findings: int = 0
    by_area: dict[str, dict[str, int]] = Factory(dict)
    ended: dict[str, int] = Factory(dict)


@frozen
class Batch:
    """A task: so many histories of one area and one seed, against this implementation."""

    what: str
    area: str
    seed: int
    size: int


@define
class Came:
    """What came of a batch. ``problem`` says why it could not be judged."""

    implementation: str = ""
    counted: Counter[str] = Factory(Counter)
    ended: Counter[str] = Factory(Counter)
    findings: list[str] = Factory(list)
    problem: str = ""


def run(
    what: str, areas: Sequence[str], examples: int, seed: int, each: Each = map, size: int = BATCH
) -> Figures:
    """At least so many histories. ProblemError where they could not be judged."""
    figures = Figures("", seed)
    start = time.monotonic()
    while figures.histories < examples:
        seeds = ceil((examples - figures.histories) / (size * len(areas)))
        first = seed + figures.seeds
        batches = [Batch(what, area, first + number, size) for number in range(seeds) for area in areas]
        for batch, came in zip(batches, each(try_batch, batches), strict=True):
            _add(figures, batch, came)
            figures.seconds = round(time.monotonic() - start, 1)
            click.echo(f"{figures.histories:>7} histories  {figures.seconds:>8} s  {batch.area}", err=True)
        figures.seeds += seeds
    return figures


def try_batch(batch: Batch) -> Came:
    """Draws the histories of the batch, and tries them in a process of the implementation's own."""
    load_profile()
    came = Came()
    try:
        with connect(batch.what) as adapter:
            came.implementation = f"{adapter.hello.name} {adapter.hello.version}"
            for history in _drawn(batch):
                _count(try_history(adapter, history), came)
    except (AdapterFault, AdapterUnavailable) as problem:
        came.problem = str(problem)
    return came


def _drawn(batch: Batch) -> list[History]:
    histories: list[History] = []

    @settings(max_examples=batch.size, phases=[Phase.generate])
    @hypothesis.seed(batch.seed)
    @hypothesis.given(AREAS[batch.area]())
    def each(history: History) -> None:
        histories.append(history)

    each()
    return histories


def _count(transcript: Transcript, came: Came) -> None:
    seen = [entry.record for entry in transcript.seen]
    came.counted["histories"] += 1
    came.counted["attempts"] += sum(isinstance(record, Attempt) for record in seen)
    came.counted["bindings"] += sum(isinstance(record, Bind) for record in seen)
    if transcript.findings:
        came.counted["findings"] += 1
        came.findings.append(_as_line(transcript))
    elif transcript.ended:
        came.ended[transcript.ended.partition(":")[0]] += 1


def _add(figures: Figures, batch: Batch, came: Came) -> None:
    if came.problem:
        raise ProblemError(came.problem)
    figures.implementation = came.implementation
    figures.histories += came.counted["histories"]
    figures.attempts += came.counted["attempts"]
    figures.bindings += came.counted["bindings"]
    figures.findings += came.counted["findings"]
    figures.by_area[batch.area] = dict(Counter(figures.by_area.get(batch.area, {})) + came.counted)
    figures.ended = dict(Counter(figures.ended) + came.ended)
    for line in came.findings:
        click.echo(line)


def _as_line(transcript: Transcript) -> str:
    line: dict[str, Any] = {
        "findings": [str(finding) for finding in transcript.findings],
        "config": transcript.history.config,
        "featureGates": dict(transcript.history.feature_gates),
        "steps": steps_as_json(transcript.history),
    }
    return json.dumps(line)


@click.command()
@click.option("--impl", "what", default="kube-scheduler", show_default=True, help="As pytest's --impl.")
@click.option("--examples", default=20_000, show_default=True, help="Histories, at least.")
@click.option("--seed", default=0, show_default=True, help="The first seed.")
@click.option("--area", "areas", multiple=True, help="Only these areas.  [default: all]")
@click.option(
    "--workers", default=2, show_default=True, help="Processes on this machine that share the work."
)
@click.option(
    "--scheduler", metavar="tcp://…", help="Share the work among the workers of this Dask scheduler."
)
@click.option(
    "--json", "path", type=click.Path(dir_okay=False, writable=True), help="Write the figures here."
)
def main(
    what: str,
    examples: int,
    seed: int,
    areas: tuple[str, ...],
    workers: int,
    scheduler: str | None,
    path: str | None,
) -> None:
    """Draw many histories, and see whether the suite fails a scheduler that is right."""
    try:
        with machines(workers, scheduler) as each:
            figures = run(what, areas or tuple(AREAS), examples, seed, each)
    except ProblemError as problem:
        click.echo(str(problem), err=True)
        sys.exit(2)
    text = json.dumps(asdict(figures), indent=2)
    click.echo(text)
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    sys.exit(1 if figures.findings else 0)


if __name__ == "__main__":
    main()
