# SPDX-License-Identifier: Apache-2.0
"""Failure before 1.36: what a pod loses is judged by the pod that was popped, and not by the one that exists.

Changed by: kubernetes #135771 (the failure handler works on the pod that the informers show).
After the upgrade: A nomination that was written before a pod was bound is withdrawn if the binding fails
(R-FAIL-03).
What to do: whoever reads status.nominatedNodeName has to expect that.
Promised: the condition PodScheduled and status.nominatedNodeName are documented with the Pod API.
Shows in: queue.
Source: pkg/scheduler/schedule_one.go, handleSchedulingFailure.
"""

from __future__ import annotations

from attrs import evolve

from refsched.cycle.cycle import Cycle
from refsched.cycle.failure import Failure, pending_pod, rejected_by, requeue, write_status
from refsched.framework.node_info import PodInfo
from refsched.rules import applies


def handle_scheduling_failure(cycle: Cycle, failure: Failure) -> Failure:
    """R-FAIL-06 (instead of R-FAIL-03; needs scripted or volumes or devices or extenders or api): Before 1.36 a
    pod loses only the nomination that it had when it was popped: one that its binding cycle wrote stays when the
    binding fails.
    R-FAIL-07 (instead of R-FAIL-05): Before 1.36 a pod that was created anew under the name of one that fails goes
    to the queue in its place, and its status says why the other one failed."""
    scheduler = cycle.scheduler
    queued = rejected_by(cycle.queued, failure)
    tried = queued.pod
    pending = pending_pod(scheduler, tried)
    if pending is not None:
        applies("R-FAIL-07", when=pending.uid != tried.uid)
        queued = evolve(queued, info=PodInfo(pending))
        failure = requeue(scheduler, queued, failure)
    applies("R-FAIL-06", when=queued.pod.status.nominated_node_name and failure.nominated_node == "")
    scheduler.queue.nominator.nominate(queued.pod, failure.nominated_node)
    write_status(scheduler, tried, failure)
    if pending is None:
        scheduler.queue.done(tried.uid)
    return failure
