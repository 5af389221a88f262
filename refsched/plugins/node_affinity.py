# SPDX-License-Identifier: Apache-2.0
"""NodeAffinity: a pod runs on nodes that its nodeSelector and its node affinity require or, better, prefer.

Promised: nodeSelector and nodeAffinity are documented with the Pod API, addedAffinity with
KubeSchedulerConfiguration.
Source: plugins/nodeaffinity/node_affinity.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from refsched.config.args import PluginArgs, refused_by
from refsched.config.scalars import within
from refsched.framework.events import NODE, ActionType, EventHint
from refsched.framework.interface import Continue, Fragments, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects import pod as pods
from refsched.objects.node import Node
from refsched.objects.selectors import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    is_label_value,
    why_no_label_value,
)
from refsched.objects.store import ObjectStore
from refsched.plugins.default_selector import selects_labels
from refsched.plugins.node_affinity_checks import check_node_affinity
from refsched.plugins.normalize import normalize
from refsched.rules import ErrorReason, Reason, applies

CONFLICTING_NAMES = Reason("pod affinity terms conflict", "R-NODEAFF-02")
NOT_ENFORCED_AFFINITY = Reason("node(s) didn't match scheduler-enforced node affinity", "R-NODEAFF-03")
NOT_POD_AFFINITY = Reason("node(s) didn't match Pod's node affinity/selector", "R-NODEAFF-04")
NOT_AN_INTEGER = ErrorReason(
    "[{}].matchExpressions[{}].values[0]: Invalid value: {}: "
    "for 'Gt', 'Lt' operators, the value must be an integer",
    "R-NODEAFF-08",
)
NO_LABEL_VALUE = ErrorReason(
    "[{}].matchExpressions[{}].values[{}][{}]: Invalid value: {}: {}",
    "R-NODEAFF-08",
)

PreferredTerms = tuple[PreferredSchedulingTerm, ...]
_NONE = pods.NodeAffinity()


@frozen
class NodeAffinityArgs(PluginArgs):
    added_affinity: pods.NodeAffinity | None = None

    def validate(self) -> None:
        """R-ARGS-17 (shows in config): An addedAffinity of NodeAffinity is refused if one of its terms is
        malformed, unless the term belongs to a preference with weight 0."""
        if self.added_affinity is not None:
            with refused_by("R-ARGS-17"), within("addedAffinity"):
                check_node_affinity(self.added_affinity)


@frozen
class NodeAffinity:
    """``added_affinity`` is the profile's addedAffinity, which holds for every pod besides its own affinity."""

    name = "NodeAffinity"
    POINTS = ("preFilter", "filter", "preScore", "score")
    READS = (
        "Pod.spec.nodeSelector",
        "Pod.spec.affinity.nodeAffinity",
        "Node.metadata.name",
        "Node.metadata.labels",
    )
    ARGS = NodeAffinityArgs
    added_affinity: pods.NodeAffinity = _NONE

    @classmethod
    def of_args(cls, args: NodeAffinityArgs) -> NodeAffinity:
        return cls(args.added_affinity or _NONE)

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: pods.Pod, objects: ObjectStore) -> Fragments:
        """R-BATCH-33 (observed: which pods are taken for equal may only save searches, KEP-5598): The node
        selector and the node affinity of a pod are part of its signature; the order of terms, of requirements and
        of values does not count. Source: NodeAffinitySigner."""
        own = pod.spec.affinity.node_affinity if pod.spec.affinity is not None else None
        applies("R-BATCH-33", when=own or pod.spec.node_selector)
        affinity = None if own is None else (_signed_required(own), _signed_preferred(own))
        return {"nodeSelector": dict(pod.spec.node_selector), "nodeAffinity": affinity}

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None] | Skip | Reject:
        """R-NODEAFF-01: A pod without nodeSelector and required node affinity skips Filter of NodeAffinity if the
        profile adds no required affinity.
        R-NODEAFF-02: If every required term names nodes by metadata.name, only these nodes are filtered; if the
        names within each term exclude each other, the pod is rejected as UnschedulableAndUnresolvable."""
        required = affinity_of(pod.pod).required_during_scheduling_ignored_during_execution
        added = self.added_affinity.required_during_scheduling_ignored_during_execution
        if required is None and added is None and not pod.pod.spec.node_selector:
            applies("R-NODEAFF-01")
            return Skip()
        names = _named_nodes(required) if required is not None else None
        if names is not None and not names:
            return Reject(unresolvable(CONFLICTING_NAMES))
        applies("R-NODEAFF-02", when=names is not None)
        return Continue(None, names)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: None, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODEAFF-03 (needs config): A node that does not match the required addedAffinity of the profile is
        rejected as UnschedulableAndUnresolvable with a reason of its own, before the pod's own affinity is looked
        at.
        R-NODEAFF-04: A node that lacks a label of the pod's nodeSelector, or that matches none of the pod's
        required node affinity terms, is rejected as UnschedulableAndUnresolvable."""
        added = self.added_affinity.required_during_scheduling_ignored_during_execution
        if added is not None and not added.matches(node.existing_node):
            return unresolvable(NOT_ENFORCED_AFFINITY)
        if matches_required(pod.pod, node.existing_node):
            return SUCCESS
        return unresolvable(NOT_POD_AFFINITY)

    def filter_alone(self, pod: PodInfo, node: NodeInfo) -> Status:
        """Returns what Filter answers: it reads nothing that PreFilter computes. Names that exclude each other
        match no node."""
        return self.filter(None, pod, node)

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[PreferredTerms] | Skip | Reject:
        """R-NODEAFF-05: A pod without preferred node affinity terms skips Score of NodeAffinity if the profile
        adds none either.
        R-NODEAFF-08: If a preferred term of the pod has a value that no label can have, or a Gt or Lt requirement
        one that is not an integer, PreScore fails with an error."""
        own = affinity_of(pod.pod).preferred_during_scheduling_ignored_during_execution
        unreadable = _unreadable(own)
        if unreadable is not None:
            return Reject(error(unreadable))
        added = self.added_affinity.preferred_during_scheduling_ignored_during_execution
        if not own and not added:
            applies("R-NODEAFF-05")
            return Skip()
        return Continue((*added, *own))

    def score(self, preferred: PreferredTerms, pod: PodInfo, node: NodeInfo) -> int:
        """R-NODEAFF-06: NodeAffinity's score of a node is the sum of the weights of the preferred terms that the
        node matches, those of the pod and those of the profile's addedAffinity."""
        score = sum(term.weight for term in preferred if term.preference.matches(node.existing_node))
        applies("R-NODEAFF-06", when=score)
        return score

    def normalize_score(
        self, preferred: PreferredTerms, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-NODEAFF-09: The scores of NodeAffinity are scaled so that the highest becomes 100; if all are 0, they
        stay 0."""
        applies("R-NODEAFF-09", when=any(scores.values()))
        return normalize(scores)

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(
        self, pod: pods.Pod, before: Node | None, after: Node, objects: ObjectStore
    ) -> bool:
        """R-NODEAFF-07 (observed: queueing hints may only save attempts, KEP-4247): A node that is added or
        changed and matches the profile's addedAffinity requeues a pod that NodeAffinity rejected if it now matches
        the pod's nodeSelector and required terms and did not before, or if it matches no term and a term has a Gt
        or Lt value that is not an integer."""
        added = self.added_affinity.required_during_scheduling_ignored_during_execution
        if added is not None and not added.matches(after):
            return False
        required = required_node_affinity(pod)
        if not required.selects(after):
            return False
        if not required.has_matching_term(after):
            if not _has_unreadable_term(pod):
                return False
        elif before is not None and required.matches(before):
            return False
        applies("R-NODEAFF-07")
        return True

    EVENTS = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL,
            after_node_change,
            "a node that the pod requires may have been added, or been given a label",
        ),
    )


def _signed_required(affinity: pods.NodeAffinity) -> list[Any]:
    required = affinity.required_during_scheduling_ignored_during_execution
    return sorted(map(_signed, required.node_selector_terms)) if required is not None else []


def _signed_preferred(affinity: pods.NodeAffinity) -> list[Any]:
    preferred = affinity.preferred_during_scheduling_ignored_during_execution
    return sorted((each.weight, _signed(each.preference)) for each in preferred)


def _signed(term: NodeSelectorTerm) -> tuple[Any, ...]:
    parts = (term.match_expressions, term.match_fields)
    return tuple(sorted((each.key, each.operator, sorted(each.values)) for each in part) for part in parts)


def affinity_of(pod: pods.Pod) -> pods.NodeAffinity:
    affinity = pod.spec.affinity
    return affinity.node_affinity or _NONE if affinity is not None else _NONE


@frozen
class RequiredNodeAffinity:
    """A RequiredNodeAffinity is what a pod requires of a node: its nodeSelector and the required terms of its node
    affinity. Source: component-helpers nodeaffinity.go."""

    node_selector: Mapping[str, str]
    affinity: pods.NodeAffinity

    def matches(self, node: Node) -> bool:
        return self.selects(node) and self.has_matching_term(node)

    def selects(self, node: Node) -> bool:
        return selects_labels(self.node_selector, node.metadata.labels)

    def has_matching_term(self, node: Node) -> bool:
        """Returns whether the node matches one of the required terms, or none is required."""
        required = self.affinity.required_during_scheduling_ignored_during_execution
        return required is None or required.matches(node)


def required_node_affinity(pod: pods.Pod) -> RequiredNodeAffinity:
    return RequiredNodeAffinity(pod.spec.node_selector, affinity_of(pod))


def matches_required(pod: pods.Pod, node: Node) -> bool:
    return required_node_affinity(pod).matches(node)


def _has_unreadable_term(pod: pods.Pod) -> bool:
    required = affinity_of(pod).required_during_scheduling_ignored_during_execution
    terms = required.node_selector_terms if required is not None else ()
    return any(not r.is_readable for term in terms for r in term.match_expressions)


def _unreadable(preferred: PreferredTerms) -> ErrorReason | None:
    """Returns what is wrong with the preferred terms, each mistake once.
    Source: component-helpers nodeaffinity.go, NewPreferredSchedulingTerms; apimachinery labels/selector.go,
    NewRequirement."""
    wrong = dict.fromkeys(
        problem
        for at, term in enumerate(preferred)
        for index, r in enumerate(term.preference.match_expressions)
        for problem in _problems(at, index, r)
    )
    if len(wrong) > 1:
        return ErrorReason(f"[{', '.join(wrong)}]", NOT_AN_INTEGER.rule)
    return next(iter(wrong), None)


def _problems(at: int, index: int, expression: NodeSelectorRequirement) -> Iterator[ErrorReason]:
    """Yields what is wrong with the expression ``index`` of the preferred term ``at``."""
    if expression.operator in ("Gt", "Lt") and not expression.has_integer:
        yield NOT_AN_INTEGER.of(at, index, json.dumps(expression.values[0]))
    for number, value in enumerate(expression.values):
        if not is_label_value(value):
            why = why_no_label_value(value)
            yield NO_LABEL_VALUE.of(at, index, number, expression.key, json.dumps(value), why)


def _named_nodes(required: NodeSelector) -> frozenset[str] | None:
    """Returns the nodes that the terms name by metadata.name, or None if one term names none (kubernetes
    #116465)."""
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
