# SPDX-License-Identifier: Apache-2.0
"""Checker: the specification follows what another scheduler did, and says where it was not allowed.

The records of a trace, or of a live scheduler, are fed in their order. After a disagreement the specification
goes on from what was recorded, as far as it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from refsched.checking.agreement import (
    Disagreement,
    attempt_disagreements,
    bind_disagreements,
    nodes_disagreements,
    queues_disagreements,
)
from refsched.checking.following import Following
from refsched.config.feature_gates import read_feature_gates
from refsched.config.read import read_config
from refsched.inputs import InputReader
from refsched.profiles import scheduler_of
from refsched.scheduler import START, Scheduler
from refsched.trace.records import Attempt, Bind, Input, Nodes, Queues, Record, Write


class Checker:
    """One session: the specification's own scheduler beside the one that is checked."""

    def __init__(
        self,
        config: Mapping[str, Any],
        feature_gates: Mapping[str, Any] | None = None,
        frozen_timers: Iterable[str] = (),
        start: datetime = START,
    ) -> None:
        gates = read_feature_gates(feature_gates)
        self.following = Following()
        self.scheduler: Scheduler = scheduler_of(
            read_config(config, gates),
            self.following,
            gates=gates,
            start=start,
            frozen_timers=frozenset(frozen_timers),
        )
        self._inputs = InputReader(self.scheduler)
        self._binds: list[Bind] = []
        self._attempts: list[Attempt] = []

    def take(self, record: Record) -> list[Disagreement]:
        """Follow one record. InputError where an input cannot be."""
        if isinstance(record, Input):
            self._inputs.apply(record)
            self._collect()
            return []
        return list(self._check(record))

    def _check(self, record: Record) -> Iterator[Disagreement]:
        match record:
            case Attempt():
                yield from self._attempt(record)
            case Bind():
                yield from bind_disagreements(record, self._bind_of(record.pod))
            case Queues():
                yield from queues_disagreements(record, self.scheduler.queues())
            case Nodes():
                yield from nodes_disagreements(record, self.scheduler.nodes())
            case Write():
                return

    def _attempt(self, record: Attempt) -> Iterator[Disagreement]:
        self.following.follow(record)
        try:
            yield from self._pop(record)
        except KeyError:
            yield Disagreement("pod", "a pod that waits to be scheduled", record.pod)
            return
        self._collect()
        specified = self._attempts.pop(0) if self._attempts else None
        for amiss in self.following.not_allowed:
            yield Disagreement(amiss.member, amiss.expected, amiss.got)
        self.following.follow(None)
        if specified is not None:
            yield from attempt_disagreements(record, specified)

    def _pop(self, record: Attempt) -> Iterator[Disagreement]:
        """A pod whose turn it is not is tried all the same."""
        heads = [queued.key for queued in self.scheduler.stations.queue.heads()]
        if record.pod in heads:
            self.scheduler.schedule()
            return
        yield Disagreement("pod", heads or "no pod: Pop would block", record.pod)
        self.scheduler.schedule(record.pod)

    def _collect(self) -> None:
        for record in self.scheduler.take_records():
            if isinstance(record, Attempt):
                self._attempts.append(record)
            elif isinstance(record, Bind):
                self._binds.append(record)

    def _bind_of(self, pod: str) -> Bind | None:
        for bind in self._binds:
            if bind.pod == pod:
                self._binds.remove(bind)
                return bind
        return None
