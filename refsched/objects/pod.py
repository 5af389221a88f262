# SPDX-License-Identifier: Apache-2.0
"""Pod: the pod that is to be scheduled, as far as the scheduler reads it.

Promised: how a toleration matches a taint is documented with the Pod API, and what a pod requests
while it is resized with it and in KEP-1287 and KEP-5419.
Source: component-helpers/resource/helpers.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import ClassVar

from attrs import field, frozen

from refsched.objects.meta import ApiObject, LabelSelector, ObjectMeta
from refsched.objects.node import Taint
from refsched.objects.quantity import Quantity, ResourceList, largest
from refsched.objects.selectors import NodeSelector, PreferredSchedulingTerm
from refsched.objects.volumes import Volume
from refsched.rules import applies

DEFAULT_SCHEDULER_NAME = "default-scheduler"


@frozen
class ResourceRequirements:
    requests: Mapping[str, Quantity] = field(factory=dict)
    limits: Mapping[str, Quantity] = field(factory=dict)

    @property
    def counted(self) -> Mapping[str, Quantity]:
        """Returns the requests as they are added up with those of other containers."""
        return self.requests


@frozen
class DisabledRequirements(ResourceRequirements):
    """DisabledRequirements are those of a pod as a whole without the gate PodLevelResources: placement ignores
    them, and events do not."""


@frozen
class ContainerPort:
    container_port: int = 0
    host_port: int = 0
    host_ip: str = ""
    protocol: str = "TCP"


@frozen
class ContainerRestartRule:
    """``action`` is what happens if the container exits as the rule says, such as RestartAllContainers."""

    action: str = ""


@frozen
class VolumeMount:
    """``bind_mount_options`` are such as noexec."""

    bind_mount_options: tuple[str, ...] = ()


@frozen
class Container:
    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str | None = None
    restart_policy_rules: tuple[ContainerRestartRule, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()

    @property
    def is_sidecar(self) -> bool:
        """Returns whether this is a restartable init container, which runs as long as the pod does."""
        return self.restart_policy == "Always"


@frozen
class Toleration:
    """``operator`` is Equal (also when empty) or Exists; an empty effect or key tolerates every one."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """R-TAINT-07: A toleration tolerates a taint if it names the taint's effect or none, and the taint's key
        or none, and if its operator is Exists, or is Equal or empty and its value is the taint's. With any other
        operator it tolerates nothing.

        Gt and Lt belong to the feature gate TaintTolerationComparisonOperators, which is off.
        Used by: TaintToleration, NodeUnschedulable, PodTopologySpread.
        Source: api/core/v1/toleration.go, ToleratesTaint.
        """
        applies("R-TAINT-07")
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator == "Exists":
            return True
        return self.operator in ("", "Equal") and self.value == taint.value


@frozen
class NodeAffinity:
    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: tuple[PreferredSchedulingTerm, ...] = ()


@frozen
class PodAffinityTerm:
    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


@frozen
class WeightedPodAffinityTerm:
    weight: int
    pod_affinity_term: PodAffinityTerm


@frozen
class PodAffinity:
    required_during_scheduling_ignored_during_execution: tuple[PodAffinityTerm, ...] = ()
    preferred_during_scheduling_ignored_during_execution: tuple[WeightedPodAffinityTerm, ...] = ()


@frozen
class Affinity:
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


@frozen
class TopologySpreadConstraint:
    max_skew: int
    topology_key: str
    when_unsatisfiable: str
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: tuple[str, ...] = ()


@frozen
class PodSchedulingGate:
    name: str


@frozen
class PodResourceClaim:
    """A PodResourceClaim is a ResourceClaim that exists, or one that is made for this pod from a template."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


