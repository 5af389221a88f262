# SPDX-License-Identifier: Apache-2.0
"""Snapshot: the state of the cluster that one scheduling cycle sees. It does not change during the cycle.

Source: pkg/scheduler/backend/cache/snapshot.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from attrs import field, frozen

from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.node_info import NodeInfo
from refsched.objects.store import ObjectStore

K = TypeVar("K", bound=Hashable)
Count = Callable[[NodeInfo], Mapping[K, int]]
"""A Count returns what is counted on one node. It reads nothing but the node and its own fields, so that two equal
counts return the same for the same node."""


def added_up(snapshot: Snapshot, count: Count[K]) -> Mapping[K, int]:
    total: dict[K, int] = {}
    for node in snapshot.nodes:
        for key, number in count(node).items():
            total[key] = total.get(key, 0) + number
    return total


Sums = Callable[["Snapshot", Count[Any]], Mapping[Any, int]]


@frozen
class NodeChanges:
    """NodeChanges say when the nodes of a snapshot changed, in generations of the cache: ``ordered`` is when
    a node was last added or removed, and ``changed`` has the generation of each node, the latest last. They
    are valid until the cache changes again."""

    generation: int = 0
    ordered: int = 0
    changed: dict[str, int] = field(factory=dict)


@frozen
class Snapshot:
    """A Snapshot holds the nodes in the order in which they are searched, and the labels of the namespaces
    that exist.

    ``by_name`` and ``nodes`` hold the same NodeInfos. ``objects`` is what plugins read of other kinds;
    ``choices`` decides where more than one answer is allowed. If ``changes`` is None, it is not known what
    changed. ``sums`` adds up what is counted on all nodes.
    """

    nodes: tuple[NodeInfo, ...] = ()
    by_name: Mapping[str, NodeInfo] = field(factory=dict)
    namespace_labels: Mapping[str, Mapping[str, str]] = field(factory=dict)
    objects: ObjectStore = field(factory=ObjectStore, eq=False)
    choices: Choices = field(factory=FirstChoice, eq=False)
    changes: NodeChanges | None = field(default=None, eq=False)
    sums: Sums = field(default=added_up, eq=False)

    def get(self, name: str) -> NodeInfo | None:
        return self.by_name.get(name)

    def sum_over_nodes(self, count: Count[K]) -> Mapping[K, int]:
        """Returns what is counted on all nodes together, by key. It has every key that any node has, even
        with a sum of 0."""
        return self.sums(self, count)
