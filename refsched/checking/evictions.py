# SPDX-License-Identifier: Apache-2.0
"""Evictions: the order of the pods that remain on a node from which more than one victim was deleted at once.

It cannot be observed. kube-scheduler records the reason in each victim and deletes it, many victims at a time,
and each step moves another pod of the node to another place. The place counts among pods of one priority that
started at the same time, or have not started (R-PREEMPT-06): either of such pods may be the next victim.

Source: pkg/scheduler/framework/preemption/preemption.go, prepareCandidateAsync;
pkg/scheduler/framework/types.go, removeFromSlice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from attrs import Factory, define

from refsched.framework.node_info import NodeInfo
from refsched.machine.state import SchedulerState
from refsched.records import Attempt


@define
class Evictions:
    """Evictions keep track of the nodes on which the order of the pods is open."""

    _nodes: set[str] = Factory(set)
    """From these nodes more than one victim was deleted at once."""

    _unsure: Mapping[str, int] = Factory(dict)
    """On these of the nodes the next attempt may find either of two victims. So many pods of each are being
    deleted already."""

    def before(self, scheduler: SchedulerState) -> None:
        """Notes, when an attempt begins, on which of the nodes the order of pods is open."""
        self._unsure = {
            name: sum(pod.pod.metadata.deletion_timestamp is not None for pod in node.pods)
            for name, node in scheduler.cache.usage().items()
            if name in self._nodes and _are_exchangeable(node)
        }

    def after(self, specified: Attempt) -> None:
        """Notes what an attempt has evicted."""
        if len(specified.victims or ()) > 1 and specified.nominated_node:
            self._nodes.add(specified.nominated_node)

    def leave_open(self, record: Attempt, specified: Attempt) -> bool:
        """Returns whether the place of pods on a node decides which of as many victims are taken. An attempt whose
        victims are all being deleted already names none of them (R-PREEMPT-PREP-06)."""
        nodes = self._unsure.keys() & {record.nominated_node, specified.nominated_node}
        fewer, more = sorted(len(attempt.victims or ()) for attempt in (record, specified))
        return any(fewer == more or (fewer == 0 and more <= self._unsure[node]) for node in nodes)


def _are_exchangeable(node: NodeInfo) -> bool:
    """Returns whether two pods of one priority are on the node that started at the same time, or have not."""
    alike = Counter((pod.pod.priority, pod.pod.status.start_time) for pod in node.pods)
    return max(alike.values(), default=0) > 1
