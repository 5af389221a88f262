# SPDX-License-Identifier: Apache-2.0
"""Own decisions: what a checker has to do about pods that another scheduler's own plugins decided on.

Which events requeue such a pod, in which words it is rejected, and until when it waits, only these plugins know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from attrs import Factory, define, evolve

from refsched.checking.agreement import Disagreement
from refsched.checking.own_plugins import UNNAMED, OwnPlugins
from refsched.machine.scheduler import Scheduler
from refsched.records import BOUND, SCHEDULED, Advance, Attempt, Bind, Input, Record

Decided = TypeVar("Decided", Attempt, Bind)


@define(eq=False)
class OwnDecisions:
    """OwnDecisions keep track of what these plugins decided. ``has_filtered`` says that one of them has rejected a
    node, so that it may do so in the dry runs of a preemption too, which no record shows."""

    plugins: OwnPlugins
    has_filtered: bool = False
    _rejected: set[str] = Factory(set)
    """One of these plugins rejected the last attempt or binding of these pods (``namespace/name``)."""
    _has_advanced: bool = False

    def foresee(self, records: Iterable[Record]) -> None:
        """Takes note of the bindings that are about to be reported."""
        self.plugins.binds = {record.pod: record for record in records if isinstance(record, Bind)}

    def note_input(self, record: Input) -> None:
        """Takes note of an input: of whether the clock has just moved."""
        self._has_advanced = isinstance(record, Advance)

    def decide(self, record: Bind, scheduler: Scheduler) -> bool:
        """Ends the wait of a pod on Permit as the record shows. Returns whether it is open when that was: the
        pod was rejected at some time while the clock moved."""
        waiting = next(
            (each for each in scheduler.state.waiting_pods.undecided() if each.pod.key == record.pod), None
        )
        if waiting is None or UNNAMED not in waiting.pending_plugins:
            return False
        is_rejected = bool(self.plugins.rejecting(record))
        scheduler.permit(record.pod, "reject" if is_rejected else "allow", UNNAMED)
        return is_rejected and self._has_advanced

    def compared(self, record: Decided, specified: Attempt | Bind | None) -> Decided:
        """Returns the record without the words of these plugins."""
        if isinstance(record, Attempt):
            statuses = (record.filter or {}).values()
            self.has_filtered |= any(self.plugins.is_one(status.plugin) for status in statuses)
        rejecting = self.plugins.rejecting(record) if record.node else ""
        if rejecting or self.plugins.has_rejected(specified):
            self._rejected.add(record.pod)
        else:
            self._rejected.discard(record.pod)
        if not rejecting:
            return record
        if isinstance(record, Bind) and record.result != BOUND:
            return evolve(record, message=None, unschedulable_plugins=None)
        return evolve(record, message=None)

    def came_too_late(self, record: Attempt | Bind, specified: Attempt | Bind | None) -> bool:
        """Returns whether the specification has already decided otherwise when it is seen what these plugins
        decided: that one rejected the pod, or gave a score."""
        if isinstance(record, Attempt) and isinstance(specified, Attempt):
            given, taken = (_scoring(each.scores) for each in (record, specified))
            if any(self.plugins.is_one(plugin) for plugin in given - taken):
                return True
        accepted = specified is not None and specified.result in (SCHEDULED, BOUND)
        return accepted and bool(record.node and self.plugins.rejecting(record))

    def accounts_for(self, found: Iterable[Disagreement]) -> bool:
        """Returns whether all the pods that are not where they should be were rejected by these plugins."""
        pods: set[str] = set()
        for one in found:
            expected, got = (set(_pods(each)) for each in (one.expected, one.got))
            pods |= expected ^ got
        return bool(pods) and pods <= self._rejected


def _scoring(scores: Mapping[str, Mapping[str, int]] | None) -> set[str]:
    """Returns the plugins that have scored any of these nodes."""
    return {plugin for by_plugin in (scores or {}).values() for plugin in by_plugin}


def _pods(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if "/" in value else []
    return [str(each) for each in value] if isinstance(value, list | tuple) else []
