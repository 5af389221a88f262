# SPDX-License-Identifier: Apache-2.0
"""Nominator: the pods that are nominated to a node, until they are assumed there or lose the nomination.

Promised: status.nominatedNodeName is documented with the Pod API.
Shows in: nominations.
Source: pkg/scheduler/backend/queue/nominator.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from refsched.framework.node_info import PodInfo
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.queued_pod import QueuedPod
from refsched.rules import applies

Waiting = Callable[[str], QueuedPod | None]
"""A Waiting returns the pod with a key (``namespace/name``) as it is in a queue, or None if it is in none."""


class Nominator:
    """The Nominator knows which pods are nominated to which node. A pod has at most one nomination, and only its
    name and uid are kept."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._node_of: dict[str, str] = {}
        self._pods_on: dict[str, dict[str, Pod]] = {}

    def nominated_to(self, node: str) -> tuple[Pod, ...]:
        """Returns the pods nominated to the node, without requests and priority, in the order in which they were
        nominated or last updated."""
        return tuple(self._pods_on.get(node, {}).values())

    @property
    def nodes(self) -> Collection[str]:
        """Returns the nodes to which any pod is nominated."""
        return self._pods_on.keys()

    def counted_on(self, node: str, waiting: Waiting) -> tuple[PodInfo, ...]:
        """R-NOM-06 (observed: what a nominated pod that is in no queue counts as is an accident): A nominated pod
        counts as it is in the queue, and as a pod without requests and priority if it is in none of the queues.

        Source: NominatedPodsForNode, nominatedPodToInfo.
        """
        nominated = self.nominated_to(node)
        applies("R-NOM-06", when=nominated)
        queued = ((named, waiting(named.key)) for named in nominated)
        return tuple(pod.info if pod is not None else PodInfo(named) for named, pod in queued)

    def nominate(self, pod: Pod, node: str | None = None) -> None:
        """R-NOM-02: A pod is nominated to the node that preemption chose, or else to the one in its
        ``status.nominatedNodeName``; without either it is not nominated any more.
        R-NOM-03: A pod that is deleted or assigned to a node is not nominated.

        Source: addNominatedPodUnlocked.
        """
        self._remove(pod)
        to = pod.status.nominated_node_name if node is None else node
        if node is None and not to:
            return
        shown = self._objects.get(Pod, pod.name, pod.namespace)
        if shown is None or shown.spec.node_name:
            applies("R-NOM-03")
            return
        applies("R-NOM-02")
        self._put(Pod(ObjectMeta(name=pod.name, namespace=pod.namespace, uid=pod.uid)), to)

    def update(self, before: Pod, after: Pod) -> None:
        """R-NOM-04: If an updated pod has no ``status.nominatedNodeName`` before or after, it stays nominated
        to the node that the scheduler chose and has not written yet.

        In any case the pod goes to the end of its node's nominations. Source: UpdateNominatedPod.
        """
        unwritten = None
        if not before.status.nominated_node_name and not after.status.nominated_node_name:
            unwritten = self._node_of.get(before.uid)
            applies("R-NOM-04", when=unwritten is not None)
        self._remove(before)
        self.nominate(after, unwritten)

    def withdraw(self, pod: Pod) -> None:
        """R-NOM-05: A pod that is assumed or deleted is not nominated any more.

        Source: DeleteNominatedPodIfExists.
        """
        if self._remove(pod):
            applies("R-NOM-05")

    def _put(self, pod: Pod, node: str) -> None:
        self._node_of[pod.uid] = node
        self._pods_on.setdefault(node, {})[pod.uid] = pod

    def _remove(self, pod: Pod) -> bool:
        """Removes the pod's nomination, and returns whether there was one."""
        node = self._node_of.pop(pod.uid, None)
        if node is None:
            return False
        nominated = self._pods_on[node]
        del nominated[pod.uid]
        if not nominated:
            del self._pods_on[node]
        return True
