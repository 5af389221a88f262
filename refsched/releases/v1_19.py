# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.19, as v1.19.16 has it: its plugins with their weights, its queue, its cycle, its feature gates.

Written whole. What v1.34 decides likewise is used from where it stands; what differs is named here.
Rules: R-CONFIG-53.   Source: pkg/scheduler/algorithmprovider/registry.go, getDefaultConfig, applyFeatureGates;
pkg/scheduler/framework/plugins/registry.go, NewInTreeRegistry; pkg/features/kube_features.go (v1.19.16).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from refsched.cache.v1_19 import Cache
from refsched.config import v1beta1 as of
from refsched.config.args import PluginArgs
from refsched.config.rules import ConfigRules
from refsched.config.scalars import Int32
from refsched.config.types import Plugin as Enabled
from refsched.config.types import Plugins, PluginSet
from refsched.cycle.rules import CycleRules
from refsched.cycle.v1_19.binding_cycle import binding_cycle
from refsched.cycle.v1_19.preparation import prepare
from refsched.cycle.v1_19.scheduling_cycle import scheduling_cycle
from refsched.cycle.v1_19.wording import refusal
from refsched.extenders.v1_19 import Extender
from refsched.framework.interface import Handle, Plugin
from refsched.framework.v1_19 import Framework
from refsched.machine.v1_19 import MACHINE
from refsched.objects.pod import TopologySpreadConstraint
from refsched.oddities.v1_19 import AS_RELEASED
from refsched.plugins.default_binder import DefaultBinder
from refsched.plugins.node_label import NodeLabel
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.node_prefer_avoid_pods import NodePreferAvoidPods
from refsched.plugins.node_resources_least_allocated import NodeResourcesLeastAllocated
from refsched.plugins.node_resources_most_allocated import NodeResourcesMostAllocated
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.non_csi_volume_limits import (
    AZURE_DISK,
    CINDER,
    EBS,
    GCE_PD,
    CloudDisks,
    NonCSIVolumeLimits,
)
from refsched.plugins.priority_sort import PrioritySort
from refsched.plugins.requested_to_capacity_ratio import RequestedToCapacityRatio
from refsched.plugins.resource_scoring import ResourceSpec
from refsched.plugins.scripted import Scripted, ScriptedBinder
from refsched.plugins.selector_spread import SelectorSpread
from refsched.plugins.service_affinity import ServiceAffinity
from refsched.plugins.v1_19.default_preemption import DefaultPreemption
from refsched.plugins.v1_19.image_locality import ImageLocality
from refsched.plugins.v1_19.inter_pod_affinity import InterPodAffinity
from refsched.plugins.v1_19.node_affinity import NodeAffinity
from refsched.plugins.v1_19.node_name import NodeName
from refsched.plugins.v1_19.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.plugins.v1_19.node_resources_fit import NodeResourcesFit
from refsched.plugins.v1_19.node_volume_limits import NodeVolumeLimits
from refsched.plugins.v1_19.pod_topology_spread import PodTopologySpread
from refsched.plugins.v1_19.taint_toleration import TaintToleration
from refsched.plugins.v1_19.volume_binding import VolumeBinding
from refsched.plugins.v1_19.volume_restrictions import VolumeRestrictions
from refsched.plugins.v1_19.volume_zone import VolumeZone
from refsched.queue.v1_19.requeueing import QUEUE
from refsched.releases.release import FeatureGate, InTreePlugin, Release, by_name

# --- Plugins --------------------------------------------------------------------------------------


def _resources(resources: Sequence[of.ResourceSpec]) -> tuple[ResourceSpec, ...]:
    return tuple(ResourceSpec(resource.name, resource.weight) for resource in resources)


def _inter_pod_affinity(args: of.InterPodAffinityArgs, handle: Handle) -> Plugin:
    return InterPodAffinity(args.hard_pod_affinity_weight)


def _least_allocated(args: of.NodeResourcesAllocatedArgs, handle: Handle) -> Plugin:
    return NodeResourcesLeastAllocated(_resources(args.resources))


def _most_allocated(args: of.NodeResourcesAllocatedArgs, handle: Handle) -> Plugin:
    return NodeResourcesMostAllocated(_resources(args.resources))


def _node_label(args: of.NodeLabelArgs, handle: Handle) -> Plugin:
    return NodeLabel(
        args.present_labels,
        args.absent_labels,
        args.present_labels_preference,
        args.absent_labels_preference,
    )


def _node_resources_fit(args: of.NodeResourcesFitArgs, handle: Handle) -> Plugin:
    return NodeResourcesFit(frozenset(args.ignored_resources), frozenset(args.ignored_resource_groups))


def _pod_topology_spread(args: of.PodTopologySpreadArgs, handle: Handle) -> Plugin:
    return PodTopologySpread(args.default_constraints)


