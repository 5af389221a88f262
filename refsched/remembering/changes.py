# SPDX-License-Identifier: Apache-2.0
"""Changes: which nodes changed from one snapshot to the next, and which pods came there or went.

Counts over nodes see only some fields of a pod. Pods that have these in common are counted alike: a CountedPod
stands for them all. A cluster has few of them, and each is on some nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from attrs import Factory, define, evolve, field, frozen

from refsched.framework.node_info import NodeInfo, PodInfo

AT_LEAST, A_NODE, A_POD = 1000, 4, 2
"""At most AT_LEAST changes and A_NODE more for each node are remembered, and at most AT_LEAST
CountedPods and A_POD more for each pod."""


@frozen(eq=False)
class CountedPod:
    """A CountedPod stands for ``pod`` and for all pods that are counted alike: they have the same namespace, the
    same labels and the same affinity, and either all of them are being deleted or none is."""

    pod: PodInfo


class CountedPods:
    """CountedPods has the CountedPod of every pod that was met. Schedulers that were forked share it."""

    def __init__(self) -> None:
        self.all: list[CountedPod] = []
        self._alike: dict[Any, list[CountedPod]] = {}
        self._of: WeakKeyDictionary[PodInfo, CountedPod] = WeakKeyDictionary()

    def of(self, info: PodInfo) -> CountedPod:
        known = self._of.get(info)
        if known is None:
            known = self._of[info] = self._find(info)
        return known

    def _find(self, info: PodInfo) -> CountedPod:
        metadata, affinity = info.pod.metadata, info.pod.spec.affinity
        hint = metadata.namespace, frozenset(metadata.labels.items()), metadata.deletion_timestamp is None
        alike = self._alike.setdefault(hint, [])
        for known in alike:
            if known.pod.pod.spec.affinity == affinity:
                return known
        alike.append(CountedPod(info))
        self.all.append(alike[-1])
        return alike[-1]


@define(eq=False)
class NodeChanges:
    """NodeChanges count snapshots: ``ordered`` is when a node was last added or removed. ``_log`` has when a node
    changed, the latest last, and the pods that came or went, or None if the node itself changed. ``nodes`` has how
    many of the pods that are counted alike are on a node."""

    counted_pods: CountedPods = Factory(CountedPods)
    nodes: dict[CountedPod, Counter[str]] = Factory(dict)
    generation: int = 0
    ordered: int = 0
    _log: list[tuple[int, str, frozenset[CountedPod] | None]] = Factory(list)
    _pods: dict[str, tuple[Any, frozenset[PodInfo]]] = Factory(dict)
    _number_of_pods: int = 0
    _begins: int = 0
    _since: tuple[int, int, Mapping[str, frozenset[CountedPod] | None]] = field(default=(-1, -1, {}))

    def note(self, changed: Iterable[str], nodes: Mapping[str, NodeInfo], *, is_reordered: bool) -> None:
        """Notes what changed in this snapshot, whose nodes are given by their names. All is new in the first."""
        changed = changed if self.generation else list(nodes)
        self.generation += 1
        if is_reordered:
            self.ordered = self.generation
        if len(self.counted_pods.all) > AT_LEAST + A_POD * self._number_of_pods:
            self.counted_pods, self.nodes, self._pods, self._number_of_pods = CountedPods(), {}, {}, 0
            changed = list(nodes)
            self._begins = self.generation
        for name in changed:
            self._log.append((self.generation, name, self._met(name, nodes.get(name))))
        if len(self._log) > AT_LEAST + A_NODE * len(nodes):
            self._begins = self._log[len(self._log) // 2][0]
            self._log = [each for each in self._log if each[0] > self._begins]

    def _met(self, name: str, info: NodeInfo | None) -> frozenset[CountedPod] | None:
        """Counts the pods of a node that changed, and returns those that came or went."""
        node, before = self._pods.pop(name, (None, frozenset()))
        after: frozenset[PodInfo] = frozenset() if info is None else frozenset(info.pods)
        came = Counter(map(self.counted_pods.of, after - before))
        came.subtract(map(self.counted_pods.of, before - after))
        self._number_of_pods += len(after) - len(before)
        met = {counted: number for counted, number in came.items() if number}
        for counted, number in met.items():
            there = self.nodes.setdefault(counted, Counter())
            there[name] += number
            if not there[name]:
                del there[name]
        if info is None:
            return None
        self._pods[name] = info.node, after
        return frozenset(met) if info.node is node else None

    def copy(self) -> NodeChanges:
        """Returns changes that go on from here by themselves."""
        nodes = {counted: there.copy() for counted, there in self.nodes.items()}
        return evolve(self, nodes=nodes, log=list(self._log), pods=dict(self._pods))

    def since(self, generation: int) -> Mapping[str, frozenset[CountedPod] | None] | None:
        """Returns the nodes that have changed since then, or None if that is not known any more."""
        if generation < self._begins:
            return None
        if self._since[:2] != (generation, self.generation):
            found: dict[str, frozenset[CountedPod] | None] = {}
            for at, name, counted in reversed(self._log):
                if at <= generation:
                    break
                more = found.get(name, counted)
                found[name] = None if counted is None or more is None else counted | more
            self._since = generation, self.generation, found
        return self._since[2]
