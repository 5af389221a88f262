# SPDX-License-Identifier: Apache-2.0
"""NodePorts: a pod runs only where the host ports it asks for are free.

Rules: R-PORTS-01 … R-PORTS-03.   Source: plugins/nodeports/node_ports.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import HostPort, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unschedulable


@frozen
class NodePorts:
    name: ClassVar[str] = "NodePorts"

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[tuple[HostPort, ...]] | Skip:
        """R-PORTS-01: a pod that asks for no host port is not filtered at all."""
        return Continue(pod.host_ports) if pod.host_ports else Skip()

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, wanted: tuple[HostPort, ...], pod: PodInfo, node: NodeInfo) -> Status:
        """R-PORTS-03: one conflict is enough, and evicting its holder could cure it."""
        if any(port.conflicts_with(taken) for taken in node.host_ports for port in wanted):
            return unschedulable("node(s) didn't have free ports for the requested pod ports")
        return SUCCESS
