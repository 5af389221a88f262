# SPDX-License-Identifier: Apache-2.0
"""NodeName: a pod that names its node runs on no other node.

Promised: spec.nodeName is documented with the Pod API.
Source: plugins/nodename/node_name.go.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, ActionType, EventHint
from refsched.framework.interface import Continue, Fragments
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies

OTHER_NODE = Reason("node(s) didn't match the requested node name", "R-NODENAME-01")


@frozen
class NodeName:
    name = "NodeName"
    POINTS: ClassVar[tuple[str, ...]] = ("preFilter", "filter")
    READS: ClassVar[tuple[str, ...]] = ()

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments:
        """R-BATCH-26 (observed: which pods are taken for equal may only save searches, KEP-5598): The node that
        a pod names in spec.nodeName is part of its signature."""
        applies("R-BATCH-26", when=pod.spec.node_name)
        return {"nodeName": pod.spec.node_name}

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None]:
        """R-NODENAME-02 (observed: which plugins restrict the search is not documented): The search for a pod that
        sets spec.nodeName is restricted to that node."""
        name = pod.pod.spec.node_name
        applies("R-NODENAME-02", when=name)
        return Continue(None, frozenset({name}) if name else None)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-NODENAME-01: A pod that sets spec.nodeName is rejected on every other node as
        UnschedulableAndUnresolvable."""
        if pod.pod.spec.node_name in ("", node.name):
            return SUCCESS
        return unresolvable(OTHER_NODE)

    # --- Events -----------------------------------------------------------------------------------

    # A new node requeues the pod whatever the name of that node is.
    EVENTS = (EventHint(NODE, ActionType.ADD, None, "the node that the pod names may have been added"),)
