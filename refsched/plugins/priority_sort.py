# SPDX-License-Identifier: Apache-2.0
"""PrioritySort: the pod of higher priority is popped first, and among equals the one that waits longest.

Rules: R-SORT-01, R-SORT-02.   Source: plugins/queuesort/priority_sort.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import Queued


@frozen
class PrioritySort:
    name: ClassVar[str] = "PrioritySort"

    # --- QueueSort --------------------------------------------------------------------------------

    def less(self, a: Queued, b: Queued) -> bool:
        """R-SORT-01: higher priority first; then the earlier timestamp.
        R-SORT-02: equal in both, neither goes first, and the queue may pop either."""
        return (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp)
