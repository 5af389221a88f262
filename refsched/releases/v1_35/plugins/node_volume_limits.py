# SPDX-License-Identifier: Apache-2.0
"""NodeVolumeLimits before 1.36: a node's CSINode says whether Portworx volumes count as those of its CSI driver.

Changed by: kubernetes #135322 (the migration of Portworx is complete).
After the upgrade: In-tree volumes of Portworx always count as volumes of the CSI driver (R-VOLLIMIT-16).
What to do: see that the CSI driver of Portworx runs on each node on which such volumes are used.
Promised: that in-tree volumes count as those of CSI drivers is documented with CSI volume migration.
Shows in: volumes.
Source: plugins/nodevolumelimits/utils.go, isCSIMigrationOn.
"""

from __future__ import annotations

from attrs import frozen

from refsched.objects.storage import CSINode
from refsched.plugins import node_volume_limits_without_scaling as current
from refsched.plugins.node_volume_limits import CountsAsCSI
from refsched.rules import applies
from refsched.volumes import csi_migration
from refsched.volumes.csi_migration import InTreeVolumePlugin


def counts_as_csi(plugin: InTreeVolumePlugin, csi_node: CSINode | None) -> bool:
    """R-VOLLIMIT-15 (instead of R-VOLLIMIT-16): Until v1.35, on a node with a CSINode Portworx volumes count as
    volumes of their CSI driver only if the CSINode lists the plugin as migrated."""
    if csi_node is None or plugin.name != csi_migration.PORTWORX:
        return csi_migration.counts_as_csi(plugin, csi_node)
    applies("R-VOLLIMIT-15")
    return plugin.is_migrated_on(csi_node)


@frozen
class NodeVolumeLimits(current.NodeVolumeLimits):
    counts_as_csi: CountsAsCSI = counts_as_csi
