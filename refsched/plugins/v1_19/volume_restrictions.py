# SPDX-License-Identifier: Apache-2.0
"""VolumeRestrictions in v1.19: only inline disks are restricted, and not claims.

Source: plugins/volumerestrictions/volume_restrictions.go (v1.19.16).
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import Status
from refsched.plugins import volume_restrictions as current

_NO_CLAIMS = current.Sharing(frozenset(), 0)


@frozen
class VolumeRestrictions:
    READS = ("Pod.spec.volumes",)
    name = "VolumeRestrictions"
    POINTS = ("filter",)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        return current.VolumeRestrictions().filter(_NO_CLAIMS, pod, node)
