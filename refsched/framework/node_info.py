# SPDX-License-Identifier: Apache-2.0
"""NodeInfo and PodInfo: a node with the pods that count there, and what is derived from them once.

Both are immutable: ``with_pod`` and ``without_pod`` return a new NodeInfo.
Promised: hostPort and hostIP are documented with the Pod API.
Source: pkg/scheduler/framework/types.go, NodeInfo and PodInfo.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import field, frozen

from refsched.objects.node import Node
from refsched.objects.pod import Pod, PodAffinity, PodAffinityTerm
from refsched.objects.resources import (
    SCORING_DEFAULTS,
    Resource,
    has_pod_level_requests,
    pod_requests,
    resource_of,
)
from refsched.objects.selectors import NOTHING, Selector, compile_selector
from refsched.rules import applies

# --- PodInfo --------------------------------------------------------------------------------------


@frozen
class AffinityTerm:
    """An AffinityTerm is a pod (anti-)affinity term with its selectors compiled and its namespaces resolved."""

    selector: Selector
    topology_key: str
    namespaces: frozenset[str]
    namespace_selector: Selector
    weight: int = 0

    def matches(self, pod: Pod, namespace_labels: Mapping[str, str] | None) -> bool:
        """Returns whether the term selects ``pod``, in a namespace with these labels."""
        metadata = pod.metadata
        named = metadata.namespace in self.namespaces
        if not (named or self.namespace_selector.matches(namespace_labels or {})):
            return False
        return self.selector.matches(metadata.labels)


def affinity_term(pod: Pod, term: PodAffinityTerm, weight: int = 0) -> AffinityTerm:
    """Compiles a term. One without namespaces and namespaceSelector is about pods in its own pod's namespace."""
    own = not term.namespaces and term.namespace_selector is None
    return AffinityTerm(
        selector=compile_selector(term.label_selector),
        topology_key=term.topology_key,
        namespaces=frozenset({pod.namespace} if own else term.namespaces),
        namespace_selector=compile_selector(term.namespace_selector) if term.namespace_selector else NOTHING,
        weight=weight,
    )


@frozen(slots=False, eq=False)
class PodInfo:
    """A PodInfo is a pod and what is computed from it once. PodInfos are compared by identity, the pods
    inside by value."""

    pod: Pod

    @cached_property
    def requests(self) -> Resource:
        return resource_of(pod_requests(self.pod))

    @cached_property
    def non_zero_requests(self) -> Resource:
        """Returns what the pod counts when nodes are scored, with defaults for containers without requests.

        R-REQUEST-11 (observed: the requests that count by default are constants of the source; shows in score): If
        a pod has pod-level requests, the defaults for cpu and memory count only for a resource that neither the
        pod nor any of its containers requests.
        Used by: NodeResourcesFit, NodeResourcesBalancedAllocation.
        Source: types.go, CalculateResource, getNonMissingContainerRequests."""
        defaults = SCORING_DEFAULTS
        if has_pod_level_requests(self.pod):
            applies("R-REQUEST-11")
            asked = pod_requests(self.pod)
            defaults = {name: amount for name, amount in defaults.items() if name not in asked}
        return resource_of(pod_requests(self.pod, defaults))

    @cached_property
    def required_affinity_terms(self) -> tuple[AffinityTerm, ...]:
        return self._required(self._affinity)

    @cached_property
    def required_anti_affinity_terms(self) -> tuple[AffinityTerm, ...]:
        return self._required(self._anti_affinity)

    @cached_property
    def preferred_affinity_terms(self) -> tuple[AffinityTerm, ...]:
        return self._preferred(self._affinity)

    @cached_property
    def preferred_anti_affinity_terms(self) -> tuple[AffinityTerm, ...]:
        return self._preferred(self._anti_affinity)

    @cached_property
    def has_affinity(self) -> bool:
        return self._affinity is not None or self._anti_affinity is not None

    @property
    def _affinity(self) -> PodAffinity | None:
        return self.pod.spec.affinity.pod_affinity if self.pod.spec.affinity else None

    @property
    def _anti_affinity(self) -> PodAffinity | None:
        return self.pod.spec.affinity.pod_anti_affinity if self.pod.spec.affinity else None

    def _required(self, affinity: PodAffinity | None) -> tuple[AffinityTerm, ...]:
        terms = affinity.required_during_scheduling_ignored_during_execution if affinity else ()
        return tuple(affinity_term(self.pod, term) for term in terms)

    def _preferred(self, affinity: PodAffinity | None) -> tuple[AffinityTerm, ...]:
        terms = affinity.preferred_during_scheduling_ignored_during_execution if affinity else ()
        return tuple(affinity_term(self.pod, w.pod_affinity_term, w.weight) for w in terms)

    @cached_property
    def host_ports(self) -> tuple[HostPort, ...]:
        """R-PORTS-05: The host ports of a pod are those of its containers and of its sidecars, and not those of
        other init containers.

        Those of sidecars come first.
        Used by: NodePorts.
        Source: framework/types.go, util.GetHostPorts.
        """
        applies("R-PORTS-05", when=any(container.ports for container in self.pod.spec.init_containers))
        sidecars = [c for c in self.pod.spec.init_containers if c.is_sidecar]
        return tuple(
            HostPort(port.host_ip or ANY_IP, port.protocol or "TCP", port.host_port)
            for container in (*sidecars, *self.pod.spec.containers)
            for port in container.ports
            if port.host_port > 0
        )


