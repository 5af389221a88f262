# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesBalancedAllocation before 1.37: the selectors of the classes of devices that count for the score
are in the CEL of that time."""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import node_resources_balanced_allocation as current
from refsched.releases.v1_36.plugins.node_resources_fit import counted_devices


@frozen
class NodeResourcesBalancedAllocation(current.NodeResourcesBalancedAllocation):
    counted_devices = staticmethod(counted_devices)
