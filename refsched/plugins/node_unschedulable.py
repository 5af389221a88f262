# SPDX-License-Identifier: Apache-2.0
"""NodeUnschedulable: a cordoned node takes only pods that tolerate its being cordoned.

Rules: R-CORDON-01 … R-CORDON-04.   Source: plugins/nodeunschedulable/node_unschedulable.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import Node, Taint
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


@frozen
class NodeUnschedulable:
    name: ClassVar[str] = "NodeUnschedulable"
    READS: ClassVar[tuple[str, ...]] = ("Pod.spec.tolerations", "Node.spec.unschedulable")

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-CORDON-01: ``spec.unschedulable`` refuses a pod, whether or not the node bears the taint.
        R-CORDON-02: a pod that tolerates the taint is not refused."""
        if not node.existing_node.spec.unschedulable:
            return SUCCESS
        if _tolerates_cordon(pod.pod):
            return SUCCESS
        return unresolvable("node(s) were unschedulable")

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-CORDON-03: a node that comes uncordoned, or is uncordoned, may help."""
        return not after.spec.unschedulable and (before is None or before.spec.unschedulable)

    def after_toleration_change(self, pod: Pod, before: Pod, after: Pod, objects: ObjectStore) -> bool:
        """R-CORDON-04: the pod itself may have come to tolerate cordoned nodes."""
        return after.uid == pod.uid and _tolerates_cordon(after)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_TAINT,
            after_node_change,
            "a node may have come, or been uncordoned",
        ),
        EventHint(
            POD,
            ActionType.UPDATE_POD_TOLERATION,
            after_toleration_change,
            "the pod may have come to tolerate cordoned nodes",
        ),
    )


def _tolerates_cordon(pod: Pod) -> bool:
    return any(toleration.tolerates(UNSCHEDULABLE_TAINT) for toleration in pod.spec.tolerations)