@frozen
class PodSpec:
    node_name: str = ""
    scheduler_name: str = DEFAULT_SCHEDULER_NAME
    priority: int | None = None
    preemption_policy: str | None = None
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: Mapping[str, Quantity] = field(factory=dict)
    resources: ResourceRequirements | None = None
    host_network: bool = False
    host_users: bool | None = None
    node_selector: Mapping[str, str] = field(factory=dict)
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    scheduling_gates: tuple[PodSchedulingGate, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    priority_class_name: str = ""
    volumes: tuple[Volume, ...] = ()


@frozen
class ContainerStatus:
    name: str = ""
    resources: ResourceRequirements | None = None
    allocated_resources: ResourceList = field(factory=dict)


@frozen
class PodCondition:
    type: str
    status: str = ""
    reason: str = ""
    message: str = ""


@frozen
class PodResourceClaimStatus:
    """A PodResourceClaimStatus says which claim was made for the pod's claim of this name, or None if none is
    needed."""

    name: str = ""
    resource_claim_name: str | None = None


@frozen
class PodStatus:
    """``resources`` and ``allocated_resources`` are those of the pod as a whole."""

    phase: str = "Pending"
    nominated_node_name: str = ""
    start_time: datetime | None = None
    conditions: tuple[PodCondition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    resource_claim_statuses: tuple[PodResourceClaimStatus, ...] = ()
    resources: ResourceRequirements | None = None
    allocated_resources: ResourceList = field(factory=dict)

    @property
    def is_resize_infeasible(self) -> bool:
        """Returns whether the kubelet found that the node can never grant the resize of the pod.
        Source: IsPodResizeInfeasible."""
        pending = next((c for c in self.conditions if c.type == "PodResizePending"), None)
        return pending is not None and pending.reason == "Infeasible"

    def sums(
        self, total: Callable[[Callable[[Container], ResourceList]], ResourceList]
    ) -> list[ResourceList]:
        """Returns what the pod requests as it is desired, as it is allocated and as it is in use, of which the
        largest counts. ``total`` adds up what is returned for each container.

        R-REQUEST-14: While a resize of a pod is infeasible, what the specs of its containers request does not
        count.
        R-REQUEST-15: If the status of a pod reports both what is allocated to the pod as a whole and what it uses,
        these count instead of the sums of what its containers report.
        Source: AggregateContainerRequests.
        """
        desired = [total(desired_requests)]
        used = self.resources.requests if self.resources is not None else {}
        if self.is_resize_infeasible:
            applies("R-REQUEST-14")
            desired = []
        if self.allocated_resources and used:
            applies("R-REQUEST-15")
            return [*desired, self.allocated_resources, used]
        if desired and not self.container_statuses and not self.init_container_statuses:
            return desired
        return [*desired, total(self.allocated_requests), total(self.used_requests)]

    def allocated_requests(self, container: Container) -> ResourceList:
        """R-REQUEST-13: A container counts as allocated with what its spec requests until its status reports what
        is allocated, and as in use with what is allocated until its status reports what it uses.
        Source: containerAllocatedRequests, containerActuatedRequests."""
        status = self.of_container(container.name)
        if status.allocated_resources:
            return status.allocated_resources
        applies("R-REQUEST-13")
        return {} if self.is_resize_infeasible else container.resources.counted

    def used_requests(self, container: Container) -> ResourceList:
        status = self.of_container(container.name)
        if status.resources is not None and status.resources.requests:
            return status.resources.requests
        return self.allocated_requests(container)

    def pod_level_requests(self, desired: ResourceList) -> ResourceList:
        """R-REQUEST-16: Once the status of a pod reports what the pod as a whole uses, a pod-level request counts
        with the largest of what is desired, allocated and in use; while the resize of the pod is infeasible, what
        is desired does not count.
        Source: effectivePodLevelResources."""
        if self.resources is None:
            return desired
        applies("R-REQUEST-16")
        held = largest(self.resources.requests, self.allocated_resources)
        return held if self.is_resize_infeasible else largest(desired, held)

    def of_container(self, name: str) -> ContainerStatus:
        """Returns the status of the container of this name, which is empty if there is none."""
        statuses = (*self.container_statuses, *self.init_container_statuses)
        return next((status for status in statuses if status.name == name), ContainerStatus())


def desired_requests(container: Container) -> ResourceList:
    return container.resources.counted


@frozen
class Pod(ApiObject):
    kind: ClassVar[str] = "Pod"
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def labels(self) -> Mapping[str, str]:
        return self.metadata.labels

    @property
    def priority(self) -> int:
        """Returns the pod's priority, which is 0 if it has none (corev1helpers.PodPriority)."""
        return self.spec.priority or 0
