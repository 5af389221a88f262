# SPDX-License-Identifier: Apache-2.0
"""NodePorts: a pod runs only where the host ports it asks for are free.

Rules: R-PORTS-01 … R-PORTS-04.   Source: plugins/nodeports/node_ports.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import HostPort, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


@frozen
class NodePorts:
    name: ClassVar[str] = "NodePorts"
    READS: ClassVar[tuple[str, ...]] = ("Pod.spec.containers[].ports", "Pod.spec.initContainers[].ports")

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[tuple[HostPort, ...]] | Skip:
        """R-PORTS-01: a pod that asks for no host port is not filtered at all."""
        return Continue(pod.host_ports) if pod.host_ports else Skip()

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, wanted: tuple[HostPort, ...], pod: PodInfo, node: NodeInfo) -> Status:
        """R-PORTS-03: one conflict is enough, and evicting its holder could cure it."""
        if _in_conflict(wanted, node.host_ports):
            return unschedulable("node(s) didn't have free ports for the requested pod ports")
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_deleted(self, pod: Pod, before: Pod, after: None, objects: ObjectStore) -> bool:
        """R-PORTS-04: a pod gone from the node that it ran on, or was nominated to, frees its ports."""
        if not before.spec.node_name and not before.status.nominated_node_name:
            return False
        return _in_conflict(PodInfo(pod).host_ports, PodInfo(before).host_ports)

    # Any new node is worth another try.
    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(POD, ActionType.DELETE, after_pod_deleted, "a port may have been freed"),
        EventHint(NODE, ActionType.ADD, None, "the ports of a new node are free"),
    )


def _in_conflict(wanted: Sequence[HostPort], taken: Iterable[HostPort]) -> bool:
    return any(port.conflicts_with(other) for other in taken for port in wanted)
