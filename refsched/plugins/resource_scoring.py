# SPDX-License-Identifier: Apache-2.0
"""Scoring strategies of NodeResourcesFit: the use of a node's resources is turned into a score.

Promised: scoringStrategy and its formulas are documented with resource bin packing.
Used by: NodeResourcesFit.
Source: plugins/noderesources/least_allocated.go, most_allocated.go, requested_to_capacity_ratio.go;
plugins/helper/shape_score.go, BuildBrokenLinearFunction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

from refsched.config.args import check_range
from refsched.errors import InputError
from refsched.framework.interface import MAX_NODE_SCORE
from refsched.objects.resources import CPU, MEMORY
from refsched.rules import applies

MAX_CUSTOM_PRIORITY_SCORE = 10
MAX_UTILIZATION = 100


@frozen
class ResourceSpec:
    """A ResourceSpec is a resource that counts for the score, and its weight. A weight that is not given is 0,
    which a release replaces by a default or refuses."""

    name: str = ""
    weight: int = 0


@frozen
class UtilizationShapePoint:
    """A UtilizationShapePoint says how much (0..10) a resource scores at this utilization (percent)."""

    utilization: int = 0
    score: int = 0


@frozen
class Use:
    """A Use is a resource on a node as it would be with the pod there; ``capacity`` is not 0."""

    requested: int
    capacity: int
    weight: int


Shape = tuple[UtilizationShapePoint, ...]
DEFAULT_RESOURCES = (ResourceSpec(CPU, 1), ResourceSpec(MEMORY, 1))


def check_shape(shape: Sequence[UtilizationShapePoint], field: str) -> None:
    """Raises InputError if the shape has no point, if its utilization does not rise within 0..100, or if a
    score is not in 0..10."""
    if not shape:
        raise InputError("needs at least one point", field)
    for index, point in enumerate(shape):
        check_range(point.utilization, 0, 100, f"{field}[{index}].utilization")
        check_range(point.score, 0, MAX_CUSTOM_PRIORITY_SCORE, f"{field}[{index}].score")
        if index and shape[index - 1].utilization >= point.utilization:
            raise InputError(f"{point.utilization} does not rise", f"{field}[{index}].utilization")


def resources_or_default(resources: tuple[ResourceSpec, ...]) -> tuple[ResourceSpec, ...]:
    """R-ARGS-01 (shows in config): If the arguments of NodeResourcesFit or NodeResourcesBalancedAllocation name no
    resources, cpu and memory count with weight 1 each; a weight of 0 is defaulted to 1."""
    completed = tuple(ResourceSpec(r.name, r.weight or 1) for r in resources) or DEFAULT_RESOURCES
    applies("R-ARGS-01", when=completed != resources)
    return completed


def least_allocated(uses: Sequence[Use]) -> int:
    """R-FIT-06: With LeastAllocated a node's score is the weighted mean of the shares of its resources, in
    percent, that are free with the pod; a resource that is requested beyond its capacity counts 0."""
    applies("R-FIT-06", when=uses)
    return _weighted_mean(
        [(max(u.capacity - u.requested, 0) * MAX_NODE_SCORE // u.capacity, u) for u in uses]
    )


def most_allocated(uses: Sequence[Use]) -> int:
    """R-FIT-07 (needs config): With MostAllocated a node's score is the weighted mean of the shares of its
    resources, in percent, that are requested with the pod; a resource that is requested beyond its capacity counts
    100."""
    applies("R-FIT-07", when=uses)
    return _weighted_mean([(min(u.requested, u.capacity) * MAX_NODE_SCORE // u.capacity, u) for u in uses])


def requested_to_capacity_ratio(shape: Sequence[UtilizationShapePoint], uses: Sequence[Use]) -> int:
    """R-FIT-08 (needs config): With RequestedToCapacityRatio a node's score is the weighted mean of what the shape
    gives at the utilization of each resource, rounded half up; a resource that scores 0 is left out of the
    mean."""
    applies("R-FIT-08", when=uses)
    scored = [(score_at(shape, _utilization(use)), use) for use in uses]
    counted = [(score, use.weight) for score, use in scored if score > 0]
    total = sum(weight for _, weight in counted)
    return math.floor(sum(score * weight for score, weight in counted) / total + 0.5) if total else 0


def _weighted_mean(scored: Sequence[tuple[int, Use]]) -> int:
    total = sum(use.weight for _, use in scored)
    return sum(score * use.weight for score, use in scored) // total if total else 0


def _utilization(use: Use) -> int:
    return min(use.requested * MAX_UTILIZATION // use.capacity, MAX_UTILIZATION)


def score_at(shape: Sequence[UtilizationShapePoint], utilization: int) -> int:
    """Returns the value of the polyline through the shape's points, which is flat before the first and after
    the last, cut to an integer towards the point on its left."""
    scale = MAX_NODE_SCORE // MAX_CUSTOM_PRIORITY_SCORE
    for index, point in enumerate(shape):
        if utilization > point.utilization:
            continue
        if index == 0:
            return point.score * scale
        left = shape[index - 1]
        rise = (point.score - left.score) * scale * (utilization - left.utilization)
        step = abs(rise) // (point.utilization - left.utilization)
        return left.score * scale + (step if rise >= 0 else -step)
    return shape[-1].score * scale
