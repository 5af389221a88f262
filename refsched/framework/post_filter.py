# SPDX-License-Identifier: Apache-2.0
"""PostFilter: what a plugin is given when a pod fits on no node, and what it answers.

Promised: PostFilter is documented with the scheduling framework, KEP-624.
Shows in: preemption.
Source: staging kube-scheduler/framework/interface.go, PostFilterPlugin, PostFilterResult;
pkg/scheduler/framework/runtime/framework.go, RunPostFilterPlugins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from attrs import frozen

from refsched.extenders.extender import Extender
from refsched.framework.choices import Choices
from refsched.framework.cycle_state import CycleState
from refsched.framework.interface import Api, Plugin
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, Status, error, unschedulable
from refsched.rules import applies


class Handle(Protocol):
    """A Handle is what a PostFilter plugin may ask of the framework, as framework/runtime.py has it."""

    @property
    def extenders(self) -> Sequence[Extender]: ...

    def add_pod(
        self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> CycleState: ...

    def remove_pod(
        self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> CycleState: ...

    def run_filter_plugins_with_nominated_pods(
        self,
        state: CycleState,
        pod: PodInfo,
        node: NodeInfo,
        nominated: Sequence[PodInfo],
        snapshot: Snapshot,
    ) -> Status: ...


@frozen
class PostFilterContext:
    """A PostFilterContext is what a PostFilter plugin sees of the cycle that failed.

    ``statuses`` says why each node that was looked at was rejected, and ``absent`` is the status of all the
    others. ``now`` is the machine's clock; a victim without a start time counts as started now.
    """

    framework: Handle
    snapshot: Snapshot
    state: CycleState
    pod: PodInfo
    statuses: Mapping[str, Status]
    absent: Status
    nominated_pods: Callable[[str], Sequence[PodInfo]]
    now: datetime
    api: Api
    choices: Choices

    def status_of(self, node: str) -> Status:
        return self.statuses.get(node, self.absent)


@frozen
class PostFilterResult:
    """``nominated_node`` is None if the nomination stays as it is, and ``""`` if it is cleared.

    Once PostFilter is over, the ``victims`` are preempted, and the ``outranked`` pods lose their nomination to the
    node. ``activates`` says that the pod is activated then.
    """

    status: Status
    nominated_node: str | None = None
    victims: tuple[PodInfo, ...] = ()
    outranked: tuple[PodInfo, ...] = ()
    activates: bool = False


@runtime_checkable
class PostFilterPlugin(Plugin, Protocol):
    def post_filter(self, context: PostFilterContext) -> PostFilterResult: ...


def run_post_filter_plugins(
    plugins: Sequence[PostFilterPlugin], context: PostFilterContext
) -> PostFilterResult:
    """R-POSTFILTER-02 (decides nominatedNode): The PostFilter point ends at the first plugin that succeeds, says
    UnschedulableAndUnresolvable or fails; if none does, all reasons are reported, and the last nomination
    counts."""
    reasons: list[str] = []
    nominated: str | None = None
    for plugin in plugins:
        result = plugin.post_filter(context)
        applies("R-POSTFILTER-02")
        if result.status.is_success or result.status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return result
        if not result.status.is_rejected:
            return PostFilterResult(error(result.status.message).by(plugin.name))
        if result.nominated_node is not None:
            nominated = result.nominated_node
        reasons.extend(result.status.reasons)
    return PostFilterResult(unschedulable(*reasons), nominated)
