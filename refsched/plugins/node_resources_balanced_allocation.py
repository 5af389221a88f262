# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesBalancedAllocation: a node whose resources would be used evenly is preferred.

Rules: R-BALANCED-01 … R-BALANCED-04.
Source: plugins/noderesources/balanced_allocation.go, resource_allocation.go (v1.34.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE, Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.resources import CPU, MEMORY, amount, is_scalar_resource

Requests = tuple[int, ...]
"""What the pod asks of each of the plugin's resources: milli-CPU, bytes, or whole units."""


@frozen
class NodeResourcesBalancedAllocation:
    """``resources`` are the names whose use is to be even; their weights do not count here."""

    resources: tuple[str, ...] = (CPU, MEMORY)
    name: ClassVar[str] = "NodeResourcesBalancedAllocation"

    # --- PreScore ---------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Requests] | Skip:
        """R-BALANCED-01: a pod that asks for none of the resources is not scored (kubernetes #129138).
        R-BALANCED-02: real requests count, without the defaults that NodeResourcesFit scores with."""
        requests = tuple(amount(pod.requests, resource) for resource in self.resources)
        return Continue(requests) if any(requests) else Skip()

    # --- Score ------------------------------------------------------------------------------------

    def score(self, requests: Requests, pod: PodInfo, node: NodeInfo) -> int:
        """R-BALANCED-03: 100 less the standard deviation of the used shares in percent, each at most 1.
        R-BALANCED-04: a resource that the node does not have is left out, and so is one other than cpu,
        memory and ephemeral storage that the pod does not ask for."""
        shares = []
        for resource, asked in zip(self.resources, requests, strict=True):
            allocatable = amount(node.allocatable, resource)
            if allocatable == 0 or (asked == 0 and is_scalar_resource(resource)):
                continue
            shares.append(min((amount(node.requested, resource) + asked) / allocatable, 1.0))
        return int((1 - _standard_deviation(shares)) * MAX_NODE_SCORE)


def _standard_deviation(shares: Sequence[float]) -> float:
    """In float64 and in this order of operations, since the score is cut to an integer."""
    if len(shares) < 2:
        return 0.0
    if len(shares) == 2:
        return abs((shares[0] - shares[1]) / 2)
    total = 0.0
    for share in shares:
        total += share
    mean = total / len(shares)
    squares = 0.0
    for share in shares:
        squares += (share - mean) * (share - mean)
    return math.sqrt(squares / len(shares))
