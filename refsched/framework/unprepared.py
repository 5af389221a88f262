# SPDX-License-Identifier: Apache-2.0
"""Unprepared: what a plugin does at a later point where the configuration leaves it out of the earlier one.

A configuration may disable a plugin at PreFilter and not at Filter, at PreScore and not at Score, or at Filter or
Reserve and not at PreBind. Some plugins find out then what they need; others have nothing to read, and that is an
error, in words of their own, or nothing to do.
Rules: R-FRAMEWORK-10 … R-FRAMEWORK-12.
Source: plugins/*/, getPreFilterState, getPreScoreState, getStateData and their callers;
plugins/volumebinding/volume_binding.go, Reserve, PreBind (v1.34.2).
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

_NEEDS_PRE_FILTER_LATER = frozenset({"DynamicResources", "VolumeBinding"})
_NEEDS_FILTER_LATER = frozenset({"VolumeBinding"})
_NEEDS_RESERVE_LATER = frozenset({"VolumeBinding"})


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
    if plugin.name in _names(asked) or plugin.name not in _NEEDS_PRE_FILTER_LATER:
        return None
    return error(NEEDS_PRE_FILTER[plugin.name])


def cannot_pre_bind(
    asked: Sequence[Plugin], reserving: Sequence[Plugin], plugin: Plugin, state: Any, node: str
) -> Status | None:
    """R-FRAMEWORK-12, at PreBind: VolumeBinding takes Reserve's word that there is nothing to bind. Where Reserve
    was not asked, that Filter found no volumes is an error, for pods without claims too."""
    refusal = cannot_reserve(asked, plugin)
    if refusal is not None:
        return refusal
    if state is None and plugin.name in _NEEDS_RESERVE_LATER - _names(reserving):
        return error(f'no pod volume found for node "{node}"')
    return None


def found_by_nobody(filtering: Sequence[Plugin]) -> frozenset[str]:
    """R-FRAMEWORK-12, without Filter: the plugins that have nothing to reserve then, and do not mind."""
    return _NEEDS_FILTER_LATER - _names(filtering)


def _left_out(
    asked: Sequence[Plugin], later: Sequence[Plugin], point: Callable[..., Point]
) -> Iterator[Point]:
    names = _names(asked)
    for plugin in later:
        if plugin.name not in names and extends(plugin, point):
            yield plugin


def _names(plugins: Sequence[Plugin]) -> frozenset[str]:
    return frozenset(plugin.name for plugin in plugins)


def _note(instead: Instead, name: str, answer: Continue[Any] | Skip | Reject) -> None:
    match answer:
        case Continue(state):
            instead.states[name] = state
        case Skip():
            instead.unconcerned.add(name)
        case Reject(status):
            instead.answers[name] = status
