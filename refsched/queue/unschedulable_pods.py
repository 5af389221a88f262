# SPDX-License-Identifier: Apache-2.0
"""UnschedulablePods: the pods that wait for an event, rejected or gated.

Source: pkg/scheduler/backend/queue/unschedulable_pods.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from refsched.queue.queued_pod import QueuedPod

LEFTOVER_FLUSH_PERIOD = 30.0
"""Pods that have waited for too long are flushed every so many seconds. Source: scheduling_queue.go, Run."""


class UnschedulablePods:
    """UnschedulablePods hold pods by key, in the order in which they came here."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    def get(self, key: str) -> QueuedPod | None:
        return self._pods.get(key)

    def put(self, pod: QueuedPod) -> None:
        """Adds the pod, and replaces the one that has its key."""
        self.remove(pod.key)
        self._pods[pod.key] = pod

    def remove(self, key: str) -> QueuedPod | None:
        return self._pods.pop(key, None)
