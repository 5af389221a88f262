# SPDX-License-Identifier: Apache-2.0
"""The scheduling cycle: a popped pod is assumed on a node, or returned to the queue with the reasons why not.

Promised: the scheduling cycle is documented with the scheduling framework, KEP-624.
Source: pkg/scheduler/schedule_one.go, ScheduleOne, schedulingCycle, schedulePod.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial

from attrs import evolve, frozen

from refsched.cache.cache import CacheError
from refsched.cycle.attempt import describe
from refsched.cycle.batching import Turn
from refsched.cycle.cycle import Cycle
from refsched.cycle.decide import Decision, NodeHint, no_node_hint
from refsched.cycle.failure import Failure, HandleFailure, handle_scheduling_failure, rejected_on
from refsched.cycle.fit_error import fit_error_message
from refsched.cycle.post_filter import PostFilterOutcome, run_post_filter
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.reserve_and_bind import (
    Stop,
    run_permit_plugins,
    run_reserve_plugins,
    run_unreserve_plugins,
)
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, Status, error, unresolvable
from refsched.framework.waiting_pods import WaitingPod
from refsched.objects.meta import ObjectMeta
from refsched.objects.node import Node
from refsched.records import SCHEDULED, Attempt
from refsched.rules import Reason, applies

NO_NODES_AVAILABLE = Reason("no nodes available to schedule pods", "R-FAIL-01")
NOWHERE = ""
IN_FLIGHT, WAITING = "in-flight", "waiting"
"""A pod is activated while it is still in flight, or once it waits in the queue again."""


def clear_nomination() -> PostFilterOutcome:
    """R-POSTFILTER-03: If a pod fits on no node and its profile has no PostFilter plugins, the pod loses its
    nomination."""
    applies("R-POSTFILTER-03")
    return PostFilterOutcome(nominated_node="")


@frozen
class CycleOutcome:
    """A CycleOutcome is how a cycle ended: ``failure`` is None if the pod is to be bound. ``place`` is that of
    the attempt among the records, before what PostFilter wrote, and None if the attempt comes last. ``activates``
    says that the pod is activated, too, since preemption freed its place."""

    attempt: Attempt
    failure: Failure | None = None
    place: int | None = None
    activates: bool = False


def scheduling_cycle(
    cycle: Cycle,
    handle_failure: HandleFailure = handle_scheduling_failure,
    without_post_filter: Callable[[], PostFilterOutcome] = clear_nomination,
) -> Generator[Stop, None, bool]:
    """Runs the cycle from Pop to the end of Permit, and returns whether the pod goes on to be bound.
    ``without_post_filter`` returns the outcome of PostFilter if the profile has no PostFilter plugins."""
    scheduler = cycle.scheduler
    outcome = yield from _schedule(cycle, without_post_filter)
    if outcome.failure is None:
        scheduler.records.append(evolve(outcome.attempt, calls=cycle.take_calls()))
        return True
    pod = cycle.queued.pod
    comes_late = outcome.activates and scheduler.choices.choose("activation", (IN_FLIGHT, WAITING)) == WAITING
    if outcome.activates and not comes_late:
        scheduler.queue.activate([pod])
    report(cycle, outcome.attempt, handle_failure(cycle, outcome.failure), outcome.place)
    if comes_late:
        scheduler.queue.activate([pod])
    return False


def _schedule(
    cycle: Cycle, without_post_filter: Callable[[], PostFilterOutcome]
) -> Generator[Stop, None, CycleOutcome]:
    scheduler = cycle.scheduler
    snapshot = scheduler.snapshot()
    pod = cycle.queued.info
    attempt = Attempt(pod.pod.key, SCHEDULED)
    if not snapshot.nodes:
        return CycleOutcome(attempt, Failure(unresolvable(NO_NODES_AVAILABLE)))

    turn = turn_of(cycle, pod, snapshot)
    batch = scheduler.batches[cycle.framework.profile_name]
    decision = decide(cycle, pod, snapshot, partial(batch.hint, turn))
    attempt = describe(pod.pod.key, decision)
    if decision.failure is not None:
        return CycleOutcome(attempt, Failure(error(decision.failure.message)))
    host = scheduler.choices.choose("node", decision.best or (NOWHERE,))
    if host == NOWHERE:
        return _post_filter(cycle, snapshot, decision, attempt, without_post_filter)

    batch.store(turn, decision, host)
    attempt = evolve(attempt, node=host, evaluated=decision.evaluated, feasible=len(decision.feasible))
    failure = yield from _assume_and_reserve(cycle, snapshot, host)
    if failure is None:
        status, waits = yield from run_permit_plugins(cycle)
        failure = None if status.is_success else _roll_back(cycle, status)
    if failure is not None:
        return CycleOutcome(attempt, failure)
    if waits:
        scheduler.waiting_pods.add(WaitingPod(cycle.on_node[0].pod, waits, scheduler.clock.now))
        attempt = evolve(attempt, waiting=True)
    return CycleOutcome(attempt)


def turn_of(cycle: Cycle, pod: PodInfo, snapshot: Snapshot) -> Turn:
    scheduler = cycle.scheduler
    number, now = scheduler.queue.in_flight.popped, scheduler.clock.now
    return Turn(number, now, cycle.framework, snapshot, pod, cycle.queued.signature)


def decide(cycle: Cycle, pod: PodInfo, snapshot: Snapshot, hint: NodeHint = no_node_hint) -> Decision:
    """R-SEARCH-05 (observed: which nodes are looked at, and in which order, is an optimization; shows in score;
    needs config): The index at which the next search starts moves on by the number of nodes that were found
    feasible and kept, and of those that were rejected, a rejected nominated node included, also if the search
    ended in an error; it stays where it is if no search was needed.

    Returns the decision. What PreFilter computed becomes the plugins' states of the cycle."""
    scheduler, framework = cycle.scheduler, cycle.framework
    decider = scheduler.decider(
        framework,
        snapshot,
        scheduler.queue.nominated_pods_for_node,
        scheduler.next_start_node_index,
        framework.percentage_of_nodes_to_score,
        scheduler.search,
        hint,
    )
    decision = decider.decide(pod)
    index = scheduler.next_start_node_index + decision.processed
    applies("R-SEARCH-05", when=decision.processed % len(snapshot.nodes))
    scheduler.next_start_node_index = index % len(snapshot.nodes)
    cycle.states.update(decision.pre_filter.state.states)
    return decision


