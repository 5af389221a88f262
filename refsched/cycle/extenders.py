# SPDX-License-Identifier: Apache-2.0
"""Extenders in the scheduling cycle: which nodes they reject, and what they add to the scores.

Promised: what an extender decides is documented with the API of extenders, k8s.io/kube-scheduler/extender/v1.
Shows in: extenders.
Source: pkg/scheduler/schedule_one.go, findNodesThatPassExtenders, prioritizeNodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import field, frozen

from refsched.extenders.extender import Extender
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import Status
from refsched.rules import applies


@frozen
class Passed:
    """Passed has the nodes that every extender left, and says why the others were rejected."""

    nodes: tuple[NodeInfo, ...] = ()
    rejected: Mapping[str, Status] = field(factory=dict)
    failure: Status | None = None


Join = Callable[[Status, Status], Status]
"""A Join takes the status that a node has and the one that an extender gives it, and returns what it has then."""


def replaced(before: Status, now: Status) -> Status:
    """R-EXTENDER-15 (observed: whose status counts where two reject a node is not part of the API): The status
    that an extender gives a node takes the place of the one that Filter, or an extender before it, gave the
    node."""
    applies("R-EXTENDER-15")
    return now


def pass_extenders(
    extenders: Sequence[Extender],
    pod: PodInfo,
    feasible: Sequence[NodeInfo],
    known: Mapping[str, Status] | None = None,
    join: Join = replaced,
) -> Passed:
    """Runs the extenders on the feasible nodes; ``known`` are the statuses of the nodes that Filter rejected.

    R-EXTENDER-10: Extenders filter one after the other; each is given the nodes that those before it left,
    until no node is left.
    R-EXTENDER-11: If an extender fails to filter, the cycle ends with its error; an ignorable extender that
    fails rejects no node."""
    nodes = tuple(feasible)
    rejected: dict[str, Status] = {}
    for extender in extenders:
        if not nodes:
            break
        if not extender.is_interested(pod):
            continue
        applies("R-EXTENDER-10")
        answer = extender.filter(pod, nodes)
        if not isinstance(answer, Status):
            nodes = answer.nodes
            for node, status in answer.rejected.items():
                before = rejected.get(node, (known or {}).get(node))
                rejected[node] = status if before is None else join(before, status)
            continue
        applies("R-EXTENDER-11")
        if not extender.is_ignorable:
            return Passed((), rejected, answer)
    return Passed(nodes, rejected)


def scores_of_extenders(
    extenders: Sequence[Extender], pod: PodInfo, nodes: Sequence[NodeInfo]
) -> Mapping[str, Mapping[str, int]]:
    """R-EXTENDER-12 (needs score): All extenders score the same nodes, and their scores are added; an extender
    that fails, ignorable or not, adds nothing to any node, and one that does not name a node adds nothing to that
    node."""
    scores: dict[str, dict[str, int]] = {}
    for extender in extenders:
        if not extender.is_interested(pod):
            continue
        answer = extender.prioritize(pod, nodes)
        applies("R-EXTENDER-12")
        if isinstance(answer, Status):
            continue
        by_node = scores.setdefault(extender.name, {})
        for name in dict.fromkeys(node.name for node in nodes):
            if name in answer:
                by_node[name] = by_node.get(name, 0) + answer[name]
    return scores
