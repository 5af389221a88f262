# SPDX-License-Identifier: Apache-2.0
"""Profiles: from a configuration to the plugins that a scheduler runs, and to the scheduler itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import evolve

from refsched.config.args import (
    SYSTEM_DEFAULTING,
    DefaultPreemptionArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    VolumeBindingArgs,
)
from refsched.config.feature_gates import DEFAULT_GATES, FeatureGates
from refsched.config.resolve import ResolvedProfile, extenders_in_order, resolve
from refsched.config.types import Extender as ExtenderConfig
from refsched.config.types import KubeSchedulerConfiguration
from refsched.devices.claims import DeviceLedger
from refsched.extenders.extender import Ask, Extender
from refsched.extenders.failures import nobody
from refsched.framework.choices import Choices
from refsched.framework.interface import Plugin
from refsched.framework.known_defects import AS_RELEASED, Mended
from refsched.framework.runtime import Framework
from refsched.machine.scheduler import START, Scheduler
from refsched.objects.pod import NodeAffinity as NodeAffinityTerms
from refsched.objects.store import ObjectStore
from refsched.plugins.default_binder import DefaultBinder
from refsched.plugins.default_preemption import DefaultPreemption
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.image_locality import ImageLocality
from refsched.plugins.inter_pod_affinity import InterPodAffinity
from refsched.plugins.node_affinity import NodeAffinity
from refsched.plugins.node_name import NodeName
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.node_volume_limits import NodeVolumeLimits
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.plugins.priority_sort import PrioritySort
from refsched.plugins.scheduling_gates import SchedulingGates
from refsched.plugins.scripted import Scripted, ScriptedBinder
from refsched.plugins.taint_toleration import TaintToleration
from refsched.plugins.volume_binding import VolumeBinding
from refsched.plugins.volume_restrictions import VolumeRestrictions
from refsched.plugins.volume_zone import VolumeZone
from refsched.queue.hint_table import hint_table
from refsched.queue.scheduling_queue import SchedulingQueue

# --- Plugins --------------------------------------------------------------------------------------


def _default_preemption(args: DefaultPreemptionArgs) -> Plugin:
    return DefaultPreemption(args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute)


def _inter_pod_affinity(args: InterPodAffinityArgs) -> Plugin:
    return InterPodAffinity(args.hard_pod_affinity_weight, args.ignore_preferred_terms_of_existing_pods)


def _node_affinity(args: NodeAffinityArgs) -> Plugin:
    return NodeAffinity(args.added_affinity or NodeAffinityTerms())


def _balanced_allocation(args: NodeResourcesBalancedAllocationArgs) -> Plugin:
    return NodeResourcesBalancedAllocation(tuple(resource.name for resource in args.resources))


def _node_resources_fit(args: NodeResourcesFitArgs) -> Plugin:
    strategy = args.scoring_strategy
    ratio = strategy.requested_to_capacity_ratio
    return NodeResourcesFit(
        frozenset(args.ignored_resources),
        frozenset(args.ignored_resource_groups),
        strategy.type,
        strategy.resources,
        ratio.shape if ratio is not None else (),
    )


def _pod_topology_spread(args: PodTopologySpreadArgs) -> Plugin:
    return PodTopologySpread(args.default_constraints, args.defaulting_type == SYSTEM_DEFAULTING)


def _volume_binding(args: VolumeBindingArgs) -> Plugin:
    return VolumeBinding(args.bind_timeout_seconds)


PLUGINS: Mapping[str, Callable[[Any], Plugin]] = {
    "DefaultBinder": lambda _: DefaultBinder(),
    "DefaultPreemption": _default_preemption,
    "DynamicResources": lambda _: DynamicResources(),
    "ImageLocality": lambda _: ImageLocality(),
    "InterPodAffinity": _inter_pod_affinity,
    "NodeAffinity": _node_affinity,
    "NodeName": lambda _: NodeName(),
    "NodePorts": lambda _: NodePorts(),
    "NodeResourcesBalancedAllocation": _balanced_allocation,
    "NodeResourcesFit": _node_resources_fit,
    "NodeUnschedulable": lambda _: NodeUnschedulable(),
    "NodeVolumeLimits": lambda _: NodeVolumeLimits(),
    "PodTopologySpread": _pod_topology_spread,
    "PrioritySort": lambda _: PrioritySort(),
    "SchedulingGates": lambda _: SchedulingGates(),
    "TaintToleration": lambda _: TaintToleration(),
    "VolumeBinding": _volume_binding,
    "VolumeRestrictions": lambda _: VolumeRestrictions(),
    "VolumeZone": lambda _: VolumeZone(),
    "ScriptedA": lambda _: Scripted("ScriptedA"),
    "ScriptedB": lambda _: Scripted("ScriptedB"),
    "ScriptedBinder": lambda _: ScriptedBinder(),
}
"""How each plugin is made from its arguments (None where it takes none)."""


_COUNTS_NODES = frozenset({"ImageLocality"})
"""The real one is no PreScore plugin: its Score looks at the snapshot. A pure Score must be told before."""


def _fitted(plugin: Plugin, extenders: Sequence[Extender], gates: FeatureGates, mended: Mended) -> Plugin:
    """What a plugin is told besides its own arguments."""
    if isinstance(plugin, InterPodAffinity):
        return evolve(plugin, mended=mended)
    if isinstance(plugin, DefaultPreemption):
        return evolve(plugin, extenders=extenders)
    if isinstance(plugin, NodeResourcesFit):
        return evolve(plugin, in_place_scaling=gates.enabled("InPlacePodVerticalScaling"))
    return plugin


def framework_of(
    profile: ResolvedProfile,
    extenders: Sequence[Extender] = (),
    gates: FeatureGates = DEFAULT_GATES,
    mended: Mended = AS_RELEASED,
) -> Framework:
    """The plugins of a profile, each made once, at the points at which it is enabled."""
    made: dict[str, Plugin] = {}

    def at(point: str) -> Any:
        names = [enabled.name for enabled in profile.points[point]]
        for name in names:
            if name not in made:
                plugin = PLUGINS[name](profile.args.get(name))
                made[name] = _fitted(plugin, extenders, gates, mended)
        return tuple(made[name] for name in names)

    return Framework(
        profile.scheduler_name,
        queue_sort_plugin=at("queueSort")[0],
        pre_enqueue_plugins=at("preEnqueue"),
        pre_filter_plugins=at("preFilter"),
        filter_plugins=at("filter"),
        post_filter_plugins=at("postFilter"),
        pre_score_plugins=(
            *at("preScore"),
            *(plugin for plugin in at("score") if plugin.name in _COUNTS_NODES),
        ),
        score_plugins=at("score"),
        score_weights={enabled.name: enabled.weight for enabled in profile.points["score"]},
        reserve_plugins=at("reserve"),
        permit_plugins=at("permit"),
        pre_bind_plugins=at("preBind"),
        bind_plugins=at("bind"),
        post_bind_plugins=at("postBind"),
        percentage_of_nodes_to_score=profile.percentage_of_nodes_to_score,
        extenders=extenders,
        preempts_asynchronously=gates.enabled("SchedulerAsyncPreemption"),
    )


# --- The scheduler --------------------------------------------------------------------------------


def scheduler_of(
    config: KubeSchedulerConfiguration,
    choices: Choices,
    *,
    gates: FeatureGates = DEFAULT_GATES,
    start: datetime = START,
    frozen_timers: frozenset[str] = frozenset(),
    reach: Callable[[ExtenderConfig], Ask] = nobody,
    mended: Mended = AS_RELEASED,
) -> Scheduler:
    """A scheduler of an empty cluster at time 0. The first profile's QueueSort sorts for all.

    ``reach`` says how each extender of the configuration is asked; ``mended`` are known defects that the scheduler
    is without. Raises InputError where the configuration enables what does not exist, or cannot work.
    """
    extenders = tuple(Extender(extender, reach(extender)) for extender in extenders_in_order(config))
    frameworks = {
        profile.scheduler_name: framework_of(profile, extenders, gates, mended)
        for profile in resolve(config, gates)
    }
    queue_sort = next(iter(frameworks.values())).queue_sort_plugin
    assert queue_sort is not None
    less = queue_sort.less

    def queue(objects: ObjectStore, clock: Callable[[], float]) -> SchedulingQueue:
        return SchedulingQueue(
            less,
            {
                name: hint_table(framework.plugins, has_extenders=bool(extenders))
                for name, framework in frameworks.items()
            },
            {name: framework.pre_enqueue_plugins for name, framework in frameworks.items()},
            objects,
            float(config.pod_initial_backoff_seconds),
            float(config.pod_max_backoff_seconds),
            clock,
            pops_from_backoff=gates.enabled("SchedulerPopFromBackoffQ"),
        )

    scheduler = Scheduler(frameworks, queue, choices, start, frozen_timers)
    scheduler.state.objects.ledger(DeviceLedger)
    return scheduler
