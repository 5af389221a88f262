# SPDX-License-Identifier: Apache-2.0
"""The scheduling cycle before 1.35: without PostFilter a nomination stays.

Changed by: kubernetes #135007 (each attempt that fails clears the nomination that the pod had).
After the upgrade: A pod of a profile without PostFilter plugins loses its nomination when an attempt to schedule
it fails (R-POSTFILTER-03).
What to do: whoever nominates such a pod to a node in its status has to do so again after each attempt that failed.
Promised: status.nominatedNodeName is documented with the Pod API.
Shows in: preemption.
Source: pkg/scheduler/schedule_one.go, schedulingCycle.
"""

from __future__ import annotations

from refsched.cycle.post_filter import PostFilterOutcome
from refsched.rules import applies


def keep_nomination() -> PostFilterOutcome:
    """R-POSTFILTER-01 (instead of R-POSTFILTER-03): Before 1.35 a profile without PostFilter plugins leaves the
    pod's nomination as it was."""
    applies("R-POSTFILTER-01")
    return PostFilterOutcome()
