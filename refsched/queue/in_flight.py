# SPDX-License-Identifier: Apache-2.0
"""InFlight: the pods that are being scheduled or bound, and what has happened since each was popped.

Rules: R-FLIGHT-01 … R-FLIGHT-03.   Source: pkg/scheduler/backend/queue/active_queue.go (v1.34.2).
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from attrs import frozen

from refsched.framework.events import ClusterEvent
from refsched.objects.pod import Pod


@frozen
class Happening:
    """An event with the object before it (None: it was new) and after it (None: it is gone)."""

    event: ClusterEvent
    before: Any = None
    after: Any = None


class InFlight:
    """One list of happenings for all pods in flight, and for each pod, by its uid, where it joined."""

    def __init__(self) -> None:
        self._happenings: deque[Happening] = deque()
        self._forgotten = 0
        self._joined: dict[str, int] = {}

    def __contains__(self, uid: object) -> bool:
        return uid in self._joined

    def add(self, pod: Pod) -> None:
        self._joined[pod.uid] = self._forgotten + len(self._happenings)

    def done(self, uid: str) -> None:
        """R-FLIGHT-03: what happened before the oldest pod in flight was popped is forgotten.

        Nothing happens where the pod is not in flight. Source: unlockedDone.
        """
        self._joined.pop(uid, None)
        oldest = next(iter(self._joined.values()), None)
        while self._happenings and self._forgotten != oldest:
            self._happenings.popleft()
            self._forgotten += 1

    def note(self, happening: Happening) -> None:
        """R-FLIGHT-01: an event counts for every pod in flight. Source: addEventIfAnyInFlight."""
        if self._joined:
            self._happenings.append(happening)

    def since(self, uid: str) -> tuple[Happening, ...]:
        """R-FLIGHT-02: what has happened since this pod was popped, to whomever.

        KeyError where the pod is not in flight. Source: clusterEventsForPod.
        """
        return tuple(islice(self._happenings, self._joined[uid] - self._forgotten, None))
