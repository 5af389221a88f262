# SPDX-License-Identifier: Apache-2.0
"""KubeSchedulerConfiguration v1beta1, as v1.19 reads it: without multiPoint, PreEnqueue and parallelism.

Rules: R-CONFIG-51, R-CONFIG-52.
Source: k8s.io/kube-scheduler/config/v1beta1/types.go, types_pluginargs.go (v0.19.16);
pkg/scheduler/apis/config/v1beta1/defaults.go; pkg/scheduler/apis/config/types.go, mergePluginSets;
pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.19.16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import field, frozen

from refsched.config import types as current
from refsched.config.args import PluginArgs, check_qualified, check_range, refused_by
from refsched.config.scalars import CONVERTER, Int32, is_qualified_name, within
from refsched.config.types import (
    ClientConnectionConfiguration,
    Extender,
    LeaderElectionConfiguration,
    PluginConfig,
    PluginSet,
)
from refsched.errors import InputError
from refsched.objects.pod import TopologySpreadConstraint
from refsched.objects.reading import read_as
from refsched.plugins.resource_scoring import UtilizationShapePoint
from refsched.rules import applies

# --- The configuration ----------------------------------------------------------------------------


@frozen
class Plugins:
    """What a profile adds to the default plugins and takes from them, at each point."""

    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()


@frozen
class KubeSchedulerProfile:
    scheduler_name: str = ""
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()


@frozen
class KubeSchedulerConfiguration:
    """``healthz_bind_address`` and ``metrics_bind_address`` do not concern scheduling."""

    leader_election: LeaderElectionConfiguration = LeaderElectionConfiguration()
    client_connection: ClientConnectionConfiguration = ClientConnectionConfiguration()
    healthz_bind_address: str = ""
    metrics_bind_address: str = ""
    enable_profiling: bool = True
    enable_contention_profiling: bool = True
    percentage_of_nodes_to_score: Int32 = Int32(0)
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    profiles: tuple[KubeSchedulerProfile, ...] = ()
    extenders: tuple[Extender, ...] = ()


def read_fields(fields: Mapping[str, Any]) -> current.KubeSchedulerConfiguration:
    """The fields beside apiVersion and kind, as today's configuration has them."""
    read = read_as(KubeSchedulerConfiguration, fields, CONVERTER)
    leader_election = attrs.evolve(read.leader_election, resource_lock="")
    return current.KubeSchedulerConfiguration(
        leader_election=leader_election,
        client_connection=read.client_connection,
        enable_profiling=read.enable_profiling,
        enable_contention_profiling=read.enable_contention_profiling,
        percentage_of_nodes_to_score=read.percentage_of_nodes_to_score,
        pod_initial_backoff_seconds=read.pod_initial_backoff_seconds,
        pod_max_backoff_seconds=read.pod_max_backoff_seconds,
        profiles=tuple(_current_profile(profile) for profile in read.profiles),
        extenders=read.extenders,
    )


def _current_profile(profile: KubeSchedulerProfile) -> current.KubeSchedulerProfile:
    points = {each.name: getattr(profile.plugins, each.name) for each in attrs.fields(Plugins)}
    return current.KubeSchedulerProfile(
        profile.scheduler_name,
        plugins=current.Plugins(**points),
        plugin_config=profile.plugin_config,
    )


def merged_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """R-CONFIG-51: In v1.19 the plugins that a profile enables at a point are called after the default plugins
    that it does not disable there; a default plugin that is enabled again, and not disabled, is refused.

    The refusal is that of a plugin that is there already (R-CONFIG-25).
    """
    disabled = custom.disabled_names
    kept = tuple(plugin for plugin in default.enabled if not disabled & {plugin.name, "*"})
    if kept and custom.enabled:
        applies("R-CONFIG-51")
    return PluginSet((*kept, *custom.enabled), custom.disabled)


# --- Arguments ------------------------------------------------------------------------------------

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")


def check_enabled(args: PluginArgs) -> None:
    """R-CONFIG-52: In v1.19 the arguments of a plugin are checked where the plugin is enabled: weights of
    resources, the points of a shape, labels that contradict each other, default constraints and names of resources
    that are ignored."""
    with refused_by("R-CONFIG-52"):
        args.validate()


