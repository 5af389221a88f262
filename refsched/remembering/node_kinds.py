# SPDX-License-Identifier: Apache-2.0
"""Kinds of nodes: nodes of which plugins read the same are of one kind to them, and are answered alike.

What a plugin reads of a node is a tuple of parts. Of a plugin that is not named here everything may be read, so
that each node is of a kind of its own until it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import singledispatch
from itertools import chain
from typing import Any

from attrs import Factory, define, frozen

from refsched.framework.interface import Plugin
from refsched.framework.node_info import NodeInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.pod import Pod
from refsched.objects.resources import Resource
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.image_locality import ImageLocality
from refsched.plugins.inter_pod_affinity import InterPodAffinity
from refsched.plugins.node_affinity import NodeAffinity
from refsched.plugins.node_declared_features import NodeDeclaredFeatures
from refsched.plugins.node_name import NodeName
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.plugins.taint_toleration import TaintToleration
from refsched.plugins.volume_binding import VolumeBinding
from refsched.remembering.changes import NodeChanges

Part = Callable[[NodeInfo], Hashable]
AT_LEAST, A_NODE = 1000, 4
"""When there are more kinds than this, and so many for each node, all of them are forgotten."""


# --- Parts ----------------------------------------------------------------------------------------


@frozen
class Labels:
    """Labels are the values of the labels with these keys."""

    keys: tuple[str, ...]

    def __call__(self, node: NodeInfo) -> tuple[str | None, ...]:
        labels = node.existing_node.metadata.labels
        return tuple(map(labels.get, self.keys))


def everything(node: NodeInfo) -> Hashable:
    """Returns what no other node has, and not this one either once it has changed."""
    return object()


def _name_and_labels(node: NodeInfo) -> Hashable:
    return node.name, frozenset(node.existing_node.metadata.labels.items())


def _taints(node: NodeInfo) -> Hashable:
    return node.existing_node.spec.taints


def _unschedulable(node: NodeInfo) -> Hashable:
    return node.existing_node.spec.unschedulable


def _features(node: NodeInfo) -> Hashable:
    return node.existing_node.status.declared_features


def _images(node: NodeInfo) -> Hashable:
    return frozenset(node.image_states.items())


def _host_ports(node: NodeInfo) -> Hashable:
    return node.host_ports


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


@singledispatch
def parts_read(plugin: object, pod: Pod, state: object) -> tuple[Part, ...]:
    """Returns what Filter and Score of the plugin read of a node."""
    return (everything,)


@parts_read.register(NodeName)
def _(plugin: NodeName, pod: Pod, state: object) -> tuple[Part, ...]:
    return (everything,) if pod.spec.node_name else ()


@parts_read.register(DynamicResources)
@parts_read.register(VolumeBinding)
def _(plugin: DynamicResources | VolumeBinding, pod: Pod, state: object) -> tuple[Part, ...]:
    return () if state is None else (everything,)


@parts_read.register(PodTopologySpread)
@parts_read.register(InterPodAffinity)
def _(plugin: PodTopologySpread | InterPodAffinity, pod: Pod, state: object) -> tuple[Part, ...]:
    return (_name_and_labels,)


_PARTS: Mapping[type, Part] = {
    ImageLocality: _images,
    NodeAffinity: _name_and_labels,
    NodeDeclaredFeatures: _features,
    NodePorts: _host_ports,
    NodeResourcesBalancedAllocation: _resources,
    NodeResourcesFit: _resources,
    NodeUnschedulable: _unschedulable,
    TaintToleration: _taints,
}
for _of_plugin, _part in _PARTS.items():
    parts_read.register(_of_plugin, lambda plugin, pod, state, part=_part: (part,))


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


def parts_read_by(plugins: Sequence[Plugin], pod: Pod, states: Mapping[str, object]) -> tuple[Part, ...]:
    """Returns what these plugins read of a node, each part once."""
    read = (parts_read(plugin, pod, states.get(plugin.name)) for plugin in plugins)
    parts = dict.fromkeys(chain.from_iterable(read))
    return (everything,) if everything in parts else tuple(parts)
