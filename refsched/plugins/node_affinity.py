# SPDX-License-Identifier: Apache-2.0
"""NodeAffinity: a pod goes to nodes that its selector and its affinity name, and rather to those it prefers.

Rules: R-NODEAFF-01 … R-NODEAFF-06.   Source: plugins/nodeaffinity/node_affinity.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects import pod as pods
from refsched.objects.selectors import NodeSelector, PreferredSchedulingTerm
from refsched.plugins.normalize import normalize

PreferredTerms = tuple[PreferredSchedulingTerm, ...]
_NONE = pods.NodeAffinity()


@frozen
class NodeAffinity:
    """``added_affinity`` is the profile's own, which every pod must satisfy beside its own."""

    added_affinity: pods.NodeAffinity = _NONE
    name: ClassVar[str] = "NodeAffinity"

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None] | Skip | Reject:
        """R-NODEAFF-01: without selector, required affinity and added affinity, nothing is filtered.
        R-NODEAFF-02: where every term names nodes by metadata.name, only those are looked at; where the
        names within each term exclude each other, the pod is refused."""
        required = _affinity(pod).required_during_scheduling_ignored_during_execution
        added = self.added_affinity.required_during_scheduling_ignored_during_execution
        if required is None and added is None and not pod.pod.spec.node_selector:
            return Skip()
        names = _named_nodes(required) if required is not None else None
        if names is not None and not names:
            return Reject(unresolvable("pod affinity terms conflict"))
        return Continue(None, names)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: None, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODEAFF-03: the added affinity is looked at first, and has a reason of its own.
        R-NODEAFF-04: all labels of nodeSelector must be there, and one required term match."""
        added = self.added_affinity.required_during_scheduling_ignored_during_execution
        if added is not None and not added.matches(node.existing_node):
            return unresolvable("node(s) didn't match scheduler-enforced node affinity")
        labels = node.existing_node.metadata.labels
        selected = all(labels.get(key) == value for key, value in pod.pod.spec.node_selector.items())
        required = _affinity(pod).required_during_scheduling_ignored_during_execution
        if selected and (required is None or required.matches(node.existing_node)):
            return SUCCESS
        return unresolvable("node(s) didn't match Pod's node affinity/selector")

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[PreferredTerms] | Skip:
        """R-NODEAFF-05: without preferences, the pod's or the profile's, nothing is scored."""
        own = _affinity(pod).preferred_during_scheduling_ignored_during_execution
        added = self.added_affinity.preferred_during_scheduling_ignored_during_execution
        return Continue((*added, *own)) if own or added else Skip()

    def score(self, preferred: PreferredTerms, pod: PodInfo, node: NodeInfo) -> int:
        """R-NODEAFF-06: the weights of the preferences that match, added up."""
        return sum(term.weight for term in preferred if term.preference.matches(node.existing_node))

    def normalize_score(
        self, preferred: PreferredTerms, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        return normalize(scores)


def _affinity(pod: PodInfo) -> pods.NodeAffinity:
    affinity = pod.pod.spec.affinity
    return affinity.node_affinity or _NONE if affinity is not None else _NONE


def _named_nodes(required: NodeSelector) -> frozenset[str] | None:
    """The nodes that the terms name by metadata.name; None where one names none (kubernetes #116465)."""
    named: frozenset[str] = frozenset()
    for term in required.node_selector_terms:
        by_name = [
            frozenset(field.values)
            for field in term.match_fields
            if field.key == "metadata.name" and field.operator == "In"
        ]
        if not by_name:
            return None
        named |= frozenset.intersection(*by_name)
    return named if required.node_selector_terms else None
