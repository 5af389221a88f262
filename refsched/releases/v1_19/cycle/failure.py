# SPDX-License-Identifier: Apache-2.0
"""Failure in v1.19: how a pod that was not scheduled, or not bound, returns to the queue.

Promised: the condition PodScheduled and status.nominatedNodeName are documented with the Pod API.
Shows in: queue.
Source: pkg/scheduler/scheduler.go, recordSchedulingFailure, updatePod; factory.go, MakeDefaultErrorFunc.
"""

from __future__ import annotations

from attrs import evolve

from refsched.cycle.cycle import Cycle
from refsched.cycle.failure import Failure
from refsched.framework.node_info import PodInfo
from refsched.framework.status import Status
from refsched.objects.pod import Pod, PodCondition
from refsched.rules import applies

UNSCHEDULABLE = "Unschedulable"
SCHEDULER_ERROR = "SchedulerError"


def failed(status: Status, nominated_node: str | None = None) -> Failure:
    """R-FAIL-52 (instead of R-FAIL-06): In v1.19 an attempt that fails leaves the pod's nomination as it was,
    unless preemption found a node for the pod or could help on no node."""
    applies("R-FAIL-52")
    return Failure(status, nominated_node=nominated_node)


def record_scheduling_failure(cycle: Cycle, failure: Failure, reason: str) -> None:
    """R-FAIL-51 (instead of R-FAIL-01, R-FAIL-07): In v1.19 a pod whose attempt failed goes back to the queue if
    it still exists, as the informer now shows it, and its PodScheduled condition says why."""
    scheduler, queued = cycle.scheduler, cycle.queued
    shown = scheduler.objects.get(Pod, queued.pod.name, queued.pod.namespace)
    if shown is not None:
        applies("R-FAIL-51")
        queued = evolve(queued, info=PodInfo(shown))
        scheduler.queue.add_unschedulable_if_not_present(queued)
    scheduler.queue.nominator.nominate(queued.pod, failure.nominated_node or None)
    condition = PodCondition("PodScheduled", "False", reason, failure.status.message)
    scheduler.api.patch_status(queued.pod, condition, failure.nominated_node)
    if shown is None:
        scheduler.queue.done(queued.pod.uid)
