# SPDX-License-Identifier: Apache-2.0
"""InterPodAffinity: a pod goes where the pods are that it wants near, and away from those it does not; and
the pods that are there have their say.

``matchLabelKeys`` and ``mismatchLabelKeys`` are no business of the plugin: the API server has folded them
into each term's label selector when the pod was created.

Rules: R-PODAFF-01 … R-PODAFF-15.
Source: plugins/interpodaffinity/{plugin,filtering,scoring}.go (v1.34.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from attrs import evolve, frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import MAX_NODE_SCORE, Continue, Skip
from refsched.framework.node_info import AffinityTerm, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.inter_pod_affinity_terms import (
    AffinitySteps,
    Labels,
    Terms,
    matching,
    meets_all,
    resolved,
)
from refsched.plugins.topology_counts import Domain, TopologyCounts


@frozen
class Filtering:
    """The pod's required terms, and in which domains they, and the terms of pods that run, are met."""

    affinity_terms: tuple[AffinityTerm, ...]
    anti_affinity_terms: tuple[AffinityTerm, ...]
    namespace_labels: Labels | None
    affinity: TopologyCounts
    anti_affinity: TopologyCounts
    existing_anti_affinity: TopologyCounts


TopologyScores = dict[str, dict[str, int]]
"""Topology key → value → the weights that speak for a node with this label, less those against."""


