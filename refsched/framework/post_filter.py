# SPDX-License-Identifier: Apache-2.0
"""PostFilter: what is tried when a pod fits nowhere, and what came of it.

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
    """What a PostFilter plugin sees: the cycle that failed.

    ``statuses`` says why each node looked at was rejected, ``absent`` stands for all the others.
    ``now`` is the machine's clock, by which victims without a start time count.
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
    """``nominated_node`` is None where the nomination is left as it was, ``""`` where it is cleared.

    ``victims`` are deleted (or, where they wait on Permit, rejected) and ``outranked`` lose their nomination
    to the node, once the point is over.
    """

    status: Status
    nominated_node: str | None = None
    victims: tuple[PodInfo, ...] = ()
    outranked: tuple[PodInfo, ...] = ()


@runtime_checkable
class PostFilterPlugin(Plugin, Protocol):
    def post_filter(self, context: PostFilterContext) -> PostFilterResult: ...
