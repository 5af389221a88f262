# SPDX-License-Identifier: Apache-2.0
"""InterPodAffinity: a pod runs near the pods that its affinity selects, and away from those of its
anti-affinity.

The affinity terms of pods that run already count too. The plugin does not read ``matchLabelKeys`` and
``mismatchLabelKeys``, since the API server has merged them into each term's label selector when the pod was
created.

Promised: podAffinity and podAntiAffinity are documented with the Pod API.
Source: plugins/interpodaffinity/{plugin,filtering,scoring}.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, check_range
from refsched.config.scalars import Int32
from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import MAX_NODE_SCORE, Continue, Fragments, Skip
from refsched.framework.left_out import ERROR_READING, FAILED_TO_READ_PRE_SCORE
from refsched.framework.node_info import AffinityTerm, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.inter_pod_affinity_counts import (
    AffinityMatches,
    AntiAffinityMatches,
    ExistingAntiAffinity,
    as_terms_see,
    domains_of,
    own_domains,
)
from refsched.plugins.inter_pod_affinity_terms import (
    AffinitySteps,
    Labels,
    Terms,
    matching,
    meets_all,
    resolved,
)
from refsched.plugins.topology_counts import Domain, TopologyCounts
from refsched.rules import Reason, applies

NO_AFFINITY = Reason("node(s) didn't match pod affinity rules", "R-PODAFF-04")
ANTI_AFFINITY = Reason("node(s) didn't match pod anti-affinity rules", "R-PODAFF-04")
EXISTING_ANTI_AFFINITY = Reason("node(s) didn't satisfy existing pods anti-affinity rules", "R-PODAFF-04")


@frozen
class Filtering:
    """Filtering has the pod's required terms and, by domain, how many pods match its affinity, how many match its
    anti-affinity, and how many anti-affinity terms of running pods match the pod."""

    affinity_terms: tuple[AffinityTerm, ...]
    anti_affinity_terms: tuple[AffinityTerm, ...]
    namespace_labels: Labels | None
    affinity: TopologyCounts
    anti_affinity: TopologyCounts
    existing_anti_affinity: TopologyCounts


TopologyScores = Mapping[Domain, int]
"""TopologyScores have the sum of the weights for a node in this domain; anti-affinity counts negative."""


@frozen
class InterPodAffinityArgs(PluginArgs):
    hard_pod_affinity_weight: Int32 = Int32(1)
    ignore_preferred_terms_of_existing_pods: bool = False

    def validate(self) -> None:
        check_range(self.hard_pod_affinity_weight, 0, 100, "hardPodAffinityWeight")


@frozen
class InterPodAffinity:
    """``hard_pod_affinity_weight`` is what a required affinity of a running pod adds to the score."""

    name = "InterPodAffinity"
    POINTS = ("preFilter", "filter", "preScore", "score")
    READS = (
        "Pod.spec.affinity.podAffinity",
        "Pod.spec.affinity.podAntiAffinity",
        "Node.metadata.labels",
        "Namespace",
    )
    ARGS: ClassVar[type[PluginArgs]] = InterPodAffinityArgs
    WITHOUT_PRE_FILTER = error(ERROR_READING.of(name))
    WITHOUT_PRE_SCORE = error(FAILED_TO_READ_PRE_SCORE.of(name))
    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
    steps: AffinitySteps = AffinitySteps()

    @classmethod
    def of_args(cls, args: InterPodAffinityArgs) -> InterPodAffinity:
        return cls(args.hard_pod_affinity_weight, args.ignore_preferred_terms_of_existing_pods)

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments | None:
        """R-BATCH-31 (observed: which pods are taken for equal may only save searches, KEP-5598): A pod with pod
        affinity or anti-affinity has no signature.
        R-BATCH-32 (observed: which pods are taken for equal may only save searches, KEP-5598): The labels of a pod
        are part of its signature, unless the profile ignores the preferred terms of existing pods."""
        affinity = pod.spec.affinity
        if affinity is not None and (affinity.pod_affinity or affinity.pod_anti_affinity):
            applies("R-BATCH-31")
            return None
        if self.ignore_preferred_terms_of_existing_pods:
            return {}
        applies("R-BATCH-32", when=pod.labels)
        return {"labels": dict(pod.labels)}

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Filtering] | Skip:
        """R-PODAFF-01: A pod without required affinity and anti-affinity terms skips Filter of InterPodAffinity if
        no required anti-affinity term of a running pod matches it."""
        namespace_labels = snapshot.namespace_labels.get(pod.pod.namespace)
        existing = snapshot.sum_over_nodes(ExistingAntiAffinity(as_terms_see(pod.pod), namespace_labels))
        if not (existing or pod.required_affinity_terms or pod.required_anti_affinity_terms):
            applies("R-PODAFF-01")
            return Skip()
        affinity_terms = self._resolved(pod.required_affinity_terms, snapshot)
        anti_affinity_terms = self._resolved(pod.required_anti_affinity_terms, snapshot)
        return Continue(
            Filtering(
                affinity_terms,
                anti_affinity_terms,
                namespace_labels,
                TopologyCounts(snapshot.sum_over_nodes(AffinityMatches(affinity_terms))),
                TopologyCounts(snapshot.sum_over_nodes(AntiAffinityMatches(anti_affinity_terms))),
                TopologyCounts(existing),
            )
        )

    def _resolved(self, terms: Terms, snapshot: Snapshot) -> tuple[AffinityTerm, ...]:
        return resolved(terms, snapshot.namespace_labels, self.steps.selected_namespaces)

    def add_pod(
        self, state: Filtering, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Filtering:
        """R-PODAFF-02 (needs nominations): A nominated pod that is added to a node counts as if it ran there, for
        the pod's terms and for its own required anti-affinity."""
        changed = _changed(state, pod, added, node, 1)
        applies("R-PODAFF-02", when=changed != state)
        return changed

    def remove_pod(
        self, state: Filtering, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Filtering:
        """R-PODAFF-03 (needs preemption): A victim that is removed from a node no longer counts, neither for the
        pod's terms nor with its own required anti-affinity."""
        changed = _changed(state, pod, removed, node, -1)
        applies("R-PODAFF-03", when=changed != state)
        return changed

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Filtering, pod: PodInfo, node: NodeInfo) -> Status:
        """R-PODAFF-04: A node is rejected as UnschedulableAndUnresolvable if it does not match the pod's required
        affinity, and otherwise as Unschedulable if the pod's required anti-affinity, or that of a running pod,
        keeps the pod away from it."""
        labels = node.existing_node.metadata.labels
        if not _satisfies_affinity(state, pod.pod, labels):
            return unresolvable(NO_AFFINITY)
        if _any_counted(state.anti_affinity, own_domains(state.anti_affinity_terms, labels)):
            return unschedulable(ANTI_AFFINITY)
        if _any_counted(state.existing_anti_affinity, labels.items()):
            return unschedulable(EXISTING_ANTI_AFFINITY)
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[TopologyScores] | Skip:
        """R-PODAFF-09: The preferred terms of the pod count for the pods that run on any node, and the preferred
        terms of those pods count for the pod; if none of them matches, the pod skips Score of InterPodAffinity.
        R-PODAFF-10 (needs config): With ignorePreferredTermsOfExistingPods a pod without preferred terms of its
        own skips Score of InterPodAffinity."""
        has_own = bool(pod.preferred_affinity_terms or pod.preferred_anti_affinity_terms)
        if self.ignore_preferred_terms_of_existing_pods and not has_own:
            applies("R-PODAFF-10")
            return Skip()
        applies("R-PODAFF-09")
        wanted = self._resolved(pod.preferred_affinity_terms, snapshot)
        unwanted = self._resolved(pod.preferred_anti_affinity_terms, snapshot)
        namespace_labels = snapshot.namespace_labels.get(pod.pod.namespace)
        seen = as_terms_see(pod.pod)
        scores = snapshot.sum_over_nodes(Weights(self, wanted, unwanted, seen, namespace_labels))
        return Continue(scores) if scores else Skip()

    def weighted_terms_of(self, existing: PodInfo) -> Iterator[tuple[AffinityTerm, int]]:
        """R-PODAFF-11 (needs score): A required affinity term of a running pod that matches the pod counts with
        hardPodAffinityWeight; with weight 0 it does not count."""
        if self.hard_pod_affinity_weight > 0:
            applies("R-PODAFF-11", when=existing.required_affinity_terms)
            for term in existing.required_affinity_terms:
                yield term, self.hard_pod_affinity_weight
        yield from _weighted(existing.preferred_affinity_terms, 1)
        yield from _weighted(existing.preferred_anti_affinity_terms, -1)

    def score(self, scores: TopologyScores, pod: PodInfo, node: NodeInfo) -> int:
        """R-PODAFF-12: InterPodAffinity's score of a node before normalization is the sum of the weights of the
        matching terms in all domains of the node, where anti-affinity counts negative."""
        score = sum(scores.get(domain, 0) for domain in node.existing_node.metadata.labels.items())
        applies("R-PODAFF-12", when=score)
        return score

    def normalize_score(
        self, scores: TopologyScores, pod: PodInfo, raw: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-PODAFF-13: The scores of InterPodAffinity are scaled so that the lowest becomes 0 and the highest 100;
        if all are equal, all become 0."""
        applies("R-PODAFF-13", when=any(raw.values()))
        lowest = min(raw.values())
        spread = max(raw.values()) - lowest
        if spread == 0:
            return dict.fromkeys(raw, 0)
        return {node: int(MAX_NODE_SCORE * ((score - lowest) / spread)) for node, score in raw.items()}

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_change(self, pod: Pod, before: Pod | None, after: Pod | None, objects: ObjectStore) -> bool:
        """R-PODAFF-14 (observed: queueing hints may only save attempts, KEP-4247): A pod that InterPodAffinity
        rejected is requeued when an assigned pod begins to match all its required affinity terms or ceases to
        match its required anti-affinity terms, and when an assigned pod is deleted whose own required
        anti-affinity matched the pod, or which matched affinity terms that the pod itself matches.
        R-PODAFF-16 (observed: queueing hints may only save attempts, KEP-4247): A pod that InterPodAffinity
        rejected is requeued when its own labels change."""
        if before is not None and after is not None and after.uid == pod.uid:
            return applies("R-PODAFF-16")
        if not all(self.is_placed(changed) for changed in (before, after) if changed is not None):
            return False
        info = PodInfo(pod)
        steps = self.steps
        wanted = steps.terms_of_hints(info.required_affinity_terms, objects, steps.selected_namespaces)
        unwanted = steps.terms_of_hints(info.required_anti_affinity_terms, objects, steps.selected_namespaces)
        came = meets_all(wanted, after) and not meets_all(wanted, before)
        went = steps.is_kept_away(unwanted, before) and not steps.is_kept_away(unwanted, after)
        frees = (
            before is not None
            and after is None
            and (
                steps.frees_by_leaving(pod, before, steps.is_kept_away)
                or steps.frees_as_last_of_its_kind(pod, before, wanted)
            )
        )
        return applies("R-PODAFF-14", when=came or went or frees)

    def is_placed(self, changed: Pod) -> bool:
        """R-PODAFF-17 (observed: queueing hints may only save attempts, KEP-4247): A pod that is nominated to a
        node counts as an assigned one where changes of pods requeue a pod that InterPodAffinity rejected."""
        is_nominated = not changed.spec.node_name and bool(changed.status.nominated_node_name)
        return bool(changed.spec.node_name) or applies("R-PODAFF-17", when=is_nominated)

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-PODAFF-15 (observed: queueing hints may only save attempts, KEP-4247): A pod that InterPodAffinity
        rejected is requeued when a node joins a domain of one of its required affinity terms or leaves a domain of
        one of its required anti-affinity terms, and when any node is added if it has required anti-affinity
        terms."""
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
        return applies("R-PODAFF-15", when=joins or leaves)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            POD,
            ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.DELETE,
            after_pod_change,
            "a pod that affinity requires may run now, or one that anti-affinity matches may not",
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL,
            after_node_change,
            "a node may have been added, or be in another domain",
        ),
    )