# --- Nowhere --------------------------------------------------------------------------------------


def _post_filter(
    cycle: Cycle,
    snapshot: Snapshot,
    decision: Decision,
    attempt: Attempt,
    without_plugins: Callable[[], PostFilterOutcome],
) -> CycleOutcome:
    """Runs PostFilter for a pod that fits on no node; its answer ends the message."""
    place = len(cycle.scheduler.records)
    if cycle.framework.post_filter_plugins:
        outcome = run_post_filter(cycle, cycle.queued.info, snapshot, decision)
    else:
        outcome = without_plugins()
    diagnosis = evolve(decision.diagnosis, post_filter_message=outcome.message)
    failure = Failure(
        Status(Code.UNSCHEDULABLE, (fit_error_message(diagnosis, len(snapshot.nodes)),)),
        diagnosis.unschedulable_plugins,
        diagnosis.pending_plugins,
        outcome.nominated_node,
    )
    return CycleOutcome(evolve(attempt, victims=outcome.victims), failure, place, outcome.activates)


# --- Assume, Reserve, Permit, and the way back ----------------------------------------------------


def _assume_and_reserve(cycle: Cycle, snapshot: Snapshot, host: str) -> Generator[Stop, None, Failure | None]:
    try:
        assume(cycle, snapshot, host)
    except CacheError as problem:
        return Failure(error(str(problem)))
    status = yield from run_reserve_plugins(cycle)
    return None if status.is_success else _roll_back(cycle, status)


def assume(cycle: Cycle, snapshot: Snapshot, host: str) -> None:
    """R-ASSUME-01 (decides nodes): A pod for which a node was chosen counts on that node before it is bound there,
    and its nomination is withdrawn.
    R-ASSUME-02: A node that is chosen and that only an extender knows of is treated like any other.
    Used by: NodeResourcesFit, NodePorts, PodTopologySpread, InterPodAffinity, VolumeRestrictions,
    NodeVolumeLimits; without them it shows in cache.

    Raises CacheError if the pod counts somewhere already."""
    scheduler = cycle.scheduler
    assumed = scheduler.cache.assume(cycle.queued.pod, host)
    applies("R-ASSUME-01")
    applies("R-ASSUME-02", when=snapshot.get(host) is None)
    scheduler.queue.nominator.withdraw(assumed)
    cycle.assumed = PodInfo(assumed)
    cycle.node = snapshot.get(host) or NodeInfo(Node(ObjectMeta(host)))
    cycle.queued = evolve(cycle.queued, info=cycle.assumed)


def _roll_back(cycle: Cycle, status: Status) -> Failure:
    """R-ROLLBACK-02 (decides calls.unreserve; shows in scripted, volumes, devices, extenders, api): If Reserve or
    Permit fails, what was reserved is unreserved and the assumed pod is forgotten before the next cycle; if others
    have bound or deleted the pod meanwhile, this is only logged."""
    applies("R-ROLLBACK-02")
    run_unreserve_plugins(cycle)
    pod, node = cycle.on_node
    with suppress(CacheError):
        cycle.scheduler.cache.forget(pod.pod)
    return rejected_on(node.name, status) if status.is_rejected else Failure(status)


def report(cycle: Cycle, attempt: Attempt, failure: Failure, place: int | None) -> None:
    """Records an attempt that failed, in this place among the records, or last if it is None."""
    failed = evolve(
        attempt,
        result=failure.result,
        calls=cycle.take_calls(),
        message=failure.status.message,
        unschedulable_plugins=failure.plugins,
        nominated_node=failure.nominated_node,
    )
    records = cycle.scheduler.records
    records.insert(len(records) if place is None else place, failed)
