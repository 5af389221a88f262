# SPDX-License-Identifier: Apache-2.0
"""Progress: what a run shows on a terminal while it goes on, one line for each property or table of cases."""

from __future__ import annotations

import time

import pytest
from attrs import define

from refsched.errors import counted
from refsched.suite.results.outcome import Outcome

WIDTH = 48
"""The name takes this many columns."""


@define(eq=False)
class Progress:
    """A Progress writes the name of what is tested as soon as that begins, and what came of it when it is over."""

    reporter: pytest.TerminalReporter
    _name: str = ""
    _began: float = 0.0
    _tests: int = 0
    _not_claimed: int = 0
    _histories: int = 0
    _completed: int = 0
    _failed: int = 0

    def begin(self, test: str) -> None:
        """Shows that a test begins; ``test`` is a node id of pytest. Tests that differ only in a parameter share a
        line."""
        name = test.rpartition("::")[2].partition("[")[0].removeprefix("test_").replace("_", " ")
        if name == self._name:
            return
        self.end()
        self._name, self._began = name, time.monotonic()
        self._tests = self._not_claimed = self._histories = self._completed = self._failed = 0
        self.reporter.write(f"{name:{WIDTH}}")
        self.reporter.flush()

    def note(self, outcome: Outcome) -> None:
        self._tests += 1
        self._not_claimed += not outcome.is_claimed
        self._histories += outcome.examples
        self._completed += outcome.done
        self._failed += outcome.has_failed

    def end(self) -> None:
        if not self._name:
            return
        seconds = f"{time.monotonic() - self._began:.1f} s"
        done = counted(self._histories, "history", "histories")
        if self._histories and not self._completed:
            done = f"{done}, none completed"
        failed = f", {counted(self._failed, 'test')} not conforming" if self._failed else ""
        came = f"{done}, {seconds}{failed}" if self._not_claimed < self._tests else "not claimed"
        colours = {"red": True} if self._failed else {}
        self.reporter.write(f"  {counted(self._tests, 'test')}, {came}\n", **colours)
        self._name = ""


def progress_of(config: pytest.Config) -> Progress | None:
    """Returns None if nobody looks on, or if tests are run side by side, or shown one by one."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if (
        reporter is None
        or not reporter.isatty
        or reporter.verbosity
        or config.getoption("numprocesses", None)
    ):
        return None
    reporter.showfspath = False
    return Progress(reporter)