def _requested_to_capacity_ratio(args: of.RequestedToCapacityRatioArgs, handle: Handle) -> Plugin:
    return RequestedToCapacityRatio(args.shape, _resources(args.resources))


def _service_affinity(args: of.ServiceAffinityArgs, handle: Handle) -> Plugin:
    return ServiceAffinity(args.affinity_labels, args.anti_affinity_labels_preference)


def _volume_binding(args: of.VolumeBindingArgs, handle: Handle) -> Plugin:
    return VolumeBinding(float(args.bind_timeout_seconds))


def _plugin(name: str, points: str, make: Any, args: type[PluginArgs] | None = None) -> InTreePlugin:
    return InTreePlugin(name, frozenset(points.split()), make, args)


def _disk_limits(disks: CloudDisks) -> InTreePlugin:
    return _plugin(disks.plugin, "filter", lambda args, handle: NonCSIVolumeLimits(disks))


_STAGES = "reserve permit preBind postBind"

PLUGINS = by_name(
    (
        _plugin("DefaultBinder", "bind", lambda args, handle: DefaultBinder()),
        _plugin("DefaultPreemption", "postFilter", lambda args, handle: DefaultPreemption(handle.extenders)),
        _plugin("ImageLocality", "score", lambda args, handle: ImageLocality()),
        _plugin(
            "InterPodAffinity",
            "preFilter filter preScore score",
            _inter_pod_affinity,
            of.InterPodAffinityArgs,
        ),
        _plugin("NodeAffinity", "filter score", lambda args, handle: NodeAffinity()),
        _plugin("NodeLabel", "filter score", _node_label, of.NodeLabelArgs),
        _plugin("NodeName", "filter", lambda args, handle: NodeName()),
        _plugin("NodePorts", "preFilter filter", lambda args, handle: NodePorts()),
        _plugin("NodePreferAvoidPods", "score", lambda args, handle: NodePreferAvoidPods()),
        _plugin(
            "NodeResourcesBalancedAllocation",
            "score",
            lambda args, handle: NodeResourcesBalancedAllocation(),
        ),
        _plugin("NodeResourcesFit", "preFilter filter", _node_resources_fit, of.NodeResourcesFitArgs),
        _plugin("NodeResourcesLeastAllocated", "score", _least_allocated, of.NodeResourcesAllocatedArgs),
        _plugin("NodeResourcesMostAllocated", "score", _most_allocated, of.NodeResourcesAllocatedArgs),
        _plugin("NodeUnschedulable", "filter", lambda args, handle: NodeUnschedulable()),
        _plugin("NodeVolumeLimits", "filter", lambda args, handle: NodeVolumeLimits()),
        *(_disk_limits(disks) for disks in (EBS, GCE_PD, AZURE_DISK, CINDER)),
        _plugin(
            "PodTopologySpread",
            "preFilter filter preScore score",
            _pod_topology_spread,
            of.PodTopologySpreadArgs,
        ),
        _plugin("PrioritySort", "queueSort", lambda args, handle: PrioritySort()),
        _plugin(
            "RequestedToCapacityRatio", "score", _requested_to_capacity_ratio, of.RequestedToCapacityRatioArgs
        ),
        _plugin("SelectorSpread", "preScore score", lambda args, handle: SelectorSpread()),
        _plugin("ServiceAffinity", "preFilter filter score", _service_affinity, of.ServiceAffinityArgs),
        _plugin("TaintToleration", "filter preScore score", lambda args, handle: TaintToleration()),
        _plugin("VolumeBinding", "preFilter filter reserve preBind", _volume_binding, of.VolumeBindingArgs),
        _plugin("VolumeRestrictions", "filter", lambda args, handle: VolumeRestrictions()),
        _plugin("VolumeZone", "filter", lambda args, handle: VolumeZone()),
        _plugin("ScriptedA", _STAGES, lambda args, handle: Scripted("ScriptedA")),
        _plugin("ScriptedB", _STAGES, lambda args, handle: Scripted("ScriptedB")),
        _plugin("ScriptedBinder", "bind", lambda args, handle: ScriptedBinder()),
    )
)


def _enabled(*names: str) -> PluginSet:
    return PluginSet(tuple(Enabled(name) for name in names))


def _weighted(**weights: int) -> PluginSet:
    return PluginSet(tuple(Enabled(name, Int32(weight)) for name, weight in weights.items()))


