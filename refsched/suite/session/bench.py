# SPDX-License-Identifier: Apache-2.0
"""Bench: all that the suite asks of the rest of the package, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from attrs import field, frozen
from hypothesis.strategies import SearchStrategy

from refsched.records import Record
from refsched.suite.histories.findings import Comparison, Finding
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Step

NEEDS = "needs "
"""How the reason begins why a history was not run that needs what the implementation does not do."""

PROMISED = "promised"
OBSERVED = "observed"


@frozen
class Rule:
    """``level`` is promised or observed; ``source`` where the rule stands in Kubernetes; ``plugins`` are those of
    which one must be there, so that the rule decides anything; ``untestable`` says why no history can show it."""

    id: str
    sentence: str = ""
    level: str = PROMISED
    source: str = ""
    plugins: tuple[str, ...] = ()
    untestable: str = ""

    @property
    def area(self) -> str:
        """``TAINT`` of ``R-TAINT-03``."""
        return self.id.split("-")[1] if self.id.count("-") > 1 else self.id


class Hello(Protocol):
    """Who the implementation says it is."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def kubernetes(self) -> str: ...

    @property
    def capabilities(self) -> frozenset[str]: ...

    @property
    def plugins(self) -> frozenset[str] | None: ...


class Connection(Protocol):
    """An implementation that can be asked. Two connections know nothing of each other."""

    @property
    def hello(self) -> Hello: ...

    def close(self) -> None: ...


class Seen(Protocol):
    """One record of a transcript: the step that caused it, and the seconds since the start."""

    @property
    def step(self) -> int: ...

    @property
    def at(self) -> float: ...

    @property
    def record(self) -> Record: ...


@frozen
class Judgement:
    """What came of one history.

    ``decisive`` counts for each rule how often it produced a value that was checked; ``choices`` how many outcomes
    were checked, and ``single`` for how many of them the specification allowed one only. ``usual`` is the
    configuration that the implementation gets with the default one.
    """

    history: History
    seen: Sequence[Seen] = ()
    findings: Sequence[Finding] = ()
    decisive: Mapping[str, int] = field(factory=dict)
    choices: int = 0
    single: int = 0
    ended: str = ""
    comparison: Comparison | None = None
    usual: Mapping[str, Any] = field(factory=lambda: DEFAULT_CONFIG)

    @property
    def needs_more(self) -> bool:
        """Whether it was not run, because it needs what the implementation does not do."""
        return self.ended.startswith(NEEDS)


class SteppedRun(Protocol):
    """A history that is done step by step."""

    def take(self, step: Step) -> None:
        """The next step. AdapterFault where the implementation does not answer as docs/protocol.md says."""
        ...

    @property
    def has_findings(self) -> bool: ...

    def judgement(self) -> Judgement:
        """On what was done so far."""
        ...


class Bench(Protocol):
    """``rules`` stand in the order in which they depend on each other."""

    @property
    def rules(self) -> Mapping[str, Rule]: ...

    @property
    def areas(self) -> Mapping[str, Callable[[], SearchStrategy[History]]]: ...

    def connect(self, what: str, timeout: float, only: str = "") -> Connection:
        """AdapterUnavailable where there is no such implementation; ``timeout`` in seconds for each answer;
        ``only`` is the part that is judged, as ``--only`` says it. InputError where that is none."""
        ...

    def holding(self, connection: Connection) -> frozenset[str]:
        """The rules that hold in the release by which the implementation decides; no other is reported on."""
        ...

    def lacks(self, connection: Connection) -> Mapping[str, str]:
        """The rules that nothing shows which the implementation reports, each with the capability or the plugin
        that it does not have, or is not judged by."""
        ...

    def at_level(self, level: str) -> Bench:
        """The same, by which the rules of this level count."""
        ...

    def judge(self, connection: Connection, history: History) -> Judgement:
        """AdapterFault where the implementation does not answer as docs/protocol.md says."""
        ...

    def begin(self, connection: Connection, beginning: History) -> SteppedRun:
        """With the configuration of this history, and none of its steps. AdapterFault as above."""
        ...
