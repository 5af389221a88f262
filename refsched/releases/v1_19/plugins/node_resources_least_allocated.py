# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesLeastAllocated: a node scores higher the more of its resources would be free with the pod.

This is a plugin of its own in v1.19; later it became a scoring strategy of NodeResourcesFit.
Promised: NodeResourcesLeastAllocatedArgs is documented with KubeSchedulerConfiguration.
Source: plugins/noderesources/least_allocated.go.
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
class NodeResourcesLeastAllocated:
    name = "NodeResourcesLeastAllocated"
    POINTS = ("score",)
    READS = ("Node.status.allocatable",)
    ARGS = AllocatedArgs
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES

    @classmethod
    def of_args(cls, args: AllocatedArgs) -> NodeResourcesLeastAllocated:
        return cls(args.resources)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        return weighted_mean(_free_share, self.resources, pod.pod, node)


def _free_share(use: Allocation) -> int:
    """R-LEAST-01 (instead of R-FIT-06; shows in score): For NodeResourcesLeastAllocated a resource scores the
    share of its capacity that stays free, in whole percent; a resource that is requested beyond its capacity, or
    that the node does not have, scores 0."""
    applies("R-LEAST-01")
    if use.capacity == 0 or use.requested > use.capacity:
        return 0
    return (use.capacity - use.requested) * MAX_NODE_SCORE // use.capacity
