# SPDX-License-Identifier: Apache-2.0
"""Snapshot: what one scheduling cycle sees, and does not see change.

Source: pkg/scheduler/backend/cache/snapshot.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.node_info import NodeInfo
from refsched.objects.store import ObjectStore


@frozen
class NodeChanges:
    """When the nodes of a snapshot changed, in generations of the cache: ``ordered`` is when a node last came or
    went, and ``changed`` says it of each node, the last one last. It holds until the cache changes again."""

    generation: int = 0
    ordered: int = 0
    changed: Mapping[str, int] = field(factory=dict)


@frozen
class Snapshot:
    """Nodes in the order they are searched, and the labels of the namespaces that exist.

    ``by_name`` and ``nodes`` hold the same NodeInfos. ``objects`` is what plugins read of other kinds;
    ``choices`` is what they ask where more than one answer is allowed. Without ``changes`` nothing is known of
    what changed.
    """

    nodes: tuple[NodeInfo, ...] = ()
    by_name: Mapping[str, NodeInfo] = field(factory=dict)
    namespace_labels: Mapping[str, Mapping[str, str]] = field(factory=dict)
    objects: ObjectStore = field(factory=ObjectStore, eq=False)
    choices: Choices = field(factory=FirstChoice, eq=False)
    changes: NodeChanges | None = field(default=None, eq=False)

    def get(self, name: str) -> NodeInfo | None:
        return self.by_name.get(name)


def snapshot_of(
    *nodes: NodeInfo,
    namespace_labels: Mapping[str, Mapping[str, str]] | None = None,
    objects: ObjectStore | None = None,
) -> Snapshot:
    """A snapshot of these nodes in this order."""
    by_name = {info.name: info for info in nodes}
    return Snapshot(nodes, by_name, namespace_labels or {}, objects or ObjectStore())
