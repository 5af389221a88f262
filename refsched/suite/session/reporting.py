# SPDX-License-Identifier: Apache-2.0
"""Reporting: the part of the pytest plugin that collects the outcome of every test and reports the result."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import pytest
from attrs import evolve

from refsched.errors import LONGEST_LINE, printable, shortened
from refsched.reading.shipped_files import CALLED_AS
from refsched.suite.level import Level
from refsched.suite.reports.report_html import html
from refsched.suite.reports.report_json import json_text
from refsched.suite.reports.report_terminal import Paragraph, paragraphs
from refsched.suite.results.invocation import Invocation
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.outcome import Outcome, outcome_in
from refsched.suite.results.result import FAILED, NOT_JUDGED, Result
from refsched.suite.session.bench import Bench
from refsched.suite.session.kept_rules import KeptRules
from refsched.suite.session.options import Options, arguments_of, selecting
from refsched.suite.session.progress import Progress, progress_of
from refsched.suite.session.run_data import MEMBER, RunData, result_of, to_plain
from refsched.suite.session.runner import Runner
from refsched.suite.session.testing import Testing
from refsched.suite.session.writing import write_whole

FOLDER = ".refsched"
"""What repeats each failure stands in this folder, below the directory in which pytest was called."""


class Reporting:
    """A Reporting runs in pytest's own process, or in pytest-xdist's controller."""

    def __init__(
        self,
        config: pytest.Config,
        options: Options,
        bench: Bench,
        runner: Runner,
        testing: Testing,
        kept_rules: KeptRules,
        known: Collection[str],
        later: Collection[str] = (),
    ) -> None:
        self._config = config
        self._options = options
        self._bench = bench
        self._runner = runner
        self._testing = testing
        self._kept = kept_rules
        self._known = known
        self._later = later
        self._about: JudgedImplementation | None = None
        self._outcomes: list[Outcome] = []
        self._expected: set[str] = set()
        self._ended: set[str] = set()
        self._others_failed = False
        self._result: Result | None = None
        self._unwritten: list[str] = []
        self._progress: Progress | None = None

    def meet(self) -> JudgedImplementation:
        """Connects to the implementation, and raises what Runner.about raises. If other processes run the tests,
        this connection is closed again."""
        self._about = self._runner.about()
        if self._config.getoption("numprocesses", None):
            self._runner.close()
        if self._options.replay is None and self._options.shard is None:
            self._remove_what_repeats_earlier_failures()
        return self._about

    def _remove_what_repeats_earlier_failures(self) -> None:
        """Removes the files of earlier failures. Parts of one run (``--shard``) share the folder, and a repeated
        failure is read from it."""
        for suffix in ("jsonl", "yaml"):
            for path in (self._config.invocation_params.dir / FOLDER).glob(f"R-*.{suffix}"):
                with suppress(OSError):
                    path.unlink()

    # --- Tests ------------------------------------------------------------------------------------

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._expected |= {item.nodeid for item in session.items}
        self._progress = progress_of(self._config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._progress is not None:
            self._progress.begin(nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Collection[str]) -> None:
        self._expected |= set(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when not in ("setup", "call", "teardown"):
            return  # pytest-xdist says in this way that a worker has ended in the middle of a test
        if report.when == "call" or not report.passed:
            self._ended.add(report.nodeid)
        outcome = outcome_in(report.user_properties)
        if outcome is not None:
            self._outcomes.append(outcome)
            if self._progress is not None:
                self._progress.note(outcome)
        elif report.failed:
            self._others_failed = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Returns categories of its own, so that pytest does not print at length what the report of rules shows
        better, and no letters if a line of progress is shown."""
        outcome = outcome_in(getattr(report, "user_properties", []))
        if outcome is None:
            return None
        status = _status(outcome, report)
        return status if status is None or self._progress is None else (status[0], "", "")

    # --- The end ----------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._progress is not None:
            self._progress.end()
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            what_to_do = (
                "check the path, -k and --shard"
                if self._options.replay is None
                else "--replay selects its own, so leave out the path and -k"
            )
            sys.stderr.write(f"ERROR: no test was selected: {what_to_do}\n")
        code = min(int(exitstatus), NOT_JUDGED)
        is_interrupted = exitstatus == pytest.ExitCode.INTERRUPTED
        is_empty_part = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._options.shard is not None
        if self._about is not None and (is_interrupted or is_empty_part or code != NOT_JUDGED):
            data = self._gathered(self._about, is_interrupted)
            self._result = result_of(data)
            self._write(self._result, data)
            code = FAILED if self._others_failed and not is_interrupted else self._result.exit_code
        session.exitstatus = NOT_JUDGED if self._unwritten else code

    def _gathered(self, about: JudgedImplementation, is_interrupted: bool) -> RunData:
        if self._testing.cut_short is not None:
            self._outcomes.append(self._testing.cut_short)
        options = self._options
        invocation = Invocation(
            options.implementation,
            options.level,
            options.seed,
            command=self._command(),
            selected=selecting(self._config),
            arguments=arguments_of(self._config, options),
            folder=FOLDER,
            replayed=self._config.getoption("--replay") or "",
        )
        return RunData(
            invocation=invocation,
            about=evolve(about, holding=frozenset()),  # the rules say it
            rules=tuple(rule for rule in self._bench.rules.values() if rule.id in about.holding),
            outcomes=tuple(sorted(self._outcomes, key=lambda outcome: outcome.test)),
            changes=tuple(sorted(self._kept.changes)),
            untried=tuple(sorted(self._kept.untried)),
            known=tuple(sorted(self._known)),
            later=tuple(sorted(self._later)),
            unfinished=len(self._expected - self._ended),
            interrupted=is_interrupted,
            others_failed=self._others_failed,
            shard=options.shard,
        )

    def _command(self) -> str:
        """Returns the start of the command that repeats something, called from the same directory."""
        called = self._config.getoption(CALLED_AS) or f"pytest {self._tests()}".strip()
        only = f" --only={shlex.quote(self._options.only)}" if self._options.only else ""
        level = f" --level={self._options.level}" if self._options.level is not Level.ALL else ""
        return f"{called} --impl={shlex.quote(self._options.implementation)}{only}{level}"

    def _tests(self) -> str:
        """Returns the folder of the tests that were asked for, or nothing if pytest was called in it."""
        here = self._config.invocation_params.dir
        asked = here / self._config.args[0].partition("::")[0]
        folder = os.path.relpath(asked if asked.is_dir() else asked.parent, here)
        return "" if folder == os.curdir else f"{shlex.quote(Path(folder).as_posix())}/"

    def _write(self, result: Result, data: RunData) -> None:
        here = self._config.invocation_params.dir
        for each in result.rules:
            if each.failure is not None and not result.invocation.replayed:
                self._write_file(here / FOLDER / f"{each.rule.id}.jsonl", each.failure.trace)
                self._write_file(here / FOLDER / f"{each.rule.id}.yaml", each.failure.scenario)
        for path in self._options.reports:
            kept = {} if data.shard is None else {MEMBER: to_plain(data)}
            self._write_file(path, html(result) if path.suffix == ".html" else json_text(result, kept))

    def _write_file(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(exist_ok=True)
            write_whole(path, text)
        except OSError as problem:
            self._unwritten.append(f"{path}: {problem.strerror}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._result is None:
            return
        terminalreporter.ensure_newline()
        terminalreporter.section("conformance")
        shown = [
            *paragraphs(self._result),
            *(Paragraph((f"not written: {path}",), "red") for path in self._unwritten),
        ]
        for paragraph in shown:
            for number, line in enumerate(paragraph.lines):
                colours = {paragraph.colour: True} if paragraph.colour and not number else {}
                terminalreporter.write_line(shortened(printable(line), LONGEST_LINE), **colours)
            terminalreporter.write_line("")


def _status(outcome: Outcome, report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Returns the category, the letter and the word, or None for pytest's own."""
    if outcome.has_failed:
        return "not conforming", "F", "NOT CONFORMING"
    if outcome.missing:
        return "not claimed", "-", "NOT CLAIMED"
    if outcome.is_untried:
        return "not tried", "~", "NOT TRIED"
    if outcome.fault is not None and report.skipped:
        return "not judged", "?", "NOT JUDGED"
    if outcome.is_incomplete and report.passed:
        return "not completed", "/", "NOT COMPLETED"
    return ("passed", ".", "PASSED") if report.when == "call" and report.passed else None