def _weighted(terms: Terms, sign: int) -> Iterator[tuple[AffinityTerm, int]]:
    return ((term, sign * term.weight) for term in terms)


# --- Domains --------------------------------------------------------------------------------------


@frozen
class Weights:
    """Weights add up, in the domains of a node, the weights of the pod's preferred terms that match a pod on the
    node, and of the terms of such pods that match the pod."""

    plugin: InterPodAffinity
    wanted: tuple[AffinityTerm, ...]
    unwanted: tuple[AffinityTerm, ...]
    pod: Pod
    namespace_labels: Labels | None

    def __call__(self, node: NodeInfo) -> Mapping[Domain, int]:
        found: dict[Domain, int] = {}
        for other in node.pods if self.wanted or self.unwanted else node.pods_with_affinity:
            _tally(found, node, _weighted(self.wanted, 1), other.pod, None)
            _tally(found, node, _weighted(self.unwanted, -1), other.pod, None)
            _tally(found, node, self.plugin.weighted_terms_of(other), self.pod, self.namespace_labels)
        return found

    def selects(self, pod: PodInfo) -> bool:
        if any(term.matches(pod.pod, None) for term in (*self.wanted, *self.unwanted)):
            return True
        theirs = self.plugin.weighted_terms_of(pod)
        return any(term.matches(self.pod, self.namespace_labels) for term, _ in theirs)


