# SPDX-License-Identifier: Apache-2.0
"""RequestedToCapacityRatio: a node is scored by its utilization, with a shape that the configuration defines.

This is a plugin of its own in v1.19, which a configuration may enable; later it became a scoring strategy of
NodeResourcesFit.
Promised: RequestedToCapacityRatioArgs and its formula are documented with resource bin packing.
Source: plugins/noderesources/requested_to_capacity_ratio.go.
"""

from __future__ import annotations

from attrs import field, frozen

from refsched.config.args import PluginArgs, check_positive
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.plugins.resource_scoring import (
    DEFAULT_RESOURCES,
    MAX_UTILIZATION,
    ResourceSpec,
    Use,
    UtilizationShapePoint,
    check_shape,
    requested_to_capacity_ratio,
)
from refsched.releases.v1_19.plugins.resource_allocation import Allocation, allocation
from refsched.releases.v1_19.plugins.resource_args import or_default
from refsched.rules import applies


@frozen
class RequestedToCapacityRatioArgs(PluginArgs):
    shape: tuple[UtilizationShapePoint, ...] = ()
    resources: tuple[ResourceSpec, ...] = field(default=(), converter=or_default)

    def validate(self) -> None:
        check_shape(self.shape, "shape")
        for index, resource in enumerate(self.resources):
            check_positive(resource.weight, f"resources[{index}].weight")


@frozen
class RequestedToCapacityRatio:
    """``shape`` has at least one point, and is sorted by rising utilization."""

    name = "RequestedToCapacityRatio"
    POINTS = ("score",)
    READS = ("Node.status.allocatable",)
    ARGS = RequestedToCapacityRatioArgs
    shape: tuple[UtilizationShapePoint, ...]
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES

    @classmethod
    def of_args(cls, args: RequestedToCapacityRatioArgs) -> RequestedToCapacityRatio:
        return cls(args.shape, args.resources)

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        """R-RATIO-01: For RequestedToCapacityRatio a node scores the mean of the shape's scores at the utilization
        of each resource, weighted, rounded half up; a resource that scores 0 counts without its weight."""
        weights = {resource.name: resource.weight for resource in self.resources}
        uses = [
            Use(_utilization(allocation(name, pod.pod, node)), MAX_UTILIZATION, weight)
            for name, weight in weights.items()
        ]
        applies("R-RATIO-01")
        return requested_to_capacity_ratio(self.shape, uses)


def _utilization(use: Allocation) -> int:
    """R-RATIO-02 (shows in score): For RequestedToCapacityRatio a resource is utilized by 100 percent less the
    share of its capacity that stays free, which is cut to whole percent; a resource that is requested beyond its
    capacity, or that the node does not have, is utilized by 100 percent."""
    applies("R-RATIO-02")
    if use.capacity == 0 or use.requested > use.capacity:
        return MAX_UTILIZATION
    return MAX_UTILIZATION - (use.capacity - use.requested) * MAX_UTILIZATION // use.capacity
