# SPDX-License-Identifier: Apache-2.0
"""Failure: how a pod that was not scheduled, or not bound, returns to the queue.

Promised: the condition PodScheduled and status.nominatedNodeName are documented with the Pod API.
Shows in: queue.
Source: pkg/scheduler/schedule_one.go, handleSchedulingFailure.
"""

from __future__ import annotations

from attrs import evolve, frozen

from refsched.cycle.cycle import Cycle
from refsched.cycle.fit_error import Diagnosis, fit_error_message
from refsched.framework.node_info import PodInfo
from refsched.framework.status import Code, Status
from refsched.objects.pod import Pod, PodCondition
from refsched.rules import applies


@frozen
class Failure:
    """A Failure says why the pod was not scheduled, and which plugins' events may requeue it.

    ``unschedulable_plugins`` is None if the failure is no FitError: then the pod keeps those that it had.
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
    """R-FAIL-01: A pod that still exists and is unbound goes back to the queue, as the API server shows it
    now, and its PodScheduled condition says why it was not scheduled.
    R-FAIL-03 (needs scripted or volumes or devices or extenders or api): A pod that was nominated to a node loses
    its nomination when its attempt or its binding fails, unless PostFilter leaves it the nomination or gives it
    another.
    R-FAIL-04 (observed: a profile whose Bind plugins bind nothing is one that nobody should have): If every Bind
    plugin answers Skip, the binding fails, but the pod's status stays as it was: its PodScheduled condition is not
    written, and neither is it written that the nomination is lost.

    The failure that is returned names all plugins that are recorded to have rejected the pod: if PreEnqueue
    gates it on its way back, the gating plugin is among them (runPreEnqueuePlugin adds it to the set of the
    FitError itself)."""
    scheduler, queued = cycle.scheduler, cycle.queued
    tried = queued.pod
    if failure.unschedulable_plugins is not None:
        queued = evolve(
            queued,
            unschedulable_plugins=failure.unschedulable_plugins,
            pending_plugins=failure.pending_plugins,
        )
    shown = scheduler.objects.get(Pod, tried.name, tried.namespace)
    pending = shown if shown is not None and not shown.spec.node_name else None
    if pending is not None:
        applies("R-FAIL-01")
        queued = evolve(queued, info=PodInfo(pending))
        scheduler.queue.add_unschedulable_if_not_present(queued)
        failure = _with_gate(failure, scheduler.queue.gating_plugin(queued.key))
    applies("R-FAIL-03", when=tried.status.nominated_node_name and failure.nominated_node == "")
    scheduler.queue.nominator.nominate(queued.pod, failure.nominated_node)
    if failure.status.code is Code.SKIP:
        applies("R-FAIL-04")
    else:
        reason = "Unschedulable" if failure.status.is_rejected else "SchedulerError"
        condition = PodCondition("PodScheduled", "False", reason, failure.status.message)
        scheduler.api.patch_status(tried, condition, failure.nominated_node)
    if pending is None:
        scheduler.queue.done(tried.uid)
    return failure


def _with_gate(failure: Failure, plugin: str) -> Failure:
    if not plugin or failure.unschedulable_plugins is None:
        return failure
    return evolve(failure, unschedulable_plugins=failure.unschedulable_plugins | {plugin})
