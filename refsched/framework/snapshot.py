# SPDX-License-Identifier: Apache-2.0
"""Snapshot: the state of the cluster that one scheduling cycle sees. It does not change during the cycle.

Source: pkg/scheduler/backend/cache/snapshot.go.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from attrs import field, frozen

from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.store import ObjectStore

K = TypeVar("K", bound=Hashable)


class Count(Protocol[K]):
    """A Count says what is counted on one node. It reads nothing but its own fields, the node, and of the node's
    pods the namespace, the labels, the affinity and whether they are deleted: two equal counts return the same for
    the same node. A pod that it does not select adds nothing."""

    def __call__(self, node: NodeInfo) -> Mapping[K, int]: ...

    def selects(self, pod: PodInfo) -> bool: ...


def summed(counts: Iterable[Mapping[K, int]]) -> Mapping[K, int]:
    """Returns the sums of these counts, by key."""
    total: dict[K, int] = {}
    for each in counts:
        for key, number in each.items():
            total[key] = total.get(key, 0) + number
    return total


@frozen
class Snapshot:
    """A Snapshot holds the nodes in the order in which they are searched, and the labels of the namespaces
    that exist.

    ``by_name`` and ``nodes`` hold the same NodeInfos. ``objects`` is what plugins read of other kinds;
    ``choices`` decides where more than one answer is allowed. ``time`` is when the snapshot was taken.
    ``counted_claims`` are how many pods use a claim, by ``namespace/name``, as the cache has counted them; no
    rule reads them (cache/claim_counts.py).
    """

    nodes: tuple[NodeInfo, ...] = ()
    by_name: Mapping[str, NodeInfo] = field(factory=dict)
    namespace_labels: Mapping[str, Mapping[str, str]] = field(factory=dict)
    objects: ObjectStore = field(factory=ObjectStore, eq=False)
    choices: Choices = field(factory=FirstChoice, eq=False)
    time: datetime = field(default=datetime.min.replace(tzinfo=UTC), eq=False)
    counted_claims: Mapping[str, int] = field(factory=dict, eq=False)

    def get(self, name: str) -> NodeInfo | None:
        return self.by_name.get(name)

    def sum_over_nodes(self, count: Count[K]) -> Mapping[K, int]:
        """Returns what is counted on all nodes together, by key. It has every key that any node has, even
        with a sum of 0."""
        return summed(map(count, self.nodes))
