# SPDX-License-Identifier: Apache-2.0
"""NodeAffinity: a pod goes to nodes that its selector and its affinity name, and rather to those it prefers.

Rules: R-NODEAFF-01 … R-NODEAFF-08.   Source: plugins/nodeaffinity/node_affinity.go (v1.34.2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, ActionType, EventHint
from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects import pod as pods
from refsched.objects.node import Node
from refsched.objects.selectors import NodeSelector, PreferredSchedulingTerm
from refsched.objects.store import ObjectStore
from refsched.plugins.normalize import normalize

PreferredTerms = tuple[PreferredSchedulingTerm, ...]
_NONE = pods.NodeAffinity()


@frozen
class NodeAffinity:
    """``added_affinity`` is the profile's own, which every pod must satisfy beside its own."""

    added_affinity: pods.NodeAffinity = _NONE
    name: ClassVar[str] = "NodeAffinity"
    READS: ClassVar[tuple[str, ...]] = ("Pod.spec.nodeSelector", "Pod.spec.affinity.nodeAffinity")

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None] | Skip | Reject:
        """R-NODEAFF-01: without selector, required affinity and added affinity, nothing is filtered.
        R-NODEAFF-02: where every term names nodes by metadata.name, only those are looked at; where the
        names within each term exclude each other, the pod is refused."""
        required = _affinity(pod.pod).required_during_scheduling_ignored_during_execution
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
        if _is_selected(pod.pod, node.existing_node) and _has_affinity(pod.pod, node.existing_node):
            return SUCCESS
        return unresolvable("node(s) didn't match Pod's node affinity/selector")

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[PreferredTerms] | Skip | Reject:
        """R-NODEAFF-05: without preferences, the pod's or the profile's, nothing is scored.
        R-NODEAFF-08: a preference of the pod's that compares with what is no number is an error."""
        own = _affinity(pod.pod).preferred_during_scheduling_ignored_during_execution
        if unreadable := _unreadable(own):
            return Reject(error(unreadable))
        added = self.added_affinity.preferred_during_scheduling_ignored_during_execution
        return Continue((*added, *own)) if own or added else Skip()

    def score(self, preferred: PreferredTerms, pod: PodInfo, node: NodeInfo) -> int:
        """R-NODEAFF-06: the weights of the preferences that match, added up."""
        return sum(term.weight for term in preferred if term.preference.matches(node.existing_node))

    def normalize_score(
        self, preferred: PreferredTerms, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        return normalize(scores)

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(
        self, pod: pods.Pod, before: Node | None, after: Node, objects: ObjectStore
    ) -> bool:
        """R-NODEAFF-07: a node that comes, and matches, may help, or one that comes to match the pod's own
        terms. Where none matches and one is unreadable, the pod is tried again."""
        added = self.added_affinity.required_during_scheduling_ignored_during_execution
        if added is not None and not added.matches(after):
            return False
        if not _is_selected(pod, after):
            return False
        if not _has_affinity(pod, after):
            return _has_unreadable_term(pod)
        return before is None or not (_is_selected(pod, before) and _has_affinity(pod, before))

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL,
            after_node_change,
            "a node that the pod asks for may have come, or been given a label",
        ),
    )


def _affinity(pod: pods.Pod) -> pods.NodeAffinity:
    affinity = pod.spec.affinity
    return affinity.node_affinity or _NONE if affinity is not None else _NONE


def _is_selected(pod: pods.Pod, node: Node) -> bool:
    labels = node.metadata.labels
    return all(labels.get(key) == value for key, value in pod.spec.node_selector.items())


def _has_affinity(pod: pods.Pod, node: Node) -> bool:
    required = _affinity(pod).required_during_scheduling_ignored_during_execution
    return required is None or required.matches(node)


def _has_unreadable_term(pod: pods.Pod) -> bool:
    required = _affinity(pod).required_during_scheduling_ignored_during_execution
    terms = required.node_selector_terms if required is not None else ()
    return any(not r.as_requirement().is_readable for term in terms for r in term.match_expressions)


def _unreadable(preferred: PreferredTerms) -> str:
    """What is wrong with the preferences, each wrong once. Source: component-helpers nodeaffinity.go,
    NewPreferredSchedulingTerms; apimachinery labels/selector.go, NewRequirement (v0.34.2)."""
    wrong = {
        f"[{at}].matchExpressions[{index}].values[0]: Invalid value: {json.dumps(r.values[0])}: "
        "for 'Gt', 'Lt' operators, the value must be an integer": None
        for at, term in enumerate(preferred)
        for index, r in enumerate(term.preference.match_expressions)
        if not r.as_requirement().is_readable
    }
    return next(iter(wrong), "") if len(wrong) < 2 else f"[{', '.join(wrong)}]"


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
