# SPDX-License-Identifier: Apache-2.0
"""QueueRules: what a release says about its queue."""

from __future__ import annotations

from attrs import frozen


@frozen
class QueueRules:
    """Periods and durations in seconds. ``max_in_unschedulable_pods`` is how long a pod may wait for an event
    before it is tried again without one."""

    backoff_flush_period: float
    leftover_flush_period: float
    max_in_unschedulable_pods: float
    pops_from_backoff: bool
