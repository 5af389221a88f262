# SPDX-License-Identifier: Apache-2.0
"""Failure: how a pod that was not scheduled, or not bound, returns to the queue.

Promised: the condition PodScheduled and status.nominatedNodeName are documented with the Pod API.
Shows in: queue.
Source: pkg/scheduler/schedule_one.go, handleSchedulingFailure.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve, frozen

from refsched.cycle.cycle import Cycle
from refsched.cycle.fit_error import Diagnosis, fit_error_message
from refsched.framework.node_info import PodInfo
from refsched.framework.status import Code, Status
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod, PodCondition
from refsched.queue.queued_pod import QueuedPod
from refsched.rules import applies


@frozen
class Failure:
    """A Failure says why the pod was not scheduled, and which plugins' events may requeue it.

    ``unschedulable_plugins`` is None if the failure is no FitError: then the pod names no plugin, since Pop has
    emptied those of the attempt before (R-QUEUE-48), and any event requeues it (R-HINT-01).
    ``nominated_node`` is ``""`` if the nomination is cleared, and None if it stays as it was.
    """

    status: Status
    unschedulable_plugins: frozenset[str] | None = None
    pending_plugins: frozenset[str] = frozenset()
    nominated_node: str | None = ""

    @property
    def result(self) -> str:
        return "unschedulable" if self.status.is_rejected else "error"

    @property
    def plugins(self) -> tuple[str, ...] | None:
        """Returns the plugins as records list them, or None if there are none."""
        return tuple(sorted(self.unschedulable_plugins)) if self.unschedulable_plugins else None


def rejected_on(node: str, status: Status) -> Failure:
    """Returns the failure of a pod that Reserve or Permit rejected: a FitError of one node."""
    diagnosis = Diagnosis({node: status})
    message = fit_error_message(diagnosis, 1)
    return Failure(
        Status(status.code, (message,)), diagnosis.unschedulable_plugins, diagnosis.pending_plugins
    )


def handle_scheduling_failure(cycle: Cycle, failure: Failure) -> Failure:
    """R-FAIL-01 (decides result, queues): A pod that still exists and is unbound goes back to the queue, as the
    API server shows it now, and its PodScheduled condition says why it was not scheduled.
    R-FAIL-03 (decides nominatedNode; needs scripted or volumes or devices or extenders or api): A pod that was
    nominated to a node loses its nomination when its attempt or its binding fails, unless PostFilter leaves it the
    nomination or gives it another.
    R-FAIL-04 (observed: a profile whose Bind plugins bind nothing is one that nobody should have): If every Bind
    plugin answers Skip, the binding fails, but the pod's status stays as it was: its PodScheduled condition is not
    written, and neither is it written that the nomination is lost.
    R-FAIL-05 (promised: that a pod of another uid is another pod is documented with names and uids; needs
    scripted or volumes or devices or extenders or api): If the pod was deleted meanwhile and one of the same
    name was created, the failure does not concern that pod: it is neither requeued nor is its status written.

    The failure that is returned names all plugins that are recorded to have rejected the pod: if PreEnqueue
    gates it on its way back, the gating plugin is among them (runPreEnqueuePlugin adds it to the set of the
    FitError itself)."""
    scheduler = cycle.scheduler
    queued = rejected_by(cycle.queued, failure)
    tried = shown = queued.pod
    pending = pending_pod(scheduler, tried)
    if pending is not None and pending.uid != tried.uid:
        applies("R-FAIL-05")
        scheduler.queue.done(tried.uid)
        return failure
    if pending is not None:
        shown = pending
        failure = requeue(scheduler, evolve(queued, info=PodInfo(shown)), failure)
    applies("R-FAIL-03", when=shown.status.nominated_node_name and failure.nominated_node == "")
    scheduler.queue.nominator.nominate(shown, failure.nominated_node)
    write_status(scheduler, shown, failure)
    if pending is None:
        scheduler.queue.done(tried.uid)
    return failure


def rejected_by(queued: QueuedPod, failure: Failure) -> QueuedPod:
    """Returns the pod with the plugins that rejected it, if the failure says so."""
    if failure.unschedulable_plugins is None:
        return queued
    return evolve(
        queued,
        unschedulable_plugins=failure.unschedulable_plugins,
        pending_plugins=failure.pending_plugins,
    )


def pending_pod(scheduler: SchedulerState, tried: Pod) -> Pod | None:
    """Returns the pod of this name as the informers show it, or None if there is none or if it is bound."""
    shown = scheduler.objects.get(Pod, tried.name, tried.namespace)
    return shown if shown is not None and not shown.spec.node_name else None


def requeue(scheduler: SchedulerState, queued: QueuedPod, failure: Failure) -> Failure:
    """Puts the pod back into the queue, and returns the failure with the plugin that gates it there."""
    applies("R-FAIL-01")
    gate = scheduler.queue.add_unschedulable_if_not_present(queued)
    return _with_gate(failure, gate)


def write_status(scheduler: SchedulerState, pod: Pod, failure: Failure) -> None:
    """Writes into the pod's status what differs from ``pod``."""
    if failure.status.code is Code.SKIP:
        applies("R-FAIL-04")
        return
    reason = "Unschedulable" if failure.status.is_rejected else "SchedulerError"
    condition = PodCondition("PodScheduled", "False", reason, failure.status.message)
    scheduler.api.patch_status(pod, condition, failure.nominated_node)


HandleFailure = Callable[[Cycle, Failure], Failure]
"""A HandleFailure requeues the pod of a cycle that failed, and returns the failure as it is recorded."""


def _with_gate(failure: Failure, plugin: str) -> Failure:
    if not plugin or failure.unschedulable_plugins is None:
        return failure
    return evolve(failure, unschedulable_plugins=failure.unschedulable_plugins | {plugin})
