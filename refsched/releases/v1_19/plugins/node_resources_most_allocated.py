# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesMostAllocated: a node scores higher the more of its resources would be requested with the pod.

This is a plugin of its own in v1.19, which a configuration may enable; later it became a scoring strategy of
NodeResourcesFit.
Promised: NodeResourcesMostAllocatedArgs is documented with KubeSchedulerConfiguration.
Source: plugins/noderesources/most_allocated.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.plugins.resource_scoring import DEFAULT_RESOURCES, ResourceSpec
from refsched.releases.v1_19.plugins.resource_allocation import Allocation, weighted_mean
from refsched.releases.v1_19.plugins.resource_args import AllocatedArgs
from refsched.rules import applies


@frozen
class NodeResourcesMostAllocated:
    name = "NodeResourcesMostAllocated"
    POINTS = ("score",)
    READS = ("Node.status.allocatable",)
    ARGS = AllocatedArgs
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES

    @classmethod
    def of_args(cls, args: AllocatedArgs) -> NodeResourcesMostAllocated:
        return cls(args.resources)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        return weighted_mean(_used_share, self.resources, pod.pod, node)


def _used_share(use: Allocation) -> int:
    """R-MOST-01 (instead of R-FIT-07; shows in score): For NodeResourcesMostAllocated a resource scores the share
    of its capacity that is requested, in whole percent and at most 100; a resource that the node does not have
    scores 0."""
    applies("R-MOST-01")
    if use.capacity == 0:
        return 0
    return min(use.requested, use.capacity) * MAX_NODE_SCORE // use.capacity
