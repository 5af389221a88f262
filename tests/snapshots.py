# SPDX-License-Identifier: Apache-2.0
"""A snapshot of nodes, for tests that have no cache."""

from __future__ import annotations

from collections.abc import Mapping

from refsched.framework.node_info import NodeInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.store import ObjectStore


def snapshot_of(
    *nodes: NodeInfo,
    namespace_labels: Mapping[str, Mapping[str, str]] | None = None,
    objects: ObjectStore | None = None,
) -> Snapshot:
    """Returns a snapshot of these nodes in this order."""
    by_name = {info.name: info for info in nodes}
    return Snapshot(nodes, by_name, namespace_labels or {}, objects or ObjectStore())