ANY_IP = "0.0.0.0"


@frozen
class HostPort:
    """A HostPort is a port of a node that a pod uses: an IP, a protocol and a port (1..65535).

    Used by: NodePorts."""

    ip: str
    protocol: str
    port: int

    def conflicts_with(self, other: HostPort) -> bool:
        """R-PORTS-02: Two host ports conflict if their protocol and port are equal and their IPs are equal or one
        of them is 0.0.0.0. Source: framework/types.go, HostPortInfo.CheckConflict."""
        if (self.protocol, self.port) != (other.protocol, other.port):
            return False
        applies("R-PORTS-02")
        return self.ip == other.ip or ANY_IP in (self.ip, other.ip)


# --- NodeInfo -------------------------------------------------------------------------------------


@frozen
class ImageState:
    """An ImageState is an image as this node knew it when it last changed: its size in bytes, and the number
    of nodes that had it."""

    size: int
    num_nodes: int


@frozen
class NodeInfo:
    """A NodeInfo is a node and the pods that count there, in the order in which kube-scheduler's cache holds
    them."""

    node: Node | None
    pods: tuple[PodInfo, ...] = ()
    allocatable: Resource = Resource()
    requested: Resource = Resource()
    non_zero_requested: Resource = Resource()
    image_states: Mapping[str, ImageState] = field(factory=dict)
    host_ports: frozenset[HostPort] = frozenset()
    """These are the ports that kube-scheduler keeps for the node: each pod brings its ports, and takes them along
    when it leaves, those too that another one has. No rule reads them: by the rules ``ports_of_pods`` are in use.
    Source: types.go, HostPortInfo, updateUsedPorts."""

    @classmethod
    def without_pods(cls, node: Node) -> NodeInfo:
        """Returns this node without pods. Source: types.go, NewNodeInfo, SetNode."""
        return cls(node, allocatable=resource_of(node.status.allocatable))

    @cached_property
    def name(self) -> str:
        return self.existing_node.name

    @property
    def existing_node(self) -> Node:
        """Returns the node object. A snapshot holds no NodeInfo without one."""
        assert self.node is not None
        return self.node

    @cached_property
    def ports_of_pods(self) -> frozenset[HostPort]:
        return frozenset(port for pod in self.pods for port in pod.host_ports)

    @cached_property
    def pods_with_affinity(self) -> tuple[PodInfo, ...]:
        return tuple(pod for pod in self.pods if pod.has_affinity)

    @cached_property
    def pods_with_required_anti_affinity(self) -> tuple[PodInfo, ...]:
        return tuple(pod for pod in self.pods if pod.required_anti_affinity_terms)

    def with_pod(self, pod: PodInfo) -> NodeInfo:
        return self._counting(pod, 1, (*self.pods, pod), self.host_ports.union(pod.host_ports))

    def without_pod(self, uid: str) -> NodeInfo:
        """Returns the node without this pod, and without what it requests as it counts here. The last pod takes
        the place of the one removed (types.go, removeFromSlice): victims that compare equal are listed in the
        order that results. Raises KeyError if no such pod counts here."""
        index = next((i for i, info in enumerate(self.pods) if info.pod.uid == uid), None)
        if index is None:
            raise KeyError(uid)
        removed = self.pods[index]
        kept = list(self.pods)
        kept[index] = kept[-1]
        kept.pop()
        return self._counting(removed, -1, tuple(kept), self.host_ports.difference(removed.host_ports))

    def _counting(
        self, pod: PodInfo, sign: int, pods: tuple[PodInfo, ...], host_ports: frozenset[HostPort]
    ) -> NodeInfo:
        """Returns the node with the pod's requests added to what is requested there, or subtracted from it."""
        return NodeInfo(
            self.node,
            pods,
            self.allocatable,
            self.requested.plus(pod.requests, sign),
            self.non_zero_requested.plus(pod.non_zero_requests, sign),
            self.image_states,
            host_ports,
        )
