# SPDX-License-Identifier: Apache-2.0
"""VolumeZone in v1.19: claims are looked up for each node, and only for one with a zone or region label.

Promised: the labels of zones and regions are documented with the well-known labels.
Shows in: volumes.
Source: plugins/volumezone/volume_zone.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.storage import claim_names
from refsched.objects.store import ObjectStore
from refsched.plugins import volume_zone as current
from refsched.rules import Reason, applies

CONFLICT = Reason("node(s) had no available volume zone", "R-VOLZONE-51")


@frozen
class VolumeZone:
    name = "VolumeZone"
    POINTS = ("filter",)
    READS = current.VolumeZone.READS

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[ObjectStore]:
        """Returns the objects that Filter looks up. The plugin of kube-scheduler had no PreFilter in v1.19."""
        return Continue(snapshot.objects)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, objects: ObjectStore, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLZONE-51 (instead of R-VOLZONE-05): In v1.19 a node that has any label of zone or region is rejected
        as UnschedulableAndUnresolvable if, for a label of zone or region of a bound volume, its own value of this
        very label is not among the volume's.
        R-VOLZONE-52 (observed: a pod whose claim is missing is rejected before any node is looked at): In v1.19 a
        claim that cannot be looked up, or whose volume cannot, rejects only the nodes that have a label of zone or
        region."""
        labels = node.existing_node.metadata.labels
        if not any(key in labels for key in current.TOPOLOGY_LABELS):
            return SUCCESS
        for name in claim_names(pod.pod):
            found = current.topologies_of_claim(name, pod.pod.namespace, objects)
            if isinstance(found, Status):
                applies("R-VOLZONE-52")
                return found
            if any(labels.get(topology.key, "") not in topology.values for topology in found):
                return unresolvable(CONFLICT)
        return SUCCESS
