# SPDX-License-Identifier: Apache-2.0
"""SchedulingQueue: the pods that are to be scheduled, those that wait for their backoff, and those that
wait for an event.

Every method is one transition of the table in refsched/queue/transitions.py; nothing happens by itself. The
clock is asked, and the two flushes are called by whoever moves it: every second (``flush_backoff_q_completed``,
at the whole second) and every thirty (``flush_unschedulable_pods_leftover``).

SchedulerQueueingHints is on (the gate is locked); SchedulerPopFromBackoffQ may be off.
Rules: R-QUEUE-01 … R-QUEUE-55, R-NOM-06.   Source: pkg/scheduler/backend/queue/scheduling_queue.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import evolve

from refsched.framework.events import ActionType, ClusterEvent
from refsched.framework.interface import PreEnqueuePlugin
from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue import cluster_events as events
from refsched.queue.backoff import Backoff, by_expiration
from refsched.queue.hint_table import HintTable, Strategy
from refsched.queue.in_flight import Happening, InFlight
from refsched.queue.nominator import Nominator
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.ranking import Less, Ranking
from refsched.queue.transitions import Occurrence, Place, destination
from refsched.queue.unschedulable_pods import UnschedulablePods

_BEHIND_THE_GATE = frozenset({Place.ACTIVE, Place.BACKOFF, Place.ERROR_BACKOFF})
_TELLS_OF_A_NOMINATION = (events.UNSCHEDULED_POD_ADD, events.UNSCHEDULED_POD_UPDATE)


class Queues(NamedTuple):
    """What an observer sees: each queue's pods, as sorted ``namespace/name``."""

    active: tuple[str, ...]
    backoff: tuple[str, ...]
    unschedulable: tuple[str, ...]


