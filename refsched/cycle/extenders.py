# SPDX-License-Identifier: Apache-2.0
"""Extenders in the scheduling cycle: what they strike, and what they add to the scores.

Rules: R-EXTENDER-10 … R-EXTENDER-12.   Source: pkg/scheduler/schedule_one.go, findNodesThatPassExtenders,
prioritizeNodes (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from refsched.extenders.extender import Extender
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import Status


@frozen
class Passed:
    """The nodes that every extender left, and what the others were refused for."""

    nodes: tuple[NodeInfo, ...] = ()
    refused: Mapping[str, Status] = field(factory=dict)
    failure: Status | None = None


def pass_extenders(extenders: Sequence[Extender], pod: PodInfo, feasible: Sequence[NodeInfo]) -> Passed:
    """R-EXTENDER-10: extenders filter one after the other, each what is left by those before it, until nothing is.
    R-EXTENDER-11: an extender that fails to filter ends the cycle with its error, unless it is ignorable: then it
    struck nothing."""
    nodes = tuple(feasible)
    refused: dict[str, Status] = {}
    for extender in extenders:
        if not nodes:
            break
        if not extender.is_interested(pod):
            continue
        answer = extender.filter(pod, nodes)
        if not isinstance(answer, Status):
            nodes = answer.nodes
            refused |= answer.refused
        elif not extender.is_ignorable:
            return Passed((), refused, answer)
    return Passed(nodes, refused)


def scores_of_extenders(
    extenders: Sequence[Extender], pod: PodInfo, nodes: Sequence[NodeInfo]
) -> Mapping[str, Mapping[str, int]]:
    """R-EXTENDER-12: all extenders score the same nodes, and add up; one that fails gives no score, ignorable or
    not. A node that an extender does not name has none of it."""
    scores: dict[str, dict[str, int]] = {}
    for extender in extenders:
        if not extender.is_interested(pod):
            continue
        answer = extender.prioritize(pod, nodes)
        if isinstance(answer, Status):
            continue
        by_node = scores.setdefault(extender.name, {})
        for node in nodes:
            if node.name in answer:
                by_node[node.name] = by_node.get(node.name, 0) + answer[node.name]
    return scores
