# SPDX-License-Identifier: Apache-2.0
"""UnschedulablePods: the pods that wait for an event, rejected or gated.

Source: pkg/scheduler/backend/queue/unschedulable_pods.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from refsched.queue.queued_pod import QueuedPod


class UnschedulablePods:
    """Pods by key, and by the plugins that rejected them, of which each event concerns only some."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}
        self._rejected_by: dict[str, dict[str, None]] = {}

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    def get(self, key: str) -> QueuedPod | None:
        return self._pods.get(key)

    def put(self, pod: QueuedPod) -> None:
        """Add the pod, in the place of the one that has its key."""
        self.remove(pod.key)
        self._pods[pod.key] = pod
        for plugin in pod.rejectors:
            self._rejected_by.setdefault(plugin, {})[pod.key] = None

    def remove(self, key: str) -> QueuedPod | None:
        pod = self._pods.pop(key, None)
        if pod is None:
            return None
        for plugin in pod.rejectors:
            del self._rejected_by[plugin][key]
        return pod

    def rejected_by(self, plugins: Iterable[str]) -> list[QueuedPod]:
        """The pods that at least one of these plugins rejected or gates."""
        keys = {key: None for plugin in plugins for key in self._rejected_by.get(plugin, ())}
        return [self._pods[key] for key in keys]
