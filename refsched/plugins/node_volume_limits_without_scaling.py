# SPDX-License-Identifier: Apache-2.0
"""NodeVolumeLimits without VolumeLimitScaling: that a node has a pod's CSI drivers is not checked.

Source: plugins/nodevolumelimits/csi.go, Filter.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from refsched.objects.storage import CSINode
from refsched.objects.store import ObjectStore
from refsched.plugins import node_volume_limits


@frozen
class NodeVolumeLimits(node_volume_limits.NodeVolumeLimits):
    # --- Filter -----------------------------------------------------------------------------------

    def missing_driver(self, drivers: Iterable[str], csi_node: CSINode | None, objects: ObjectStore) -> str:
        """Returns an empty string."""
        return ""
