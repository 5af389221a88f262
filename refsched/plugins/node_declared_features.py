# SPDX-License-Identifier: Apache-2.0
"""NodeDeclaredFeatures: a pod that requires a feature of the kubelet runs only on nodes that declare it.

Promised: declared features are documented with the Node API, KEP-5328.
Source: plugins/nodedeclaredfeatures/nodedeclaredfeatures.go;
k8s.io/component-helpers/nodedeclaredfeatures/features/restartallcontainers/restart_all_containers.go,
InferForScheduling, and the other folders beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field, frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Fragments, Skip
from refsched.framework.left_out import ERROR_READING_CYCLE_STATE
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.node import Node
from refsched.objects.pod import Container, Pod
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies

NOT_DECLARED = Reason("node(s) didn't match Pod's required features", "R-DECLARED-02")
_RESTART_ALL = "RestartAllContainers"

Features = frozenset[str]


def _containers(pod: Pod) -> tuple[Container, ...]:
    return *pod.spec.init_containers, *pod.spec.containers


def restarts_all_containers(pod: Pod) -> bool:
    return any(rule.action == _RESTART_ALL for each in _containers(pod) for rule in each.restart_policy_rules)


def has_own_users_on_the_host_network(pod: Pod) -> bool:
    return pod.spec.host_network and pod.spec.host_users is False


def mounts_with_options(pod: Pod) -> bool:
    return any(mount.bind_mount_options for each in _containers(pod) for mount in each.volume_mounts)


FEATURES: Mapping[str, Callable[[Pod], bool]] = {
    "RestartAllContainersOnContainerExits": restarts_all_containers,
    "UserNamespacesHostNetworkSupport": has_own_users_on_the_host_network,
    "VolumeBindMountOptions": mounts_with_options,
}
"""By the name of each feature, which pods require it."""


@frozen
class NodeDeclaredFeatures:
    """``features`` are those that a pod may require."""

    name = "NodeDeclaredFeatures"
    POINTS = ("preFilter", "filter")
    READS = (
        "Pod.spec.hostNetwork",
        "Pod.spec.hostUsers",
        "Pod.spec.containers[].restartPolicyRules",
        "Pod.spec.initContainers[].restartPolicyRules",
        "Pod.spec.containers[].volumeMounts",
        "Pod.spec.initContainers[].volumeMounts",
        "Node.status.declaredFeatures",
    )
    WITHOUT_PRE_FILTER = error(ERROR_READING_CYCLE_STATE.of(name))
    features: Mapping[str, Callable[[Pod], bool]] = field(default=FEATURES, hash=False)

    def required_by(self, pod: Pod) -> Features:
        """R-DECLARED-01: A pod requires a feature if a container has a restart policy rule with the action
        RestartAllContainers, if the pod has hostNetwork and hostUsers is false, or if a volume is mounted with
        bind mount options."""
        found = frozenset(name for name, is_required in self.features.items() if is_required(pod))
        applies("R-DECLARED-01", when=found)
        return found

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments:
        """R-BATCH-29 (observed: which pods are taken for equal may only save searches, KEP-5598): The features
        that the pod requires are part of its signature."""
        required = self.required_by(pod)
        applies("R-BATCH-29", when=required)
        return {"features": required}

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Features] | Skip:
        """Lets a pod that requires no feature skip Filter."""
        required = self.required_by(pod.pod)
        return Continue(required) if required else Skip()

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, required: Features, pod: PodInfo, node: NodeInfo) -> Status:
        """R-DECLARED-02: A node that does not declare each feature that the pod requires is rejected as
        UnschedulableAndUnresolvable."""
        if required.issubset(node.existing_node.status.declared_features):
            return SUCCESS
        return unresolvable(NOT_DECLARED)

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-DECLARED-03 (observed: queueing hints may only save attempts, KEP-4247): The creation of a node, and a
        change of the features that it declares, requeues a pod that NodeDeclaredFeatures rejected."""
        has_changed = before is None or before.status.declared_features != after.status.declared_features
        return applies("R-DECLARED-03", when=has_changed)

    def after_own_change(self, pod: Pod, before: Pod | None, after: Pod | None, objects: ObjectStore) -> bool:
        """R-DECLARED-04 (observed: queueing hints may only save attempts, KEP-4247): An update of the pod after
        which it requires other features requeues a pod that NodeDeclaredFeatures rejected."""
        if before is None or after is None or after.uid != pod.uid:
            return False
        return applies("R-DECLARED-04", when=self.required_by(before) != self.required_by(after))

    EVENTS = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_DECLARED_FEATURE,
            after_node_change,
            "a node may declare the features",
        ),
        EventHint(POD, ActionType.UPDATE, after_own_change, "the pod may require other features"),
    )
