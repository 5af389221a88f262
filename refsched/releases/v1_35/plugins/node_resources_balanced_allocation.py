# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesBalancedAllocation before 1.36: a node whose resources are used evenly with the pod is
preferred.

Changed by: kubernetes #135573 (the difference that the pod makes is scored, not the state that it leaves).
After the upgrade: NodeResourcesBalancedAllocation prefers the nodes that the pod makes more balanced, not those
that are balanced with it, so that pods go to other nodes among those that fit (R-BALANCED-05).
What to do: nothing, if any node that fits will do; or else see with refsched upgrade where your pods go, and
change the weight of the plugin.
Observed: that balance is preferred is documented, and not how it is measured.
Source: plugins/noderesources/balanced_allocation.go, balancedResourceScorer.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.plugins import node_resources_balanced_allocation as current
from refsched.releases.v1_35.plugins.node_resources_fit import no_devices
from refsched.rules import applies


@frozen
class NodeResourcesBalancedAllocation(current.NodeResourcesBalancedAllocation):
    counted_devices = staticmethod(no_devices)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, asked: current.Asked, pod: PodInfo, node: NodeInfo) -> int:
        """R-BALANCED-06 (instead of R-BALANCED-05): Until v1.35 NodeResourcesBalancedAllocation's score of a
        node is the balance of the node's resources with the pod."""
        with_pod, _ = self.balances(asked, node)
        applies("R-BALANCED-06")
        return with_pod
