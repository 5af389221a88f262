# SPDX-License-Identifier: Apache-2.0
"""PrioritySort: the pod of highest priority is popped first, and of equal ones the one that was queued first.

Promised: that pods of higher priority come first is documented with the priority of pods.
Shows in: queue.
Source: plugins/queuesort/priority_sort.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.interface import Queued
from refsched.rules import applies


@frozen
class PrioritySort:
    name = "PrioritySort"
    POINTS = ("queueSort",)

    # --- QueueSort --------------------------------------------------------------------------------

    def less(self, a: Queued, b: Queued) -> bool:
        """R-SORT-01 (decides pod): A pod of higher priority sorts before one of lower priority; of two pods of
        equal priority the one with the earlier timestamp sorts first.
        R-SORT-02: Of two pods with equal priority and equal timestamp neither sorts first, and either may be
        popped."""
        is_equal = (a.pod.priority, a.timestamp) == (b.pod.priority, b.timestamp)
        applies("R-SORT-02" if is_equal else "R-SORT-01")
        return (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp)
