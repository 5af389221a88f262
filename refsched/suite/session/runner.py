# SPDX-License-Identifier: Apache-2.0
"""Runner: the one connection to the implementation that a process has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, frozen

from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.histories.history import History
from refsched.suite.session.bench import Bench, Connection, Course, Hello, Judgement


@frozen
class About:
    """Who is judged, as plain values."""

    name: str
    version: str
    kubernetes: str
    capabilities: tuple[str, ...]

    @classmethod
    def of(cls, hello: Hello) -> About:
        return cls(hello.name, hello.version, hello.kubernetes, tuple(sorted(hello.capabilities)))


@define(eq=False)
class Runner:
    """``what`` is the implementation, ``timeout`` in seconds for each of its answers."""

    bench: Bench
    what: str
    timeout: float
    final_fault: AdapterFault | None = None
    """After this one the implementation is not asked any more."""
    _connection: Connection | None = None

    def about(self) -> About:
        """AdapterUnavailable where the implementation cannot be had, AdapterFault where it does not say hello."""
        return About.of(self._connected().hello)

    def judge(self, history: History) -> Judgement:
        with self._asking():
            return self.bench.judge(self._connected(), history)

    def begin(self, beginning: History) -> Course:
        with self._asking():
            return self.bench.begin(self._connected(), beginning)

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
            self._connection = self.bench.connect(self.what, self.timeout)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
