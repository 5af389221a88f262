# SPDX-License-Identifier: Apache-2.0
"""Rejections: the failure of an attempt by plugin and reason, with the nodes of each."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from refsched.records import UNSCHEDULABLE, Attempt, NodeStatus

PRE_FILTER = "PreFilter"
LEFT_OUT = "left out of the search"
EXTENDER = "extender"
REMOVED = "removed from the feasible nodes"


@frozen
class Rejection:
    """A Rejection is one reason of one plugin. ``nodes`` are those on which it gave this reason; there are none if
    it rejected the pod as a whole."""

    plugin: str
    reason: str
    nodes: tuple[str, ...] = ()


def rejections_of(attempt: Attempt, nodes: Sequence[str]) -> tuple[Rejection, ...]:
    """Returns the rejections, that of most nodes first. ``nodes`` are all that there are."""
    if attempt.pre_filter is not None and attempt.pre_filter.code != "Success":
        rejected = attempt.pre_filter
        return tuple(Rejection(rejected.plugin or PRE_FILTER, reason) for reason in rejected.reasons)
    found: dict[tuple[str, str], list[str]] = {}
    for node, status in sorted((attempt.filter or {}).items()):
        for reason in status.reasons or _without_reason(attempt, status):
            found.setdefault((status.plugin or EXTENDER, reason), []).append(node)
    if attempt.pre_filter is not None and attempt.pre_filter.nodes is not None:
        kept = attempt.pre_filter.nodes
        left_out = [node for node in sorted(nodes) if node not in kept]
        if left_out:
            found[PRE_FILTER, LEFT_OUT] = left_out
    rejections = (Rejection(plugin, reason, tuple(on)) for (plugin, reason), on in found.items())
    return tuple(sorted(rejections, key=lambda each: (-len(each.nodes), each.plugin, each.reason)))


def _without_reason(attempt: Attempt, status: NodeStatus) -> tuple[str, ...]:
    """Returns the reason for a node that an extender removed: it passed Filter, and no node was chosen."""
    is_removed = status.code == "Success" and attempt.result == UNSCHEDULABLE and attempt.node is None
    return (REMOVED,) if is_removed else ()
