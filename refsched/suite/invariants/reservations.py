# SPDX-License-Identifier: Apache-2.0
"""The invariant of own plugins: what Reserve took, Unreserve gives back.

What a plugin of the implementation's own decides is taken as given. But it accepted a pod on a node, the pod was
rolled back, and the cluster is as it was: then it accepts the pod there again, or it has kept something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import Factory, define, frozen

from refsched.checking.own_plugins import OwnPlugins
from refsched.records import BOUND, SCHEDULED, Advance, Attempt, Bind, Input, Record
from refsched.suite.findings import Finding

EARLY, LATE = "R-ROLLBACK-02", "R-ROLLBACK-03"
"""These are the rules of the way back from the scheduling cycle, and from the binding cycle."""


@frozen
class _Situation:
    """A _Situation is a pod and a node, with all pods that have a node, and how many changes of the cluster came
    before."""

    pod: str
    node: str
    placed: frozenset[tuple[str, str]]
    changes: int


@define(eq=False)
class Reservations:
    own: OwnPlugins
    _changes: int = 0
    _accepted: dict[_Situation, str] = Factory(dict)
    """In these situations a pod was accepted, and has been rolled back by the rule that is given."""
    _last: dict[str, _Situation] = Factory(dict)

    def take(self, record: Record, placed: Mapping[str, str]) -> Iterator[Finding]:
        """Checks a record; ``placed`` are the pods that are bound or assumed, with their nodes."""
        match record:
            case Advance():
                pass
            case Attempt():
                yield from self._attempted(record, frozenset(placed.items()))
            case Bind() if record.result != BOUND and record.pod in self._last:
                self._rolled_back(self._last.pop(record.pod), LATE)
            case _ if isinstance(record, Input):
                self._changes += 1
                self._accepted.clear()

    def _attempted(self, attempt: Attempt, placed: frozenset[tuple[str, str]]) -> Iterator[Finding]:
        rejected = [node for node, status in (attempt.filter or {}).items() if self.own.is_one(status.plugin)]
        if attempt.node and self.own.rejecting(attempt):
            rejected.append(attempt.node)
        for node in rejected:
            rule = self._accepted.get(_Situation(attempt.pod, node, placed, self._changes))
            if rule:
                expected = "accepted, as before the pod was rolled back: the cluster is the same"
                said = attempt.message if node == attempt.node else (attempt.filter or {})[node]
                yield Finding(rule, "node", expected, f"rejected on {node}: {said}", attempt.pod)
        if not attempt.node or rejected:
            return
        situation = _Situation(attempt.pod, attempt.node, placed, self._changes)
        if attempt.result == SCHEDULED:
            self._last[attempt.pod] = situation
        elif any(call.endswith(".permit") for call in attempt.calls or ()):
            self._rolled_back(situation, EARLY)

    def _rolled_back(self, situation: _Situation, rule: str) -> None:
        if situation.changes == self._changes:
            self._accepted[situation] = rule
