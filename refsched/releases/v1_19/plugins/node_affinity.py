# SPDX-License-Identifier: Apache-2.0
"""NodeAffinity in v1.19: every node is filtered, and every feasible node is scored.

Promised: nodeSelector and nodeAffinity are documented with the Pod API.
Source: plugins/nodeaffinity/node_affinity.go; plugins/helper/node_affinity.go;
pkg/apis/core/v1/helper/helpers.go, NodeSelectorRequirementsAsSelector.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.selectors import NodeSelectorTerm, is_label_value, why_no_label_value
from refsched.plugins.node_affinity import affinity_of, matches_required
from refsched.plugins.normalize import normalize
from refsched.rules import ErrorReason, Reason, applies

NOT_SELECTED = Reason("node(s) didn't match node selector", "R-NODEAFF-51")
NOT_A_NUMBER = ErrorReason("for 'Gt', 'Lt' operators, the value must be an integer", "R-NODEAFF-54")
NO_LABEL_VALUE = ErrorReason("invalid label value: {}: at key: {}: {}", "R-NODEAFF-54")


@frozen
class NodeAffinity:
    name = "NodeAffinity"
    POINTS = ("filter", "score")
    READS = (
        "Pod.spec.nodeSelector",
        "Pod.spec.affinity.nodeAffinity",
        "Node.metadata.name",
        "Node.metadata.labels",
    )

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODEAFF-51 (instead of R-NODEAFF-04): In v1.19 a node that lacks a label of the pod's nodeSelector, or
        that none of its required node affinity terms match, is rejected as UnschedulableAndUnresolvable."""
        if matches_required(pod.pod, node.existing_node):
            return SUCCESS
        return unresolvable(NOT_SELECTED)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int | Status:
        """R-NODEAFF-52 (instead of R-NODEAFF-06): In v1.19 a node scores the weights of the pod's preferred terms
        whose matchExpressions match it; matchFields do not count.
        R-NODEAFF-53 (observed: a preference without expressions is not documented): In v1.19 a preferred term
        without matchExpressions matches no node.
        R-NODEAFF-54 (instead of R-NODEAFF-08): In v1.19 a preferred term that compares with a value that is no
        integer, or has one that no label can have, ends the attempt with an error when a node is scored."""
        total = 0
        for term in affinity_of(pod.pod).preferred_during_scheduling_ignored_during_execution:
            if term.weight == 0:
                continue
            unreadable = _unreadable(term.preference)
            if unreadable is not None:
                return unreadable
            if _matches(term.preference, node.existing_node.metadata.labels):
                applies("R-NODEAFF-52")
                total += term.weight
        return total

    def normalize_score(self, state: object, pod: PodInfo, scores: Mapping[str, int]) -> Mapping[str, int]:
        return normalize(scores)


def _matches(term: NodeSelectorTerm, labels: Mapping[str, str]) -> bool:
    if not term.match_expressions:
        applies("R-NODEAFF-53")
        return False
    return all(each.matches(labels) for each in term.match_expressions)


def _unreadable(term: NodeSelectorTerm) -> Status | None:
    for each in term.match_expressions:
        if each.operator in ("Gt", "Lt") and not each.has_integer:
            return error(NOT_A_NUMBER)
        for value in each.values:
            if not is_label_value(value):
                key, why = json.dumps(each.key), why_no_label_value(value)
                return error(NO_LABEL_VALUE.of(json.dumps(value), key, why))
    return None
