# SPDX-License-Identifier: Apache-2.0
"""Requeueing in v1.19: every event moves every pod, and a failed pod goes where the events since the last Pop
say.

Observed: how the queue is divided is this version's way to retry in time.
Shows in: queue.
Source: pkg/scheduler/internal/queue/scheduling_queue.go.
"""

from __future__ import annotations

from enum import Enum

from attrs import evolve

from refsched.framework.events import ClusterEvent
from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod, PodStatus
from refsched.objects.store import ObjectStore
from refsched.queue import backoff, in_flight, nominator
from refsched.queue.behaviour import QueueBehaviour
from refsched.queue.hint_table import HintTable, Strategy
from refsched.queue.in_flight import InFlight, ObservedEvent
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.requeueing import heads_of_active_queue, keeps_first_signature
from refsched.queue.transitions import Occurrence, Place, Transition
from refsched.releases.v1_19.queue.transitions import TRANSITIONS, Happened
from refsched.releases.v1_36.queue import last_attempt, never_examines_gated, nominates_on_activation
from refsched.rules import applies

# --- What moved -----------------------------------------------------------------------------------


class MoveRequests(in_flight.InFlight):
    """MoveRequests are those since the last Pop. Which pods are in flight is not known."""

    def __init__(self) -> None:
        super().__init__()
        self._since_pop: list[ObservedEvent] = []

    def add(self, pod: QueuedPod) -> None:
        """R-FLIGHT-51 (instead of R-FLIGHT-03; observed: what is remembered for pods in flight is not part of the
        API): In v1.19 a Pop ends what was remembered, also for pods that were popped before and are still being
        bound.

        Source: Pop, AddUnschedulableIfNotPresent; factory.go, MakeDefaultErrorFunc, which passes the cycle
        that is the last one when the pod comes back.
        """
        applies("R-FLIGHT-51", when=self._since_pop)
        self._since_pop = []

    def done(self, uid: str) -> None:
        """Does nothing, since nothing is kept of a pod."""

    def note(self, observed: ObservedEvent) -> None:
        self._since_pop.append(observed)

    def since_pop(self, uid: str) -> tuple[ObservedEvent, ...]:
        return tuple(self._since_pop)


def by_move_requests(pod: QueuedPod, moves: InFlight, table: HintTable, objects: ObjectStore) -> Strategy:
    """R-QUEUE-58: In v1.19 it makes no difference which plugin rejected a pod, or whether its attempt ended in an
    error.

    The rows R-QUEUE-69 and R-QUEUE-70 say where it goes. Source: AddUnschedulableIfNotPresent.
    """
    applies("R-QUEUE-58")
    return Strategy.IMMEDIATELY if moves.since_pop(pod.pod.uid) else Strategy.SKIP


def any_event(table: HintTable, pod: QueuedPod, observed: ObservedEvent, objects: ObjectStore) -> Strategy:
    """R-QUEUE-59: In v1.19 a move request moves every pod in unschedulableQ that it concerns, whichever
    plugin rejected it.

    Source: MoveAllToActiveOrBackoffQueue.
    """
    applies("R-QUEUE-59")
    return Strategy.AFTER_BACKOFF


def occurrence(pod: QueuedPod, strategy: Strategy, rule: backoff.Backoff, now: float) -> Happened:
    if strategy is Strategy.SKIP:
        return Happened.FAILED
    if strategy is Strategy.IMMEDIATELY:
        return Happened.FAILED_AND_MOVED
    return Happened.MOVED_IN_BACKOFF if rule.is_backing_off(pod, now) else Happened.MOVED


# --- Updates of a waiting pod ---------------------------------------------------------------------


def update(before: Pod, after: Pod) -> Enum:
    """R-QUEUE-60: In v1.19 an update counts as one of the status alone if nothing else of the pod changed.

    Source: isPodUpdated.
    """
    if evolve(before, status=PodStatus()) != evolve(after, status=PodStatus()):
        return Occurrence.UPDATED
    applies("R-QUEUE-60")
    return Happened.STATUS_UPDATED


