# SPDX-License-Identifier: Apache-2.0
"""Snapshots that know what changed since the ones before, and add up no more than that."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field, fields, frozen

from refsched.framework.snapshot import Count, K, Snapshot
from refsched.machine.state import SchedulerState
from refsched.remembering.changes import NodeChanges
from refsched.remembering.sums import RememberedSums
from refsched.rules import is_heard


@frozen
class RememberedSnapshot(Snapshot):
    """A RememberedSnapshot answers as a Snapshot does."""

    changes: NodeChanges = field(kw_only=True, eq=False)
    sums: RememberedSums = field(kw_only=True, eq=False)

    def sum_over_nodes(self, count: Count[K]) -> Mapping[K, int]:
        if is_heard():
            return super().sum_over_nodes(count)
        return self.sums(self, count)


@define(eq=False)
class RememberingState(SchedulerState):
    """A RememberingState is a state whose snapshots know what changed."""

    changes: NodeChanges = field(kw_only=True)
    sums: RememberedSums = field(kw_only=True)

    def snapshot(self) -> Snapshot:
        changed, is_reordered = sorted(self.cache.changed), bool(self.cache.came_or_went)
        plain = super().snapshot()
        self.changes.note(changed, plain.by_name, is_reordered=is_reordered)
        parts = (getattr(plain, each.name) for each in fields(Snapshot))
        return RememberedSnapshot(*parts, changes=self.changes, sums=self.sums)


def remembering_state(state: SchedulerState, changes: NodeChanges) -> SchedulerState:
    parts = (getattr(state, each.name) for each in fields(SchedulerState))
    return RememberingState(*parts, changes=changes, sums=RememberedSums(changes))
