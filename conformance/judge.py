# SPDX-License-Identifier: Apache-2.0
"""Judge: the witness that knows the specification, and the invariants that need none.

The specification follows what the implementation did; where it may not do so, the rule is named. The invariants
look at the same records on their own, and come first: what they find is wrong by any specification.
"""

from __future__ import annotations

from collections.abc import Iterable

from conformance.catalogue.attribution import rule_of
from conformance.findings import Finding
from conformance.history import History
from conformance.invariants import Invariants
from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.trace.records import Attempt, Bind, Queues, Record

ANSWERS = "R-ANSWER-01"
"""A request that PROTOCOL.md allows is answered, and not with an error."""


class Judge:
    """One history. ``with_specification`` off leaves the invariants alone."""

    def __init__(
        self, history: History, capabilities: frozenset[str], *, with_specification: bool = True
    ) -> None:
        self._capabilities = capabilities
        self._checker = Checker(history.config, history.feature_gates)
        self._with_specification = with_specification
        self._invariants = Invariants(history.config)

    @property
    def has_diverged(self) -> bool:
        return self._checker.has_diverged

    def take(self, record: Record) -> list[Finding]:
        findings = self._invariants.take(record)
        if isinstance(record, Queues) and "queue" not in self._capabilities:
            return findings
        return findings + self._findings(self._checker.take(record), record)

    def begin(self, pod: str) -> list[Finding]:
        self._invariants.begin(pod)
        return self._findings(self._checker.begin(pod))

    def idle(self) -> list[Finding]:
        return self._findings(self._checker.idle())

    def error(self, request: str, message: str) -> list[Finding]:
        return [Finding(ANSWERS, request, "an answer", message)]

    def settled(self) -> list[Finding]:
        return self._findings(self._checker.take_missing())

    def next_pod(self) -> str | None:
        return self._checker.next_pod()

    def _findings(self, found: Iterable[Disagreement], record: Record | None = None) -> list[Finding]:
        if not self._with_specification:
            return []
        pod = record.pod if isinstance(record, Attempt | Bind) else ""
        return [
            Finding(rule_of(disagreement), disagreement.member, disagreement.expected, disagreement.got, pod)
            for disagreement in found
        ]
