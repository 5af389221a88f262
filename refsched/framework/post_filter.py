# SPDX-License-Identifier: Apache-2.0
"""PostFilter: what a plugin is given when a pod fits on no node, and what it answers.

Source: staging kube-scheduler/framework/interface.go, PostFilterPlugin, PostFilterResult (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from attrs import frozen

from refsched.framework.choices import Choices
from refsched.framework.interface import Api, Plugin
from refsched.framework.node_info import PodInfo
from refsched.framework.runtime import CycleState, Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status


@frozen
class PostFilterContext:
    """A PostFilterContext is what a PostFilter plugin sees of the cycle that failed.

    ``statuses`` says why each node that was looked at was rejected, and ``absent`` is the status of all the
    others. ``now`` is the machine's clock; a victim without a start time counts as started now.
    """

    framework: Framework
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

    Once PostFilter is over, the ``victims`` are deleted, or rejected if they wait on Permit, and the ``outranked``
    pods lose their nomination to the node.
    """

    status: Status
    nominated_node: str | None = None
    victims: tuple[PodInfo, ...] = ()
    outranked: tuple[PodInfo, ...] = ()


@runtime_checkable
class PostFilterPlugin(Plugin, Protocol):
    def post_filter(self, context: PostFilterContext) -> PostFilterResult: ...
