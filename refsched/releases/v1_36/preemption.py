# SPDX-License-Identifier: Apache-2.0
"""Eviction before 1.37: a preemptor waits for events, also if none will come.

Changed by: kubernetes #140054 (it is activated after its last victim was preempted without a deletion).
After the upgrade: A preemptor is tried at once if its last victim was preempted without being deleted
(R-PREEMPT-PREP-04).
What to do: nothing.
Source: framework/preemption/executor.go, prepareCandidateAsync.
"""

from __future__ import annotations

from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod
from refsched.preemption import eviction as current


def preempt_pod(scheduler: SchedulerState, preemptor: Pod, victim: Pod) -> bool:
    """Preempts the victim. Returns False, since nothing follows for the preemptor."""
    current.preempt_pod(scheduler, preemptor, victim)
    return False
