# SPDX-License-Identifier: Apache-2.0
"""Runner: the one connection to the implementation that a process has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from attrs import define, field, frozen

from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.histories.history import History
from refsched.suite.session.bench import Bench, Connection, Hello, Judgement, SteppedRun


@frozen
class About:
    """An About is what is known of the implementation, as plain values."""

    name: str
    version: str
    kubernetes: str
    capabilities: tuple[str, ...]
    holding: frozenset[str] = frozenset()
    """These are the rules of the release by which it decides."""
    lacks: Mapping[str, str] = field(factory=dict)
    """These rules cannot show in what it reports, each with the capability or the plugin that it does not have."""
    plugins: tuple[str, ...] = ()
    """These are the plugins that it says it has. A whole scheduler names none."""

    @classmethod
    def of(cls, hello: Hello, holding: frozenset[str], lacks: Mapping[str, str]) -> About:
        capabilities = tuple(sorted(hello.capabilities))
        plugins = tuple(sorted(hello.plugins or ()))
        return cls(hello.name, hello.version, hello.kubernetes, capabilities, holding, lacks, plugins)


@define(eq=False)
class Runner:
    """A Runner asks the implementation ``what``, whose answers may take ``timeout`` seconds each; ``only`` is the
    part of it that is judged."""

    bench: Bench
    what: str
    timeout: float
    only: str = ""
    final_fault: AdapterFault | None = None
    """After this one the implementation is not asked any more."""
    _connection: Connection | None = None
    _known: tuple[Hello, About] | None = None
    """This is what the implementation has said of itself, and what follows from it."""

    def about(self) -> About:
        """Returns what the implementation says of itself. Raises AdapterUnavailable if it cannot be had, and
        AdapterFault if it does not answer hello."""
        connection = self._connected()
        hello = connection.hello
        if self._known is None or self._known[0] != hello:
            about = About.of(hello, self.bench.holding(connection), self.bench.lacks(connection))
            self._known = hello, about
        return self._known[1]

    def judge(self, history: History, level: str = "") -> Judgement:
        """Runs a history, and judges it by the rules of this level, if it is not the level of the run."""
        with self._asking():
            return self._bench_at(level).judge(self._connected(), history)

    def begin(self, beginning: History, level: str = "") -> SteppedRun:
        with self._asking():
            return self._bench_at(level).begin(self._connected(), beginning)

    def _bench_at(self, level: str) -> Bench:
        return self.bench.at_level(level) if level else self.bench

    @contextmanager
    def _asking(self) -> Iterator[None]:
        if self.final_fault is not None:
            raise self.final_fault
        try:
            yield
        except AdapterFault as fault:
            if fault.final:
                self.final_fault = fault
            raise

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self.bench.connect(self.what, self.timeout, self.only)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
