# SPDX-License-Identifier: Apache-2.0
"""Soundness: whether the suite ever fails a scheduler that is right, over many seeds.

``python -m conformance.campaigns.soundness --impl kube-scheduler --seeds 100-199`` runs, for each seed, every
history that ``pytest conformance/ --hypothesis-seed=SEED`` draws. Cases, recordings and the histories of
``conformance/chosen`` are the same with every seed, and are left out. With ``--replays`` each history is recorded,
and the recording replayed, except for those of the state machine. A finding is printed in full, with the test and
the seed, and the run goes on; figures are printed at the end. The seeds are shared out (machines.py), and the
figures do not depend on how, but for the seconds. Exit codes as everywhere: 0 nothing was found, 1 something was,
2 it could not be judged.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from attrs import Factory, asdict, define, frozen

from conformance.campaigns.options import of_areas, read_seeds
from conformance.machines import Each, machines, sharing
from conformance.strategies import AREAS
from conformance.wrong.profile import SuiteTest, suite_tests
from refsched.checking.replay import judge_file
from refsched.records import Attempt, Bind
from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.histories.history import History, Step
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.scenario import history_as_json
from refsched.suite.recording.recorder import record, write_trace
from refsched.suite.session.bench import SteppedRun
from refsched.suite.session.conforming import Declaration
from refsched.suite.session.drawing import drawn, drawn_by, load_profile
from refsched.suite.session.runner import Runner
from refsched.suite.session.standard import StandardBench

TIMEOUT = 60.0
"""Seconds that the implementation may take for an answer."""


class ProblemError(Exception):
    """A ProblemError says why the scheduler could not be judged."""


@define
class Figures:
    """Figures are what a run came to. ``ended`` counts the histories that were not run to their end, by the
    reason."""

    implementation: str
    seeds: list[int]
    seconds: float = 0.0
    histories: int = 0
    attempts: int = 0
    bindings: int = 0
    findings: int = 0
    failing_seeds: list[int] = Factory(list)
    by_test: dict[str, dict[str, int]] = Factory(dict)
    ended: dict[str, int] = Factory(dict)


@frozen
class Task:
    """A Task is what the suite draws with one seed, for this implementation, in tests about these areas."""

    what: str
    seed: int
    areas: frozenset[str]
    replays: bool = False


@define
class Outcome:
    """An Outcome is what came of a task. ``problem`` says why the scheduler could not be judged."""

    implementation: str = ""
    by_test: dict[str, Counter[str]] = Factory(dict)
    ended: Counter[str] = Factory(Counter)
    findings: list[str] = Factory(list)
    problem: str = ""


def run(
    what: str, areas: Sequence[str], seeds: Sequence[int], each: Each = map, *, replays: bool = False
) -> Figures:
    """Tries what the suite draws with each of these seeds, or ``replays`` recordings of it. Raises ProblemError if
    it cannot be judged."""
    figures = Figures("", list(seeds))
    start = time.monotonic()
    tasks = [Task(what, seed, frozenset(areas), replays) for seed in seeds]
    for task, outcome in zip(tasks, each(try_seed, tasks), strict=True):
        _add(figures, task, outcome)
        figures.seconds = round(time.monotonic() - start, 1)
        click.echo(f"seed {task.seed}: {figures.histories} histories, {figures.seconds} s", err=True)
    return figures


# --- One seed -------------------------------------------------------------------------------------


def try_seed(task: Task) -> Outcome:
    """Draws the histories of one seed, and tries them in a process of the implementation's own."""
    load_profile()
    outcome = Outcome()
    runner = Runner(StandardBench(), task.what, TIMEOUT)
    try:
        about = runner.about()
        outcome.implementation = f"{about.name} {about.version}"
        drawings = [
            _Drawing(runner, task.seed, test, test.declared, outcome)
            for test in suite_tests(about.kubernetes)
            if test.draws and test.area in task.areas and test.declared and not test.declared.missing(about)
        ]
        if task.replays:
            with connect(task.what, timeout=TIMEOUT) as adapter:
                for drawing in drawings:
                    drawing.replay(adapter)
        else:
            for drawing in drawings:
                drawing.run()
    except (AdapterFault, AdapterUnavailable) as problem:
        outcome.problem = f"seed {task.seed}: {problem}"
    finally:
        runner.close()
    return outcome


