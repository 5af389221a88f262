# SPDX-License-Identifier: Apache-2.0
"""Invariants: what holds for every scheduler, checked from its records alone, with no specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.findings import Finding
from conformance.invariants.decisions import DECISION_INVARIANTS, promises_of
from conformance.invariants.ledger import Ledger
from conformance.invariants.places import bound_once, given_back, in_one_place, nothing_lost
from refsched.trace.records import Attempt, Nodes, Queues, Record


class Invariants:
    """All of them, over the records of one scheduler with this KubeSchedulerConfiguration."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._promises = promises_of(config)
        self._ledger = Ledger(frozenset(self._promises))

    def take(self, record: Record) -> list[Finding]:
        """Before the record counts: an attempt is judged by what was there when it was made."""
        findings = list(self._broken_by(record))
        self._ledger.take(record)
        return findings

    def begin(self, pod: str) -> None:
        """A cycle of this pod is held: what is told of it later was decided now."""
        self._ledger.held.add(pod)

    def _broken_by(self, record: Record) -> Iterator[Finding]:
        match record:
            case Attempt():
                yield from self._broken_by_attempt(record)
            case Queues():
                yield from in_one_place(self._ledger, record)
                yield from nothing_lost(self._ledger, record)
            case Nodes():
                yield from given_back(self._ledger, record)

    def _broken_by_attempt(self, attempt: Attempt) -> Iterator[Finding]:
        yield from bound_once(self._ledger, attempt)
        pod = self._ledger.pods.get(attempt.pod)
        if pod is None:
            if attempt.pod not in self._ledger.held:
                yield Finding("R-INV-05", "pod", "a pod that is there", attempt.pod, attempt.pod)
            return
        promises = self._promises.get(pod.spec.scheduler_name)
        if promises is not None:
            for invariant in DECISION_INVARIANTS:
                yield from invariant(self._ledger, attempt, promises)