class SchedulingQueue:
    """``hint_tables`` and ``pre_enqueue_plugins`` are by scheduler name; a pod of another scheduler does not
    come here. ``objects`` is what the informers hold: it shows a change before the queue is told of it.
    ``clock`` answers seconds since some whole second of UTC. ``pops_from_backoff`` is the feature gate.
    """

    def __init__(
        self,
        less: Less,
        hint_tables: Mapping[str, HintTable],
        pre_enqueue_plugins: Mapping[str, Sequence[PreEnqueuePlugin]],
        objects: ObjectStore,
        initial_backoff: float,
        max_backoff: float,
        clock: Callable[[], float],
        *,
        pops_from_backoff: bool = True,
        max_in_unschedulable_pods: float = 300.0,
    ) -> None:
        self.nominator = Nominator(objects)
        self._hint_tables = hint_tables
        self._pre_enqueue_plugins = pre_enqueue_plugins
        self._objects = objects
        self._pops_from_backoff = pops_from_backoff
        self._max_in_unschedulable_pods = max_in_unschedulable_pods
        self._backoff_rule = Backoff(initial_backoff, max_backoff, by_second=pops_from_backoff)
        self._clock = clock
        self._active = Ranking(less)
        self._backoff = Ranking(by_expiration(less))
        self._error_backoff = Ranking(by_expiration(less))
        self._unschedulable = UnschedulablePods()
        self._in_flight = InFlight()
        self._queues: Mapping[Place, Ranking | UnschedulablePods] = {
            Place.ACTIVE: self._active,
            Place.BACKOFF: self._backoff,
            Place.ERROR_BACKOFF: self._error_backoff,
            Place.UNSCHEDULABLE: self._unschedulable,
            Place.GATED: self._unschedulable,
        }

    # --- What the API server says of a pod that has no node ---------------------------------------

    def add(self, pod: Pod) -> None:
        """A new pod."""
        self._move(self._new(pod), Place.NOWHERE, Occurrence.ADDED, events.UNSCHEDULED_POD_ADD)

    def update(self, before: Pod, after: Pod) -> None:
        """R-QUEUE-46: an update of a waiting pod is itself an event, which may cure those who refused it.

        Source: Update.
        """
        changes = events.pod_update_events(before, after)
        if after.uid in self._in_flight:
            for change in changes:
                self._in_flight.note(Happening(change, before, after))
            return
        place, found = self._find(after.key)
        if found is None:
            self._move(self._new(after), Place.NOWHERE, Occurrence.UPDATED, events.UNSCHEDULED_POD_UPDATE)
            return
        updated = evolve(found, info=PodInfo(after))
        self.nominator.update(before, after)
        if place in _BEHIND_THE_GATE:
            if self._unschedulable.get(after.key) is not None:
                self._unschedulable.put(updated)
            self._go(updated, place, Occurrence.UPDATED)
            return
        self._hear_all(updated, [Happening(change, before, after) for change in changes])

    def _hear_all(self, pod: QueuedPod, changes: Iterable[Happening]) -> None:
        """R-QUEUE-52: the first change that cures the pod is the last that it hears. But without
        SchedulerPopFromBackoffQ one that goes to backoffQ hears the others too, and one that does not cure it
        puts it among the unschedulable pods as well: for a while it is in two queues."""
        self._unschedulable.put(pod)
        for change in changes:
            pod = self._unschedulable.get(pod.key) or pod
            if not self._hear(pod, change):
                if self._unschedulable.get(pod.key) is None:
                    self._unschedulable.put(pod)
            elif self._pops_from_backoff or self._active.get(pod.key) is not None:
                return

    def delete(self, pod: Pod) -> None:
        """The pod is gone, or has a node now. One that is in flight stays there."""
        self.nominator.withdraw(pod)
        place, found = self._find(pod.key)
        if found is not None:
            self._go(found, place, Occurrence.DELETED)

    # --- A pod's turn -----------------------------------------------------------------------------

    def heads(self) -> tuple[QueuedPod, ...]:
        """The pods of which one is popped next: QueueSort leaves them equal. None where Pop would block.

        R-QUEUE-47: where activeQ is empty, backoffQ is asked: there, those whose backoff ends in the earliest
        second come first. R-QUEUE-53: without SchedulerPopFromBackoffQ nobody is popped from backoffQ.
        Source: unlockedPop, popBackoff.
        """
        if not self._pops_from_backoff:
            return self._active.first()
        return self._active.first() or self._backoff.first()

    def take(self, key: str) -> QueuedPod:
        """Pop this pod though it may not be its turn: for drivers that say which pod is tried. KeyError where
        it does not wait here."""
        place, pod = self._find(key)
        if pod is None:
            raise KeyError(key)
        if place is not Place.ACTIVE:
            self._move(pod, place, Occurrence.ACTIVATED, events.FORCE_ACTIVATE)
        return self._popped(key)

    def pop(self, key: str) -> QueuedPod:
        """Take one of the heads, by ``namespace/name``. KeyError where it is not one of them.

        R-QUEUE-48: who refused it before is forgotten; what happens from now on is remembered.
        """
        place, pod = self._find(key)
        if pod is None or not self._is_head(pod, place):
            raise KeyError(key)
        return self._popped(key)

    def _popped(self, key: str) -> QueuedPod:
        place, pod = self._find(key)
        if pod is None or pod.is_gated:
            raise KeyError(key)
        self._go(pod, place, Occurrence.POPPED)
        nobody: frozenset[str] = frozenset()
        return evolve(
            pod,
            attempts=pod.attempts + 1,
            unschedulable_plugins=nobody,
            pending_plugins=nobody,
            gating_plugin="",
        )

    def _is_head(self, pod: QueuedPod, place: Place) -> bool:
        if place is Place.ACTIVE:
            return self._active.is_first(pod)
        is_next = place is Place.BACKOFF and not self._active and self._backoff.is_first(pod)
        return is_next and self._pops_from_backoff

    def gating_plugin(self, key: str) -> str:
        """The plugin that holds this pod at the gate; empty where it is not held, or not here."""
        _, pod = self._find(key)
        return pod.gating_plugin if pod is not None else ""

    def done(self, uid: str) -> None:
        """The attempt is over, or past Permit: what happens from now on will not send the pod back."""
        self._in_flight.done(uid)

    def add_unschedulable_if_not_present(self, pod: QueuedPod) -> None:
        """The attempt failed; ``pod`` says who refused it (nobody: an error), and is as the API server shows
        it now.

        R-QUEUE-49: errors in a row are counted by themselves, and a refusal ends the row. The backoff counts
        from now. Where the pod has come back some other way, it stays as it is there.
        """
        if self._find(pod.key)[1] is not None:
            self._in_flight.done(pod.pod.uid)
            return
        failed = not pod.rejectors
        counted = evolve(
            pod,
            consecutive_errors_count=pod.consecutive_errors_count + 1 if failed else 0,
            unschedulable_count=pod.unschedulable_count + (0 if failed else 1),
            timestamp=self._clock(),
        )
        counted = evolve(counted, backoff_expiration=self._backoff_rule.expiration(counted))
        occurrence = self._occurrence(counted, self._strategy_after_attempt(counted))
        self._move(counted, Place.IN_FLIGHT, occurrence, events.SCHEDULE_ATTEMPT_FAILURE)

    # --- What happens in the cluster --------------------------------------------------------------

    def hears_of(self, resource: str, action: ActionType) -> bool:
        """Does any plugin of any profile want to know? (Nodes and pods are watched anyway.)"""
        return any(table.hears_of(resource, action) for table in self._hint_tables.values())

    def move_all_to_active_or_backoff_queue(
        self,
        event: ClusterEvent,
        before: Any,
        after: Any,
        pre_check: Callable[[Pod], bool] | None = None,
    ) -> None:
        """An event: the waiting pods that it may cure move, and it is remembered for those in flight.

        ``pre_check`` says which waiting pods it concerns at all; those in flight it always does.
        """
        waiting: Iterable[QueuedPod] = self._unschedulable
        if not events.is_wild_card(event):
            interested = self._interested(event)
            if not interested:
                return
            waiting = self._unschedulable.refused_by(interested)
        concerned = [pod for pod in waiting if pre_check is None or pre_check(pod.pod)]
        self._tell(concerned, Happening(event, before, after))

    def activate(self, pods: Iterable[Pod]) -> None:
        """A plugin asks that these be tried at once. For one in flight it is an event of its attempt."""
        for pod in pods:
            place, found = self._find(pod.key)
            if found is None or place is Place.ACTIVE:
                if pod.uid in self._in_flight:
                    self._in_flight.note(Happening(events.FORCE_ACTIVATE, None, pod))
                continue
            self._move(found, place, Occurrence.ACTIVATED, events.FORCE_ACTIVATE)

    # --- Timers -----------------------------------------------------------------------------------

    def until_backoff_flush(self) -> float:
        """Seconds from now, when the queue is started, to the first flush: it comes at a whole second. Without
        SchedulerPopFromBackoffQ it comes in one second. Source: waitUntilAlignedWithOrderingWindow."""
        now = self._clock()
        return self._backoff_rule.window(now + 1) - now

    def flush_backoff_q_completed(self) -> None:
        """Pods whose backoff is over may be tried."""
        now = self._clock()
        for place, queue in ((Place.BACKOFF, self._backoff), (Place.ERROR_BACKOFF, self._error_backoff)):
            while (heads := queue.first()) and not self._backoff_rule.is_backing_off(heads[0], now):
                for pod in heads:
                    self._move(pod, place, Occurrence.BACKOFF_OVER, events.BACKOFF_COMPLETE)

    def flush_unschedulable_pods_leftover(self) -> None:
        """R-QUEUE-50: a pod that was refused more than five minutes ago is tried again, whoever refused it.
        For those in flight this is an event like any other."""
        now = self._clock()
        longest = self._max_in_unschedulable_pods
        overdue = [pod for pod in self._unschedulable if round(now - pod.timestamp, 9) > longest]
        if overdue:
            self._tell(overdue, Happening(events.UNSCHEDULABLE_TIMEOUT))

    # --- Observation ------------------------------------------------------------------------------

    def queues(self) -> Queues:
        return Queues(
            active=_keys(self._active),
            backoff=_keys((*self._backoff, *self._error_backoff)),
            unschedulable=_keys(self._unschedulable),
        )

    def nominated_pods_for_node(self, node: str) -> tuple[PodInfo, ...]:
        """R-NOM-06: a nominated pod counts as the queue has it; one that is in no queue, as an empty pod of
        its name, without requests and priority. Source: NominatedPodsForNode, nominatedPodToInfo."""
        return tuple(
            found.info if (found := self._find(name.key)[1]) is not None else PodInfo(name.as_pod())
            for name in self.nominator.nominated_to(node)
        )

    # --- Transitions ------------------------------------------------------------------------------

    def _move(self, pod: QueuedPod, place: Place, occurrence: Occurrence, event: ClusterEvent) -> Place:
        """Send the pod where the table says. A pod that is new or updated tells of its nomination when it
        becomes active. Source: moveToActiveQ, moveToBackoffQ."""
        if self._passes_the_gate(place, occurrence):
            pod = self._at_the_gate(pod)
            if pod.is_gated:
                occurrence = Occurrence.HELD
        goes_to = self._go(pod, place, occurrence)
        if goes_to is Place.ACTIVE and event in _TELLS_OF_A_NOMINATION:
            self.nominator.nominate(pod.pod)
        return goes_to

    def _passes_the_gate(self, place: Place, occurrence: Occurrence) -> bool:
        """R-QUEUE-54: PreEnqueue is asked before activeQ and backoffQ, and not again between them; without
        SchedulerPopFromBackoffQ before activeQ only, and always."""
        goes_to = destination(place, occurrence)
        if not self._pops_from_backoff:
            return goes_to is Place.ACTIVE
        return goes_to in _BEHIND_THE_GATE and occurrence is not Occurrence.BACKOFF_OVER

    def _at_the_gate(self, pod: QueuedPod) -> QueuedPod:
        """Who holds the pod is asked first, and the first to refuse holds it. (Among the others
        kube-scheduler's order is a map's.) Source: runPreEnqueuePlugins."""
        plugins = self._pre_enqueue_plugins[pod.pod.spec.scheduler_name]
        for plugin in sorted(plugins, key=lambda plugin: plugin.name != pod.gating_plugin):
            if not plugin.pre_enqueue(pod.pod, self._objects).is_success:
                refused = pod.unschedulable_plugins | {plugin.name}
                return evolve(pod, unschedulable_plugins=refused, gating_plugin=plugin.name)
        return evolve(pod, gating_plugin="") if pod.is_gated else pod

    def _tell(self, waiting: Iterable[QueuedPod], happening: Happening) -> None:
        """A gated pod hears only what the plugin that holds it registered for, in any profile."""
        interested = self._interested(happening.event)
        for pod in waiting:
            if not pod.is_gated or pod.gating_plugin in interested:
                self._hear(pod, happening)
        self._in_flight.note(happening)

    def _hear(self, pod: QueuedPod, happening: Happening) -> bool:
        """One waiting pod, one event. Does it move? Source: requeuePodWithQueueingStrategy."""
        place = Place.GATED if pod.is_gated else Place.UNSCHEDULABLE
        strategy = self._table(pod).strategy(pod, happening, self._objects)
        occurrence = self._occurrence(pod, strategy)
        if destination(place, occurrence) is place:
            return False
        return self._move(pod, place, occurrence, happening.event) in _BEHIND_THE_GATE

    def _strategy_after_attempt(self, pod: QueuedPod) -> Strategy:
        """R-QUEUE-51: all that happened during the attempt is asked for a cure. After an error, or where the
        attempt came past Permit and nothing was remembered any more, the pod is retried after its backoff.

        Source: determineSchedulingHintForInFlightPod.
        """
        if not pod.rejectors or pod.pod.uid not in self._in_flight:
            return Strategy.AFTER_BACKOFF
        best = Strategy.SKIP
        for happening in self._in_flight.since(pod.pod.uid):
            strategy = self._table(pod).strategy(pod, happening, self._objects)
            if strategy is not Strategy.SKIP:
                best = strategy
            if best is Strategy.IMMEDIATELY or (best is Strategy.AFTER_BACKOFF and not pod.pending_plugins):
                break
        return best

    def _occurrence(self, pod: QueuedPod, strategy: Strategy) -> Occurrence:
        if strategy is Strategy.SKIP:
            return Occurrence.NO_CURE
        if strategy is Strategy.IMMEDIATELY:
            return Occurrence.AWAITED
        backing_off = self._backoff_rule.is_backing_off(pod, self._clock())
        if not pod.rejectors:
            return Occurrence.FAILED if backing_off else Occurrence.FAILED_FREE
        return Occurrence.CURED_EARLY if backing_off else Occurrence.CURED

    def _interested(self, event: ClusterEvent) -> frozenset[str]:
        """The plugins, of all profiles, that registered for such an event."""
        return frozenset(plugin for table in self._hint_tables.values() for plugin in table.matching(event))

    def _table(self, pod: QueuedPod) -> HintTable:
        return self._hint_tables[pod.pod.spec.scheduler_name]

    # --- Places -----------------------------------------------------------------------------------

    def _new(self, pod: Pod) -> QueuedPod:
        return QueuedPod(PodInfo(pod), self._clock())

    def _find(self, key: str) -> tuple[Place, QueuedPod | None]:
        """Where a waiting pod is. (One in flight is known by its uid, and is not looked for here.)"""
        for place, queue in self._queues.items():
            found = queue.get(key)
            if found is not None:
                is_held = found.is_gated and place is Place.UNSCHEDULABLE
                return Place.GATED if is_held else place, found
        return Place.NOWHERE, None

    def _go(self, pod: QueuedPod, place: Place, occurrence: Occurrence) -> Place:
        """Take the pod from where it is, and put it where the table says.

        R-QUEUE-55: one that becomes active is in no other queue any more. Source: moveToActiveQ.
        """
        goes_to = destination(place, occurrence)
        if place is Place.IN_FLIGHT:
            self._in_flight.done(pod.pod.uid)
        elif place is not Place.NOWHERE:
            self._queues[place].remove(pod.key)
        if goes_to is Place.ACTIVE:
            for queue in (self._unschedulable, self._backoff, self._error_backoff):
                queue.remove(pod.key)
        if goes_to is Place.IN_FLIGHT:
            self._in_flight.add(pod.pod)
        elif goes_to is not Place.NOWHERE:
            self._queues[goes_to].put(pod)
        return goes_to


def _keys(pods: Iterable[QueuedPod]) -> tuple[str, ...]:
    return tuple(sorted(pod.key for pod in pods))
