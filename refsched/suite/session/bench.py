# SPDX-License-Identifier: Apache-2.0
"""Bench: what the suite needs from a project: its rules, its strategies, and how an implementation is asked and
judged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from hypothesis.strategies import SearchStrategy

from refsched.suite.adapters.answers import Hello
from refsched.suite.histories.history import History, Step
from refsched.suite.histories.judgement import Judgement
from refsched.suite.level import Level
from refsched.suite.results.rule import Rule


class Connection(Protocol):
    """A Connection reaches an implementation that can be asked. Two connections know nothing of each other."""

    @property
    def hello(self) -> Hello:
        """Returns what the implementation says of itself."""
        ...

    def close(self) -> None:
        """Ends the implementation."""
        ...


class SteppedRun(Protocol):
    """A SteppedRun is a history that is run step by step."""

    def take(self, step: Step) -> None:
        """Runs the next step. Raises AdapterFault if the implementation does not answer as docs/protocol.md
        says."""
        ...

    @property
    def has_findings(self) -> bool:
        """Returns whether anything was found wrong so far."""
        ...

    def judgement(self) -> Judgement:
        """Returns the judgement on what was run so far."""
        ...


class Bench(Protocol):
    """A Bench has the ``rules``, in the order in which they depend on each other, and the strategies by
    ``areas``."""

    @property
    def rules(self) -> Mapping[str, Rule]: ...

    @property
    def areas(self) -> Mapping[str, Callable[[], SearchStrategy[History]]]: ...

    def connect(self, what: str, timeout: float, only: str = "") -> Connection:
        """Connects to an implementation, each of whose answers may take ``timeout`` seconds; ``only`` is the part
        that is judged, as ``--only`` says it. Raises AdapterUnavailable if there is no such implementation, and
        InputError if ``only`` names no part."""
        ...

    def holding(self, connection: Connection) -> frozenset[str]:
        """Returns the rules that hold in the release by which the implementation decides. No other rule is
        reported on."""
        ...

    def lacks(self, connection: Connection) -> Mapping[str, str]:
        """Returns the rules that cannot show in what the implementation reports, each with the capability or the
        plugin that it does not have, or by which it is not judged."""
        ...

    def judge(self, connection: Connection, history: History, level: Level = Level.ALL) -> Judgement:
        """Runs a history, and judges it by the rules of this level. Raises AdapterFault if the implementation does
        not answer as docs/protocol.md says."""
        ...

    def begin(self, connection: Connection, beginning: History, level: Level = Level.ALL) -> SteppedRun:
        """Begins a run with the configuration of this history, and without its steps. Raises AdapterFault as
        ``judge`` does."""
        ...

    def chosen(self, test: str) -> Sequence[History]:
        """Returns the histories that the property of this name tries after those that it draws."""
        ...

    def applied(self, connection: Connection, history: History) -> Collection[str]:
        """Returns the rules that apply in a history, in the release by which the implementation decides."""
        ...
