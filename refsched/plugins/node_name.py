# SPDX-License-Identifier: Apache-2.0
"""NodeName: a pod that names its node goes there or nowhere.

Rules: R-NODENAME-01.   Source: plugins/nodename/node_name.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, ActionType, EventHint
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable


@frozen
class NodeName:
    name: ClassVar[str] = "NodeName"

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODENAME-01: a pod without a node name fits every node; with one, only that."""
        if pod.pod.spec.node_name in ("", node.name):
            return SUCCESS
        return unresolvable("node(s) didn't match the requested node name")

    # --- Events -----------------------------------------------------------------------------------

    # Any new node is worth another try, whatever its name.
    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(NODE, ActionType.ADD, None, "the node that the pod names may have come"),
    )
