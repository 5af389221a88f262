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
    """Who is judged, as plain values."""

    name: str
    version: str
    kubernetes: str
    capabilities: tuple[str, ...]
    holding: frozenset[str] = frozenset()
    """The rules of the release by which it decides."""
    lacks: Mapping[str, str] = field(factory=dict)
    """The rules that nothing shows which it reports, each with the capability or the plugin that it does not
    have."""
    plugins: tuple[str, ...] = ()
    """Those that it names as the ones that it has. None are named by a whole scheduler."""

    @classmethod
    def of(cls, hello: Hello, holding: frozenset[str], lacks: Mapping[str, str]) -> About:
        capabilities = tuple(sorted(hello.capabilities))
        plugins = tuple(sorted(hello.plugins or ()))
        return cls(hello.name, hello.version, hello.kubernetes, capabilities, holding, lacks, plugins)


@define(eq=False)
class Runner:
    """``what`` is the implementation, ``timeout`` in seconds for each of its answers, ``only`` the part of it
    that is judged."""

    bench: Bench
    what: str
    timeout: float
    only: str = ""
    final_fault: AdapterFault | None = None
    """After this one the implementation is not asked any more."""
    _connection: Connection | None = None
    _known: tuple[Hello, About] | None = None
    """What the implementation has said of itself, and what follows from it."""

    def about(self) -> About:
        """AdapterUnavailable where the implementation cannot be had, AdapterFault where it does not say hello."""
        connection = self._connected()
        hello = connection.hello
        if self._known is None or self._known[0] != hello:
            about = About.of(hello, self.bench.holding(connection), self.bench.lacks(connection))
            self._known = hello, about
        return self._known[1]

    def judge(self, history: History, level: str = "") -> Judgement:
        """By the rules of this level, if it is not the one of the run."""
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
