# SPDX-License-Identifier: Apache-2.0
"""NodeUnschedulable: a cordoned node takes only pods that tolerate its being cordoned.

Rules: R-CORDON-01, R-CORDON-02.   Source: plugins/nodeunschedulable/node_unschedulable.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import Taint

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


@frozen
class NodeUnschedulable:
    name: ClassVar[str] = "NodeUnschedulable"

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-CORDON-01: ``spec.unschedulable`` refuses a pod, whether or not the node bears the taint.
        R-CORDON-02: a pod that tolerates the taint is not refused."""
        if not node.existing_node.spec.unschedulable:
            return SUCCESS
        if any(toleration.tolerates(UNSCHEDULABLE_TAINT) for toleration in pod.pod.spec.tolerations):
            return SUCCESS
        return unresolvable("node(s) were unschedulable")
