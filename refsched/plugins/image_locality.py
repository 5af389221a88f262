# SPDX-License-Identifier: Apache-2.0
"""ImageLocality: a node that has a pod's images already is preferred, the more so the larger they are.

Rules: R-IMAGE-01 … R-IMAGE-03.   Source: plugins/imagelocality/image_locality.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE, Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot

MIB = 1024 * 1024
MIN_THRESHOLD = 23 * MIB
MAX_CONTAINER_THRESHOLD = 1000 * MIB
"""Bytes: below the first an image's presence scores like its absence, above the second a container's
images count no more."""


@frozen
class ImageLocality:
    name: ClassVar[str] = "ImageLocality"
    READS: ClassVar[tuple[str, ...]] = ("Node.status.images",)

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Continue[int]:
        """The number of all nodes. The real plugin has no PreScore and asks the snapshot in Score."""
        return Continue(len(snapshot.nodes))

    def score(self, number_of_nodes: int, pod: PodInfo, node: NodeInfo) -> int:
        """R-IMAGE-01: the sizes of the images present, each times the share of nodes that have it.
        R-IMAGE-02: scaled between 23 MiB and 1000 MiB for each container, init containers included."""
        containers = (*pod.pod.spec.init_containers, *pod.pod.spec.containers)
        present = 0
        for container in containers:
            state = node.image_states.get(normalized_image_name(container.image))
            if state is not None:
                spread = state.num_nodes / number_of_nodes
                present += int(state.size * spread)
        most = MAX_CONTAINER_THRESHOLD * len(containers)
        counted = min(max(present, MIN_THRESHOLD), most)
        return MAX_NODE_SCORE * (counted - MIN_THRESHOLD) // (most - MIN_THRESHOLD)


def normalized_image_name(name: str) -> str:
    """R-IMAGE-03: an image without a tag is the one tagged ``latest``; a colon before a slash is a port."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
