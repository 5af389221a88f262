# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.37, as v1.37.2 has it: its plugins with their weights, its queue, its cycle, its feature gates.

This is the release that the packages of the specification describe; each earlier one is the one after it, changed.

Promised: the default plugins and the feature gates are documented with kube-scheduler.
Shows in: config.
Source: pkg/scheduler/apis/config/v1/default_plugins.go; pkg/scheduler/framework/plugins/registry.go,
NewInTreeRegistry; pkg/features/kube_features.go; pkg/scheduler/framework/plugins/feature/feature.go,
NewSchedulerFeaturesFromGates.
"""

from __future__ import annotations

from functools import partial

from attrs import evolve

from refsched.cache.cache import Cache
from refsched.config import gated_fields
from refsched.config.default_plugins import merged_set
from refsched.config.of_release import ConfigOfRelease
from refsched.config.scalars import Int32
from refsched.config.types import Plugin as Enabled
from refsched.config.types import Plugins, PluginSet
from refsched.cycle.batching import Batch, NoBatch
from refsched.cycle.binding_cycle import binding_cycle, without_expectation
from refsched.cycle.decide import Decider
from refsched.cycle.scheduling_cycle import scheduling_cycle
from refsched.extenders.extender import Extender
from refsched.framework.runtime import Framework
from refsched.machine.event_handlers import handle, is_skipped, keep_assumed_pods
from refsched.oddities.known_defects import AS_RELEASED, LATER, MENDED
from refsched.oddities.node_resources import MATCHES_KEPT, SELECTORS_WITHOUT_CEL
from refsched.oddities.start_times import ORDER_OF_START_TIMES
from refsched.oddities.volume_binding import PANICS_AT_SCORE
from refsched.plugins import node_volume_limits_without_scaling, volume_binding_without_scores
from refsched.plugins.default_binder import DefaultBinder
from refsched.plugins.default_preemption import DefaultPreemption
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_args import DynamicResourcesArgsWithoutTimeout
from refsched.plugins.image_locality import ImageLocality
from refsched.plugins.inter_pod_affinity import InterPodAffinity
from refsched.plugins.node_affinity import NodeAffinity
from refsched.plugins.node_declared_features import NodeDeclaredFeatures
from refsched.plugins.node_name import NodeName
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.node_volume_limits import NodeVolumeLimits
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.plugins.priority_sort import PrioritySort
from refsched.plugins.scheduling_gates import SchedulingGates
from refsched.plugins.taint_toleration import TaintToleration
from refsched.plugins.volume_binding import VolumeBinding
from refsched.plugins.volume_restrictions import VolumeRestrictions
from refsched.plugins.volume_zone import VolumeZone
from refsched.preemption.eviction import evict_asynchronously, evict_at_once
from refsched.queue import requeueing
from refsched.queue.backoff import Backoff, to_the_second
from refsched.queue.behaviour import QueueBehaviour
from refsched.queue.cluster_events import pod_update_events
from refsched.queue.hint_table import HintTable
from refsched.queue.in_flight import InFlight
from refsched.queue.nominator import Nominator
from refsched.queue.transitions import QUEUED, TRANSITIONS
from refsched.releases.release import FeatureGate, Release, gates, in_tree

# --- Plugins --------------------------------------------------------------------------------------


PLUGINS = in_tree(
    DefaultBinder,
    DefaultPreemption,
    DynamicResources,
    ImageLocality,
    InterPodAffinity,
    NodeAffinity,
    NodeDeclaredFeatures,
    NodeName,
    NodePorts,
    NodeResourcesBalancedAllocation,
    NodeResourcesFit,
    NodeUnschedulable,
    NodeVolumeLimits,
    PodTopologySpread,
    PrioritySort,
    SchedulingGates,
    TaintToleration,
    VolumeBinding,
    VolumeRestrictions,
    VolumeZone,
)

DEFAULT_PLUGINS = Plugins(
    multi_point=PluginSet(
        (
            Enabled("SchedulingGates"),
            Enabled("PrioritySort"),
            Enabled("NodeName"),
            Enabled("NodeUnschedulable"),
            Enabled("TaintToleration", Int32(3)),
            Enabled("NodeAffinity", Int32(2)),
            Enabled("NodePorts"),
            Enabled("NodeResourcesFit", Int32(1)),
            Enabled("VolumeRestrictions"),
            Enabled("NodeVolumeLimits"),
            Enabled("VolumeBinding"),
            Enabled("VolumeZone"),
            Enabled("PodTopologySpread", Int32(2)),
            Enabled("InterPodAffinity", Int32(2)),
            Enabled("DynamicResources", Int32(2)),
            Enabled("DefaultPreemption"),
            Enabled("NodeResourcesBalancedAllocation", Int32(1)),
            Enabled("ImageLocality", Int32(1)),
            Enabled("DefaultBinder"),
            Enabled("NodeDeclaredFeatures"),
        )
    )
)
"""R-CONFIG-10: The default plugins are enabled through multiPoint in a fixed order, each with its weight;
DynamicResources only while feature gate DynamicResourceAllocation is on."""


# --- Feature gates that may be set otherwise ------------------------------------------------------


def _without_filter_timeout(release: Release) -> Release:
    plugin = evolve(release.plugins["DynamicResources"], args=DynamicResourcesArgsWithoutTimeout)
    return release.with_plugin(plugin)


def _without_match_label_keys(release: Release) -> Release:
    return evolve(release, disabled_fields=(*release.disabled_fields, gated_fields.without_match_label_keys))


def _without_pod_level_resources(release: Release) -> Release:
    return evolve(
        release, disabled_fields=(*release.disabled_fields, gated_fields.without_pod_level_resources)
    )


def _without_resized_pods(release: Release) -> Release:
    return evolve(release, disabled_fields=(*release.disabled_fields, gated_fields.without_resized_pods))


def _with_asynchronous_calls(release: Release) -> Release:
    """R-FEATURE-03 (observed: when a gated call is written is not part of the API): SchedulerAsyncAPICalls changes
    no decision, once what the scheduler wrote has come back."""
    return release


def without_storage_capacity_scoring(release: Release) -> Release:
    return release.with_plugins(volume_binding_without_scores.VolumeBinding)


def without_volume_limit_scaling(release: Release) -> Release:
    return release.with_plugins(node_volume_limits_without_scaling.NodeVolumeLimits)


def _without_expectation(release: Release) -> Release:
    return evolve(release, binding_cycle=partial(binding_cycle, before_permit=without_expectation))


def without_batching(release: Release) -> Release:
    return evolve(release, batch=NoBatch)


def _preempting_at_once(release: Release) -> Release:
    return evolve(release, evict=evict_at_once)


def _popping_from_active_queue_only(release: Release) -> Release:
    return evolve(release, queue=requeueing.popping_from_active_queue_only(release.queue))


GATES = gates(
    FeatureGate("CompositePodGroup", False, "groups of pods contain groups"),
    FeatureGate("DRAAdminAccess", True, "claims with admin access take devices that are in use", locked=True),
    FeatureGate("DRAConsumableCapacity", True, "a device is shared by its capacity"),
    FeatureGate("DRADerivedAttributes", False, "requests derive attributes of devices"),
    FeatureGate("DRADeviceBindingConditions", True, "PreBind waits for devices to be ready"),
    FeatureGate("DRADeviceCompatibilityGroups", False, "devices are allocated together in groups"),
    FeatureGate("DRADeviceTaintRules", True, "DeviceTaintRules add taints to devices"),
    FeatureGate("DRADeviceTaints", True, "devices have taints, claims tolerations"),
    FeatureGate("DRAExtendedResource", True, "devices stand in for extended resources", locked=True),
    FeatureGate("DRAFractionalCapacityRange", False, "capacities are rounded in thousandths"),
    FeatureGate("DRAListTypeAttributes", False, "attributes of devices are lists"),
    FeatureGate("DRANodeAllocatableResources", False, "devices take from the node's allocatable"),
    FeatureGate("DRAOptionalNodeOperations", False, "devices need no preparation on the node"),
    FeatureGate("DRAPartitionableDevices", True, "devices share counters"),
    FeatureGate("DRAPrioritizedList", True, "a request lists alternatives", locked=True),
    FeatureGate(
        "DRAResourceClaimDeviceStatus", True, "drivers report a device's state in claims", locked=True
    ),
    FeatureGate(
        "DRASchedulerFilterTimeout", True, "a search for devices is timed", otherwise=_without_filter_timeout
    ),
    FeatureGate("DynamicResourceAllocation", True, "DynamicResources is a default plugin", locked=True),
    FeatureGate("GenericWorkload", False, "pods are scheduled in groups"),
    FeatureGate(
        "InPlacePodLevelResourcesVerticalScaling",
        True,
        "a pod's status counts for its pod-level requests",
        otherwise=_without_resized_pods,
        needs="PodLevelResources",
    ),
    FeatureGate("InPlacePodVerticalScaling", True, "a pod's status counts for its requests", locked=True),
    FeatureGate(
        "InPlacePodVerticalScalingSchedulerPreemption", False, "pods are preempted for a deferred resize"
    ),
    FeatureGate("InterPodAffinityHostnameFastPath", False, "affinity on hostnames is computed otherwise"),
    FeatureGate(
        "MatchLabelKeysInPodTopologySpread",
        True,
        "matchLabelKeys of spread constraints",
        otherwise=_without_match_label_keys,
    ),
    FeatureGate(
        "MatchLabelKeysInPodTopologySpreadSelectorMerge",
        True,
        "the API server merges matchLabelKeys",
        needs="MatchLabelKeysInPodTopologySpread",
    ),
    FeatureGate("NodeDeclaredFeatures", True, "nodes declare features that pods require", locked=True),
    FeatureGate("NodeInclusionPolicyInPodTopologySpread", True, "which nodes spreading counts", locked=True),
    FeatureGate(
        "NominatedNodeNameForExpectation",
        True,
        "a nomination precedes what may take long",
        otherwise=_without_expectation,
    ),
    FeatureGate(
        "OpportunisticBatching",
        True,
        "equal pods are scheduled with the scores of the first",
        otherwise=without_batching,
    ),
    FeatureGate("PodGroupPreemptionPolicy", False, "groups of pods say whether they preempt"),
    FeatureGate(
        "PodLevelResources", True, "requests of the pod as a whole", otherwise=_without_pod_level_resources
    ),
    FeatureGate(
        "PodLevelResourcesFixDefaulting",
        True,
        "pod-level resources are defaulted at creation",
        needs="PodLevelResources",
    ),
    FeatureGate(
        "PodLevelResourcesFixKubeletQOSClass",
        True,
        "the kubelet computes the QoS class of a pod anew",
        needs="PodLevelResources",
    ),
    FeatureGate(
        "SchedulerAsyncAPICalls",
        False,
        "writes to the API server are queued",
        otherwise=_with_asynchronous_calls,
    ),
    FeatureGate(
        "SchedulerAsyncPreemption",
        True,
        "victims are deleted beside the cycle",
        otherwise=_preempting_at_once,
    ),
    FeatureGate(
        "SchedulerPopFromBackoffQ",
        True,
        "an idle scheduler pops from backoff",
        otherwise=_popping_from_active_queue_only,
    ),
    FeatureGate("SchedulerPreQueueingHints", False, "a hint is asked once for many pods"),
    FeatureGate(
        "StorageCapacityScoring",
        True,
        "VolumeBinding scores nodes by storage capacity",
        otherwise=without_storage_capacity_scoring,
    ),
    FeatureGate("TaintTolerationComparisonOperators", False, "tolerations compare numbers"),
    FeatureGate("TopologyAwareWorkloadScheduling", False, "groups of pods are placed by topology"),
    FeatureGate("VolumeAttributesClass", True, "a claim names the attributes of its volume", locked=True),
    FeatureGate(
        "VolumeLimitScaling",
        True,
        "a node needs the CSI drivers of a pod's volumes",
        otherwise=without_volume_limit_scaling,
    ),
)

# --- The release ----------------------------------------------------------------------------------

V1_37 = Release(
    name="1.37",
    tag="v1.37.2",
    api_versions=("kubescheduler.config.k8s.io/v1",),
    plugins=PLUGINS,
    default_plugins=DEFAULT_PLUGINS,
    oddities=AS_RELEASED - MENDED
    | LATER
    | {ORDER_OF_START_TIMES, *PANICS_AT_SCORE, SELECTORS_WITHOUT_CEL, MATCHES_KEPT},
    config=ConfigOfRelease(
        defaults={
            "parallelism": 16,
            "percentageOfNodesToScore": 0,
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 10,
        },
        merged_set=merged_set,
        checked_where_enabled=frozenset({"NodeResourcesFit"}),
        removed_plugins=frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}),
        misnamed_args=frozenset({"NodeResourcesFitArgs"}),
    ),
    framework=Framework,
    cache=Cache,
    extender=Extender,
    queue=QueueBehaviour(
        transitions=TRANSITIONS,
        heads=requeueing.heads_of_both_queues,
        runs_pre_enqueue=requeueing.runs_pre_enqueue_before_either_queue,
        nominates=requeueing.nominates_on_entry,
        examines_gated=requeueing.examines_gated_on_wild_card,
        waits_since=requeueing.last_attempt_or_flush,
        update_events=pod_update_events,
        occurrence_of_update=requeueing.counts_as_update,
        places_that_end_an_update=QUEUED,
        on_event=HintTable.strategy,
        after_attempt=requeueing.strategy_by_hints,
        occurrence=requeueing.occurrence,
        keeps_signature=requeueing.keeps_first_signature,
        backoff=lambda initial, maximum: Backoff(initial, maximum, to_the_second),
        in_flight=InFlight,
        nominator=Nominator,
        max_seconds_unschedulable=300.0,
    ),
    scheduling_cycle=scheduling_cycle,
    decider=Decider,
    batch=Batch,
    evict=evict_asynchronously,
    binding_cycle=binding_cycle,
    handle_event=handle,
    is_skipped=is_skipped,
    clean_up_cache=keep_assumed_pods,
    gates=GATES,
)