@frozen
class _Drawing:
    """A _Drawing runs the histories that the suite draws in one test."""

    runner: Runner
    seed: int
    test: SuiteTest
    declared: Declaration
    outcome: Outcome

    def run(self) -> None:
        machine = self.declared.machine
        if machine is not None:
            self._draw(partial(drawn_by, machine, self._begin))
        else:
            self._draw(self._each(lambda history: self.note(self.runner.judge(history))))

    def replay(self, adapter: Adapter) -> None:
        """Records the histories, and replays the recordings."""
        if self.declared.machine is None:
            with TemporaryDirectory() as folder:
                trace = Path(folder, "trace.jsonl")
                self._draw(self._each(lambda history: self._replay(adapter, history, trace)))

    def _draw(self, test: Callable[..., Callable[[], None]]) -> None:
        name = self.test.name
        self.outcome.by_test[name] = Counter()
        test(examples=self.declared.examples, seed=str(self.seed), name=name)()

    def _each(self, judge: Callable[[History], None]) -> Callable[..., Callable[[], None]]:
        """Returns what draws histories of the area and judges each of them."""

        def tried(history: History) -> None:
            self._try(judge, history)

        return partial(drawn, tried, AREAS[self.test.area]())

    def _try(self, judge: Callable[[History], None], history: History) -> None:
        try:
            judge(history)
        except (AdapterFault, AdapterUnavailable):
            raise
        except Exception as fault:  # of the suite: it is found as well, and the run goes on
            self.outcome.by_test[self.test.name]["findings"] += 1
            self.outcome.findings.append(self._as_line(history, [f"{type(fault).__name__}: {fault}"]))

    def _begin(self, beginning: History) -> _Steps:
        return _Steps(self, self.runner.begin(beginning))

    def _replay(self, adapter: Adapter, history: History, trace: Path) -> None:
        try:
            recorded = record(adapter, history)
        except ResetRefused as refused:
            self._count(history, 0, 0, [], str(refused))
            return
        write_trace(trace, recorded.text)
        report = judge_file(trace)
        found = [str(each) for each in (report.first, report.error) if each is not None]
        self._count(history, report.attempts, report.bindings, found, recorded.ended)

    def note(self, judgement: Judgement) -> None:
        """Counts what came in one history, and keeps what was found."""
        seen = [entry.record for entry in judgement.seen]
        attempts = sum(isinstance(each, Attempt) for each in seen)
        bindings = sum(isinstance(each, Bind) for each in seen)
        found = [str(finding) for finding in judgement.findings]
        self._count(judgement.history, attempts, bindings, found, judgement.ended)

    def _count(
        self, history: History, attempts: int, bindings: int, found: Sequence[str], ended: str
    ) -> None:
        counted = self.outcome.by_test[self.test.name]
        counted.update(histories=1, attempts=attempts, bindings=bindings)
        if found:
            counted["findings"] += 1
            self.outcome.findings.append(self._as_line(history, found))
        elif ended:
            self.outcome.ended[ended.partition(":")[0]] += 1

    def _as_line(self, history: History, found: Sequence[str]) -> str:
        about = {"seed": self.seed, "test": self.test.name, "findings": list(found)}
        return json.dumps(about | history_as_json(history))


@define
class _Steps:
    """A _Steps is a history of the state machine, which is tried step by step until something is found."""

    drawing: _Drawing
    run: SteppedRun
    is_over: bool = False

    def take(self, step: Step) -> None:
        if not self.is_over:
            self.run.take(step)
            if self.run.has_findings:
                self.end()

    def end(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.drawing.note(self.run.judgement())


# --- All seeds ------------------------------------------------------------------------------------


def _add(figures: Figures, task: Task, outcome: Outcome) -> None:
    if outcome.problem:
        raise ProblemError(outcome.problem)
    figures.implementation = outcome.implementation
    for test, counted in outcome.by_test.items():
        figures.histories += counted["histories"]
        figures.attempts += counted["attempts"]
        figures.bindings += counted["bindings"]
        figures.findings += counted["findings"]
        figures.by_test[test] = dict(Counter(figures.by_test.get(test, {})) + counted)
    if outcome.findings:
        figures.failing_seeds.append(task.seed)
    figures.ended = dict(Counter(figures.ended) + outcome.ended)
    for line in outcome.findings:
        click.echo(line)


@click.command()
@click.option("--impl", "what", default="kube-scheduler", show_default=True, help="As pytest's --impl.")
@click.option(
    "--seeds",
    callback=read_seeds,
    required=True,
    metavar="FIRST[-LAST]",
    help="As pytest's --hypothesis-seed.",
)
@of_areas
@click.option("--replays", is_flag=True, help="Record what is drawn, and replay the recordings.")
@sharing
@click.option(
    "--json", "path", type=click.Path(dir_okay=False, writable=True), help="Write the figures here."
)
def main(
    what: str,
    seeds: list[int],
    areas: tuple[str, ...],
    replays: bool,
    workers: int,
    scheduler: str | None,
    path: str | None,
) -> None:
    """Run what the suite draws with many seeds, and see whether it fails a scheduler that is right."""
    try:
        with machines(workers, scheduler) as each:
            figures = run(what, areas or tuple(AREAS), seeds, each, replays=replays)
    except ProblemError as problem:
        click.echo(str(problem), err=True)
        sys.exit(2)
    if not figures.histories:
        raise click.UsageError("no test of these areas that judges this scheduler draws a history")
    text = json.dumps(asdict(figures), indent=2)
    click.echo(text)
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    sys.exit(1 if figures.findings else 0)


if __name__ == "__main__":
    main()
