# SPDX-License-Identifier: Apache-2.0
"""Soundness: many histories against one scheduler, to see whether the suite ever fails one that is right.

``python -m conformance.campaigns.soundness --impl kube-scheduler --examples 20000`` draws from every area in
turn, a batch for each seed, and prints figures; a finding is printed in full, and the run goes on. Exit codes as
everywhere: 0 none was found, 1 some were, 2 it could not be judged.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click
import hypothesis
from attrs import Factory, asdict, define
from hypothesis import Phase, settings

from conformance.strategies import AREAS
from refsched.records import Attempt, Bind
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.histories.driver import Transcript
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import load_profile

BATCH = 100
"""Histories of one area and one seed, before it is the next area's turn."""


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


def run(adapter: Adapter, areas: Sequence[str], examples: int, seed: int) -> Figures:
    """At least so many histories. AdapterFault where an answer is not as docs/protocol.md says."""
    load_profile()
    hello = adapter.hello
    figures = Figures(f"{hello.name} {hello.version}", seed)
    start = time.monotonic()
    while figures.histories < examples:
        for area in areas:
            counted = Counter(figures.by_area.get(area, {}))
            for history in _drawn(area, seed + figures.seeds):
                _count(try_history(adapter, history), figures, counted)
            figures.by_area[area] = dict(counted)
            figures.seconds = round(time.monotonic() - start, 1)
            click.echo(f"{figures.histories:>7} histories  {figures.seconds:>8} s  {area}", err=True)
        figures.seeds += 1
    return figures


def _drawn(area: str, seed: int) -> list[History]:
    histories: list[History] = []

    @settings(max_examples=BATCH, phases=[Phase.generate])
    @hypothesis.seed(seed)
    @hypothesis.given(AREAS[area]())
    def each(history: History) -> None:
        histories.append(history)

    each()
    return histories


def _count(transcript: Transcript, figures: Figures, counted: Counter[str]) -> None:
    seen = [entry.record for entry in transcript.seen]
    attempts = sum(isinstance(record, Attempt) for record in seen)
    bindings = sum(isinstance(record, Bind) for record in seen)
    figures.histories += 1
    figures.attempts += attempts
    figures.bindings += bindings
    counted.update(histories=1, attempts=attempts, bindings=bindings)
    if transcript.findings:
        figures.findings += 1
        counted["findings"] += 1
        _print_run(transcript)
    elif transcript.ended:
        why = transcript.ended.partition(":")[0]
        figures.ended[why] = figures.ended.get(why, 0) + 1


def _print_run(transcript: Transcript) -> None:
    line: dict[str, Any] = {
        "findings": [str(finding) for finding in transcript.findings],
        "config": transcript.history.config,
        "featureGates": dict(transcript.history.feature_gates),
        "steps": steps_as_json(transcript.history),
    }
    click.echo(json.dumps(line))


@click.command()
@click.option("--impl", "what", default="kube-scheduler", show_default=True, help="As pytest's --impl.")
@click.option("--examples", default=20_000, show_default=True, help="Histories, at least.")
@click.option("--seed", default=0, show_default=True, help="The first seed.")
@click.option("--area", "areas", multiple=True, help="Only these areas.  [default: all]")
@click.option(
    "--json", "path", type=click.Path(dir_okay=False, writable=True), help="Write the figures here."
)
def main(what: str, examples: int, seed: int, areas: tuple[str, ...], path: str | None) -> None:
    """Draw many histories, and see whether the suite fails a scheduler that is right."""
    try:
        with connect(what) as adapter:
            figures = run(adapter, areas or tuple(AREAS), examples, seed)
    except (AdapterFault, AdapterUnavailable) as problem:
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
