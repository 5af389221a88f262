# SPDX-License-Identifier: Apache-2.0
"""The bench of this package: its catalogue, its areas, its adapters and its judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from hypothesis.strategies import SearchStrategy

from conformance.adapters.adapter import Adapter
from conformance.adapters.connecting import connect
from conformance.catalogue.rules import all_rules
from conformance.history import History
from conformance.strategies import AREAS
from conformance.suite.bench import Connection, Judgement, Rule
from conformance.suite.dependence import in_order_of_dependence, standing_on
from conformance.trial import try_history


class StandardBench:
    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        stated = (
            Rule(rule.id, rule.sentence, rule.level, rule.source, standing_on(rule.area))
            for rule in all_rules().values()
        )
        return {rule.id: rule for rule in in_order_of_dependence(stated)}

    @property
    def areas(self) -> Mapping[str, Callable[[], SearchStrategy[History]]]:
        return AREAS

    def connect(self, what: str, timeout: float) -> Connection:
        return connect(what, timeout=timeout)

    def judge(self, connection: Connection, history: History) -> Judgement:
        if not isinstance(connection, Adapter):
            raise TypeError(f"expected an Adapter, found {type(connection).__name__}")
        transcript = try_history(connection, history)
        return Judgement(
            transcript.history,
            transcript.seen,
            transcript.findings,
            transcript.decisive,
            transcript.choices,
            transcript.single,
            transcript.ended,
        )
