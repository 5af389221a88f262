# SPDX-License-Identifier: Apache-2.0
"""Which plugin arguments are refused.

Rules: R-ARGS-10 … R-ARGS-17.   Source: pkg/scheduler/apis/config/validation/validation_pluginargs.go
(v1.34.2); component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go, NewNodeSelector,
NewPreferredSchedulingTerms; apimachinery/pkg/labels/selector.go, NewRequirement (v0.34.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from refsched.config import args as of
from refsched.config.scalars import is_label_value, is_qualified_name, within
from refsched.errors import InputError
from refsched.objects.pod import NodeAffinity, TopologySpreadConstraint
from refsched.objects.selectors import NodeSelectorRequirement, NodeSelectorTerm
from refsched.plugins.resource_scoring import MAX_CUSTOM_PRIORITY_SCORE, ResourceSpec, UtilizationShapePoint

_STRATEGIES = (of.LEAST_ALLOCATED, of.MOST_ALLOCATED, of.REQUESTED_TO_CAPACITY_RATIO)
_DEFAULTING = (of.LIST_DEFAULTING, of.SYSTEM_DEFAULTING)
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


def validate_args(args: of.PluginArgs) -> None:
    """InputError names the field of the first thing that is wrong."""
    match args:
        case of.DefaultPreemptionArgs():
            _default_preemption(args)
        case of.DynamicResourcesArgs():
            _dynamic_resources(args)
        case of.DynamicResourcesArgsWithoutTimeout():
            _without_timeout(args)
        case of.InterPodAffinityArgs():
            _in_range(args.hard_pod_affinity_weight, 0, 100, "hardPodAffinityWeight")
        case of.NodeAffinityArgs():
            if args.added_affinity is not None:
                with within("addedAffinity"):
                    _node_affinity(args.added_affinity)
        case of.NodeResourcesBalancedAllocationArgs():
            _balanced_allocation(args.resources)
        case of.NodeResourcesFitArgs():
            _resources_fit(args)
        case of.PodTopologySpreadArgs():
            _topology_spread(args)
        case of.VolumeBindingArgs():
            _volume_binding(args)


def _in_range(value: int, low: int, high: int, field: str) -> None:
    if not low <= value <= high:
        raise InputError(f"{value} is not in [{low}, {high}]", field)


def _one_of(value: str, allowed: Sequence[str], field: str) -> None:
    if value not in allowed:
        raise InputError(f"{value!r} is not one of {', '.join(allowed)}", field)


# --- Preemption, devices and volumes --------------------------------------------------------------


def _default_preemption(args: of.DefaultPreemptionArgs) -> None:
    """R-ARGS-10: a share of 0..100 and a count of at least 0, not both 0."""
    percentage, absolute = args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute
    _in_range(percentage, 0, 100, "minCandidateNodesPercentage")
    if absolute < 0:
        raise InputError(f"{absolute} is negative", "minCandidateNodesAbsolute")
    if percentage == absolute == 0:
        raise InputError("minCandidateNodesAbsolute is 0 as well", "minCandidateNodesPercentage")


def _dynamic_resources(args: of.DynamicResourcesArgs) -> None:
    if args.filter_timeout is not None and args.filter_timeout < 0:
        raise InputError("is negative", "filterTimeout")


def _without_timeout(args: of.DynamicResourcesArgsWithoutTimeout) -> None:
    """R-ARGS-11: A filterTimeout is refused while feature gate DRASchedulerFilterTimeout is off."""
    if args.filter_timeout is not None:
        raise InputError("feature gate DRASchedulerFilterTimeout is off", "filterTimeout")


def _volume_binding(args: of.VolumeBindingArgs) -> None:
    """R-ARGS-12: A shape, even an empty one, is refused while feature gate StorageCapacityScoring is off."""
    if args.bind_timeout_seconds < 0:
        raise InputError("is negative", "bindTimeoutSeconds")
    if args.shape is not None:
        raise InputError("feature gate StorageCapacityScoring is off", "shape")


# --- Resources ------------------------------------------------------------------------------------


def _balanced_allocation(resources: Iterable[ResourceSpec]) -> None:
    """R-ARGS-13: no resource twice, and all of weight 1."""
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        if resource.name in seen:
            raise InputError(f"{resource.name!r} is there already", f"resources[{index}].name")
        seen.add(resource.name)
        if resource.weight != 1:
            raise InputError(f"{resource.weight} is not 1", f"resources[{index}].weight")


def _resources_fit(args: of.NodeResourcesFitArgs) -> None:
    """R-ARGS-14: names are qualified, those of groups without ``/``; weights are 1..100; a shape has a point.
    RequestedToCapacityRatio without its parameter ends kube-scheduler with a nil pointer."""
    for index, name in enumerate(args.ignored_resources):
        _qualified(name, f"ignoredResources[{index}]")
    for index, group in enumerate(args.ignored_resource_groups):
        if "/" in group:
            raise InputError(f"{group!r} has a '/'", f"ignoredResourceGroups[{index}]")
        _qualified(group, f"ignoredResourceGroups[{index}]")
    with within("scoringStrategy"):
        _scoring_strategy(args.scoring_strategy)


def _scoring_strategy(strategy: of.ScoringStrategy) -> None:
    _one_of(strategy.type, _STRATEGIES, "type")
    for index, resource in enumerate(strategy.resources):
        _in_range(resource.weight, 1, 100, f"resources[{index}].weight")
    if strategy.requested_to_capacity_ratio is not None:
        _shape(strategy.requested_to_capacity_ratio.shape, "requestedToCapacityRatio.shape")
    elif strategy.type == of.REQUESTED_TO_CAPACITY_RATIO:
        raise InputError("is required and missing", "requestedToCapacityRatio")


def _qualified(name: str, field: str) -> None:
    if not is_qualified_name(name):
        raise InputError(f"{name!r} is not a qualified name", field)


def _shape(shape: Sequence[UtilizationShapePoint], field: str) -> None:
    """R-ARGS-15: at least one point, utilization rising within 0..100, scores 0..10."""
    if not shape:
        raise InputError("needs at least one point", field)
    for index, point in enumerate(shape):
        _in_range(point.utilization, 0, 100, f"{field}[{index}].utilization")
        _in_range(point.score, 0, MAX_CUSTOM_PRIORITY_SCORE, f"{field}[{index}].score")
        if index and shape[index - 1].utilization >= point.utilization:
            raise InputError(f"{point.utilization} does not rise", f"{field}[{index}].utilization")


# --- Topology spread ------------------------------------------------------------------------------


def _topology_spread(args: of.PodTopologySpreadArgs) -> None:
    """R-ARGS-16: only List has constraints of its own; these have no selector, and none is there twice."""
    _one_of(args.defaulting_type, _DEFAULTING, "defaultingType")
    if args.defaulting_type == of.SYSTEM_DEFAULTING and args.default_constraints:
        raise InputError("is System, and defaultConstraints are given", "defaultingType")
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(args.default_constraints):
        with within(f"defaultConstraints[{index}]"):
            _default_constraint(constraint)
            key = (constraint.topology_key, constraint.when_unsatisfiable)
            if key in seen:
                raise InputError(f"{{{', '.join(key)}}} is there already")
            seen.add(key)


def _default_constraint(constraint: TopologySpreadConstraint) -> None:
    if constraint.max_skew <= 0:
        raise InputError(f"{constraint.max_skew} is not positive", "maxSkew")
    _qualified(constraint.topology_key, "topologyKey")
    _one_of(constraint.when_unsatisfiable, _ACTIONS, "whenUnsatisfiable")
    if constraint.label_selector is not None:
        raise InputError("is not allowed: each pod's own is used", "labelSelector")


# --- Node affinity --------------------------------------------------------------------------------


def _node_affinity(affinity: NodeAffinity) -> None:
    """R-ARGS-17: terms are well formed; a preference of weight 0 is not looked at."""
    required = affinity.required_during_scheduling_ignored_during_execution
    with within("requiredDuringSchedulingIgnoredDuringExecution"):
        for index, term in enumerate(required.node_selector_terms if required is not None else ()):
            with within(f"nodeSelectorTerms[{index}]"):
                _term(term)
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        with within(f"preferredDuringSchedulingIgnoredDuringExecution[{index}].preference"):
            if preferred.weight != 0:
                _term(preferred.preference)


def _term(term: NodeSelectorTerm) -> None:
    for index, expression in enumerate(term.match_expressions):
        with within(f"matchExpressions[{index}]"):
            _expression(expression)
    for index, requirement in enumerate(term.match_fields):
        with within(f"matchFields[{index}]"):
            _one_of(requirement.operator, ("In", "NotIn"), "operator")
            _count(requirement, exactly_one=True)


def _expression(expression: NodeSelectorRequirement) -> None:
    operator = expression.operator
    _one_of(operator, _OPERATORS, "operator")
    _qualified(expression.key, "key")
    if operator in ("Exists", "DoesNotExist"):
        if expression.values:
            raise InputError(f"{operator} takes no values", "values")
        return
    _count(expression, exactly_one=operator in ("Gt", "Lt"))
    for index, value in enumerate(expression.values):
        if operator in ("Gt", "Lt") and not _is_int64(value):
            raise InputError(f"{value!r} is not an integer", f"values[{index}]")
        if not is_label_value(value):
            raise InputError(f"{value!r} is not a label value", f"values[{index}]")


def _count(requirement: NodeSelectorRequirement, *, exactly_one: bool) -> None:
    if exactly_one and len(requirement.values) != 1:
        raise InputError(f"{requirement.operator} takes exactly one value here", "values")
    if not requirement.values:
        raise InputError(f"{requirement.operator} takes at least one value", "values")


def _is_int64(value: str) -> bool:
    return _INTEGER.fullmatch(value) is not None and -(2**63) <= int(value) < 2**63