def _tally(
    found: dict[Domain, int],
    node: NodeInfo,
    weighted: Iterable[tuple[AffinityTerm, int]],
    pod: Pod,
    namespace_labels: Labels | None,
) -> None:
    """Adds the weights of the terms that match ``pod`` to the domains of the node."""
    labels = node.existing_node.metadata.labels
    for term, weight in weighted:
        if term.topology_key in labels and term.matches(pod, namespace_labels):
            domain = term.topology_key, labels[term.topology_key]
            found[domain] = found.get(domain, 0) + weight


def _changed(state: Filtering, pod: PodInfo, other: PodInfo, node: NodeInfo, sign: int) -> Filtering:
    affine = state.affinity_terms if meets_all(state.affinity_terms, other.pod) else ()
    own = matching(state.anti_affinity_terms, other.pod, None)
    existing = matching(other.required_anti_affinity_terms, pod.pod, state.namespace_labels)
    return evolve(
        state,
        affinity=state.affinity.plus(domains_of(affine, node), sign),
        anti_affinity=state.anti_affinity.plus(domains_of(own, node), sign),
        existing_anti_affinity=state.existing_anti_affinity.plus(domains_of(existing, node), sign),
    )


def _any_counted(counts: TopologyCounts, domains: Iterable[Domain]) -> bool:
    return any(counts.at(domain) > 0 for domain in domains)


def _satisfies_affinity(state: Filtering, pod: Pod, labels: Labels) -> bool:
    """R-PODAFF-08: A node matches the pod's required affinity if it has the topology key of every term and in each
    of these domains a pod runs that matches all terms; if no such pod runs in any domain and the pod matches its
    own terms, the topology keys are enough."""
    terms = state.affinity_terms
    if not all(term.topology_key in labels for term in terms):
        return False
    if all(state.affinity.at(domain) > 0 for domain in own_domains(terms, labels)):
        return True
    return applies("R-PODAFF-08", when=state.affinity.is_empty and meets_all(terms, pod))
