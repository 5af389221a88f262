# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesBalancedAllocation: a node whose resources are used more evenly with the pod is preferred.

Observed: that balance is preferred is documented, and not how it is measured.
Shows in: score.
Source: plugins/noderesources/balanced_allocation.go, resource_allocation.go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, refused_by
from refsched.errors import InputError
from refsched.framework.interface import MAX_NODE_SCORE, Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.resources import CPU, MEMORY, amount, is_scalar_resource
from refsched.plugins.resource_scoring import ResourceSpec, resources_or_default
from refsched.plugins.resource_scoring_devices import CountedDevices, counted_devices, devices_instead
from refsched.plugins.signatures import sign_requests
from refsched.rules import applies


@frozen
class Asked:
    """``amounts`` are what the pod requests of each of the plugin's resources: milli-CPU, bytes, or whole units.
    ``devices`` are those that count, if a DeviceClass serves one of the resources."""

    amounts: tuple[int, ...]
    devices: CountedDevices | None = None


@frozen
class NodeResourcesBalancedAllocationArgs(PluginArgs):
    resources: tuple[ResourceSpec, ...] = ()

    def with_defaults(self) -> Self:
        return evolve(self, resources=resources_or_default(self.resources))

    def validate(self) -> None:
        """R-ARGS-13 (promised: NodeResourcesBalancedAllocationArgs is documented with KubeSchedulerConfiguration;
        shows in config): The arguments of NodeResourcesBalancedAllocation are refused if they name a resource
        twice, or with a weight other than 1."""
        seen: set[str] = set()
        with refused_by("R-ARGS-13"):
            for index, resource in enumerate(self.resources):
                if resource.name in seen:
                    raise InputError(f"{resource.name!r} is there already", f"resources[{index}].name")
                seen.add(resource.name)
                if resource.weight != 1:
                    raise InputError(f"{resource.weight} is not 1", f"resources[{index}].weight")


@frozen
class NodeResourcesBalancedAllocation:
    """``resources`` names the resources that are to be used evenly; their weights do not count here."""

    name = "NodeResourcesBalancedAllocation"
    POINTS = ("preScore", "score")
    READS = ("Node.status.allocatable",)
    ARGS = NodeResourcesBalancedAllocationArgs
    resources: tuple[str, ...] = (CPU, MEMORY)

    @classmethod
    def of_args(cls, args: NodeResourcesBalancedAllocationArgs) -> NodeResourcesBalancedAllocation:
        return cls(tuple(resource.name for resource in args.resources))

    sign = sign_requests
    counted_devices = staticmethod(counted_devices)

    # --- PreScore ---------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Asked] | Skip:
        """R-BALANCED-01: A pod that requests none of the configured resources skips Score of
        NodeResourcesBalancedAllocation (kubernetes #129138).
        R-BALANCED-02: NodeResourcesBalancedAllocation scores with what a pod requests, without the defaults that
        NodeResourcesFit scores with for a container without requests."""
        amounts = tuple(amount(pod.requests, resource) for resource in self.resources)
        if not any(amounts):
            applies("R-BALANCED-01")
            return Skip()
        applies("R-BALANCED-02", when=pod.requests != pod.non_zero_requests)
        return Continue(Asked(amounts, self.counted_devices(self.resources, snapshot.objects)))

    # --- Score ------------------------------------------------------------------------------------

    def score(self, asked: Asked, pod: PodInfo, node: NodeInfo) -> int:
        """R-BALANCED-05: NodeResourcesBalancedAllocation's score of a node is 75 if the pod leaves the balance of
        its resources as it is, half a point more for each point by which the pod raises the balance, and half a
        point less for each by which it lowers it, cut to an integer.

        Source: balanced_allocation.go, balancedResourceScorer."""
        with_pod, without_pod = self.balances(asked, node)
        applies("R-BALANCED-05")
        return MAX_NODE_SCORE // 2 + (MAX_NODE_SCORE // 2 + with_pod - without_pod) // 2

    def balances(self, asked: Asked, node: NodeInfo) -> tuple[int, int]:
        """R-BALANCED-03: NodeResourcesBalancedAllocation's balance of a node is 100 minus the standard deviation,
        in percent, of the shares of the resources that are used there, each share at most 1, cut to an integer.
        R-BALANCED-04: NodeResourcesBalancedAllocation leaves out of its score a resource that the node does not
        have, and an extended or other scalar resource that the pod does not request.

        Returns the balance of the node with the pod, and that without it.
        Source: balanced_allocation.go, balancedResourceScore."""
        with_pod, without_pod = [], []
        for resource, wanted in zip(self.resources, asked.amounts, strict=True):
            is_left_out = wanted == 0 and is_scalar_resource(resource)
            used, capacity = (0, 0) if is_left_out else _use(resource, asked.devices, node)
            if capacity == 0:
                applies("R-BALANCED-04")
                continue
            with_pod.append(min((used + wanted) / capacity, 1.0))
            without_pod.append(min(used / capacity, 1.0))
        applies("R-BALANCED-03", when=len(with_pod) > 1)
        return _balance(with_pod), _balance(without_pod)


def _use(resource: str, devices: CountedDevices | None, node: NodeInfo) -> tuple[int, int]:
    """R-BALANCED-07: For the score of NodeResourcesBalancedAllocation, an extended resource that a DeviceClass
    serves and of which the node's allocatable has none counts with the devices of the node that the class
    selects.

    Returns how much of the resource is used on the node, and how much of it the node has."""
    instead = devices_instead(resource, devices, node)
    if instead is not None:
        applies("R-BALANCED-07")
        return instead
    return amount(node.requested, resource), amount(node.allocatable, resource)


def _balance(shares: Sequence[float]) -> int:
    return int((1 - _standard_deviation(shares)) * MAX_NODE_SCORE)


def _standard_deviation(shares: Sequence[float]) -> float:
    """Returns the standard deviation. It is computed in float64 and in this order of operations, since the
    score is cut to an integer."""
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
