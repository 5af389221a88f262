# SPDX-License-Identifier: Apache-2.0
"""The bench of this package: its catalogue, its areas, its adapters and its judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from attrs import frozen
from hypothesis.strategies import SearchStrategy

from refsched.releases import RELEASES
from refsched.rules import listening
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.adapters.selection import EVERYTHING, read_selection
from refsched.suite.catalogue.rules import StatedRule, all_rules, plugins_of
from refsched.suite.catalogue.untestable_rules import why_elsewhere
from refsched.suite.histories.history import History, Step
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.part import part_of
from refsched.suite.histories.reads import plugin_names
from refsched.suite.histories.trial import Trial, try_history
from refsched.suite.level import Level
from refsched.suite.results.rule import Rule
from refsched.suite.session.bench import Connection, SteppedRun
from refsched.suite.session.order_of_rules import in_order_of_dependence

Area = Callable[[], SearchStrategy[History]]


class StandardBench:
    """A StandardBench draws histories from ``areas``, and has those that were ``chosen`` for a property, by its
    name. With ``in_process`` a Python module runs in the process of the suite."""

    def __init__(
        self,
        areas: Mapping[str, Area] | None = None,
        chosen: Callable[[str], Sequence[History]] = lambda test: (),
        *,
        in_process: bool = False,
    ) -> None:
        self.areas = areas or {}
        self.chosen = chosen
        self._in_process = in_process
        self._specifications: dict[str, Adapter] = {}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        return {rule.id: rule for rule in in_order_of_dependence(map(_rule, all_rules().values()))}

    def connect(self, what: str, timeout: float, only: str = "") -> Connection:
        names = dict.fromkeys(name for release in RELEASES for name in plugin_names(release)) if only else ()
        selection = read_selection(only, names) if only else EVERYTHING
        return connect(what, timeout=timeout, in_process=self._in_process, only=selection)

    def holding(self, connection: Connection) -> frozenset[str]:
        kubernetes = part_of(_adapter(connection).hello).kubernetes
        return frozenset(rule.id for rule in all_rules().values() if kubernetes in rule.releases)

    def lacks(self, connection: Connection) -> Mapping[str, str]:
        part = part_of(_adapter(connection).hello)
        return {rule: lacking for rule in sorted(self.holding(connection)) if (lacking := part.lacks(rule))}

    def judge(self, connection: Connection, history: History, level: Level = Level.ALL) -> Judgement:
        return try_history(_adapter(connection), history, level=level)

    def begin(self, connection: Connection, beginning: History, level: Level = Level.ALL) -> SteppedRun:
        return StandardRun(Trial(_adapter(connection), beginning, level=level))

    def applied(self, connection: Connection, history: History) -> frozenset[str]:
        heard: set[str] = set()
        with listening(heard.add):
            try_history(self._specification(connection.hello.kubernetes), history, with_specification=False)
        return frozenset(heard)

    def _specification(self, kubernetes: str) -> Adapter:
        if kubernetes not in self._specifications:
            self._specifications[kubernetes] = connect(f"{REFERENCE}:{kubernetes}")
        return self._specifications[kubernetes]


def _rule(stated: StatedRule) -> Rule:
    plugins = plugins_of(stated.id)
    why = why_elsewhere(stated.id) or ""
    return Rule(stated.id, stated.sentence, stated.level, stated.cited, plugins, why)


@frozen
class StandardRun:
    """A StandardRun is a Trial whose findings are asked for after each step."""

    trial: Trial

    def take(self, step: Step) -> None:
        self.trial.take(step)

    @property
    def has_findings(self) -> bool:
        return bool(self.trial.findings)

    def judgement(self) -> Judgement:
        return self.trial.judgement


def _adapter(connection: Connection) -> Adapter:
    if not isinstance(connection, Adapter):
        raise TypeError(f"expected an Adapter, found {type(connection).__name__}")
    return connection
