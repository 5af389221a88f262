# SPDX-License-Identifier: Apache-2.0
"""Ranking: pods in the order of a comparison, with groups of those that it leaves equal.

kube-scheduler keeps a binary heap. Which of the equal pods comes first there depends on everything that was
put in and taken out before, so any of them may come first here.
Source: pkg/scheduler/backend/heap/heap.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from refsched.queue.queued_pod import QueuedPod

Less = Callable[[QueuedPod, QueuedPod], bool]
"""A Less says whether the first pod goes before the second. Pods are equal if neither goes before the other."""


class Ranking:
    """A Ranking holds groups of equal pods, the first group first. Within a group pods are in the order of
    their arrival."""

    def __init__(self, less: Less) -> None:
        self._less = less
        self._groups: list[dict[str, QueuedPod]] = []
        self._group_of: dict[str, dict[str, QueuedPod]] = {}

    def __len__(self) -> int:
        return len(self._group_of)

    def __iter__(self) -> Iterator[QueuedPod]:
        return (pod for group in self._groups for pod in group.values())

    def get(self, key: str) -> QueuedPod | None:
        group = self._group_of.get(key)
        return None if group is None else group[key]

    def first(self) -> tuple[QueuedPod, ...]:
        """Returns the pods that go before all others, and none if there is no pod."""
        return tuple(self._groups[0].values()) if self._groups else ()

    def put(self, pod: QueuedPod) -> None:
        """Adds the pod, and replaces the one that has its key."""
        self.remove(pod.key)
        at = self._rank(pod)
        if at == len(self._groups) or self._less(pod, _any_of(self._groups[at])):
            self._groups.insert(at, {})
        self._groups[at][pod.key] = pod
        self._group_of[pod.key] = self._groups[at]

    def remove(self, key: str) -> QueuedPod | None:
        group = self._group_of.pop(key, None)
        if group is None:
            return None
        if len(group) == 1:
            del self._groups[self._rank(group[key])]
        return group.pop(key)

    def _rank(self, pod: QueuedPod) -> int:
        """Returns how many groups go before the pod."""
        low, high = 0, len(self._groups)
        while low < high:
            middle = (low + high) // 2
            if self._less(_any_of(self._groups[middle]), pod):
                low = middle + 1
            else:
                high = middle
        return low


def _any_of(group: dict[str, QueuedPod]) -> QueuedPod:
    return next(iter(group.values()))
