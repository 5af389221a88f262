# SPDX-License-Identifier: Apache-2.0
"""What is compared of the records of an implementation that is a part of kube-scheduler, and where it is free."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import evolve

from refsched.checking.agreement import Disagreement
from refsched.records import SCHEDULED, Attempt, Bind, NodeStatus
from refsched.suite.histories.part import Part

_SHOWN_BY: tuple[tuple[str, str, str], ...] = (
    ("filter", "filter", "filter"),
    ("filter", "pre_filter", "preFilter"),
    ("score", "scores", "scores"),
    ("score", "totals", "totals"),
    ("preemption", "victims", "victims"),
    ("preemption", "nominated_node", "nominatedNode"),
    ("queue", "unschedulable_plugins", "unschedulablePlugins"),
    ("scripted", "calls", "calls"),
)
"""Each row has a capability, the member of ``Attempt`` that it fills, and the name of that member on the wire."""

_REQUIRED = ("filter", "scores", "victims", "nominatedNode", "calls")
"""An implementation with the capability must not leave out these members, which have their names on the wire."""

OF_PREEMPTION = ("victims", "nominatedNode")
"""These members are also missing if the implementation did not preempt: then leaving them out is no mistake."""


def missing_members(
    part: Part, record: Attempt | Bind, specified: Attempt | Bind
) -> Iterator[tuple[str, object]]:
    """Yields members that the record lacks and the specification has, if a capability promises them; and in
    any case the node of a pod that was scheduled, without which nothing else can be compared."""
    if isinstance(record, Attempt) and record.result == SCHEDULED and not record.node:
        yield "node", "the node that was selected"
        return
    for capability, attribute, member in _SHOWN_BY:
        expected = getattr(specified, attribute, None)
        if member not in _REQUIRED or capability not in part.capabilities or not expected:
            continue
        if member in part.not_shown:
            continue
        if member == "filter" and not _rejects_any(expected):
            continue
        if getattr(record, attribute, None) is None:
            yield member, expected


def compared(part: Part, record: Attempt) -> Attempt:
    """Returns the record without the members that belong to none of the implementation's capabilities. What it
    says of a nomination is followed, whether or not it is judged who is nominated."""
    dropped: dict[str, Any] = {
        attribute: None
        for capability, attribute, _ in _SHOWN_BY
        if capability not in part.capabilities and getattr(record, attribute) is not None
    }
    if record.nominated_node or "nominations" in part.capabilities:
        dropped.pop("nominated_node", None)
    if "score" not in part.capabilities:
        dropped |= {"evaluated": None, "feasible": None}
    elif _hides_scores(part, record):
        dropped["totals"] = None
    return evolve(record, **dropped) if dropped else record


def _hides_scores(part: Part, record: Attempt) -> bool:
    """Returns whether totals may contain scores of the implementation's own plugins that are not reported."""
    scores = record.scores or {}
    if not part.own or any(plugin in part.own for by_plugin in scores.values() for plugin in by_plugin):
        return False
    totals = record.totals
    return totals is None or any(totals.get(node) != sum(each.values()) for node, each in scores.items())


def may_choose(
    part: Part, found: Disagreement, record: Attempt, specified: Attempt, nodes: Collection[str]
) -> bool:
    """Returns whether the difference is one in which the implementation is free: without ``score`` any
    feasible node is right, and it does not matter on how many more of the existing ``nodes`` Filter was run.
    Nor does it matter without ``config``, if these are rejected. Any feasible node is right where plugins of
    its own may have scores that are not reported.

    Without ``score`` the specification allows every feasible node that it found. So if it evaluated all nodes,
    it does not allow another one, as a node that an extender rejected after Filter."""
    statuses = specified.filter or {}
    member, _, node = found.member.partition(".")
    if "score" in part.capabilities and not (member == "node" and _hides_scores(part, record)):
        is_one_more = member == "filter" and node in nodes and node not in statuses
        more = (record.filter or {}).get(node) if is_one_more else None
        return not part.reads_config and more is not None and more.code != "Success"
    match member:
        case "filter" if node:
            return node in nodes and statuses.get(node) in (None, (record.filter or {}).get(node))
        case "node":
            chosen = statuses.get(record.node or "")
            if chosen is None or record.node not in nodes:
                return record.node in nodes
            has_found_all = "score" not in part.capabilities and specified.evaluated == len(nodes)
            return chosen.code == "Success" and not has_found_all
    return member in ("filter", "feasible")


def _rejects_any(statuses: Mapping[str, NodeStatus]) -> bool:
    """Returns whether any node is rejected. A feasible node proves nothing, since a profile may be without
    filters."""
    return any(status.code != "Success" for status in statuses.values())
