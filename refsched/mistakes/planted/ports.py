# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about host ports."""

from refsched.mistakes.wrong import Wrong

_INFO = "refsched.framework.node_info"
_PORTS = "refsched.plugins.node_ports"

WRONG = (
    Wrong(
        "one-port-for-all-protocols",
        "TCP and UDP on one port are in conflict.",
        _INFO,
        "if (self.protocol, self.port) != (other.protocol, other.port):",
        "if self.port != other.port:",
        cites="kubernetes #5874",
        breaks=("R-PORTS-02",),
    ),
    Wrong(
        "one-port-for-all-addresses",
        "One port on two addresses is in conflict.",
        _INFO,
        "self.ip == other.ip or ANY_IP in (self.ip, other.ip)",
        "bool(self.ip)",
        cites="kubernetes #51950",
        breaks=("R-PORTS-02",),
    ),
    Wrong(
        "any-address-is-one-like-others",
        "0.0.0.0 is in conflict only with itself.",
        _INFO,
        "self.ip == other.ip or ANY_IP in (self.ip, other.ip)",
        "self.ip == other.ip",
        breaks=("R-PORTS-02",),
    ),
    Wrong(
        "sidecars-have-no-ports",
        "The host ports of sidecars are not counted.",
        _INFO,
        "sidecars = [c for c in self.pod.spec.init_containers if c.is_sidecar]",
        "sidecars = []",
        cites="kubernetes #132037",
        breaks=("R-PORTS-05",),
    ),
    Wrong(
        "init-containers-claim-ports",
        "The host ports of init containers that run to completion are counted too.",
        _INFO,
        "sidecars = [c for c in self.pod.spec.init_containers if c.is_sidecar]",
        "sidecars = list(self.pod.spec.init_containers)",
        breaks=("R-PORTS-05",),
    ),
    Wrong(
        "ports-are-never-freed",
        "The host ports of a deleted pod stay in use.",
        _INFO,
        "self.host_ports.difference(removed.host_ports)",
        "self.host_ports",
        cites="kubernetes #66568",
        breaks=("R-PORTS-03", "R-CACHE-01"),
    ),
    Wrong(
        "no-eviction-for-a-port",
        "Preemption is not tried on a node whose host port is in use.",
        _PORTS,
        "from refsched.framework.status import SUCCESS, Status, error, unschedulable\n",
        "from refsched.framework.status import SUCCESS, Status, error, unresolvable as unschedulable\n",
        cites="volcano #3895, turned round",
        breaks=("R-PORTS-03",),
    ),
    Wrong(
        "last-port-only",
        "Only the last of the pod's host ports is checked.",
        _PORTS,
        "if _in_conflict(wanted, node.host_ports):",
        "if _in_conflict(wanted[-1:], node.host_ports):",
        breaks=("R-PORTS-03",),
    ),
)
