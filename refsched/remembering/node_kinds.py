# SPDX-License-Identifier: Apache-2.0
"""Kinds of nodes: nodes of which plugins read the same are of one kind to them, and are answered alike.

What a plugin reads of a node is a tuple of parts, which follow from its READS. A plugin that does not say which
fields of a node it reads may read everything, so that each node is of a kind of its own until it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import Factory, define, frozen

from refsched.framework.interface import Plugin, ScoresByPreFilter, extends
from refsched.framework.node_info import NodeInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.resources import Resource
from refsched.remembering.changes import A_NODE, AT_LEAST, NodeChanges

Part = Callable[[NodeInfo], Hashable]


# --- Parts ----------------------------------------------------------------------------------------


@frozen
class Labels:
    """Labels are the values of the labels with these keys."""

    keys: tuple[str, ...]

    def __call__(self, node: NodeInfo) -> tuple[str | None, ...]:
        labels = node.existing_node.metadata.labels
        return tuple(map(labels.get, self.keys))


def everything(node: NodeInfo) -> Hashable:
    """Returns a value that no other node has, nor this one once it has changed."""
    return object()


def _resources(node: NodeInfo) -> Hashable:
    counted = (node.allocatable, node.requested, node.non_zero_requested)
    return len(node.pods), *map(_amounts, counted)


def _amounts(resource: Resource) -> Hashable:
    scalar = frozenset(resource.scalar.items())
    return (
        resource.milli_cpu,
        resource.memory,
        resource.ephemeral_storage,
        resource.allowed_pod_number,
        scalar,
    )


PARTS: Mapping[str, Part] = {
    "Node.metadata.name": lambda node: node.name,
    "Node.metadata.labels": lambda node: frozenset(node.existing_node.metadata.labels.items()),
    "Node.spec.taints": lambda node: node.existing_node.spec.taints,
    "Node.spec.unschedulable": lambda node: node.existing_node.spec.unschedulable,
    "Node.status.allocatable": _resources,
    "Node.status.declaredFeatures": lambda node: node.existing_node.status.declared_features,
    "Node.status.images": lambda node: frozenset(node.image_states.items()),
    "Pod.spec.containers[].ports": lambda node: (node.host_ports, node.ports_of_pods),
}
"""What a plugin reads of a node, by the field that it lists in READS."""


def parts_read(plugin: Plugin, state: object) -> tuple[Part, ...]:
    """Returns what Filter and Score of the plugin read of a node."""
    if extends(plugin, ScoresByPreFilter) and state is None:
        return ()
    reads: tuple[str, ...] | None = getattr(plugin, "READS", None)
    of_nodes = (field for field in reads or () if field in PARTS or field.startswith("Node."))
    parts = tuple(PARTS.get(field, everything) for field in of_nodes)
    return parts if parts or reads == () else (everything,)


# --- Kinds ----------------------------------------------------------------------------------------


@define(eq=False)
class Partition:
    """A Partition has the kind of each node, by the node's number, and what was read of the nodes of each kind."""

    parts: tuple[Part, ...]
    of_node: list[int] = Factory(list)
    read: list[tuple[Any, ...]] = Factory(list)
    generation: int = -1
    _numbers: Mapping[str, int] = Factory(dict)
    _by_name: dict[str, int] = Factory(dict)
    _kinds: dict[tuple[Hashable, ...], int] = Factory(dict)

    def bring_up_to_date(self, snapshot: Snapshot, numbers: Mapping[str, int], changes: NodeChanges) -> None:
        changed = changes.since(self.generation)
        if changed is None:
            self._by_name.clear()
            self._numbers, changed = {}, {}
        self.generation = changes.generation
        for name in changed:
            self._by_name.pop(name, None)
        if numbers is not self._numbers:
            self._numbers = numbers
            self.of_node = [self._kind_of(name, snapshot) for name in numbers]
            return
        for name in changed:
            if name in numbers:
                self.of_node[numbers[name]] = self._kind_of(name, snapshot)

    def _kind_of(self, name: str, snapshot: Snapshot) -> int:
        kind = self._by_name.get(name)
        if kind is None:
            node = snapshot.by_name[name]
            read = tuple([part(node) for part in self.parts])
            kind = self._kinds.setdefault(read, len(self.read))
            if kind == len(self.read):
                self.read.append(read)
            self._by_name[name] = kind
        return kind


class NodeKinds:
    """The NodeKinds are the kinds of the nodes of one scheduler, for each set of parts that was asked for."""

    def __init__(self, changes: NodeChanges) -> None:
        self._changes = changes
        self._partitions: dict[tuple[Part, ...], Partition] = {}

    def partition(self, parts: tuple[Part, ...], snapshot: Snapshot, numbers: Mapping[str, int]) -> Partition:
        """Returns the kinds of the nodes of this snapshot. It is another Partition than the last time if the kinds
        were forgotten."""
        found = self._partitions.get(parts)
        if found is None or len(found.read) > AT_LEAST + A_NODE * len(numbers):
            found = self._partitions[parts] = Partition(parts)
        if found.generation != self._changes.generation:
            found.bring_up_to_date(snapshot, numbers, self._changes)
        return found


def parts_read_by(plugins: Sequence[Plugin], states: Mapping[str, object]) -> tuple[Part, ...]:
    """Returns what these plugins read of a node, each part once."""
    read = (parts_read(plugin, states.get(plugin.name)) for plugin in plugins)
    parts = dict.fromkeys(chain.from_iterable(read))
    return (everything,) if everything in parts else tuple(parts)
