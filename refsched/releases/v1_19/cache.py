# SPDX-License-Identifier: Apache-2.0
"""Cache in v1.19: assumed pods that were bound expire, and images are counted when their node changes.

Observed: how stale the cache may be is not part of the API.
Source: pkg/scheduler/internal/cache/cache.go.
"""

from __future__ import annotations

from attrs import evolve

from refsched.cache import cache as current
from refsched.cache.cache import CacheError
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.rules import ErrorReason, applies

COUNTS_ALREADY = ErrorReason("pod {} is in the cache, so can't be assumed", "R-CACHE-01")


class Cache(current.Cache):
    """This Cache is that of later releases except for the methods that it overrides. An assumed pod expires
    ``expiration`` seconds after the end of its binding."""

    def __init__(self, expiration: float) -> None:
        super().__init__()
        self._expiration = expiration
        self._deadlines: dict[str, float] = {}

    def assume(self, pod: Pod, node_name: str) -> Pod:
        """Counts the pod as later releases do, but raises an error that is worded otherwise. Source: AssumePod."""
        if pod.uid in self._pods:
            raise CacheError(COUNTS_ALREADY.of(pod.uid))
        return super().assume(pod, node_name)

    def finish_binding(self, pod: Pod, now: float) -> None:
        """Sets when the pod expires: it was bound, but the API server does not show it as bound yet.
        Source: FinishBinding."""
        if pod.uid in self._assumed:
            self._deadlines[pod.uid] = now + self._expiration

    def clean_up_assumed_pods(self, now: float) -> None:
        """R-CACHE-54: In v1.19 an assumed pod that was bound, and that the API server does not show bound
        within 30 seconds, is not counted on its node any more.

        Source: cleanupAssumedPods, expirePod.
        """
        for uid in [uid for uid, deadline in self._deadlines.items() if deadline < now]:
            applies("R-CACHE-54")
            self._uncount(self._pods[uid])

    def add_pod(self, pod: Pod) -> None:
        """R-CACHE-52: In v1.19 an assumed pod that is bound where it was assumed counts on its node as it was
        assumed, until it is updated; what is taken off the node then, or when it is deleted, is what the pod
        requested when it was bound.

        Source: AddPod, UpdatePod, RemovePod.
        """
        counted = self._pods.get(pod.uid)
        if pod.uid not in self._assumed or counted is None or counted.spec.node_name != pod.spec.node_name:
            super().add_pod(pod)
            return
        applies("R-CACHE-52")
        self._assumed.remove(pod.uid)
        self._deadlines.pop(pod.uid, None)
        self._pods[pod.uid] = pod

    def remove_pod(self, pod: Pod) -> None:
        """R-CACHE-53: In v1.19 a pod that is still assumed is not removed when the API server reports its
        deletion.

        Source: RemovePod.
        """
        if pod.uid in self._assumed:
            applies("R-CACHE-53")
            raise CacheError(
                f"pod {pod.uid}({pod.key}) is not found in scheduler cache, so cannot be removed from it"
            )
        super().remove_pod(pod)

    def set_node(self, node: Node) -> None:
        """R-CACHE-51: In v1.19 a node counts the other nodes that have its images when the node itself is added or
        updated; pods that come or go do not make it count again.

        Source: addNodeImageStates.
        """
        super().set_node(node)
        info = self._nodes[node.name]
        applies("R-CACHE-51")
        self._nodes[node.name] = evolve(info, image_states=self._images.states_of(node))

    def _with_images(self, info: NodeInfo) -> NodeInfo:
        return info

    def _without(self, pod: Pod) -> NodeInfo:
        """Returns the pod's node without it, and without what it requests as it was bound (R-CACHE-52)."""
        info = self._nodes[pod.spec.node_name]
        as_bound = tuple(PodInfo(pod) if each.pod.uid == pod.uid else each for each in info.pods)
        return evolve(info, pods=as_bound).without_pod(pod.uid)

    def _uncount(self, pod: Pod) -> None:
        super()._uncount(pod)
        self._deadlines.pop(pod.uid, None)


def finish_binding(cache: current.Cache, pod: Pod, now: float) -> None:
    assert isinstance(cache, Cache)
    cache.finish_binding(pod, now)
