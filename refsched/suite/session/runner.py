# SPDX-License-Identifier: Apache-2.0
"""Runner: the one connection to the implementation that a process has."""

from __future__ import annotations

from functools import partial

from attrs import define, evolve

from refsched.suite.adapters.answers import Hello
from refsched.suite.adapters.connecting import is_over_the_api
from refsched.suite.histories.history import History
from refsched.suite.histories.judgement import Judgement
from refsched.suite.level import Level
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.session.bench import Bench, Connection, SteppedRun
from refsched.suite.session.unsupported_fields import drawn_from, fields_not_taken, without

NOT_BEFORE_AN_ATTEMPT = ("Pod.status.conditions", "Pod.status.nominatedNodeName")
"""Over the API a pod that waits may be attempted before it has these fields."""


@define(eq=False)
class Runner:
    """A Runner asks the implementation ``what``, whose answers may take ``timeout`` seconds each. Only the part
    ``only`` of it is judged, by the rules of ``level``. The ``seed`` decides which objects are drawn to learn
    which fields it takes."""

    bench: Bench
    what: str
    timeout: float
    only: str = ""
    seed: str = "0"
    level: Level = Level.ALL
    _connection: Connection | None = None
    _known: tuple[Hello, JudgedImplementation] | None = None
    """This is what the implementation has said of itself, and what follows from it."""
    _not_taken: tuple[str, ...] | None = None
    """These fields are not taken, as was learned after the first answer that something is unsupported."""

    def about(self) -> JudgedImplementation:
        """Returns what the implementation says of itself. Raises AdapterUnavailable if it cannot be had, and
        AdapterFault if it does not answer hello."""
        connection = self._connected()
        hello = connection.hello
        if self._known is None or self._known[0] != hello:
            about = JudgedImplementation.of(
                hello, self.bench.holding(connection), self.bench.lacks(connection)
            )
            self._known = hello, about
        return self._known[1]

    def judge(self, history: History, level: Level | None = None) -> Judgement:
        """Runs a history, and judges it by the rules of this level, if it is not the level of the run. A history
        in which something was unsupported is run again without the fields that the implementation does not
        take."""
        judge = partial(self.bench.judge, self._connected(), level=level or self.level)
        judgement = judge(history)
        if not judgement.is_unsupported or type(history) is not History:
            return judgement
        shorter, had = without(history, self._learned())
        return evolve(judge(shorter), without=had) if had else judgement

    def applied(self, history: History) -> frozenset[str]:
        """Returns the rules that apply in a history and can show."""
        about = self.about()
        applied = frozenset(self.bench.applied(self._connected(), history))
        return applied & about.holding - about.lacks.keys()

    def begin(self, beginning: History, level: Level | None = None) -> SteppedRun:
        """Begins a history step by step. It is not run again without the fields that are not taken."""
        return self.bench.begin(self._connected(), beginning, level or self.level)

    def _learned(self) -> tuple[str, ...]:
        if is_over_the_api(self.what):
            return NOT_BEFORE_AN_ATTEMPT
        if self._not_taken is None:
            judge = partial(self.bench.judge, self._connected(), level=self.level)
            self._not_taken = fields_not_taken(judge, drawn_from(self.bench, self.seed))
        return self._not_taken

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self.bench.connect(self.what, self.timeout, self.only)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
