# SPDX-License-Identifier: Apache-2.0
"""Counts: how many terms, or pods, InterPodAffinity counts on a node, in the domains of the node.

Source: plugins/interpodaffinity/filtering.go, getExistingAntiAffinityCounts,
getIncomingAffinityAntiAffinityCounts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from refsched.framework.node_info import AffinityTerm, NodeInfo, PodInfo
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.plugins.inter_pod_affinity_terms import Labels, matching, meets_all
from refsched.plugins.topology_counts import Domain


def own_domains(terms: Iterable[AffinityTerm], labels: Labels) -> Iterator[Domain]:
    """Returns, for each term, the domain of a node with these labels, if it is in one."""
    return ((t.topology_key, labels[t.topology_key]) for t in terms if t.topology_key in labels)


def domains_of(terms: Iterable[AffinityTerm], node: NodeInfo) -> Iterator[Domain]:
    return own_domains(terms, node.existing_node.metadata.labels)


@frozen
class AffinityMatches:
    """AffinityMatches count the pods on a node that match the pod's affinity, in the domains of its terms."""

    terms: tuple[AffinityTerm, ...]

    def __call__(self, node: NodeInfo) -> Mapping[Domain, int]:
        found: Counter[Domain] = Counter()
        for other in node.pods:
            if meets_all(self.terms, other.pod):
                found.update(domains_of(self.terms, node))
        return found

    def selects(self, pod: PodInfo) -> bool:
        return meets_all(self.terms, pod.pod)


@frozen
class AntiAffinityMatches:
    """AntiAffinityMatches count the pods on a node that match the pod's anti-affinity, for each term by itself."""

    terms: tuple[AffinityTerm, ...]

    def __call__(self, node: NodeInfo) -> Mapping[Domain, int]:
        found: Counter[Domain] = Counter()
        for other in node.pods:
            if met := [term for term in self.terms if term.matches(other.pod, None)]:
                found.update(domains_of(met, node))
        return found

    def selects(self, pod: PodInfo) -> bool:
        return any(term.matches(pod.pod, None) for term in self.terms)


def as_terms_see(pod: Pod) -> Pod:
    """Returns a pod that has nothing but what decides which terms match it: the namespace and the labels."""
    return Pod(ObjectMeta(namespace=pod.namespace, labels=pod.labels))


@frozen
class ExistingAntiAffinity:
    """An ExistingAntiAffinity counts the required anti-affinity terms of the pods on a node that match the pod."""

    pod: Pod
    namespace_labels: Labels | None

    def __call__(self, node: NodeInfo) -> Mapping[Domain, int]:
        found: Counter[Domain] = Counter()
        for other in node.pods_with_required_anti_affinity:
            terms = other.required_anti_affinity_terms
            found.update(domains_of(matching(terms, self.pod, self.namespace_labels), node))
        return found

    def selects(self, pod: PodInfo) -> bool:
        return any(matching(pod.required_anti_affinity_terms, self.pod, self.namespace_labels))
