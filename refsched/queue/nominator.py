# SPDX-License-Identifier: Apache-2.0
"""Nominator: the pods that are promised a node, until they are bound or the promise is taken back.

Rules: R-NOM-02 … R-NOM-05.   Source: pkg/scheduler/backend/queue/nominator.go (v1.34.2).
"""

from __future__ import annotations

from attrs import frozen

from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


@frozen
class PodName:
    """All that is kept of a nominated pod."""

    namespace: str
    name: str
    uid: str

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    def as_pod(self) -> Pod:
        """A pod that has this name, asks for nothing and has no priority."""
        return Pod(ObjectMeta(name=self.name, namespace=self.namespace, uid=self.uid))


class Nominator:
    """Which pods are nominated to which node. A pod has one nomination at most."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._node_of: dict[str, str] = {}
        self._pods_on: dict[str, dict[str, PodName]] = {}

    def nominated_to(self, node: str) -> tuple[PodName, ...]:
        """In the order in which they were nominated, or last updated."""
        return tuple(self._pods_on.get(node, {}).values())

    def nominate(self, pod: Pod, node: str | None = None) -> None:
        """R-NOM-02: to ``node``, or where that is None to the one that the pod's status names; without
        either the pod has no nomination any more.
        R-NOM-03: a pod that is gone, or assigned, is not nominated. Source: addNominatedPodUnlocked.
        """
        self.withdraw(pod)
        to = pod.status.nominated_node_name if node is None else node
        if node is None and not to:
            return
        shown = self._objects.get(Pod, pod.name, pod.namespace)
        if shown is None or shown.spec.node_name:
            return
        self._node_of[pod.uid] = to
        self._pods_on.setdefault(to, {})[pod.uid] = PodName(pod.namespace, pod.name, pod.uid)

    def update(self, before: Pod, after: Pod) -> None:
        """R-NOM-04: where the status names no node before or after, the node that the scheduler has in mind
        stays promised; else the status decides. The pod goes to the end of its node's nominations.

        Source: UpdateNominatedPod.
        """
        in_mind = None
        if not before.status.nominated_node_name and not after.status.nominated_node_name:
            in_mind = self._node_of.get(before.uid)
        self.withdraw(before)
        self.nominate(after, in_mind)

    def withdraw(self, pod: Pod) -> None:
        """R-NOM-05: a pod that is assumed or deleted has no nomination.

        Source: DeleteNominatedPodIfExists.
        """
        node = self._node_of.pop(pod.uid, None)
        if node is None:
            return
        nominated = self._pods_on[node]
        del nominated[pod.uid]
        if not nominated:
            del self._pods_on[node]