DEFAULT_PLUGINS = Plugins(
    queue_sort=_enabled("PrioritySort"),
    pre_filter=_enabled(
        "NodeResourcesFit", "NodePorts", "PodTopologySpread", "InterPodAffinity", "VolumeBinding"
    ),
    filter=_enabled(
        "NodeUnschedulable",
        "NodeResourcesFit",
        "NodeName",
        "NodePorts",
        "NodeAffinity",
        "VolumeRestrictions",
        "TaintToleration",
        "EBSLimits",
        "GCEPDLimits",
        "NodeVolumeLimits",
        "AzureDiskLimits",
        "VolumeBinding",
        "VolumeZone",
        "PodTopologySpread",
        "InterPodAffinity",
    ),
    post_filter=_enabled("DefaultPreemption"),
    pre_score=_enabled("InterPodAffinity", "PodTopologySpread", "TaintToleration", "SelectorSpread"),
    score=_weighted(
        NodeResourcesBalancedAllocation=1,
        ImageLocality=1,
        InterPodAffinity=1,
        NodeResourcesLeastAllocated=1,
        NodeAffinity=1,
        NodePreferAvoidPods=10000,
        PodTopologySpread=2,
        TaintToleration=1,
        SelectorSpread=1,
    ),
    reserve=_enabled("VolumeBinding"),
    pre_bind=_enabled("VolumeBinding"),
    bind=_enabled("DefaultBinder"),
)
"""R-CONFIG-53: In v1.19 these plugins are enabled by default, point by point, in this order and with these
weights; SelectorSpread only while feature gate DefaultPodTopologySpread is off."""


# --- Feature gates that may be set otherwise ------------------------------------------------------

_SPREAD_BY_DEFAULT = (
    TopologySpreadConstraint(3, "kubernetes.io/hostname", "ScheduleAnyway"),
    TopologySpreadConstraint(5, "topology.kubernetes.io/zone", "ScheduleAnyway"),
)


def _spreading_by_constraints(release: Release) -> Release:
    """Default constraints take the place of SelectorSpread, which a configuration may still enable."""

    def make(args: of.PodTopologySpreadArgs, handle: Handle) -> Plugin:
        return PodTopologySpread(args.default_constraints or _SPREAD_BY_DEFAULT)

    plugins = release.default_plugins
    kept = {
        point: evolve(found, enabled=tuple(p for p in found.enabled if p.name != "SelectorSpread"))
        for point, found in plugins.by_field().items()
    }
    changed = release.with_plugin(evolve(release.plugins["PodTopologySpread"], make=make))
    return evolve(changed, default_plugins=evolve(plugins, **kept))


GATES = {
    gate.name: gate
    for gate in (
        FeatureGate("BalanceAttachedNodeVolumes", False, "alpha", "balance counts attached volumes"),
        FeatureGate("CSIMigration", True, "beta", "drivers may stand in for in-tree volume plugins"),
        FeatureGate("CSIMigrationAWS", False, "beta", "a driver stands in for EBS"),
        FeatureGate("CSIMigrationAzureDisk", False, "beta", "a driver stands in for Azure disks"),
        FeatureGate("CSIMigrationGCE", False, "beta", "a driver stands in for GCE disks"),
        FeatureGate("CSIMigrationOpenStack", False, "beta", "a driver stands in for Cinder"),
        FeatureGate("CSIStorageCapacity", False, "alpha", "drivers say how much they can provision"),
        FeatureGate(
            "DefaultPodTopologySpread",
            False,
            "alpha",
            "default constraints take the place of SelectorSpread",
            otherwise=_spreading_by_constraints,
        ),
        FeatureGate("EvenPodsSpread", True, "GA", "topology spread constraints", locked=True),
        FeatureGate("GenericEphemeralVolume", False, "alpha", "claims that are made for one pod alone"),
        FeatureGate("LocalStorageCapacityIsolation", True, "beta", "ephemeral storage is a resource"),
        FeatureGate("NonPreemptingPriority", True, "beta", "preemptionPolicy of pods"),
        FeatureGate("PodDisruptionBudget", True, "beta", "budgets count in preemption"),
        FeatureGate("PodOverhead", True, "beta", "overhead of pods"),
    )
}

# --- The release ----------------------------------------------------------------------------------

V1_19 = Release(
    name="1.19",
    tag="v1.19.16",
    api_versions=("kubescheduler.config.k8s.io/v1beta1",),
    plugins=PLUGINS,
    default_plugins=DEFAULT_PLUGINS,
    config=ConfigRules(
        read_fields=of.read_fields,
        merged_set=of.merged_set,
        checked_where_enabled=frozenset(name for name, plugin in PLUGINS.items() if plugin.args is not None),
        check_enabled=of.check_enabled,
    ),
    framework=Framework,
    cache=Cache,
    extender=Extender,
    queue=QUEUE,
    cycle=CycleRules(scheduling_cycle, binding_cycle, refusal, prepare),
    machine=MACHINE,
    gates=GATES,
    oddities=AS_RELEASED,
)
