# SPDX-License-Identifier: Apache-2.0
"""SchedulingQueue: the pods that are to be scheduled, those that back off, and those that wait for an event.

Every step of a pod is a row of the release's table (refsched/queue/transitions.py). The queue reads the clock, but
does not act by itself when time passes: the owner of the clock calls the two flushes when they are due.
Observed: how the queue is divided is this version's way to retry in time.
Shows in: queue.
Source: pkg/scheduler/backend/queue/scheduling_queue.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import evolve

from refsched.framework.events import ActionType, ClusterEvent
from refsched.framework.interface import PreEnqueuePlugin
from refsched.framework.node_info import PodInfo
from refsched.framework.pre_enqueue import run_pre_enqueue_plugins
from refsched.framework.signature import Signer
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue import cluster_events as events
from refsched.queue.backoff import by_expiration
from refsched.queue.behaviour import QueueBehaviour
from refsched.queue.hint_table import HintTable, Strategy
from refsched.queue.in_flight import ObservedEvent
from refsched.queue.queued_pod import NotWaitingError, QueuedPod
from refsched.queue.ranking import Less, Ranking
from refsched.queue.transitions import QUEUED, Occurrence, Place, Transition
from refsched.queue.unschedulable_pods import UnschedulablePods
from refsched.records import Queues
from refsched.rules import applies

_NO_HINTS = HintTable({}, {})
"""This is the table of a pod of another scheduler. Such a pod is not in flight under its own uid, so that no hint
decides where it goes after the attempt that failed."""


class SchedulingQueue:
    """``behaviour`` is what differs between releases. ``hint_tables`` and ``pre_enqueue_plugins`` are by scheduler
    name; a pod of another scheduler comes into the queue only if it was created anew under the name of a pod that
    failed meanwhile. ``objects`` is what the informers hold: it has a change before the queue receives the event.
    ``clock`` returns the seconds since some whole second of UTC. ``on_move``, if set, is called at each step."""

    def __init__(
        self,
        behaviour: QueueBehaviour,
        less: Less,
        hint_tables: Mapping[str, HintTable],
        pre_enqueue_plugins: Mapping[str, Sequence[PreEnqueuePlugin]],
        sign: Signer,
        objects: ObjectStore,
        initial_backoff: float,
        max_backoff: float,
        clock: Callable[[], float],
    ) -> None:
        self.behaviour = behaviour
        self.nominator = behaviour.nominator(objects)
        self.on_move: Callable[[QueuedPod, Transition], None] | None = None
        self.hint_tables = hint_tables
        self._pre_enqueue_plugins = pre_enqueue_plugins
        self._sign = sign
        self._objects = objects
        self._backoff_rule = behaviour.backoff(initial_backoff, max_backoff)
        self._clock = clock
        self._active = Ranking(less)
        self._backoff = Ranking(by_expiration(less))
        self._error_backoff = Ranking(by_expiration(less))
        self._unschedulable = UnschedulablePods()
        self.in_flight = behaviour.in_flight()
        self._queues: Mapping[Place, Ranking | UnschedulablePods] = {
            Place.ACTIVE: self._active,
            Place.BACKOFF: self._backoff,
            Place.ERROR_BACKOFF: self._error_backoff,
            Place.UNSCHEDULABLE: self._unschedulable,
            Place.GATED: self._unschedulable,
        }

    # --- Changes of a pod that has no node --------------------------------------------------------

    def add(self, pod: Pod) -> None:
        """Adds a pod that was created."""
        self._enter(pod, Occurrence.ADDED)

    def update(self, before: Pod, after: Pod) -> None:
        """R-QUEUE-46: An update of an unschedulable or gated pod is an event, for which the plugins that
        rejected the pod may say Queue.
        Source: Update."""
        changes = [
            ObservedEvent(event, before, after) for event in self.behaviour.update_events(before, after)
        ]
        occurrence = self.behaviour.occurrence_of_update(before, after)
        if (in_flight := self.in_flight.get(after.uid)) is not None:
            self._step(in_flight, Place.IN_FLIGHT, occurrence)
            for change in changes:
                self.in_flight.note(change)
            return
        place, found = self._find(after.key)
        if found is None:
            self._enter(after, occurrence)
            return
        self.nominator.update(before, after)
        updated = evolve(found, info=PodInfo(after), signature=self._sign(after))
        if (place, occurrence) in self.behaviour.transitions:
            if self._unschedulable.get(after.key) is not None:
                self._unschedulable.put(updated)
            self._move(updated, place, occurrence)
            return
        applies("R-QUEUE-46")
        self._requeue_on_update(updated, changes)

    def _requeue_on_update(self, pod: QueuedPod, changes: Sequence[ObservedEvent]) -> None:
        """R-QUEUE-52: If one update causes more than one event, they are handled in turn until one requeues the
        pod; without SchedulerPopFromBackoffQ the others are handled even after one brought the pod to backoffQ,
        and if one of them does not requeue it, the pod is for a while also among the unschedulable pods.
        """
        self._unschedulable.put(pod)
        for change in changes:
            pod = self._unschedulable.get(pod.key) or pod
            if not self._requeue(pod, change):
                if self._unschedulable.get(pod.key) is None:
                    applies("R-QUEUE-52")
                    self._unschedulable.put(pod)
            elif any(
                self._queues[place].get(pod.key) is not None
                for place in self.behaviour.places_that_end_an_update
            ):
                applies("R-QUEUE-52", when=change is not changes[-1])
                return

    def delete(self, pod: Pod) -> None:
        """Removes a pod that was deleted, or that is assigned to a node now."""
        self.nominator.withdraw(pod)
        place, found = self._find(pod.key)
        if found is None:
            place, found = self._find_outside(pod)
        self._step(found, place, Occurrence.DELETED)

    # --- A pod's turn -----------------------------------------------------------------------------

    def heads(self) -> Sequence[QueuedPod]:
        """Returns the pods of which one is popped next, all equal to QueueSort; none if Pop would block."""
        return self.behaviour.heads(self._active, self._backoff)

    def take(self, key: str) -> QueuedPod:
        """Pops this pod even if it is not the next one, for drivers that say which pod is tried. Raises
        NotWaitingError if the pod does not wait here, or is gated."""
        place, pod = self._find(key)
        if pod is None:
            raise NotWaitingError(key)
        if place is not Place.ACTIVE:
            transitions, activated = self.behaviour.transitions, (place, Occurrence.ACTIVATED)
            if activated in transitions and self.behaviour.runs_pre_enqueue(transitions.row(*activated)):
                pod = self._with_gate(pod)
            if pod.is_gated:
                self._step(pod, place, Occurrence.NOT_ENQUEUED)
                raise NotWaitingError(key)
            self._remove(key)
            self._active.put(pod)
        return self._popped(pod, Place.ACTIVE)

    def pop(self, key: str) -> QueuedPod:
        """Pops one of the heads, by ``namespace/name``. Raises NotWaitingError if the pod is not one of them."""
        place, pod = self._find(key)
        if pod is None or pod not in self.heads():
            raise NotWaitingError(key)
        return self._popped(pod, place)

    def _popped(self, pod: QueuedPod, place: Place) -> QueuedPod:
        """R-QUEUE-48: When a pod is popped, the plugins that rejected its last attempt are forgotten.
        Source: active_queue.go, unlockedPop."""
        applies("R-QUEUE-48", when=pod.rejectors)
        self._step(pod, place, Occurrence.POPPED)
        return evolve(
            pod,
            signature=pod.signature if self.behaviour.keeps_signature(pod) else self._sign(pod.pod),
            attempts=pod.attempts + 1,
            unschedulable_plugins=frozenset[str](),
            pending_plugins=frozenset[str](),
            gating_plugin="",
        )

    def gating_plugin(self, key: str) -> str:
        """Returns the PreEnqueue plugin that rejects this pod, "" if none does or the pod does not wait here."""
        _, pod = self._find(key)
        return pod.gating_plugin if pod is not None else ""

    def done(self, uid: str) -> None:
        """Ends the time of a pod in flight: its attempt is over or past Permit, and no later event counts for
        it. Does nothing if the pod is not in flight."""
        if (pod := self.in_flight.get(uid)) is not None:
            self._step(pod, Place.IN_FLIGHT, Occurrence.DONE)

    def add_unschedulable_if_not_present(self, pod: QueuedPod) -> str:
        """Requeues a pod whose attempt failed, and returns the PreEnqueue plugin that gates it then, or "".
        ``pod`` names the plugins that rejected it, none after an error, and is as the API server shows it now.

        R-QUEUE-49: After a failed attempt the backoff begins anew, and a rejection sets the number of
        consecutive errors to 0.

        Where a pod of this name waits already, nothing is requeued. Source: AddUnschedulablePodIfNotPresent.
        """
        if self._find(pod.key)[1] is not None:
            self.done(pod.pod.uid)
            return ""
        applies("R-QUEUE-49")
        failed = not pod.rejectors
        counted = evolve(
            pod,
            consecutive_errors_count=pod.consecutive_errors_count + 1 if failed else 0,
            unschedulable_count=pod.unschedulable_count + (0 if failed else 1),
            timestamp=self._clock(),
            flushed_at=-math.inf,
        )
        counted = evolve(counted, backoff_expiration=self._backoff_rule.expiration(counted))
        strategy = self.behaviour.after_attempt(counted, self.in_flight, self._table(counted), self._objects)
        self._move(counted, Place.IN_FLIGHT, self._occurrence(counted, strategy))
        return self.gating_plugin(pod.key)

    # --- What happens in the cluster --------------------------------------------------------------

    def watches(self, resource: str, action: ActionType) -> bool:
        """Returns whether any plugin of any profile registered for such an action on this resource."""
        return any(table.watches(resource, action) for table in self.hint_tables.values())

    def move_all_to_active_or_backoff_queue(
        self,
        event: ClusterEvent,
        before: Any,
        after: Any,
        pre_check: Callable[[Pod], bool] | None = None,
    ) -> None:
        """Requeues those waiting pods for which a hint says Queue to the event, and records the event for
        those in flight. ``pre_check`` says which waiting pods it concerns; it always concerns those in flight."""
        waiting = list(self._unschedulable)
        if not events.is_wild_card(event):
            applies("R-CHANGE-01")
            if not (registered := self._registered_for(event)):
                return
            waiting = [pod for pod in waiting if not registered.isdisjoint(pod.rejectors)]
        concerned = [pod for pod in waiting if pre_check is None or pre_check(pod.pod)]
        self._requeue_all(concerned, ObservedEvent(event, before, after))

    def activate(self, pods: Iterable[Pod]) -> None:
        """Moves these pods to activeQ at once, as a plugin asks."""
        for pod in pods:
            place, found = self._find(pod.key)
            if (found is None or place is Place.ACTIVE) and pod.uid in self.in_flight:
                self.in_flight.note(ObservedEvent(events.FORCE_ACTIVATE, None, pod))
            if found is None:
                place, found = self._find_outside(pod)
            self._move(found, place, Occurrence.ACTIVATED)

    # --- Timers -----------------------------------------------------------------------------------

    def until_backoff_flush(self) -> float:
        """Returns the seconds from now, when the queue is started, to the first flush of backoffQ."""
        return self._backoff_rule.until_flush(self._clock())

    def flush_backoff_q_completed(self) -> None:
        now = self._clock()
        for place, queue in ((Place.BACKOFF, self._backoff), (Place.ERROR_BACKOFF, self._error_backoff)):
            while (heads := queue.first()) and not self._backoff_rule.is_backing_off(heads[0], now):
                for pod in heads:
                    self._move(pod, place, Occurrence.BACKOFF_OVER)

    def flush_unschedulable_pods_leftover(self) -> None:
        """R-QUEUE-50: A pod that has waited among the unschedulable pods for longer than its release allows (five
        minutes; one minute in earlier releases) is requeued, whichever plugin rejected it; for pods in flight this
        is an event like any other. Source: flushUnschedulableEntitiesLeftover."""
        now, longest = self._clock(), self.behaviour.max_seconds_unschedulable
        waited = ((pod, now - self.behaviour.waits_since(pod)) for pod in self._unschedulable)
        overdue = [pod for pod, seconds in waited if round(seconds, 9) > longest]  # Go counts nanoseconds
        if overdue:
            applies("R-QUEUE-50")
            flushed = (evolve(pod, flushed_at=now) for pod in overdue)
            self._requeue_all(flushed, ObservedEvent(events.UNSCHEDULABLE_TIMEOUT))

    # --- Observation ------------------------------------------------------------------------------

    def queues(self) -> Queues:
        """Returns what an observer sees: the pods of each queue, as sorted ``namespace/name``."""
        backoff = _keys((*self._backoff, *self._error_backoff))
        return Queues(_keys(self._active), backoff, _keys(self._unschedulable))

    def nominated_pods_for_node(self, node: str) -> tuple[PodInfo, ...]:
        """Returns the pods that are nominated to the node, as they count there."""
        return self.nominator.counted_on(node, lambda key: self._find(key)[1])

    # --- Events and hints -------------------------------------------------------------------------

    def _requeue_all(self, waiting: Iterable[QueuedPod], observed: ObservedEvent) -> None:
        """Requeues those of the waiting pods for which a hint says Queue, and records the event for those in
        flight. Most events concern a gated pod only if its gating plugin registered for them, in any profile."""
        registered = self._registered_for(observed.event)
        examines_all = self.behaviour.examines_gated(observed.event)
        for pod in waiting:
            if examines_all or not pod.is_gated or pod.gating_plugin in registered:
                self._requeue(pod, observed)
        self.in_flight.note(observed)

    def _requeue(self, pod: QueuedPod, observed: ObservedEvent) -> bool:
        """Returns whether the event requeues this waiting pod, and moves it if so.
        Source: requeuePodWithQueueingStrategy."""
        place = Place.GATED if pod.is_gated else Place.UNSCHEDULABLE
        strategy = self.behaviour.on_event(self._table(pod), pod, observed, self._objects)
        goes_to = self._move(pod, place, self._occurrence(pod, strategy))
        if self.behaviour.nominates(place, goes_to, observed.event):
            self.nominator.nominate(pod.pod)
        return goes_to in QUEUED

    def _occurrence(self, pod: QueuedPod, strategy: Strategy) -> Enum:
        return self.behaviour.occurrence(pod, strategy, self._backoff_rule, self._clock())

    def _registered_for(self, event: ClusterEvent) -> frozenset[str]:
        """Returns the plugins, of all profiles, that registered for such an event."""
        return frozenset().union(*(table.matching(event) for table in self.hint_tables.values()))

    def _table(self, pod: QueuedPod) -> HintTable:
        return self.hint_tables.get(pod.pod.spec.scheduler_name, _NO_HINTS)

    # --- Places and steps -------------------------------------------------------------------------

    def _find(self, key: str) -> tuple[Place, QueuedPod | None]:
        """Returns where a pod waits. A pod in flight is known by its uid, and is not looked for here."""
        for place, queue in self._queues.items():
            found = queue.get(key)
            if found is not None:
                is_gated = found.is_gated and place is Place.UNSCHEDULABLE
                return Place.GATED if is_gated else place, found
        return Place.NOWHERE, None

    def _find_outside(self, pod: Pod) -> tuple[Place, QueuedPod]:
        """Returns the place of a pod that waits in no queue: it is in flight, or the queue does not know it."""
        if (in_flight := self.in_flight.get(pod.uid)) is not None:
            return Place.IN_FLIGHT, in_flight
        return Place.NOWHERE, QueuedPod(PodInfo(pod), self._clock())

    def _enter(self, pod: Pod, occurrence: Enum) -> None:
        """Adds a pod that was not in the queue."""
        entering = QueuedPod(PodInfo(pod), self._clock(), self._sign(pod))
        goes_to = self._move(entering, Place.NOWHERE, occurrence)
        if self.behaviour.nominates(Place.NOWHERE, goes_to, None):
            self.nominator.nominate(pod)

    def _move(self, pod: QueuedPod, place: Place, occurrence: Enum) -> Place:
        """Takes the step that the table says, unless a PreEnqueue plugin rejects the pod."""
        if self.behaviour.runs_pre_enqueue(self.behaviour.transitions.row(place, occurrence)):
            pod = self._with_gate(pod)
            if pod.is_gated:
                occurrence = Occurrence.NOT_ENQUEUED
        return self._step(pod, place, occurrence)

    def _with_gate(self, pod: QueuedPod) -> QueuedPod:
        plugins = self._pre_enqueue_plugins.get(pod.pod.spec.scheduler_name, ())
        rejecting = run_pre_enqueue_plugins(plugins, pod.pod, self._objects, pod.gating_plugin)
        if rejecting:
            rejectors = pod.unschedulable_plugins | {rejecting}
            return evolve(pod, unschedulable_plugins=rejectors, gating_plugin=rejecting)
        return evolve(pod, gating_plugin="") if pod.is_gated else pod

    def _step(self, pod: QueuedPod, place: Place, occurrence: Enum) -> Place:
        """Takes the pod from where it is, and puts it where the table says. Every step of a pod is taken here.

        R-QUEUE-55: A pod that becomes active is removed from every other queue. Source: moveToActiveQ.
        """
        row = self.behaviour.transitions.row(place, occurrence)
        applies(row.rule)
        if self.on_move is not None:
            self.on_move(pod, row)
        if row.goes_to is place and self._is_unchanged(pod, place):
            return place
        if place is Place.IN_FLIGHT:
            self.in_flight.done(pod.pod.uid)
        elif place is not Place.NOWHERE:
            self._queues[place].remove(pod.key)
        if row.goes_to is Place.ACTIVE and self._remove(pod.key):
            applies("R-QUEUE-55")
        if row.goes_to is Place.IN_FLIGHT:
            self.in_flight.add(pod)
        elif row.goes_to is not Place.NOWHERE:
            self._queues[row.goes_to].put(pod)
        return row.goes_to

    def _is_unchanged(self, pod: QueuedPod, place: Place) -> bool:
        return place not in self._queues or self._queues[place].get(pod.key) is pod

    def _remove(self, key: str) -> bool:
        """Removes the pod from wherever it waits outside activeQ, and returns whether it was there."""
        removed = [queue.remove(key) for queue in (self._unschedulable, self._backoff, self._error_backoff)]
        return any(pod is not None for pod in removed)


def _keys(pods: Iterable[QueuedPod]) -> tuple[str, ...]:
    return tuple(sorted(pod.key for pod in pods))
