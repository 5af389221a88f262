# SPDX-License-Identifier: Apache-2.0
"""VolumeRestrictions in v1.19: only inline disks are restricted, and not claims.

Source: plugins/volumerestrictions/volume_restrictions.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status
from refsched.plugins import volume_restrictions as current


@frozen
class VolumeRestrictions:
    name = "VolumeRestrictions"
    POINTS = ("filter",)
    READS = ("Pod.spec.volumes",)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        return current.VolumeRestrictions().filter_alone(pod, node) or SUCCESS
