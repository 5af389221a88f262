# SPDX-License-Identifier: Apache-2.0
"""NodePorts: a pod runs only where the host ports that it asks for are free.

Promised: hostPort is documented with the Pod API.
Source: plugins/nodeports/node_ports.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Fragments, Skip
from refsched.framework.left_out import READING
from refsched.framework.node_info import HostPort, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies

PORT_CONFLICT = Reason("node(s) didn't have free ports for the requested pod ports", "R-PORTS-03")


def of_its_pods(node: NodeInfo) -> Collection[HostPort]:
    """Returns the host ports of the pods on the node."""
    return node.ports_of_pods


@frozen
class PortSteps:
    """``in_use`` returns the host ports that are in use on a node."""

    in_use: Callable[[NodeInfo], Collection[HostPort]] = of_its_pods


@frozen
class NodePorts:
    name = "NodePorts"
    POINTS = ("preFilter", "filter")
    READS = ("Pod.spec.containers[].ports", "Pod.spec.initContainers[].ports")
    WITHOUT_PRE_FILTER = error(READING.of(name))
    steps: PortSteps = PortSteps()

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments:
        """R-BATCH-27 (observed: which pods are taken for equal may only save searches, KEP-5598): The numbers of
        the pod's host ports are part of its signature, each once, and not their protocols and addresses.

        Source: HostPortsSigner."""
        containers = (*pod.spec.containers, *pod.spec.init_containers)
        numbers = {port.host_port for container in containers for port in container.ports if port.host_port}
        applies("R-BATCH-27", when=numbers)
        return {"hostPorts": frozenset(numbers)}

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[tuple[HostPort, ...]] | Skip:
        """R-PORTS-01: A pod that asks for no host port skips Filter of NodePorts."""
        if not pod.host_ports:
            applies("R-PORTS-01")
            return Skip()
        return Continue(pod.host_ports)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, wanted: tuple[HostPort, ...], pod: PodInfo, node: NodeInfo) -> Status:
        """R-PORTS-03: A node on which one of the pod's host ports conflicts with a host port in use is rejected as
        Unschedulable, so that preemption is tried there."""
        if _in_conflict(wanted, self.steps.in_use(node)):
            return unschedulable(PORT_CONFLICT)
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_deleted(self, pod: Pod, before: Pod, after: None, objects: ObjectStore) -> bool:
        """R-PORTS-04 (observed: queueing hints may only save attempts, KEP-4247): The deletion of a pod that ran
        on a node, or was nominated to one, requeues a pod whose host ports conflict with those of the deleted
        pod."""
        if not before.spec.node_name and not before.status.nominated_node_name:
            return False
        return applies("R-PORTS-04", when=_in_conflict(PodInfo(pod).host_ports, PodInfo(before).host_ports))

    EVENTS = (
        EventHint(POD, ActionType.DELETE, after_pod_deleted, "a host port may be free now"),
        EventHint(NODE, ActionType.ADD, None, "the host ports of a new node are free"),
    )


def _in_conflict(wanted: Sequence[HostPort], taken: Iterable[HostPort]) -> bool:
    return any(port.conflicts_with(other) for other in taken for port in wanted)
