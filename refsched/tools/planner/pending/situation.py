# SPDX-License-Identifier: Apache-2.0
"""Situation: a pod that fits nowhere, and for each node all the plugins that reject it there.

Filter ends with the first plugin that rejects a node. Which change would help depends on the others as well, so
all are asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from attrs import frozen

from refsched.cycle.decide import Decision
from refsched.framework.cycle_state import CycleState
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.tools.planner.rejections import EXTENDER, LEFT_OUT, PRE_FILTER

Rejecting = Mapping[str, Status]
"""A Rejecting has the status of each plugin that rejects a node, in the order of Filter."""


@frozen(slots=False)
class Situation:
    """``nodes`` are in the order of the snapshot, each with the nominated pods that count there, which ``crowd``
    has by node. ``first`` is by node the plugin that decided there, and ``rejecting`` has all that would."""

    pod: PodInfo
    snapshot: Snapshot
    state: CycleState
    nodes: tuple[NodeInfo, ...]
    first: Mapping[str, str]
    rejecting: Mapping[str, Rejecting]
    crowd: Mapping[str, Sequence[PodInfo]]

    @cached_property
    def by_name(self) -> Mapping[str, NodeInfo]:
        return {node.name: node for node in self.nodes}

    def nominated_to(self, *nodes: NodeInfo) -> list[str]:
        """Returns the pods that count on these nodes since they are nominated there."""
        return [each.pod.key for node in nodes for each in self.crowd[node.name]]

    def infos(self, names: Iterable[str]) -> list[NodeInfo]:
        return [self.by_name[name] for name in names]

    def only_by(self, *plugins: str) -> list[NodeInfo]:
        """Returns the nodes that no other plugin rejects."""
        return [node for node in self.nodes if set(self.rejecting[node.name]) <= set(plugins)]


def situation_of(
    framework: Framework,
    snapshot: Snapshot,
    decision: Decision,
    pod: PodInfo,
    crowd: Mapping[str, Sequence[PodInfo]],
) -> Situation:
    """Returns the situation of a pod that the decision places nowhere. ``crowd`` are by node the nominated pods
    that count there."""
    state = decision.pre_filter.state
    statuses = {**decision.errors, **decision.diagnosis.node_to_status}
    nodes: list[NodeInfo] = []
    first: dict[str, str] = {}
    rejecting: dict[str, Rejecting] = {}
    for node in snapshot.nodes:
        crowded, crowded_state = node, state
        for other in crowd[node.name]:
            crowded = crowded.with_pod(other)
            crowded_state = framework.add_pod(crowded_state, pod, other, crowded, snapshot)
        found = _all_rejections(framework, crowded_state, pod, crowded)
        if crowd[node.name] and not found:
            found = _all_rejections(framework, state, pod, node)
        by = _who_decided(statuses.get(node.name), decision, node.name)
        if by not in found:
            found = {by: statuses.get(node.name, Status(reasons=(LEFT_OUT,), plugin=by)), **found}
        nodes.append(crowded)
        first[node.name] = by
        rejecting[node.name] = found
    return Situation(pod, snapshot, state, tuple(nodes), first, rejecting, crowd)


def _who_decided(status: Status | None, decision: Decision, node: str) -> str:
    """Returns the plugin that decided on the node, or Extender or PreFilter."""
    if status is not None:
        return status.plugin or EXTENDER
    kept = decision.pre_filter.nodes
    if kept is not None and node not in kept:
        return ", ".join(sorted(decision.pre_filter.narrowed_by)) or PRE_FILTER
    return EXTENDER


def _all_rejections(
    framework: Framework, state: CycleState, pod: PodInfo, node: NodeInfo
) -> dict[str, Status]:
    found: dict[str, Status] = {}
    for plugin in framework.filter_plugins:
        name = plugin.name
        if name in state.skipped:
            continue
        instead = state.filters.get(name)
        status = plugin.filter(state.states.get(name), pod, node) if instead is None else instead(pod, node)
        if not status.is_success:
            found[name] = status.by(name)
    return found
