# SPDX-License-Identifier: Apache-2.0
"""The scheduling cycle of v1.19: a popped pod is assumed on a node, or returned to the queue with the reasons
why not.

Promised: the scheduling cycle is documented with the scheduling framework, KEP-624.
Shows in: volumes.
Source: pkg/scheduler/scheduler.go, scheduleOne; core/generic_scheduler.go, Schedule.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress

from attrs import evolve

from refsched.cache.cache import CacheError
from refsched.cycle.attempt import describe
from refsched.cycle.cycle import Cycle
from refsched.cycle.decide import Decision
from refsched.cycle.failure import Failure
from refsched.cycle.post_filter import run_post_filter
from refsched.cycle.scheduling_cycle import NOWHERE, assume, decide, report
from refsched.framework.node_info import PodInfo
from refsched.framework.reserve_and_bind import (
    Stop,
    run_permit_plugins,
    run_reserve_plugins,
    run_unreserve_plugins,
)
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, Status, error, unresolvable
from refsched.framework.waiting_pods import WaitingPod
from refsched.objects.pod import Pod
from refsched.objects.storage import PersistentVolumeClaim, claim_names
from refsched.objects.store import ObjectStore
from refsched.records import SCHEDULED, Attempt
from refsched.releases.v1_19.cycle.failure import (
    SCHEDULER_ERROR,
    UNSCHEDULABLE,
    failed,
    record_scheduling_failure,
)
from refsched.releases.v1_19.cycle.wording import fit_error_message
from refsched.releases.v1_34.cycle import keep_nomination
from refsched.rules import ErrorReason, Reason, applies

NO_NODES_AVAILABLE = Reason("no nodes available to schedule pods", "R-CYCLE-51")
CLAIM_IS_MISSING = ErrorReason('persistentvolumeclaim "{}" not found', "R-BASIC-01")
CLAIM_IS_BEING_DELETED = ErrorReason('persistentvolumeclaim "{}" is being deleted', "R-BASIC-02")


def scheduling_cycle(cycle: Cycle) -> Generator[Stop, None, bool]:
    """R-CYCLE-51 (shows in any record): In v1.19 a pod is rejected as Unschedulable while there is no node.

    The cycle runs from Pop to the end of Permit, and returns whether the pod is to be bound.
    """
    scheduler, pod = cycle.scheduler, cycle.queued.info
    attempt = Attempt(pod.pod.key, SCHEDULED)
    unusable = _why_not_schedulable(pod.pod, scheduler.objects)
    if unusable is not None:
        return _end(cycle, attempt, failed(unusable), UNSCHEDULABLE)
    snapshot = scheduler.snapshot()
    if not snapshot.nodes:
        return _end(cycle, attempt, failed(unresolvable(NO_NODES_AVAILABLE)), UNSCHEDULABLE)

    decision = decide(cycle, pod, snapshot)
    attempt = describe(pod.pod.key, decision)
    if decision.failure is not None:
        return _end(cycle, attempt, failed(error(decision.failure.message)), UNSCHEDULABLE)
    host = scheduler.choices.choose("node", decision.best or (NOWHERE,))
    if host == NOWHERE:
        return _post_filter(cycle, pod, snapshot, decision, attempt)

    attempt = evolve(attempt, node=host, evaluated=decision.evaluated, feasible=len(decision.feasible))
    failure = yield from _assume_and_reserve(cycle, snapshot, host)
    if failure is not None:
        return _end(cycle, attempt, failed(failure), SCHEDULER_ERROR)
    status, waits = yield from run_permit_plugins(cycle)
    if not status.is_success:
        roll_back(cycle)
        return _end(cycle, attempt, failed(status), reason_of(status))
    if waits:
        scheduler.waiting_pods.add(WaitingPod(cycle.on_node[0].pod, waits, scheduler.clock.now))
        attempt = evolve(attempt, waiting=True)
    scheduler.records.append(evolve(attempt, calls=cycle.take_calls()))
    return True


def _why_not_schedulable(pod: Pod, objects: ObjectStore) -> Status | None:
    """R-BASIC-01 (observed: how a pod whose claim is missing is rejected was changed later): In v1.19 an attempt
    ends with an error, before any node is looked at, if the pod names a claim that does not exist.
    R-BASIC-02 (observed: how a pod whose claim is missing is rejected was changed later): In v1.19 an attempt ends
    with an error, before any node is looked at, if the pod names a claim that is being deleted.

    Source: podPassesBasicChecks."""
    for name in claim_names(pod):
        claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
        if claim is None:
            return error(CLAIM_IS_MISSING.of(name))
        if claim.metadata.deletion_timestamp is not None:
            return error(CLAIM_IS_BEING_DELETED.of(name))
    return None


def reason_of(status: Status) -> str:
    """Returns the reason of the PodScheduled condition, for a failure after a node was chosen."""
    return UNSCHEDULABLE if status.is_rejected else SCHEDULER_ERROR


def _post_filter(
    cycle: Cycle, pod: PodInfo, snapshot: Snapshot, decision: Decision, attempt: Attempt
) -> bool:
    """R-CYCLE-52 (shows in preemption): In v1.19 too, PostFilter is run if the pod fits on no node; its errors are
    not reported."""
    applies("R-CYCLE-52")
    place = len(cycle.scheduler.records)
    if cycle.framework.post_filter_plugins:
        outcome = run_post_filter(cycle, pod, snapshot, decision)
    else:
        outcome = keep_nomination()
    message = fit_error_message(decision.diagnosis, len(snapshot.nodes))
    failure = failed(Status(Code.UNSCHEDULABLE, (message,)), outcome.nominated_node)
    return _end(cycle, evolve(attempt, victims=outcome.victims), failure, UNSCHEDULABLE, place)


def _assume_and_reserve(cycle: Cycle, snapshot: Snapshot, host: str) -> Generator[Stop, None, Status | None]:
    try:
        assume(cycle, snapshot, host)
    except CacheError as problem:
        return error(str(problem))
    status = yield from run_reserve_plugins(cycle)
    if status.is_success:
        return None
    roll_back(cycle)
    return status


def roll_back(cycle: Cycle) -> None:
    """R-CYCLE-53 (instead of R-ROLLBACK-02, R-ROLLBACK-03; shows in scripted, volumes, devices, extenders, api):
    In v1.19 too, every Reserve plugin's Unreserve is called in reverse order, and the assumed pod is forgotten,
    when a step after assume fails; no event requeues other pods for that."""
    applies("R-CYCLE-53")
    run_unreserve_plugins(cycle)
    with suppress(CacheError):
        cycle.scheduler.cache.forget(cycle.on_node[0].pod)


def _end(cycle: Cycle, attempt: Attempt, failure: Failure, reason: str, place: int | None = None) -> bool:
    """Ends a cycle that failed: requeues the pod, and reports the attempt in this place among the records."""
    record_scheduling_failure(cycle, failure, reason)
    report(cycle, attempt, failure, place)
    return False
