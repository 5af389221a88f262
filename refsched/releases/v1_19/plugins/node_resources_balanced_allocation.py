# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesBalancedAllocation in v1.19: a node whose cpu and memory would be used evenly is preferred.

Observed: that balance is preferred is documented, and not how it is measured.
Source: plugins/noderesources/balanced_allocation.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.resources import CPU, MEMORY
from refsched.releases.v1_19.plugins.resource_allocation import Allocation, allocation
from refsched.rules import applies


@frozen
class NodeResourcesBalancedAllocation:
    name = "NodeResourcesBalancedAllocation"
    POINTS = ("score",)
    READS = ("Node.status.allocatable",)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        """R-BALANCED-51 (instead of R-BALANCED-06): In v1.19 a node scores 100 less the difference, in percent,
        between the shares of its cpu and of its memory that would be requested.
        R-BALANCED-52: In v1.19 a node whose cpu or memory would be requested whole, or that has none of it, scores
        0 for balance."""
        cpu = _share(allocation(CPU, pod.pod, node))
        memory = _share(allocation(MEMORY, pod.pod, node))
        if cpu >= 1 or memory >= 1:
            applies("R-BALANCED-52")
            return 0
        applies("R-BALANCED-51")
        return int((1 - abs(cpu - memory)) * MAX_NODE_SCORE)


def _share(use: Allocation) -> float:
    return use.requested / use.capacity if use.capacity else 1.0
