# SPDX-License-Identifier: Apache-2.0
"""InFlight: the pods that are being scheduled or bound, and what has happened since each was popped.

Observed: what is remembered for pods in flight serves the queueing hints, KEP-4247.
Shows in: queue.
Source: pkg/scheduler/backend/queue/active_queue.go.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from attrs import frozen

from refsched.framework.events import ClusterEvent
from refsched.queue.queued_pod import QueuedPod
from refsched.rules import applies


@frozen
class ObservedEvent:
    """An ObservedEvent is an event with the object before it (None if it was created) and after it (None if it was
    deleted)."""

    event: ClusterEvent
    before: Any = None
    after: Any = None


class InFlight:
    """InFlight holds the pods in flight by uid, and one list of events for all of them: for each pod those since
    its Pop count. ``popped`` is how many pods have been popped so far."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}
        self._events: deque[ObservedEvent] = deque()
        self._dropped = 0
        self._first_of: dict[str, int] = {}
        self.popped = 0

    def __contains__(self, uid: object) -> bool:
        return uid in self._pods

    def get(self, uid: str) -> QueuedPod | None:
        return self._pods.get(uid)

    def add(self, pod: QueuedPod) -> None:
        self.popped += 1
        self._pods[pod.pod.uid] = pod
        self._first_of[pod.pod.uid] = self._dropped + len(self._events)

    def done(self, uid: str) -> None:
        """R-FLIGHT-03: An event from before the oldest pod in flight was popped is dropped.

        Nothing happens if the pod is not in flight. Source: unlockedDone.
        """
        self._pods.pop(uid, None)
        self._first_of.pop(uid, None)
        oldest = next(iter(self._first_of.values()), None)
        while self._events and self._dropped != oldest:
            applies("R-FLIGHT-03")
            self._events.popleft()
            self._dropped += 1

    def note(self, observed: ObservedEvent) -> None:
        """R-FLIGHT-01 (needs scripted or volumes or devices or extenders or api): An event is remembered for each
        pod that is in flight when it happens.
        Source: addEventIfAnyInFlight."""
        if self._pods:
            applies("R-FLIGHT-01")
            self._events.append(observed)

    def since_pop(self, uid: str) -> tuple[ObservedEvent, ...]:
        """R-FLIGHT-02 (needs scripted or volumes or devices or extenders or api): All events since a pod was
        popped count when its attempt fails, whatever object they are of.

        Raises KeyError if the pod is not in flight. Source: clusterEventsForPod.
        """
        happened = tuple(islice(self._events, self._first_of[uid] - self._dropped, None))
        applies("R-FLIGHT-02", when=happened)
        return happened
