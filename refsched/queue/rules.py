# SPDX-License-Identifier: Apache-2.0
"""QueueRules: what a release says about its queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from attrs import frozen

from refsched.framework.events import ClusterEvent
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.backoff import Backoff
from refsched.queue.hint_table import HintTable, Strategy
from refsched.queue.in_flight import Happening, InFlight
from refsched.queue.nominator import Nominator
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.ranking import Ranking
from refsched.queue.transitions import Place, Transition, Transitions


@frozen
class QueueRules:
    """``transitions`` is the table that the queue executes, and the functions say what happens to a pod, in
    its words:

    * ``heads``: the pods of which one is popped next, of activeQ and backoffQ;
    * ``runs_pre_enqueue``: is PreEnqueue run before this transition?
    * ``update_events``: the events that an update of a pod is;
    * ``update``: what an update is to a pod that it is no event for;
    * ``last_hint``: once an event of an update has brought the pod to one of these places, the others are not
      asked;
    * ``on_event``: how an event requeues a waiting pod;
    * ``after_attempt``: how a pod is requeued after a failed attempt;
    * ``occurrence``: what such a strategy is to the pod, whose backoff may be over now.

    ``backoff`` makes the backoff of the configuration's two durations, ``in_flight`` and ``nominator`` the
    records of pods in flight and of nominations. Periods and durations are in seconds;
    ``max_in_unschedulable_pods`` is how long a pod may wait for an event before it is requeued without one.
    """

    transitions: Transitions
    heads: Callable[[Ranking, Ranking], Sequence[QueuedPod]]
    runs_pre_enqueue: Callable[[Transition], bool]
    update_events: Callable[[Pod, Pod], tuple[ClusterEvent, ...]]
    update: Callable[[Pod, Pod], Enum]
    last_hint: frozenset[Place]
    on_event: Callable[[HintTable, QueuedPod, Happening, ObjectStore], Strategy]
    after_attempt: Callable[[QueuedPod, InFlight, HintTable, ObjectStore], Strategy]
    occurrence: Callable[[QueuedPod, Strategy, Backoff, float], Enum]
    backoff: Callable[[float, float], Backoff]
    in_flight: Callable[[], InFlight]
    nominator: Callable[[ObjectStore], Nominator]
    backoff_flush_period: float
    leftover_flush_period: float
    max_in_unschedulable_pods: float
