# SPDX-License-Identifier: Apache-2.0
"""Sums: counts over all nodes, kept up to date by the nodes that changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import Factory, define

from refsched.framework.node_info import NodeInfo
from refsched.framework.snapshot import Count, Snapshot
from refsched.plugins.inter_pod_affinity import Weights
from refsched.plugins.inter_pod_affinity_counts import ExistingAntiAffinity
from refsched.remembering.changes import NodeChanges

MOST_SUMS = 1024
MOST_SIMILAR = 64
"""So many sums may have one hint."""


@define(eq=False)
class _Sum:
    """``found`` is what was counted on each node where something was, ``holders`` the number of nodes that have a
    key."""

    count: Count[Any]
    generation: int = -1
    found: dict[str, Mapping[Any, int]] = Factory(dict)
    total: dict[Any, int] = Factory(dict)
    holders: dict[Any, int] = Factory(dict)

    def bring_up_to_date(
        self, snapshot: Snapshot, changes: NodeChanges, nodes: Iterable[NodeInfo] | None = None
    ) -> None:
        """Counts again what may have changed. Nothing is found but on ``nodes``, if they are given."""
        if self.generation < changes.ordered or self.generation < 0:
            self.found, self.total, self.holders = {}, {}, {}
            for node in snapshot.nodes if nodes is None else nodes:
                self._put(node.name, self.count(node))
        else:
            for name in changes.since(self.generation):
                node_info = snapshot.get(name)
                if node_info is not None:
                    found = self.count(node_info)
                    if found != self.found.get(name, {}):
                        self._take_back(name)
                        self._put(name, found)
        self.generation = changes.generation

    def _put(self, node: str, found: Mapping[Any, int]) -> None:
        if found:
            self.found[node] = found
        for key, number in found.items():
            self.total[key] = self.total.get(key, 0) + number
            self.holders[key] = self.holders.get(key, 0) + 1

    def _take_back(self, node: str) -> None:
        for key, number in self.found.pop(node, {}).items():
            self.total[key] -= number
            self.holders[key] -= 1
            if not self.holders[key]:
                del self.total[key], self.holders[key]


def _pods_with_affinity(node: NodeInfo) -> Mapping[str, int]:
    return {"": len(node.pods_with_affinity)} if node.pods_with_affinity else {}


def _is_of_their_affinity(count: Count[Any]) -> bool:
    """Returns whether it finds nothing where no pod has affinity."""
    if isinstance(count, Weights):
        return not count.wanted and not count.unwanted
    return isinstance(count, ExistingAntiAffinity)


class RememberedSums:
    """The RememberedSums are those that were asked for last. A cluster in which no pod has affinity is not counted
    for each pod."""

    def __init__(self, changes: NodeChanges) -> None:
        self._changes = changes
        self._sums: OrderedDict[Any, list[_Sum]] = OrderedDict()
        self._affinity = _Sum(_pods_with_affinity)

    def __call__(self, snapshot: Snapshot, count: Count[Any]) -> Mapping[Any, int]:
        nodes = None
        if _is_of_their_affinity(count):
            self._affinity.bring_up_to_date(snapshot, self._changes)
            nodes = [snapshot.by_name[name] for name in self._affinity.found]
            if not nodes:
                return {}
        hint = _hint(count)
        similar = self._sums.setdefault(hint, [])
        self._sums.move_to_end(hint)
        wanted = next((each for each in similar if each.count == count), None)
        if wanted is None:
            wanted = _Sum(count)
            similar.insert(0, wanted)
            del similar[MOST_SIMILAR:]
        if len(self._sums) > MOST_SUMS:
            self._sums.popitem(last=False)
        wanted.bring_up_to_date(snapshot, self._changes, nodes)
        return dict(wanted.total)


def _hint(count: Count[Any]) -> Any:
    """Returns a value that is equal for one question of the pods of one app, and fast to compare."""
    pod = getattr(count, "pod", None)
    of_pod = pod and (pod.namespace, tuple(sorted(pod.labels.items())))
    return type(count), of_pod, getattr(count, "constraint", None) or getattr(count, "selector", None)
