# SPDX-License-Identifier: Apache-2.0
"""Eviction before 1.36: a victim that waits on Permit is rejected, and one in PreBind is deleted.

Changed by: kubernetes #135719 (a victim that waits on Permit fails with an error), #135502 (the binding of one in
PreBind is cancelled).
After the upgrade: A victim that is about to be bound is not deleted: it is tried again after a backoff
(R-PERMIT-07, R-BIND-06).
What to do: nothing.
Promised: that victims are deleted is documented with the priority of pods.
Shows in: preemption.
Source: framework/preemption/preemption.go, PreemptPod.
"""

from __future__ import annotations

from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod
from refsched.preemption.eviction import PREEMPTION_PLUGIN, delete
from refsched.rules import Reason, applies

PREEMPTED = Reason("preempted", "R-PREEMPT-PREP-09")


def preempt_pod(scheduler: SchedulerState, preemptor: Pod, victim: Pod) -> bool:
    """Rejects or deletes the victim. Returns False, since nothing follows for the preemptor."""
    if not reject(scheduler, victim):
        delete(scheduler, preemptor, victim)
    return False


def reject(scheduler: SchedulerState, victim: Pod) -> bool:
    """R-PREEMPT-PREP-09 (instead of R-PREEMPT-PREP-07, R-PERMIT-07; needs scripted): Before 1.36 a victim that
    waits on Permit is rejected instead of deleted, as a Permit plugin would reject it.

    Returns whether the victim waits."""
    waiting = scheduler.waiting_pods.get(victim.uid)
    if waiting is None:
        return False
    applies("R-PREEMPT-PREP-09")
    waiting.reject(PREEMPTION_PLUGIN, PREEMPTED)
    return True