@frozen
class InterPodAffinity:
    """``hard_pod_affinity_weight`` is what a required affinity of a running pod adds to the score."""

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
    steps: AffinitySteps = AffinitySteps()
    name: ClassVar[str] = "InterPodAffinity"
    READS: ClassVar[tuple[str, ...]] = (
        "Pod.spec.affinity.podAffinity",
        "Pod.spec.affinity.podAntiAffinity",
        "Namespace",
    )

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Filtering] | Skip:
        """R-PODAFF-01: without required terms of its own, and where no running pod's required anti-affinity
        speaks of it, nothing is filtered."""
        namespace_labels = snapshot.namespace_labels.get(pod.pod.namespace)
        existing: Counter[Domain] = Counter()
        for node in snapshot.nodes:
            for other in node.pods_with_required_anti_affinity:
                terms = other.required_anti_affinity_terms
                existing.update(_domains(matching(terms, pod.pod, namespace_labels), node))
        if not (existing or pod.required_affinity_terms or pod.required_anti_affinity_terms):
            return Skip()
        affinity_terms = self._resolved(pod.required_affinity_terms, snapshot)
        anti_affinity_terms = self._resolved(pod.required_anti_affinity_terms, snapshot)
        affinity, anti_affinity = _count_own_terms(affinity_terms, anti_affinity_terms, snapshot)
        return Continue(
            Filtering(
                affinity_terms,
                anti_affinity_terms,
                namespace_labels,
                TopologyCounts(affinity),
                TopologyCounts(anti_affinity),
                TopologyCounts(existing),
            )
        )

    def _resolved(self, terms: Terms, snapshot: Snapshot) -> tuple[AffinityTerm, ...]:
        return resolved(terms, snapshot.namespace_labels, self.steps.selected_namespaces)

    def add_pod(
        self, state: Filtering, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Filtering:
        """R-PODAFF-02: a nominated pod counts as if it ran, for its own terms as well as for the pod's."""
        return _changed(state, pod, added, node, 1)

    def remove_pod(
        self, state: Filtering, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Filtering:
        """R-PODAFF-03: a victim's terms and labels no longer count."""
        return _changed(state, pod, removed, node, -1)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Filtering, pod: PodInfo, node: NodeInfo) -> Status:
        """R-PODAFF-04: affinity, anti-affinity and the anti-affinity of running pods are looked at in this
        order. Evicting pods cures the last two, and never the first."""
        labels = node.existing_node.metadata.labels
        if not _satisfies_affinity(state, pod.pod, labels):
            return unresolvable("node(s) didn't match pod affinity rules")
        if _any_counted(state.anti_affinity, _own_domains(state.anti_affinity_terms, labels)):
            return unschedulable("node(s) didn't match pod anti-affinity rules")
        if _any_counted(state.existing_anti_affinity, labels.items()):
            return unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[TopologyScores] | Skip:
        """R-PODAFF-09: preferences work both ways: the pod's for the pods that run, on feasible nodes or
        not, and theirs for the pod; where not one is met, nothing is scored.
        R-PODAFF-10: the profile may ignore theirs, but only for a pod that prefers nothing itself."""
        has_own = bool(pod.preferred_affinity_terms or pod.preferred_anti_affinity_terms)
        if self.ignore_preferred_terms_of_existing_pods and not has_own:
            return Skip()
        wanted = self._resolved(pod.preferred_affinity_terms, snapshot)
        unwanted = self._resolved(pod.preferred_anti_affinity_terms, snapshot)
        namespace_labels = snapshot.namespace_labels.get(pod.pod.namespace)
        scores: TopologyScores = {}
        for node in snapshot.nodes:
            for other in node.pods if has_own else node.pods_with_affinity:
                _tally(scores, node, _weighted(wanted, 1), other.pod, None)
                _tally(scores, node, _weighted(unwanted, -1), other.pod, None)
                _tally(scores, node, self._weighted_terms_of(other), pod.pod, namespace_labels)
        return Continue(scores) if scores else Skip()

    def _weighted_terms_of(self, existing: PodInfo) -> Iterator[tuple[AffinityTerm, int]]:
        """R-PODAFF-11: a running pod's required affinity draws the pod near with the profile's weight; a
        weight of 0 turns this off."""
        if self.hard_pod_affinity_weight > 0:
            for term in existing.required_affinity_terms:
                yield term, self.hard_pod_affinity_weight
        yield from _weighted(existing.preferred_affinity_terms, 1)
        yield from _weighted(existing.preferred_anti_affinity_terms, -1)

    def score(self, scores: TopologyScores, pod: PodInfo, node: NodeInfo) -> int:
        """R-PODAFF-12: what speaks for and against all the domains that the node is in; may be negative."""
        labels = node.existing_node.metadata.labels
        return sum(by_value.get(labels[key], 0) for key, by_value in scores.items() if key in labels)

    def normalize_score(
        self, scores: TopologyScores, pod: PodInfo, raw: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-PODAFF-13: the lowest becomes 0 and the highest 100; where all are equal, all become 0."""
        lowest = min(raw.values())
        spread = max(raw.values()) - lowest
        if spread == 0:
            return dict.fromkeys(raw, 0)
        return {node: int(MAX_NODE_SCORE * ((score - lowest) / spread)) for node, score in raw.items()}

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_change(self, pod: Pod, before: Pod | None, after: Pod | None, objects: ObjectStore) -> bool:
        """R-PODAFF-14: An assigned pod that comes to match all required affinity terms may make the pod
        schedulable, and so may one that stops matching any required anti-affinity term, a deleted one whose
        own anti-affinity rejected the pod, and a deleted one that matched the affinity terms that the pod
        itself matches."""
        if any(changed is not None and not changed.spec.node_name for changed in (before, after)):
            return False
        info = PodInfo(pod)
        steps = self.steps
        wanted = steps.terms_of_hints(info.required_affinity_terms, objects, steps.selected_namespaces)
        unwanted = steps.terms_of_hints(info.required_anti_affinity_terms, objects, steps.selected_namespaces)
        came = meets_all(wanted, after) and not meets_all(wanted, before)
        went = steps.is_kept_away(unwanted, before) and not steps.is_kept_away(unwanted, after)
        if came or went:
            return True
        if before is None or after is not None:
            return False
        return steps.frees_by_leaving(pod, before, steps.is_kept_away) or steps.frees_as_last_of_its_kind(
            pod, before, wanted
        )

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-PODAFF-15: a node that joins a domain of a required affinity may help, or one that leaves a
        domain of a required anti-affinity. A new node always helps a pod with required anti-affinity."""
        info = PodInfo(pod)
        old = before.metadata.labels if before is not None else {}
        new = after.metadata.labels
        joins = any(
            term.topology_key in new and old.get(term.topology_key) != new[term.topology_key]
            for term in info.required_affinity_terms
        )
        leaves = any(
            before is None
            or (term.topology_key in old and new.get(term.topology_key) != old[term.topology_key])
            for term in info.required_anti_affinity_terms
        )
        return joins or leaves

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            POD,
            ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.DELETE,
            after_pod_change,
            "whom the pod wants near may have come, or whom it does not may have gone",
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL,
            after_node_change,
            "a node may have come, or moved to another domain",
        ),
    )


