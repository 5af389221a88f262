# SPDX-License-Identifier: Apache-2.0
"""Rejections: an attempt's failure turned round: by plugin and reason, on which nodes."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from refsched.records import UNSCHEDULABLE, Attempt, NodeStatus

PRE_FILTER = "PreFilter"
LEFT_OUT = "left out of the search"
EXTENDER = "extender"
STRUCK = "struck from the feasible nodes"


@frozen
class Rejection:
    """``nodes`` are those on which the plugin gave this reason; none where it rejected the pod as such."""

    plugin: str
    reason: str
    nodes: tuple[str, ...] = ()


def rejections_of(attempt: Attempt, nodes: Sequence[str]) -> tuple[Rejection, ...]:
    """The rejection of most nodes first. ``nodes`` are all that there are."""
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
    """A node that passed Filter, of a pod that none was chosen for, was struck by an extender."""
    is_struck = status.code == "Success" and attempt.result == UNSCHEDULABLE and attempt.node is None
    return (STRUCK,) if is_struck else ()
