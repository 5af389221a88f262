# SPDX-License-Identifier: Apache-2.0
"""Arguments of the default plugins, with the values that a field left out takes.

Rules: R-ARGS-01 … R-ARGS-04.   Source: k8s.io/kube-scheduler/config/v1/types_pluginargs.go (v0.34.2);
pkg/scheduler/apis/config/v1/defaults.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from refsched.config.scalars import Int32, Seconds
from refsched.objects.pod import NodeAffinity, TopologySpreadConstraint
from refsched.plugins.resource_scoring import ResourceSpec, UtilizationShapePoint

SYSTEM_DEFAULTING = "System"
LIST_DEFAULTING = "List"
LEAST_ALLOCATED = "LeastAllocated"
MOST_ALLOCATED = "MostAllocated"
REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"

Shape = tuple[UtilizationShapePoint, ...]

DEFAULT_RESOURCES = (ResourceSpec("cpu", 1), ResourceSpec("memory", 1))
DEFAULT_FILTER_TIMEOUT = Seconds(10.0)


@frozen
class DefaultPreemptionArgs:
    min_candidate_nodes_percentage: Int32 = Int32(10)
    min_candidate_nodes_absolute: Int32 = Int32(100)


@frozen
class DynamicResourcesArgs:
    """``filter_timeout`` 0 is no timeout."""

    filter_timeout: Seconds | None = None


@frozen
class DynamicResourcesArgsWithoutTimeout:
    """While feature gate DRASchedulerFilterTimeout is off, ``filter_timeout`` is known and may not be given."""

    filter_timeout: Seconds | None = None


@frozen
class InterPodAffinityArgs:
    hard_pod_affinity_weight: Int32 = Int32(1)
    ignore_preferred_terms_of_existing_pods: bool = False


@frozen
class NodeAffinityArgs:
    added_affinity: NodeAffinity | None = None


@frozen
class NodeResourcesBalancedAllocationArgs:
    resources: tuple[ResourceSpec, ...] = ()


@frozen
class RequestedToCapacityRatioParam:
    shape: Shape = ()


@frozen
class ScoringStrategy:
    type: str = ""
    resources: tuple[ResourceSpec, ...] = ()
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


@frozen
class NodeResourcesFitArgs:
    """What is ignored is ignored by Filter, not by Score."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy(LEAST_ALLOCATED)


@frozen
class PodTopologySpreadArgs:
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = SYSTEM_DEFAULTING


@frozen
class VolumeBindingArgs:
    """``shape`` is known, and may not be given while feature gate StorageCapacityScoring is off."""

    bind_timeout_seconds: int = 600
    shape: Shape | None = None


PluginArgs = (
    DefaultPreemptionArgs
    | DynamicResourcesArgs
    | DynamicResourcesArgsWithoutTimeout
    | InterPodAffinityArgs
    | NodeAffinityArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeResourcesFitArgs
    | PodTopologySpreadArgs
    | VolumeBindingArgs
)

ARGS: Mapping[str, type[PluginArgs]] = {
    "DefaultPreemption": DefaultPreemptionArgs,
    "DynamicResources": DynamicResourcesArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "VolumeBinding": VolumeBindingArgs,
}
"""The plugins that take arguments. Those of any other plugin are neither read nor checked."""


def with_defaults(args: PluginArgs) -> PluginArgs:
    """R-ARGS-01: no resources are cpu and memory; weight 0 is 1.
    R-ARGS-02: a scoring strategy that is given without type has none, and is refused later.
    R-ARGS-03: defaultingType "" is System.
    R-ARGS-04: Without filterTimeout the filterTimeout of DynamicResources is 10 s while its feature gate is on."""
    match args:
        case NodeResourcesBalancedAllocationArgs(resources=resources):
            return evolve(args, resources=_weighted(resources))
        case NodeResourcesFitArgs(scoring_strategy=strategy):
            return evolve(args, scoring_strategy=evolve(strategy, resources=_weighted(strategy.resources)))
        case PodTopologySpreadArgs(defaulting_type=""):
            return evolve(args, defaulting_type=SYSTEM_DEFAULTING)
        case DynamicResourcesArgs(filter_timeout=None):
            return evolve(args, filter_timeout=DEFAULT_FILTER_TIMEOUT)
    return args


def _weighted(resources: tuple[ResourceSpec, ...]) -> tuple[ResourceSpec, ...]:
    return tuple(ResourceSpec(r.name, r.weight or 1) for r in resources) or DEFAULT_RESOURCES
