# SPDX-License-Identifier: Apache-2.0
"""The queue before 1.35: PreEnqueue is run again for a pod that is activated while it backs off.

Changed by: kubernetes #133518 (no move out of backoffQ runs it).
After the upgrade: PreEnqueue plugins are not asked again about a pod that is activated while it backs off
(R-QUEUE-80).
What to do: see that a PreEnqueue plugin of your own does not count on it.
Observed: how the queue is divided is this version's way to retry in time.
Shows in: queue.
Source: pkg/scheduler/backend/queue/scheduling_queue.go, moveToActiveQ.
"""

from __future__ import annotations

from refsched.queue import requeueing
from refsched.queue.transitions import Occurrence, Transition
from refsched.rules import applies


def runs_pre_enqueue_before_either_queue(row: Transition) -> bool:
    """R-QUEUE-80: Before 1.35 PreEnqueue is run again for a pod in backoffQ that a plugin activates."""
    if requeueing.runs_pre_enqueue_before_either_queue(row):
        return True
    is_activated = row.occurrence is Occurrence.ACTIVATED and row.place in requeueing.BACKING_OFF
    return applies("R-QUEUE-80", when=is_activated)
