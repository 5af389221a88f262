# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.19, as v1.19.16 has it: its plugins with their weights, its queue, its cycle, its feature gates.

This release is written whole: it names what decides as v1.34 does, and what differs.
Promised: the default plugins and the feature gates are documented with kube-scheduler.
Shows in: config.
Source: pkg/scheduler/algorithmprovider/registry.go, getDefaultConfig, applyFeatureGates;
pkg/scheduler/framework/plugins/registry.go, NewInTreeRegistry; pkg/features/kube_features.go.
"""

from __future__ import annotations

from attrs import evolve

from refsched.config.of_release import ConfigOfRelease
from refsched.config.scalars import Int32
from refsched.config.types import Plugin as Enabled
from refsched.config.types import Plugins, PluginSet
from refsched.cycle.batching import NoBatch
from refsched.framework.interface import Plugin
from refsched.framework.status import Code
from refsched.objects.pod import TopologySpreadConstraint
from refsched.plugins.default_binder import DefaultBinder
from refsched.plugins.priority_sort import PrioritySort
from refsched.releases.release import FeatureGate, Release, gates, in_tree
from refsched.releases.v1_19.cache import Cache
from refsched.releases.v1_19.config import NOT_YET as FIELDS_NOT_YET
from refsched.releases.v1_19.config import UNREAD, check_enabled, merged_set
from refsched.releases.v1_19.cycle.binding_cycle import binding_cycle
from refsched.releases.v1_19.cycle.decide import Decider
from refsched.releases.v1_19.cycle.scheduling_cycle import scheduling_cycle
from refsched.releases.v1_19.extenders import Extender
from refsched.releases.v1_19.framework import Framework
from refsched.releases.v1_19.machine import clean_up, handle, is_skipped
from refsched.releases.v1_19.objects import as_read
from refsched.releases.v1_19.oddities import AS_RELEASED
from refsched.releases.v1_19.plugins.default_preemption import DefaultPreemption
from refsched.releases.v1_19.plugins.image_locality import ImageLocality
from refsched.releases.v1_19.plugins.inter_pod_affinity import InterPodAffinity
from refsched.releases.v1_19.plugins.node_affinity import NodeAffinity
from refsched.releases.v1_19.plugins.node_label import NodeLabel
from refsched.releases.v1_19.plugins.node_name import NodeName
from refsched.releases.v1_19.plugins.node_ports import NodePorts
from refsched.releases.v1_19.plugins.node_prefer_avoid_pods import NodePreferAvoidPods
from refsched.releases.v1_19.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.releases.v1_19.plugins.node_resources_fit import NodeResourcesFit
from refsched.releases.v1_19.plugins.node_resources_least_allocated import NodeResourcesLeastAllocated
from refsched.releases.v1_19.plugins.node_resources_most_allocated import NodeResourcesMostAllocated
from refsched.releases.v1_19.plugins.node_volume_limits import NodeVolumeLimits
from refsched.releases.v1_19.plugins.non_csi_volume_limits import (
    AZURE_DISK,
    CINDER,
    EBS,
    GCE_PD,
    NonCSIVolumeLimits,
)
from refsched.releases.v1_19.plugins.pod_topology_spread import PodTopologySpread, PodTopologySpreadArgs
from refsched.releases.v1_19.plugins.requested_to_capacity_ratio import RequestedToCapacityRatio
from refsched.releases.v1_19.plugins.selector_spread import SelectorSpread
from refsched.releases.v1_19.plugins.service_affinity import ServiceAffinity
from refsched.releases.v1_19.plugins.taint_toleration import TaintToleration
from refsched.releases.v1_19.plugins.volume_binding import VolumeBinding
from refsched.releases.v1_19.plugins.volume_restrictions import VolumeRestrictions
from refsched.releases.v1_19.plugins.volume_zone import VolumeZone
from refsched.releases.v1_19.preemption import evict
from refsched.releases.v1_19.queue.requeueing import QUEUE
from refsched.releases.v1_19.rules import LACKS
from refsched.releases.v1_36.plugins.node_unschedulable import NodeUnschedulable

# --- Plugins --------------------------------------------------------------------------------------


PLUGINS = in_tree(
    DefaultBinder,
    DefaultPreemption,
    ImageLocality,
    InterPodAffinity,
    NodeAffinity,
    NodeLabel,
    NodeName,
    NodePorts,
    NodePreferAvoidPods,
    NodeResourcesBalancedAllocation,
    NodeResourcesFit,
    NodeResourcesLeastAllocated,
    NodeResourcesMostAllocated,
    NodeUnschedulable,
    NodeVolumeLimits,
    NonCSIVolumeLimits(EBS),
    NonCSIVolumeLimits(GCE_PD),
    NonCSIVolumeLimits(AZURE_DISK),
    NonCSIVolumeLimits(CINDER),
    PodTopologySpread,
    PrioritySort,
    RequestedToCapacityRatio,
    SelectorSpread,
    ServiceAffinity,
    TaintToleration,
    VolumeBinding,
    VolumeRestrictions,
    VolumeZone,
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
"""R-CONFIG-53 (instead of R-CONFIG-10): In v1.19 the default plugins are enabled point by point, in a fixed order
and with fixed weights; SelectorSpread only while feature gate DefaultPodTopologySpread is off."""


# --- Feature gates that may be set otherwise ------------------------------------------------------

_SPREAD_BY_DEFAULT = (
    TopologySpreadConstraint(3, "kubernetes.io/hostname", "ScheduleAnyway"),
    TopologySpreadConstraint(5, "topology.kubernetes.io/zone", "ScheduleAnyway"),
)


def _spreading_by_constraints(release: Release) -> Release:
    """Returns the release in which default constraints replace SelectorSpread, which a configuration may still
    enable."""

    def make(args: PodTopologySpreadArgs) -> Plugin:
        return PodTopologySpread(args.default_constraints or _SPREAD_BY_DEFAULT)

    changed = release.with_plugin(evolve(release.plugins["PodTopologySpread"], make=make))
    return changed.without_default("SelectorSpread")


GATES = gates(
    FeatureGate("BalanceAttachedNodeVolumes", False, "balance counts attached volumes"),
    FeatureGate("CSIMigration", True, "drivers may stand in for in-tree volume plugins"),
    FeatureGate("CSIMigrationAWS", False, "a driver stands in for EBS"),
    FeatureGate("CSIMigrationAzureDisk", False, "a driver stands in for Azure disks"),
    FeatureGate("CSIMigrationGCE", False, "a driver stands in for GCE disks"),
    FeatureGate("CSIMigrationOpenStack", False, "a driver stands in for Cinder"),
    FeatureGate("CSIStorageCapacity", False, "drivers say how much they can provision"),
    FeatureGate(
        "DefaultPodTopologySpread",
        False,
        "default constraints take the place of SelectorSpread",
        otherwise=_spreading_by_constraints,
    ),
    FeatureGate("EvenPodsSpread", True, "topology spread constraints", locked=True),
    FeatureGate("GenericEphemeralVolume", False, "claims that are made for one pod alone"),
    FeatureGate("LocalStorageCapacityIsolation", True, "ephemeral storage is a resource"),
    FeatureGate("NonPreemptingPriority", True, "preemptionPolicy of pods"),
    FeatureGate("PodDisruptionBudget", True, "budgets count in preemption"),
    FeatureGate("PodOverhead", True, "overhead of pods"),
)

# --- The API ----------------------------------------------------------------------------------------

NOT_YET = (
    "CSIStorageCapacity",
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceSlice",
    *(
        f"Pod.spec.affinity.{kind}.{terms}.{field}"
        for kind in ("podAffinity", "podAntiAffinity")
        for terms in (
            "requiredDuringSchedulingIgnoredDuringExecution[]",
            "preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm",
        )
        for field in ("matchLabelKeys", "mismatchLabelKeys", "namespaceSelector")
    ),
    "PersistentVolume.spec.volumeAttributesClassName",
    "PersistentVolumeClaim.spec.volumeAttributesClassName",
    "Pod.spec.containers[].restartPolicy",
    "Pod.spec.initContainers[].restartPolicy",
    "Pod.spec.resourceClaims",
    "Pod.spec.resources",
    "Pod.spec.schedulingGates",
    "Pod.spec.topologySpreadConstraints[].matchLabelKeys",
    "Pod.spec.topologySpreadConstraints[].minDomains",
    "Pod.spec.topologySpreadConstraints[].nodeAffinityPolicy",
    "Pod.spec.topologySpreadConstraints[].nodeTaintsPolicy",
    "Pod.spec.volumes[].ephemeral",
    "Pod.status.allocatedResources",
    "Pod.status.containerStatuses[].allocatedResources",
    "Pod.status.containerStatuses[].resources",
    "Pod.status.initContainerStatuses[].allocatedResources",
    "Pod.status.initContainerStatuses[].resources",
    "Pod.status.resourceClaimStatuses",
    "Pod.status.resources",
)
"""R-FEATURE-51: In v1.19 a field or a kind that the API did not have yet, or only behind a feature gate that is
off by default, is ignored.

