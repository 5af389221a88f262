# SPDX-License-Identifier: Apache-2.0
"""Cache: the nodes, and the pods that count there, bound and assumed.

Promised: that what is bound to a node counts there is documented with the resources of pods.
Source: pkg/scheduler/backend/cache/cache.go.
"""

from __future__ import annotations

from attrs import evolve

from refsched.cache.claim_counts import ClaimCounts
from refsched.cache.node_tree import NodeTree
from refsched.framework.node_info import ImageState, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.resources import resource_of
from refsched.rules import ErrorReason, applies

COUNTS_ALREADY = ErrorReason("pod {}({}) is in the cache, so can't be assumed", "R-CACHE-01")


class CacheError(Exception):
    """A CacheError is raised for a call that the state of the cache does not allow; the message says why."""


class Cache:
    """The Cache knows what counts on each node. It identifies a pod by its uid. ``changed`` names the nodes that
    have changed since the last snapshot, and ``came_or_went`` those that were added or removed. No rule
    reads how often claims are counted (cache/claim_counts.py)."""

    def __init__(self) -> None:
        self._nodes: dict[str, NodeInfo] = {}
        self._tree = NodeTree()
        self._pods: dict[str, Pod] = {}
        self._assumed: set[str] = set()
        self._images = ImageRegister()
        self._claims = ClaimCounts()
        self._searched: dict[str, NodeInfo] = {}
        self.changed: set[str] = set()
        self.came_or_went: set[str] = set()

    # --- Pods -------------------------------------------------------------------------------------

    def assume(self, pod: Pod, node_name: str) -> Pod:
        """Counts the pod on the node before it is bound there, and returns the pod with its node name.

        Raises CacheError if the pod already counts somewhere. Source: AssumePod.
        """
        if pod.uid in self._pods:
            raise CacheError(COUNTS_ALREADY.of(pod.uid, pod.key))
        assumed = evolve(pod, spec=evolve(pod.spec, node_name=node_name))
        self._assumed.add(pod.uid)
        self._count(PodInfo(assumed))
        return assumed

    def get_pod(self, pod: Pod) -> Pod | None:
        """Returns the pod as it is counted, or None if it is not."""
        return self._pods.get(pod.uid)

    def forget(self, pod: Pod) -> None:
        """Stops counting an assumed pod, if it still counts. Raises CacheError if it is bound by now, to whatever
        node. Source: ForgetPod."""
        if pod.uid not in self._pods:
            return
        if pod.uid not in self._assumed:
            raise CacheError(f"pod {pod.uid}({pod.key}) wasn't assumed so cannot be forgotten")
        self._uncount(pod)

    def is_assumed(self, pod: Pod) -> bool:
        return pod.uid in self._assumed

    def add_pod(self, pod: Pod) -> None:
        """R-CACHE-01: A pod counts on the node where the API server shows it bound, as it is now and wherever it
        was assumed before, until it is deleted.

        Used by: NodeResourcesFit, NodePorts, PodTopologySpread, InterPodAffinity, VolumeRestrictions,
        NodeVolumeLimits; without them it shows in cache.
        Source: AddPod, UpdatePod, RemovePod.
        """
        applies("R-CACHE-01")
        counted = self._pods.get(pod.uid)
        if counted is not None:
            if pod.uid not in self._assumed:
                raise CacheError(f"pod {pod.uid}({pod.key}) was already in added state")
            self._uncount(counted)
        self._count(PodInfo(pod))

    def update_pod(self, pod: Pod) -> None:
        """Counts a bound pod as it is now. Raises CacheError if the pod is assumed: it is not updated before
        it is confirmed."""
        counted = self._pods.get(pod.uid)
        if counted is None:
            raise CacheError(
                f"pod {pod.uid}({pod.key}) is not added to scheduler cache, so cannot be updated"
            )
        if pod.uid in self._assumed:
            raise CacheError(f"assumed pod {pod.uid}({pod.key}) should not be updated")
        applies("R-CACHE-01")
        self._uncount(counted)
        self._count(PodInfo(pod))

    def remove_pod(self, pod: Pod) -> None:
        counted = self._pods.get(pod.uid)
        if counted is None:
            raise CacheError(
                f"pod {pod.uid}({pod.key}) is not found in scheduler cache, so cannot be removed from it"
            )
        applies("R-CACHE-01")
        self._uncount(counted)

    def _count(self, info: PodInfo) -> None:
        """Counts the pod on its node, which may not exist any more, or not yet; such a node is not searched."""
        name = info.pod.spec.node_name
        self._change(name, self._nodes.get(name, NodeInfo(None)).with_pod(info))
        self._pods[info.pod.uid] = info.pod
        self._claims.came(info.pod)

    def _uncount(self, pod: Pod) -> None:
        name = pod.spec.node_name
        self._claims.went(pod)
        info = self._without(pod)
        if info.node is None and not info.pods:
            del self._nodes[name]
        else:
            self._change(name, info)
        del self._pods[pod.uid]
        self._assumed.discard(pod.uid)

    def _without(self, pod: Pod) -> NodeInfo:
        return self._nodes[pod.spec.node_name].without_pod(pod.uid)

    # --- Nodes ------------------------------------------------------------------------------------

    def set_node(self, node: Node) -> None:
        """R-CACHE-02: A node is as its last update describes it, and when a deleted node is created again, the
        pods that count under its name still count.

        Source: AddNode, UpdateNode.
        """
        applies("R-CACHE-02")
        info = self._nodes.get(node.name, NodeInfo(None))
        if info.node is None:
            self._tree.add(node)
            self.came_or_went ^= {node.name}
        else:
            self._images.remove(info.node)
            self._tree.update(info.node, node)
        self._images.add(node)
        self._change(node.name, evolve(info, node=node, allocatable=resource_of(node.status.allocatable)))

    def remove_node(self, name: str) -> None:
        """Removes a deleted node; its name stays while pods count there. Raises KeyError if the node is
        unknown."""
        info = self._nodes[name]
        if info.node is None:
            raise KeyError(name)
        self._tree.remove(info.node)
        self._images.remove(info.node)
        self.came_or_went ^= {name}
        self._claims.went(*(each.pod for each in info.pods))
        if info.pods:
            self._change(name, evolve(info, node=None))
        else:
            del self._nodes[name]

    def _change(self, name: str, info: NodeInfo) -> None:
        self._nodes[name] = info
        self.changed.add(name)

    # --- Snapshot ---------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Returns what the next cycle sees. The order of nodes is computed anew only if a node was added or
        removed, and on how many nodes its images are only for a node that changed.

        Source: UpdateSnapshot, which copies the nodes that have a new generation, each with its
        ImageStateSummaries; updateNodeInfoSnapshotList.
        """
        changed = self.changed & self._nodes.keys()
        for name in changed:
            self._nodes[name] = self._with_images(self._nodes[name])
        if self.came_or_went:
            self._searched = {name: self._nodes[name] for name in self._tree.names()}
        else:
            self._searched |= {name: self._nodes[name] for name in changed & self._searched.keys()}
        by_name = dict(self._searched)
        nodes = tuple(by_name.values())
        counted = self._claims.at_snapshot(nodes, anew=bool(self.came_or_went))
        self.changed.clear()
        self.came_or_went.clear()
        return Snapshot(nodes, by_name, counted_claims=counted)

    def _with_images(self, info: NodeInfo) -> NodeInfo:
        return info if info.node is None else evolve(info, image_states=self._images.states_of(info.node))

    def usage(self) -> dict[str, NodeInfo]:
        """Returns every node name under which something counts, for an observer."""
        return dict(self._nodes)


class ImageRegister:
    """The ImageRegister knows on how many nodes each image is. An image has the size that its first node
    reported.

    Used by: ImageLocality.
    Source: cache.go, addNodeImageStates and removeNodeImageStates.
    """

    def __init__(self) -> None:
        self._images: dict[str, tuple[int, set[str]]] = {}

    def add(self, node: Node) -> None:
        """R-IMAGE-04 (observed: how old the size and the node count of an image may be is not part of the API;
        shows in score): An image has the size that its first node reported, and a node counts the nodes that
        report it when the first attempt begins after that node, or a pod on it, has changed.
        """
        applies("R-IMAGE-04", when=node.status.images)
        for image in node.status.images:
            for name in image.names:
                self._images.setdefault(name, (image.size_bytes, set()))[1].add(node.name)

    def remove(self, node: Node) -> None:
        for image in node.status.images:
            for name in image.names:
                if name not in self._images:
                    continue
                holders = self._images[name][1]
                holders.discard(node.name)
                if not holders:
                    del self._images[name]

    def states_of(self, node: Node) -> dict[str, ImageState]:
        """Returns the states of the images of a node, which must have been added."""
        names = (name for image in node.status.images for name in image.names)
        known = ((name, *self._images[name]) for name in names)
        return {name: ImageState(size, len(holders)) for name, size, holders in known}
