# SPDX-License-Identifier: Apache-2.0
"""Requeueing: which pod is popped next, when PreEnqueue is run, and what requeues a rejected pod.

These are functions that a release names in its QueueBehaviour.
Observed: how the queue is divided is this version's way to retry in time.
Shows in: queue.
Source: pkg/scheduler/backend/queue/scheduling_queue.go, active_queue.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from refsched.framework.events import ClusterEvent
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.backoff import Backoff, to_the_nanosecond
from refsched.queue.behaviour import QueueBehaviour
from refsched.queue.cluster_events import is_wild_card
from refsched.queue.hint_table import HintTable, Strategy
from refsched.queue.in_flight import InFlight
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.ranking import Ranking
from refsched.queue.transitions import QUEUED, Occurrence, Place, Transition
from refsched.rules import applies

BACKING_OFF = frozenset({Place.BACKOFF, Place.ERROR_BACKOFF})

# --- Pop ------------------------------------------------------------------------------------------


def heads_of_both_queues(active: Ranking, backoff: Ranking) -> Sequence[QueuedPod]:
    """R-QUEUE-47: While activeQ is empty, the pod whose backoff ends in the earliest second is popped from
    backoffQ.

    Source: active_queue.go, unlockedPop; popBackoff.
    """
    if active or not backoff:
        return active.first()
    applies("R-QUEUE-47")
    return backoff.first()


def heads_of_active_queue(active: Ranking, backoff: Ranking) -> Sequence[QueuedPod]:
    """R-QUEUE-53: Without SchedulerPopFromBackoffQ, no pod is popped from backoffQ.

    Source: active_queue.go, unlockedPop.
    """
    applies("R-QUEUE-53", when=backoff and not active)
    return active.first()


# --- PreEnqueue -----------------------------------------------------------------------------------


def runs_pre_enqueue_before_either_queue(row: Transition) -> bool:
    """R-QUEUE-54: PreEnqueue is run before a pod enters activeQ or backoffQ, and not again when it goes from
    backoffQ to activeQ; without SchedulerPopFromBackoffQ it is run whenever a pod enters activeQ, and only then.

    Source: moveToActiveQ, moveToBackoffQ, flushBackoffQCompleted.
    """
    enters = row.goes_to in QUEUED and row.goes_to is not row.place
    applies("R-QUEUE-54", when=enters)
    return enters and row.place not in BACKING_OFF


def runs_pre_enqueue_before_active_queue(row: Transition) -> bool:
    """Says when PreEnqueue is run without SchedulerPopFromBackoffQ (R-QUEUE-54)."""
    enters = row.goes_to is Place.ACTIVE and row.place is not Place.ACTIVE
    return applies("R-QUEUE-54", when=enters)


# --- Nominations ----------------------------------------------------------------------------------


def nominates_on_entry(place: Place, goes_to: Place, event: ClusterEvent | None) -> bool:
    """R-NOM-07 (promised: status.nominatedNodeName is documented with the Pod API; shows in nominations): A pod
    that comes into the queue is nominated as its status says, even if it is gated.

    Source: addPod."""
    return applies("R-NOM-07", when=place is Place.NOWHERE)


def keeps_first_signature(pod: QueuedPod) -> bool:
    """R-BATCH-09 (observed: which pods are taken for equal may only save searches, KEP-5598): A pod keeps the
    signature that it got when it came into the queue or was last updated there, also if a DeviceClass is created
    or deleted after that, or if the pod is updated while it is in flight.

    Source: signPod, Update, newQueuedPodInfo."""
    applies("R-BATCH-09", when=pod.signature is not None)
    return True


# --- Pods that have waited for too long -----------------------------------------------------------


def examines_gated_on_wild_card(event: ClusterEvent) -> bool:
    """R-QUEUE-56: PreEnqueue is run again for a gated pod that has waited for too long, whichever plugin gates it.

    Source: moveEntitiesToActiveOrBackoffQueue."""
    return applies("R-QUEUE-56", when=is_wild_card(event))


def last_attempt_or_flush(pod: QueuedPod) -> float:
    """R-QUEUE-57: A pod that has waited for too long and stays gated is left alone for as long again.

    Source: flushUnschedulableEntitiesLeftover."""
    applies("R-QUEUE-57", when=pod.flushed_at > pod.timestamp)
    return max(pod.timestamp, pod.flushed_at)


# --- After an attempt, an update or an event ------------------------------------------------------


def strategy_by_hints(
    pod: QueuedPod, in_flight: InFlight, table: HintTable, objects: ObjectStore
) -> Strategy:
    """R-QUEUE-51: Every event during a rejected pod's attempt may requeue it; a pod whose attempt ended in an
    error, or failed after Permit, is requeued after its backoff in any case.

    Source: determineSchedulingHintForInFlightPod.
    """
    applies("R-QUEUE-51")
    if not pod.rejectors or pod.pod.uid not in in_flight:
        return Strategy.AFTER_BACKOFF
    best = Strategy.SKIP
    for observed in in_flight.since_pop(pod.pod.uid):
        strategy = table.strategy(pod, observed, objects)
        if strategy is not Strategy.SKIP:
            best = strategy
        if best is Strategy.IMMEDIATELY or (best is Strategy.AFTER_BACKOFF and not pod.pending_plugins):
            break
    return best


def occurrence(pod: QueuedPod, strategy: Strategy, backoff: Backoff, now: float) -> Occurrence:
    """Returns the occurrence to which the strategy amounts: after a backoff the pod is queued at once if the
    backoff is over by now."""
    if strategy is Strategy.SKIP:
        return Occurrence.NO_HINT
    if strategy is Strategy.IMMEDIATELY:
        return Occurrence.PENDING_HINT
    is_backing_off = backoff.is_backing_off(pod, now)
    if not pod.rejectors:
        return Occurrence.ERROR if is_backing_off else Occurrence.ERROR_NO_BACKOFF
    return Occurrence.HINT_IN_BACKOFF if is_backing_off else Occurrence.HINT


def counts_as_update(before: Pod, after: Pod) -> Occurrence:
    """Returns the one occurrence that an update is, whatever it changes."""
    return Occurrence.UPDATED


# --- The feature gate -----------------------------------------------------------------------------


def popping_from_active_queue_only(queue: QueueBehaviour) -> QueueBehaviour:
    """Returns the queue with the feature gate SchedulerPopFromBackoffQ turned off."""
    return evolve(
        queue,
        heads=heads_of_active_queue,
        runs_pre_enqueue=runs_pre_enqueue_before_active_queue,
        places_that_end_an_update=frozenset({Place.ACTIVE}),
        backoff=lambda initial, maximum: Backoff(initial, maximum, to_the_nanosecond),
    )
