# SPDX-License-Identifier: Apache-2.0
"""UnschedulablePods: the pods that wait for an event, rejected or gated.

Source: pkg/scheduler/backend/queue/unschedulable_pods.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from refsched.queue.queued_pod import QueuedPod


class UnschedulablePods:
    """UnschedulablePods hold pods by key, and by the plugins that rejected them, since an event concerns only
    some plugins."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}
        self._entered: dict[str, int] = {}
        self._entries = 0
        self._rejected_by: dict[str, dict[str, None]] = {}

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
        self._entered[pod.key] = self._entries
        self._entries += 1
        for plugin in sorted(pod.rejectors):
            self._rejected_by.setdefault(plugin, {})[pod.key] = None

    def remove(self, key: str) -> QueuedPod | None:
        pod = self._pods.pop(key, None)
        if pod is None:
            return None
        del self._entered[key]
        for plugin in sorted(pod.rejectors):
            del self._rejected_by[plugin][key]
        return pod

    def rejected_by(self, plugins: Collection[str]) -> list[QueuedPod]:
        """Returns the pods that at least one of these plugins rejected or gates, in the order in which they
        came here."""
        keys = {key for plugin in plugins for key in self._rejected_by.get(plugin, ())}
        return [self._pods[key] for key in sorted(keys, key=self._entered.__getitem__)]
