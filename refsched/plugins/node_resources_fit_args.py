# SPDX-License-Identifier: Apache-2.0
"""The arguments of NodeResourcesFit.

Promised: NodeResourcesFitArgs is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidateNodeResourcesFitArgs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, check_choice, check_qualified, check_range, refused_by
from refsched.config.scalars import within
from refsched.errors import InputError
from refsched.plugins.resource_scoring import ResourceSpec, Shape, check_shape, resources_or_default

LEAST_ALLOCATED = "LeastAllocated"
MOST_ALLOCATED = "MostAllocated"
REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"
_STRATEGIES = (LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO)


@frozen
class RequestedToCapacityRatioParam:
    shape: Shape = ()


@frozen
class ScoringStrategy:
    type: str = ""
    resources: tuple[ResourceSpec, ...] = ()
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


@frozen
class NodeResourcesFitArgs(PluginArgs):
    """Filter ignores the resources to be ignored; Score does not."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy(LEAST_ALLOCATED)

    def with_defaults(self) -> Self:
        strategy = self.scoring_strategy
        completed = evolve(strategy, resources=resources_or_default(strategy.resources))
        return evolve(self, scoring_strategy=completed)

    def validate(self) -> None:
        """R-ARGS-14: The arguments of NodeResourcesFit are refused if an ignored resource is not a qualified name
        or an ignored group contains a ``/``, if a weight is not in 1..100, or if RequestedToCapacityRatio has no
        parameter.

        For a missing parameter kube-scheduler panics with a nil pointer.
        """
        with refused_by("R-ARGS-14"):
            check_ignored(self.ignored_resources, self.ignored_resource_groups)
        with within("scoringStrategy"):
            _check_strategy(self.scoring_strategy)
            self.check_ratio(self.scoring_strategy)

    def check_ratio(self, strategy: ScoringStrategy) -> None:
        """R-ARGS-19: A requestedToCapacityRatio is refused with a strategy of another type."""
        if strategy.requested_to_capacity_ratio is None:
            if strategy.type == REQUESTED_TO_CAPACITY_RATIO:
                with refused_by("R-ARGS-14"):
                    raise InputError("is required and missing", "requestedToCapacityRatio")
        elif strategy.type == REQUESTED_TO_CAPACITY_RATIO:
            check_ratio_shape(strategy.requested_to_capacity_ratio)
        else:
            with refused_by("R-ARGS-19"):
                raise InputError(
                    f"is only for type {REQUESTED_TO_CAPACITY_RATIO}", "requestedToCapacityRatio"
                )


def check_ratio_shape(ratio: RequestedToCapacityRatioParam) -> None:
    """R-ARGS-15: A shape is refused if it has no point, if its utilization does not rise within 0..100, or if a
    score is not in 0..10."""
    with refused_by("R-ARGS-15"):
        check_shape(ratio.shape, "requestedToCapacityRatio.shape")


def check_ignored(resources: Sequence[str], groups: Sequence[str]) -> None:
    """Raises InputError if one of the names is not a qualified name, or a group has a ``/``."""
    for index, name in enumerate(resources):
        check_qualified(name, f"ignoredResources[{index}]")
    for index, group in enumerate(groups):
        if "/" in group:
            raise InputError(f"{group!r} has a '/'", f"ignoredResourceGroups[{index}]")
        check_qualified(group, f"ignoredResourceGroups[{index}]")


def _check_strategy(strategy: ScoringStrategy) -> None:
    """R-ARGS-02: A scoringStrategy that is given without a type has no default type, and is refused."""
    with refused_by("R-ARGS-14" if strategy.type else "R-ARGS-02"):
        check_choice(strategy.type, _STRATEGIES, "type")
    with refused_by("R-ARGS-14"):
        for index, resource in enumerate(strategy.resources):
            check_range(resource.weight, 1, 100, f"resources[{index}].weight")
