# SPDX-License-Identifier: Apache-2.0
"""Invariants: what holds for every scheduler, checked from its records alone, with no specification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from refsched.checking.own_plugins import OwnPlugins
from refsched.records import SCHEDULED, Attempt, Nodes, Queues, Record
from refsched.releases import DEFAULT
from refsched.releases.release import Release
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.findings import Finding
from refsched.suite.invariants.decisions import DECISION_INVARIANTS, promises_of
from refsched.suite.invariants.ledger import PodLedger
from refsched.suite.invariants.places import bound_once, given_back, in_one_place, nothing_lost
from refsched.suite.invariants.reservations import Reservations
from refsched.suite.invariants.settled import LONG_ENOUGH, QuietTime, left_behind, waits_in_vain_are_seen

REQUEUES_PLACED = "R-EVENT-57"
"""Where this rule holds, a pod that has a node may be requeued, stay queued when it is deleted, and be tried
again."""
FORGETS_THE_DELETED = "R-EVENT-09"
"""Where this rule holds, an assumed pod counts no longer once its deletion begins."""
TAKES_OFF_AS_BOUND = "R-CACHE-52"
"""Where this rule holds, a node may count another amount than its pods request."""
ATTEMPT_RULES = ("R-INV-05",)
QUEUE_RULES = ("R-INV-06", "R-INV-07")
IDLE_RULES = ("R-INV-09",)
NODE_RULES = ("R-INV-08",)


class Invariants:
    """Invariants are checked over the records of one scheduler with this configuration and feature gates.
    ``decisive`` counts how often each of them had something to check. If plugins of the scheduler's ``own`` may
    reject a pod, it is not checked whether a pod waits in vain."""

    def __init__(
        self,
        config: dict[str, Any],
        gates: Mapping[str, bool],
        release: Release = DEFAULT,
        own: OwnPlugins | None = None,
    ) -> None:
        def holds(rule: str) -> bool:
            return release.name in all_rules()[rule].releases

        self._promises = promises_of(config, gates, release)
        self._ledger = PodLedger(
            frozenset(self._promises),
            release,
            holds(FORGETS_THE_DELETED),
            holds(TAKES_OFF_AS_BOUND),
        )
        self._quiet = QuietTime()
        self._doubled: set[str] | None = None if gates.get("SchedulerPopFromBackoffQ", True) else set()
        self._requeues_placed = holds(REQUEUES_PLACED)
        self._reservations = Reservations(own) if own is not None else None
        has_own = own is not None and bool(own.names)
        self._sees_waits_in_vain = waits_in_vain_are_seen(config) and not has_own
        self.decisive: Counter[str] = Counter()

    def take(self, record: Record) -> list[Finding]:
        """Checks a record before it counts: an attempt is judged by what was there when it was made."""
        if self._requeues_placed:
            self._ledger.note_requeued(record)
        findings = list(self._broken_by(record))
        if self._reservations is not None:
            findings += self._reservations.take(record, self._ledger.bound | self._ledger.assumed)
        self._ledger.take(record)
        self._quiet.take(record)
        return findings

    def idle(self) -> list[Finding]:
        """Checks an answer that there was no pod to be tried."""
        ledger = self._ledger
        is_settled = self._quiet.seconds >= LONG_ENOUGH and not (
            ledger.held or ledger.assumed or ledger.unclear
        )
        if not (is_settled and self._sees_waits_in_vain):
            return []
        self.decisive.update(IDLE_RULES)
        return list(left_behind(ledger, self._promises, self._quiet))

    def begin(self, pod: str) -> None:
        """Notes that a cycle of this pod is held: what is reported of it later was decided now."""
        self._ledger.begin(pod)

    def _broken_by(self, record: Record) -> Iterator[Finding]:
        match record:
            case Attempt():
                yield from self._broken_by_attempt(record)
            case Queues():
                self.decisive.update(QUEUE_RULES)
                yield from in_one_place(self._ledger, record, self._doubled)
                yield from nothing_lost(self._ledger, record)
            case Nodes():
                self.decisive.update(NODE_RULES)
                yield from given_back(self._ledger, record)

    def _broken_by_attempt(self, attempt: Attempt) -> Iterator[Finding]:
        self.decisive.update(ATTEMPT_RULES)
        yield from bound_once(self._ledger, attempt)
        pod = self._ledger.pods.get(attempt.pod)
        if pod is None:
            if attempt.pod not in self._ledger.held | self._ledger.unclear:
                yield Finding("R-INV-05", "pod", "a pod that is there", attempt.pod, attempt.pod)
            return
        promises = self._promises.get(pod.spec.scheduler_name)
        if promises is not None:
            self.decisive.update(_decided_by(attempt))
            for invariant in DECISION_INVARIANTS:
                yield from invariant(self._ledger, attempt, promises)


def _decided_by(attempt: Attempt) -> Iterator[str]:
    if attempt.result == SCHEDULED:
        yield "R-INV-01"
        if attempt.filter is not None:
            yield "R-INV-02"
    if attempt.scores:
        yield from ("R-INV-03", "R-INV-04")