def _check_least(value: int, low: int, name: str) -> None:
    if value < low:
        raise InputError(f"{value} is less than {low}", name)


@frozen
class ResourceSpec:
    """A resource that counts for the score; ``weight`` has no default."""

    name: str = ""
    weight: int = 0


Resources = tuple[ResourceSpec, ...]
DEFAULT_RESOURCES: Resources = (ResourceSpec("cpu", 1), ResourceSpec("memory", 1))


def _or_default(resources: Sequence[ResourceSpec]) -> Resources:
    return tuple(resources) or DEFAULT_RESOURCES


@frozen
class InterPodAffinityArgs(PluginArgs):
    hard_pod_affinity_weight: Int32 = Int32(1)

    def validate(self) -> None:
        check_range(self.hard_pod_affinity_weight, 0, 100, "hardPodAffinityWeight")


@frozen
class NodeLabelArgs(PluginArgs):
    present_labels: tuple[str, ...] = ()
    absent_labels: tuple[str, ...] = ()
    present_labels_preference: tuple[str, ...] = ()
    absent_labels_preference: tuple[str, ...] = ()

    def validate(self) -> None:
        pairs = (
            ("absentLabels", self.present_labels, self.absent_labels),
            ("absentLabelsPreference", self.present_labels_preference, self.absent_labels_preference),
        )
        for name, present, absent in pairs:
            for label in absent:
                if label in present:
                    raise InputError(f"{label!r} is to be present, too", name)


@frozen
class NodeResourcesFitArgs(PluginArgs):
    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()

    def validate(self) -> None:
        for index, resource in enumerate(self.ignored_resources):
            check_qualified(resource, f"ignoredResources[{index}]")
        for index, group in enumerate(self.ignored_resource_groups):
            if "/" in group or not is_qualified_name(group):
                raise InputError(f"{group!r} is not the name of a group", f"ignoredResourceGroups[{index}]")


@frozen
class NodeResourcesAllocatedArgs(PluginArgs):
    """Those of NodeResourcesLeastAllocated and of NodeResourcesMostAllocated."""

    resources: Resources = field(default=(), converter=_or_default)

    def validate(self) -> None:
        for index, resource in enumerate(self.resources):
            check_range(resource.weight, 1, 100, f"resources[{index}].weight")


@frozen
class PodTopologySpreadArgs(PluginArgs):
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()

    def validate(self) -> None:
        seen: set[tuple[str, str]] = set()
        for index, constraint in enumerate(self.default_constraints):
            with within(f"defaultConstraints[{index}]"):
                _check_least(constraint.max_skew, 1, "maxSkew")
                check_qualified(constraint.topology_key, "topologyKey")
                if constraint.when_unsatisfiable not in _ACTIONS:
                    raise InputError(f"is not one of {', '.join(_ACTIONS)}", "whenUnsatisfiable")
                if constraint.label_selector is not None:
                    raise InputError("is not allowed: each pod's own is used", "labelSelector")
                key = (constraint.topology_key, constraint.when_unsatisfiable)
                if key in seen:
                    raise InputError(f"{{{', '.join(key)}}} is there already")
                seen.add(key)


@frozen
class RequestedToCapacityRatioArgs(PluginArgs):
    shape: tuple[UtilizationShapePoint, ...] = ()
    resources: Resources = field(default=(), converter=_or_default)

    def validate(self) -> None:
        if not self.shape:
            raise InputError("needs at least one point", "shape")
        for index, point in enumerate(self.shape):
            check_range(point.utilization, 0, 100, f"shape[{index}].utilization")
            check_range(point.score, 0, 10, f"shape[{index}].score")
            if index and self.shape[index - 1].utilization >= point.utilization:
                raise InputError(f"{point.utilization} does not rise", f"shape[{index}].utilization")
        for index, resource in enumerate(self.resources):
            _check_least(resource.weight, 1, f"resources[{index}].weight")


@frozen
class ServiceAffinityArgs(PluginArgs):
    affinity_labels: tuple[str, ...] = ()
    anti_affinity_labels_preference: tuple[str, ...] = ()


@frozen
class VolumeBindingArgs(PluginArgs):
    bind_timeout_seconds: int = 600

    def validate(self) -> None:
        _check_least(self.bind_timeout_seconds, 1, "bindTimeoutSeconds")
