# SPDX-License-Identifier: Apache-2.0
"""QueueBehaviour: how a queue decides, as the release defines it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from attrs import frozen

from refsched.framework.events import ClusterEvent
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.backoff import Backoff
from refsched.queue.hint_table import FurtherEvents, HintTable, Strategy, no_further_events
from refsched.queue.in_flight import InFlight, ObservedEvent
from refsched.queue.nominator import Nominator
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.ranking import Ranking
from refsched.queue.transitions import Place, Transition, Transitions


@frozen
class QueueBehaviour:
    """``transitions`` is the table that the queue executes; the functions say which row of it applies to a pod:

    * ``heads`` returns the pods of activeQ and backoffQ of which one is popped next.
    * ``runs_pre_enqueue`` says whether PreEnqueue is run before this transition.
    * ``nominates`` says whether a pod that went from one place to another, because of this event if there is one,
      is nominated as its status says.
    * ``examines_gated`` says whether an event concerns gated pods for which the gating plugin did not register.
    * ``waits_since`` returns the time since when a pod has waited for an event.
    * ``update_events`` returns the events into which an update of a pod is broken.
    * ``occurrence_of_update`` returns the occurrence as which an update counts if the table has a row for it.
    * ``places_that_end_an_update`` are those that end the events of an update: once one of the events has brought
      the pod there, the others are ignored.
    * ``on_event`` says how an event requeues a waiting pod.
    * ``after_attempt`` says how a pod is requeued after a failed attempt.
    * ``occurrence`` returns the occurrence to which such a strategy amounts for the pod, whose backoff may be
    over.
    * ``keeps_signature`` says whether a pod that is popped keeps the signature that it got in the queue.

    ``backoff`` makes the Backoff of the configuration's two durations. ``in_flight`` and ``nominator`` make the
    records of pods in flight and of nominations. ``max_seconds_unschedulable`` is how long a pod may wait for an
    event before it is requeued without one.
    ``further_events`` returns what a plugin registers for in addition to its own rows.
    """

    transitions: Transitions
    heads: Callable[[Ranking, Ranking], Sequence[QueuedPod]]
    runs_pre_enqueue: Callable[[Transition], bool]
    nominates: Callable[[Place, Place, ClusterEvent | None], bool]
    examines_gated: Callable[[ClusterEvent], bool]
    waits_since: Callable[[QueuedPod], float]
    update_events: Callable[[Pod, Pod], tuple[ClusterEvent, ...]]
    occurrence_of_update: Callable[[Pod, Pod], Enum]
    places_that_end_an_update: frozenset[Place]
    on_event: Callable[[HintTable, QueuedPod, ObservedEvent, ObjectStore], Strategy]
    after_attempt: Callable[[QueuedPod, InFlight, HintTable, ObjectStore], Strategy]
    occurrence: Callable[[QueuedPod, Strategy, Backoff, float], Enum]
    keeps_signature: Callable[[QueuedPod], bool]
    backoff: Callable[[float, float], Backoff]
    in_flight: Callable[[], InFlight]
    nominator: Callable[[ObjectStore], Nominator]
    max_seconds_unschedulable: float
    further_events: FurtherEvents = no_further_events
