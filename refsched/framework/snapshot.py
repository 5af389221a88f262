# SPDX-License-Identifier: Apache-2.0
"""Snapshot: what one scheduling cycle sees, and does not see change.

Source: pkg/scheduler/backend/cache/snapshot.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from refsched.framework.node_info import NodeInfo


@frozen
class Snapshot:
    """Nodes in the order they are searched, and the labels of the namespaces that exist.

    ``by_name`` and ``nodes`` hold the same NodeInfos.
    """

    nodes: tuple[NodeInfo, ...] = ()
    by_name: Mapping[str, NodeInfo] = field(factory=dict)
    namespace_labels: Mapping[str, Mapping[str, str]] = field(factory=dict)

    def get(self, name: str) -> NodeInfo | None:
        return self.by_name.get(name)


def snapshot_of(
    *nodes: NodeInfo, namespace_labels: Mapping[str, Mapping[str, str]] | None = None
) -> Snapshot:
    """A snapshot of these nodes in this order."""
    return Snapshot(nodes, {info.name: info for info in nodes}, namespace_labels or {})
