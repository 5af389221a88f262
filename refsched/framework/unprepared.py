# SPDX-License-Identifier: Apache-2.0
"""Unprepared: what a plugin does at a later point where the configuration leaves it out of the earlier one.

A configuration may disable a plugin at PreFilter and not at Filter, or at PreScore and not at Score. Some plugins
find out then what they need; others have nothing to read, and that is an error, in words of their own.
Rules: R-FRAMEWORK-10 … R-FRAMEWORK-12.
Source: plugins/*/, getPreFilterState, getPreScoreState, getStateData and their callers (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from refsched.framework.interface import (
    Continue,
    Plugin,
    Point,
    PreFilterPlugin,
    PreScorePlugin,
    Reject,
    Skip,
    extends,
)
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error

NEEDS_PRE_FILTER: Mapping[str, str] = {
    "DynamicResources": "not found",
    "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
    "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
    "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
    "VolumeBinding": "not found",
    "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
}
"""R-FRAMEWORK-10: what Filter says where PreFilter was not asked."""

NEEDS_PRE_SCORE: Mapping[str, str] = {
    "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
    "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
    "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
}
"""R-FRAMEWORK-11: what Score says where PreScore was not asked."""

_NEEDS_PRE_FILTER_TO_RESERVE = frozenset({"DynamicResources", "VolumeBinding"})


@frozen
class Instead:
    """What stands in for an earlier point: the state that a plugin finds out for itself, the plugins that find out
    that this pod does not concern them, and what others answer whatever they are asked."""

    states: dict[str, Any] = field(factory=dict)
    unconcerned: set[str] = field(factory=set)
    answers: dict[str, Status] = field(factory=dict)


def instead_of_pre_filter(
    asked: Sequence[Plugin], later: Sequence[Plugin], pod: PodInfo, snapshot: Snapshot
) -> Instead:
    """For those of ``later`` that were not ``asked``; none of them narrows the search."""
    instead = Instead()
    for plugin in _left_out(asked, later, PreFilterPlugin):
        if plugin.name in NEEDS_PRE_FILTER:
            instead.answers[plugin.name] = error(NEEDS_PRE_FILTER[plugin.name])
        else:
            _note(instead, plugin.name, plugin.pre_filter(pod, snapshot))
    return instead


def instead_of_pre_score(
    asked: Sequence[Plugin],
    later: Sequence[Plugin],
    pod: PodInfo,
    nodes: Sequence[NodeInfo],
    snapshot: Snapshot,
) -> Instead:
    """As above; who is not concerned gives no node a score, and is told all the same."""
    instead = Instead()
    for plugin in _left_out(asked, later, PreScorePlugin):
        if plugin.name in NEEDS_PRE_SCORE:
            instead.answers[plugin.name] = error(NEEDS_PRE_SCORE[plugin.name])
        else:
            _note(instead, plugin.name, plugin.pre_score(pod, nodes, snapshot))
    return instead


def cannot_reserve(asked: Sequence[Plugin], plugin: Plugin) -> Status | None:
    """R-FRAMEWORK-12: some have nothing to reserve by where PreFilter was not asked; others do not care."""
    if plugin.name not in _NEEDS_PRE_FILTER_TO_RESERVE or plugin.name in {other.name for other in asked}:
        return None
    return error(NEEDS_PRE_FILTER[plugin.name])


def _left_out(
    asked: Sequence[Plugin], later: Sequence[Plugin], point: Callable[..., Point]
) -> Iterator[Point]:
    names = {plugin.name for plugin in asked}
    for plugin in later:
        if plugin.name not in names and extends(plugin, point):
            yield plugin


def _note(instead: Instead, name: str, answer: Continue[Any] | Skip | Reject) -> None:
    match answer:
        case Continue(state):
            instead.states[name] = state
        case Skip():
            instead.unconcerned.add(name)
        case Reject(status):
            instead.answers[name] = status
