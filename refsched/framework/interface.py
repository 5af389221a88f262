# SPDX-License-Identifier: Apache-2.0
"""What a plugin is: any object with a ``name`` and the methods of the points that it extends.

There is no base class. A plugin is a frozen value that holds its arguments; its methods are pure
functions. What PreFilter and PreScore compute is handed to the later points as ``state``.
Source: pkg/scheduler/framework/interface.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status

MAX_NODE_SCORE = 100
State = TypeVar("State")


@frozen
class Continue(Generic[State]):
    """Go on, with this state for the later points; ``nodes`` narrows the search to these names."""

    state: State
    nodes: frozenset[str] | None = None


@frozen
class Skip:
    """Nothing to do for this pod: Filter (after PreFilter) or Score (after PreScore) is left out."""


@frozen
class Reject:
    """The pod is refused, or an error met, before any node is looked at."""

    status: Status


class Plugin(Protocol):
    @property
    def name(self) -> str: ...


@runtime_checkable
class PreFilterPlugin(Plugin, Protocol):
    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Any] | Skip | Reject: ...


@runtime_checkable
class PreFilterExtensions(Plugin, Protocol):
    """How the state changes when a pod comes to, or leaves, a node. ``node`` is the node afterwards."""

    def add_pod(
        self, state: Any, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Any: ...

    def remove_pod(
        self, state: Any, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Any: ...


@runtime_checkable
class FilterPlugin(Plugin, Protocol):
    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status: ...


@runtime_checkable
class PreScorePlugin(Plugin, Protocol):
    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Any] | Skip | Reject: ...


@runtime_checkable
class ScorePlugin(Plugin, Protocol):
    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int: ...


@runtime_checkable
class ScoreExtensions(Plugin, Protocol):
    """Bring raw scores into 0..100, before weights. ``scores`` has every scored node."""

    def normalize_score(self, state: Any, pod: PodInfo, scores: Mapping[str, int]) -> Mapping[str, int]: ...
