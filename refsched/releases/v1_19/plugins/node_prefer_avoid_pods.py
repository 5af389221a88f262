# SPDX-License-Identifier: Apache-2.0
"""NodePreferAvoidPods: a node may ask by an annotation that the pods of a controller avoid it.

This is a plugin of v1.19 that later releases no longer have.
Promised: the annotation preferAvoidPods is documented with the Node API.
Source: plugins/nodepreferavoidpods/node_prefer_avoid_pods.go; pkg/apis/core/v1/helper/helpers.go,
GetAvoidPodsFromNodeAnnotations.
"""

from __future__ import annotations

import json
from typing import Any

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import Node
from refsched.rules import applies

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_CONTROLLERS = ("ReplicationController", "ReplicaSet")


@frozen
class NodePreferAvoidPods:
    name = "NodePreferAvoidPods"
    POINTS = ("score",)
    READS = ("Pod.metadata.ownerReferences", "Node.metadata.annotations")

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        """R-AVOID-01: A node whose preferAvoidPods annotation names the ReplicationController or ReplicaSet that
        controls the pod, by kind and uid, scores 0; every other node scores 100.
        R-AVOID-02 (observed: the API server would refuse such an annotation): A preferAvoidPods annotation that
        cannot be read names no controller."""
        owner = pod.pod.metadata.controller
        if owner is None or owner.kind not in _CONTROLLERS:
            return MAX_NODE_SCORE
        if (owner.kind, owner.uid) in _avoided(node.existing_node):
            applies("R-AVOID-01")
            return 0
        return MAX_NODE_SCORE


def _avoided(node: Node) -> list[tuple[str, str]]:
    """Returns the kind and uid of each controller that the node's annotation names."""
    written = node.metadata.annotations.get(ANNOTATION, "")
    if not written:
        return []
    try:
        avoided = json.loads(written).get("preferAvoidPods") or []
        return [_controller(entry) for entry in avoided]
    except (ValueError, AttributeError, TypeError):
        applies("R-AVOID-02")
        return []


def _controller(entry: Any) -> tuple[str, str]:
    controller = (entry.get("podSignature") or {}).get("podController") or {}
    return controller.get("kind", ""), controller.get("uid", "")
