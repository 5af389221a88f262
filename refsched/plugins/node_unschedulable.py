# SPDX-License-Identifier: Apache-2.0
"""NodeUnschedulable: only pods that tolerate the taint of cordoned nodes run on a cordoned node.

Promised: spec.unschedulable is documented with the Node API.
Source: plugins/nodeunschedulable/node_unschedulable.go.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import Node, Taint
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.signatures import sign_tolerations
from refsched.rules import Reason, applies

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "NoSchedule")
CORDONED = Reason("node(s) were unschedulable", "R-CORDON-01")


@frozen
class NodeUnschedulable:
    name = "NodeUnschedulable"
    POINTS: ClassVar[tuple[str, ...]] = ("preFilter", "filter")
    READS = ("Pod.spec.tolerations", "Node.spec.unschedulable")
    sign = sign_tolerations

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None]:
        """Lets every pod pass. What kube-scheduler does here for the resize of a running pod is behind the feature
        gate InPlacePodVerticalScalingSchedulerPreemption, which is off."""
        return Continue(None)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-CORDON-01: A node with spec.unschedulable is rejected as UnschedulableAndUnresolvable, whether or not
        it has the taint node.kubernetes.io/unschedulable.
        R-CORDON-02: A node with spec.unschedulable is not rejected if the pod tolerates the taint
        node.kubernetes.io/unschedulable:NoSchedule."""
        if not node.existing_node.spec.unschedulable:
            return SUCCESS
        if _tolerates_cordon(pod.pod):
            applies("R-CORDON-02")
            return SUCCESS
        return unresolvable(CORDONED)

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-CORDON-03 (observed: queueing hints may only save attempts, KEP-4247): A node that is added without
        spec.unschedulable, or whose spec.unschedulable is removed, requeues a pod that NodeUnschedulable
        rejected."""
        was_schedulable = before is not None and not before.spec.unschedulable
        return applies("R-CORDON-03", when=not after.spec.unschedulable and not was_schedulable)

    def after_toleration_change(self, pod: Pod, before: Pod, after: Pod, objects: ObjectStore) -> bool:
        """R-CORDON-04 (observed: queueing hints may only save attempts, KEP-4247): A change of its own tolerations
        requeues a pod that NodeUnschedulable rejected if it now tolerates the taint
        node.kubernetes.io/unschedulable:NoSchedule."""
        return applies("R-CORDON-04", when=after.uid == pod.uid and _tolerates_cordon(after))

    EVENTS = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_TAINT,
            after_node_change,
            "a node may have been added, or uncordoned",
        ),
        EventHint(
            POD,
            ActionType.UPDATE_POD_TOLERATION,
            after_toleration_change,
            "the pod may tolerate cordoned nodes now",
        ),
    )


def _tolerates_cordon(pod: Pod) -> bool:
    return any(toleration.tolerates(UNSCHEDULABLE_TAINT) for toleration in pod.spec.tolerations)