def _weighted(terms: Terms, sign: int) -> Iterator[tuple[AffinityTerm, int]]:
    return ((term, sign * term.weight) for term in terms)


# --- Domains --------------------------------------------------------------------------------------


def _own_domains(terms: Iterable[AffinityTerm], labels: Labels) -> Iterator[Domain]:
    """For each term the domain that a node with these labels is in, if any."""
    return ((t.topology_key, labels[t.topology_key]) for t in terms if t.topology_key in labels)


def _domains(terms: Iterable[AffinityTerm], node: NodeInfo) -> Iterator[Domain]:
    return _own_domains(terms, node.existing_node.metadata.labels)


def _count_own_terms(
    affinity_terms: Terms, anti_affinity_terms: Terms, snapshot: Snapshot
) -> tuple[Counter[Domain], Counter[Domain]]:
    """Where the pods are that meet the pod's affinity, and its anti-affinity."""
    affinity: Counter[Domain] = Counter()
    anti_affinity: Counter[Domain] = Counter()
    if not (affinity_terms or anti_affinity_terms):
        return affinity, anti_affinity
    for node in snapshot.nodes:
        for other in node.pods:
            if affinity_terms and meets_all(affinity_terms, other.pod):
                affinity.update(_domains(affinity_terms, node))
            if met := [term for term in anti_affinity_terms if term.matches(other.pod, None)]:
                anti_affinity.update(_domains(met, node))
    return affinity, anti_affinity


def _changed(state: Filtering, pod: PodInfo, other: PodInfo, node: NodeInfo, sign: int) -> Filtering:
    met = state.affinity_terms if meets_all(state.affinity_terms, other.pod) else ()
    hated = matching(state.anti_affinity_terms, other.pod, None)
    hating = matching(other.required_anti_affinity_terms, pod.pod, state.namespace_labels)
    return evolve(
        state,
        affinity=state.affinity.plus(_domains(met, node), sign),
        anti_affinity=state.anti_affinity.plus(_domains(hated, node), sign),
        existing_anti_affinity=state.existing_anti_affinity.plus(_domains(hating, node), sign),
    )


def _any_counted(counts: TopologyCounts, domains: Iterable[Domain]) -> bool:
    return any(counts.at(domain) > 0 for domain in domains)


def _satisfies_affinity(state: Filtering, pod: Pod, labels: Labels) -> bool:
    """R-PODAFF-08: the node must have the label of every term, and in each of these domains a pod that
    meets all terms must run, not necessarily the same one. The first of a kind may go anywhere: where no
    such pod runs in any domain, and the pod meets its own terms, the labels are enough."""
    terms = state.affinity_terms
    if not all(term.topology_key in labels for term in terms):
        return False
    if all(state.affinity.at(domain) > 0 for domain in _own_domains(terms, labels)):
        return True
    return state.affinity.is_empty and meets_all(terms, pod)


def _tally(
    scores: TopologyScores,
    node: NodeInfo,
    weighted: Iterable[tuple[AffinityTerm, int]],
    pod: Pod,
    namespace_labels: Labels | None,
) -> None:
    """Add to the domain of the node what the terms that speak of ``pod`` weigh."""
    labels = node.existing_node.metadata.labels
    for term, weight in weighted:
        if term.topology_key in labels and term.matches(pod, namespace_labels):
            by_value = scores.setdefault(term.topology_key, {})
            value = labels[term.topology_key]
            by_value[value] = by_value.get(value, 0) + weight
