# SPDX-License-Identifier: Apache-2.0
"""How PodTopologySpread scores: nodes in domains with fewer matching pods score higher.

Promised: that ScheduleAnyway prefers what reduces the skew is documented with the Pod API.
Source: plugins/podtopologyspread/scoring.go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE
from refsched.framework.node_info import NodeInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.pod import Pod
from refsched.plugins.pod_topology_spread_constraints import (
    Constraint,
    MatchingPods,
    MatchingPodsByNode,
)
from refsched.rules import applies


@frozen
class WeighedSpread:
    """A WeighedSpread has one constraint, its matching pods by domain (by the node's name if the key is
    kubernetes.io/hostname) and the weight of one pod, which grows with the number of domains."""

    constraint: Constraint
    counts: Mapping[str, int]
    weight: float


@frozen
class ScoreState:
    """``ignored`` are the nodes that lack a key and score 0."""

    spreads: tuple[WeighedSpread, ...]
    ignored: frozenset[str]


def prepare(
    constraints: Sequence[Constraint],
    pod: Pod,
    feasible: Sequence[NodeInfo],
    snapshot: Snapshot,
    needs_all_keys: bool,
) -> ScoreState:
    """R-SPREAD-13: A node that lacks the topology key of a ScheduleAnyway constraint neither counts nor scores,
    except under the system default constraints.

    The pods of all nodes count, but the domains are those of the feasible nodes. Nodes without a key, if they may
    lack it, are one more domain. Source: initPreScoreState, PreScore.
    """

    keys = {constraint.topology_key for constraint in constraints}
    lacking = [node for node in feasible if not keys <= node.existing_node.metadata.labels.keys()]
    applies("R-SPREAD-13", when=lacking)
    ignored = frozenset(node.name for node in lacking) if needs_all_keys else frozenset()
    scored = [node for node in feasible if node.name not in ignored] if ignored else feasible

    def spread(constraint: Constraint) -> WeighedSpread:
        if constraint.is_by_host:
            counts = snapshot.sum_over_nodes(MatchingPodsByNode(constraint.selector, pod.namespace))
        else:
            matching = MatchingPods.of(constraint, pod, constraints, "R-SPREAD-13", needs_all_keys)
            counts = snapshot.sum_over_nodes(matching)
        return WeighedSpread(constraint, counts, _weight(constraint, scored))

    return ScoreState(tuple(map(spread, constraints)), ignored)


def _weight(constraint: Constraint, scored: Sequence[NodeInfo]) -> float:
    """Returns the weight of one pod. If there are many domains, each holds few pods; a weight that grows with
    the number of domains makes up for this. Go's logarithm sometimes differs in the last bit, which changes
    no rounded score up to 5,000 nodes. Source: topologyNormalizingWeight."""
    if constraint.is_by_host:
        return math.log(len(scored) + 2)
    labels = (node.existing_node.metadata.labels for node in scored)
    return math.log(len({of_node.get(constraint.topology_key, "") for of_node in labels}) + 2)


def raw_score(state: ScoreState, node: NodeInfo) -> int:
    """R-SPREAD-14 (observed: the weights of a score are not part of the API): Before normalization a node's score
    is the sum over its ScheduleAnyway constraints of the matching pods in the node's domain times a weight that
    grows with the number of domains, plus maxSkew - 1; a key that the node lacks adds nothing, and for
    kubernetes.io/hostname nodeAffinityPolicy and nodeTaintsPolicy are ignored.

    The terms are added up in float64 one after the other, and rounded half up. Source: Score, scoreForCount.
    """
    score = sum_of_constraints(state, node)
    applies("R-SPREAD-14", when=score)
    whole = math.floor(score)
    return whole + (score - whole >= 0.5)


def sum_of_constraints(state: ScoreState, node: NodeInfo) -> float:
    """Returns the node's score before it becomes an integer."""
    if node.name in state.ignored:
        return 0.0
    labels = node.existing_node.metadata.labels
    score = 0.0
    for spread in state.spreads:
        domain = labels.get(spread.constraint.topology_key)
        if domain is None:
            continue
        matching = spread.counts.get(node.name if spread.constraint.is_by_host else domain, 0)
        score += matching * spread.weight + (spread.constraint.max_skew - 1)
    return score


def normalized(scores: Mapping[str, int], ignored: frozenset[str]) -> dict[str, int]:
    """R-SPREAD-15 (observed: the scale of a score is not part of the API): Scores are inverted: a node's score
    becomes 100 times (highest + lowest - score) / highest, so that the node with the lowest gets 100; a node that
    lacks a required topology key gets 0.
    Source: NormalizeScore."""
    applies("R-SPREAD-15", when=ignored or any(scores.values()))
    counted = [score for node, score in scores.items() if node not in ignored]
    smallest, largest = min(counted, default=0), max(counted, default=0)

    def scaled(node: str, score: int) -> int:
        if node in ignored:
            return 0
        return MAX_NODE_SCORE * (largest + smallest - score) // largest if largest else MAX_NODE_SCORE

    return {node: scaled(node, score) for node, score in scores.items()}
