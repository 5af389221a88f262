# SPDX-License-Identifier: Apache-2.0
"""Invocation: what a run of the suite was asked to do, and the commands that do it again."""

from __future__ import annotations

import shlex

from attrs import frozen

from refsched.suite.level import Level
from refsched.suite.results.outcome import Failure


@frozen
class Invocation:
    """An Invocation is what a run was asked to do.

    ``command`` is the start of a command that repeats a failure, from ``folder`` or from the file that this run
    ``replayed`` itself; ``selected`` are the options that chose the tests, and how many examples each had;
    ``arguments`` are those of ``refsched conformance`` with which the whole runs again."""

    implementation: str
    level: Level
    seed: str
    command: str = "pytest conformance/"
    selected: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = ".refsched"
    replayed: str = ""

    @property
    def once_more(self) -> str:
        """Returns the command that runs the same tests with the same histories."""
        return " ".join(filter(None, (self.command, self.selected, f"--hypothesis-seed={self.seed}")))

    def path_of(self, rule: str, suffix: str) -> str:
        """Returns the path of the file that repeats a failure, below where pytest was called."""
        return f"{self.folder}/{rule}.{suffix}"

    def again(self, rule: str) -> str:
        """Returns the command that repeats the failure of this rule."""
        return f"{self.command} --replay={shlex.quote(self.replayed or self.path_of(rule, 'jsonl'))}"

    def explain(self, failure: Failure) -> str:
        """Returns the command that shows how the specification decides there; empty if there is none."""
        if not failure.explained or self.replayed:
            return ""
        trace = shlex.quote(self.path_of(failure.rule, "jsonl"))
        return f"refsched explain -f {trace} {shlex.quote(failure.explained)}"
