# SPDX-License-Identifier: Apache-2.0
"""Judge: the witness that knows the specification, and the invariants that need none.

The specification follows what the implementation did; where it may not do so, the rule is named. The invariants
look at the same records on their own, and come first: what they find is wrong by any specification.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from conformance.catalogue.attribution import Attribution
from conformance.catalogue.reach import Reach
from conformance.findings import Finding
from conformance.history import History
from conformance.invariants import Invariants
from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.trace.records import Attempt, Bind, Input, Queues, Record

ANSWERS = "R-ANSWER-01"
EXTENDERS = "R-EXTENDER-"


class Judge:
    """One history. ``with_specification`` off leaves the invariants alone.

    ``decisive`` counts for each rule how often it had a say in a value that was checked, ``choices`` the values
    that the implementation chose, and ``single`` those of them that left it no choice.
    """

    def __init__(
        self, history: History, capabilities: frozenset[str], *, with_specification: bool = True
    ) -> None:
        self._capabilities = capabilities
        self._reach = Reach()
        self._checker = Checker(history.config, history.feature_gates)
        self._with_specification = with_specification
        self._invariants = Invariants(history.config, history.feature_gates)
        self._attribution = Attribution(self._reach)
        self._decisive: Counter[str] = Counter()
        self._has_extenders = bool(history.config.get("extenders"))
        self.choices = 0
        self.single = 0

    @property
    def decisive(self) -> Counter[str]:
        return self._decisive + self._invariants.decisive

    @property
    def has_diverged(self) -> bool:
        return self._checker.has_diverged

    def foresee(self, records: Sequence[Record]) -> None:
        self._checker.foresee(records)

    def take(self, record: Record) -> list[Finding]:
        findings = self._invariants.take(record)
        if isinstance(record, Queues) and "queue" not in self._capabilities:
            return findings
        findings += self._compare(lambda: self._checker.take(record), record)
        if not isinstance(record, Input):
            self._count()
        if isinstance(record, Attempt):
            self._decisive[ANSWERS] += 1
            self._count_choices()
        return findings

    def begin(self, pod: str) -> list[Finding]:
        self._invariants.begin(pod)
        return self._compare(lambda: self._checker.begin(pod))

    def idle(self) -> list[Finding]:
        return self._invariants.idle() + self._compare(self._checker.idle)

    def error(self, request: str, message: str) -> list[Finding]:
        """R-ANSWER-01: a request that docs/protocol.md allows is answered, and not with an error."""
        return [Finding(ANSWERS, request, "an answer", message)]

    def settled(self) -> list[Finding]:
        return self._compare(self._checker.take_missing)

    def next_pod(self) -> str | None:
        return self._checker.next_pod()

    def _compare(
        self, compare: Callable[[], list[Disagreement]], record: Record | None = None
    ) -> list[Finding]:
        if not self._with_specification:
            return []
        pod = ""
        if isinstance(record, Attempt | Bind):
            self._attribution.saw(record)
            pod = record.pod
        with self._reach.listening():
            found = compare()
        return [
            Finding(self._attribution.rule_of(one), one.member, one.expected, one.got, pod) for one in found
        ]

    def _count(self) -> None:
        """What spoke since the last comparison has been compared now. Without extenders their rules have no say,
        though their code runs."""
        self._decisive.update(
            rule for rule in self._reach.spoken if self._has_extenders or not rule.startswith(EXTENDERS)
        )
        self._reach.clear()

    def _count_choices(self) -> None:
        offered = self._checker.offered
        self.choices += len(offered)
        self.single += sum(options == 1 for options in offered.values())
