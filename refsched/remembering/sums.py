# SPDX-License-Identifier: Apache-2.0
"""Sums: counts over all nodes, kept up to date by the nodes on which a pod that counts came or went."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any

from attrs import Factory, define

from refsched.framework.node_info import NodeInfo
from refsched.framework.snapshot import Count, Snapshot
from refsched.plugins.pod_topology_spread_constraints import MatchingPods
from refsched.remembering.changes import CountedPod, CountedPods, NodeChanges

MOST_SUMS = 1024
MOST_SIMILAR = 64
"""This many sums may have one hint."""


@define(eq=False)
class _Sum:
    """``found`` is what was counted on each node where something was, ``holders`` the number of nodes that have a
    key. ``_selected`` are the pods that count."""

    count: Count[Any]
    generation: int = -1
    found: dict[str, Mapping[Any, int]] = Factory(dict)
    total: dict[Any, int] = Factory(dict)
    holders: dict[Any, int] = Factory(dict)
    _selected: set[CountedPod] = Factory(set)
    _counted_pods: CountedPods | None = None
    _met: int = 0

    def bring_up_to_date(self, snapshot: Snapshot, changes: NodeChanges) -> None:
        if self._counted_pods is not changes.counted_pods:
            self._counted_pods, self._selected, self._met = changes.counted_pods, set(), 0
        counted = changes.counted_pods.all
        self._selected.update(each for each in counted[self._met :] if self.count.selects(each.pod))
        self._met = len(counted)
        changed = None if self.generation < changes.ordered else changes.since(self.generation)
        self.generation = changes.generation
        if changed is None:
            self.found, self.total, self.holders = {}, {}, {}
            self._count_all(snapshot, changes)
            return
        for name, came_or_went in changed.items():
            if came_or_went is None or not self._selected.isdisjoint(came_or_went):
                self._take_back(name)
                if name in snapshot.by_name:
                    self._put(name, self.count(snapshot.by_name[name]))

    def _count_all(self, snapshot: Snapshot, changes: NodeChanges) -> None:
        names: Collection[str] = {name for each in self._selected for name in changes.nodes.get(each, ())}
        if isinstance(self.count, MatchingPods):  # it has the domains of all nodes
            for node in snapshot.nodes:
                self._put(node.name, self.count(node if node.name in names else NodeInfo(node.node)))
        else:
            for name in names:
                if name in snapshot.by_name:
                    self._put(name, self.count(snapshot.by_name[name]))

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


class RememberedSums:
    """The RememberedSums are those that were asked for last."""

    def __init__(self, changes: NodeChanges) -> None:
        self._changes = changes
        self._sums: OrderedDict[Any, list[_Sum]] = OrderedDict()

    def __call__(self, snapshot: Snapshot, count: Count[Any]) -> Mapping[Any, int]:
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
        wanted.bring_up_to_date(snapshot, self._changes)
        return dict(wanted.total)


def _hint(count: Count[Any]) -> Any:
    """Returns a value that is equal for one question of the pods of one app, and fast to compare."""
    pod = getattr(count, "pod", None)
    of_pod = pod and (pod.namespace, tuple(sorted(pod.labels.items())))
    return type(count), of_pod, getattr(count, "constraint", None) or getattr(count, "selector", None)
