# SPDX-License-Identifier: Apache-2.0
"""The defect in which host ports of a node are in use.

Source: pkg/scheduler/framework/types.go, updateUsedPorts, HostPortInfo.Remove.
"""

from __future__ import annotations

from collections.abc import Collection

from refsched.framework.node_info import HostPort, NodeInfo
from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect


def kept_for_the_node(node: NodeInfo) -> Collection[HostPort]:
    """Returns the host ports that the node's pods have brought, without those of each pod that has left."""
    return node.host_ports


PORT_OF_TWO_PODS = KnownDefect(
    "port-of-two-pods",
    "R-PORTS-03",
    NOT_REPORTED,
    "takes a host port that two pods of a node use for free as soon as one of them has left",
    "counts the host ports of the pods that are on the node",
    "NodePorts",
    {"in_use": kept_for_the_node},
)