def no_events(before: Pod, after: Pod) -> tuple[ClusterEvent, ...]:
    """Returns no events: an update of a waiting pod is none, and the table says what it does."""
    return ()


def never(row: Transition) -> bool:
    """Returns False, since v1.19 has no PreEnqueue."""
    return False


# --- Backoff --------------------------------------------------------------------------------------


def _to_the_nanosecond(time: float) -> float:
    return round(time, 9)


class Backoff(backoff.Backoff):
    """This Backoff is counted to the nanosecond."""

    def expiration(self, pod: QueuedPod) -> float:
        """R-BACKOFF-51 (instead of R-BACKOFF-02; observed: which attempts a backoff counts was changed between
        releases): In v1.19 the backoff of a pod grows with the number of its attempts, whether they ended in
        errors or not.

        Source: getBackoffTime, calculateBackoffDuration.
        """
        applies("R-BACKOFF-51")
        return self.rounded(pod.timestamp + self.duration(pod.attempts))

    def is_backing_off(self, pod: QueuedPod, now: float) -> bool:
        """R-BACKOFF-52 (instead of R-BACKOFF-05; observed: how exactly a backoff is measured is not part of the
        API): In v1.19 a backoff is over at the nanosecond at which it ends.

        Source: isPodBackingoff, flushBackoffQCompleted.
        """
        if pod.backoff_expiration > self.rounded(now):
            return True
        applies("R-BACKOFF-52")
        return False


def exact_backoff(initial: float, maximum: float) -> Backoff:
    return Backoff(initial, maximum, _to_the_nanosecond)


# --- Nominations ----------------------------------------------------------------------------------


class Nominator(nominator.Nominator):
    """This Nominator keeps the nominated pods whole, as they were when they were nominated.

    Source: nominatedPodMap.
    """

    def nominate(self, pod: Pod, node: str | None = None) -> None:
        """R-NOM-51 (instead of R-NOM-02, R-NOM-03; promised: status.nominatedNodeName is documented with the Pod
        API; shows in nominations): In v1.19 a pod that exists is nominated even if it is already assigned to a
        node.

        Source: nominatedPodMap.add.
        """
        self._remove(pod)
        to = node or pod.status.nominated_node_name
        shown = self._objects.get(Pod, pod.name, pod.namespace)
        if not to or shown is None:
            return
        applies("R-NOM-51", when=shown.spec.node_name)
        self._put(pod, to)

    def counted_on(self, node: str, waiting: nominator.Waiting) -> tuple[PodInfo, ...]:
        """R-NOM-52 (instead of R-NOM-06; promised: status.nominatedNodeName is documented with the Pod API; shows
        in nominations): In v1.19 a nominated pod counts as it was when it was nominated or last updated in a
        queue, whether it waits in a queue or not.

        Source: NominatedPodsForNode.
        """
        counted = tuple(map(PodInfo, self.nominated_to(node)))
        applies("R-NOM-52", when=counted)
        return counted


# --- The queue ------------------------------------------------------------------------------------

QUEUE = QueueBehaviour(
    transitions=TRANSITIONS,
    heads=heads_of_active_queue,
    runs_pre_enqueue=never,
    nominates=nominates_on_activation,
    examines_gated=never_examines_gated,
    waits_since=last_attempt,
    update_events=no_events,
    occurrence_of_update=update,
    places_that_end_an_update=frozenset({Place.ACTIVE}),
    on_event=any_event,
    after_attempt=by_move_requests,
    occurrence=occurrence,
    keeps_signature=keeps_first_signature,
    backoff=exact_backoff,
    in_flight=MoveRequests,
    nominator=Nominator,
    max_seconds_unschedulable=60.0,
)
"""The source of the duration is unschedulableQTimeInterval."""
