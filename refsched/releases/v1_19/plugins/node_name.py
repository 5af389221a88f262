# SPDX-License-Identifier: Apache-2.0
"""NodeName in v1.19: the reason is worded otherwise.

Promised: spec.nodeName is documented with the Pod API.
Source: plugins/nodename/node_name.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.releases.v1_36.plugins import node_name as current
from refsched.rules import Reason

OTHER_NODE = Reason("node(s) didn't match the requested hostname", "R-NODENAME-51")


@frozen
class NodeName(current.NodeName):
    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODENAME-51 (instead of R-NODENAME-01): In v1.19 too, a pod that sets spec.nodeName is rejected on
        every other node as UnschedulableAndUnresolvable."""
        if pod.pod.spec.node_name in ("", node.name):
            return SUCCESS
        return unresolvable(OTHER_NODE)