Source: k8s.io/api/core/v1/types.go, which has no such field; pkg/features/kube_features.go,
GenericEphemeralVolume, CSIStorageCapacity.
"""

# --- The release ----------------------------------------------------------------------------------

V1_19 = Release(
    name="1.19",
    tag="v1.19.16",
    api_versions=("kubescheduler.config.k8s.io/v1beta1",),
    plugins=PLUGINS,
    default_plugins=DEFAULT_PLUGINS,
    config=ConfigOfRelease(
        defaults={
            "parallelism": 16,
            "percentageOfNodesToScore": 0,
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 10,
        },
        merged_set=merged_set,
        checked_where_enabled=frozenset(name for name, plugin in PLUGINS.items() if plugin.args is not None),
        check_enabled=check_enabled,
        not_yet=FIELDS_NOT_YET,
        unread=UNREAD,
    ),
    framework=Framework,
    cache=lambda: Cache(expiration=30.0),
    extender=Extender,
    queue=QUEUE,
    scheduling_cycle=scheduling_cycle,
    decider=Decider,
    batch=NoBatch,
    evict=evict,
    binding_cycle=binding_cycle,
    handle_event=handle,
    is_skipped=is_skipped,
    clean_up_cache=clean_up,
    gates=GATES,
    not_yet=NOT_YET,
    codes_not_yet=(Code.PENDING,),
    as_read=as_read,
    served_as={"PodDisruptionBudget": "policy/v1beta1"},
    oddities=AS_RELEASED,
    lacks=LACKS,
)
