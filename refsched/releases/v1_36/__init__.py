# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.36, as v1.36.3 has it: release 1.37, except for what is named here."""

from __future__ import annotations

from functools import partial

from attrs import evolve

from refsched.oddities.dynamic_resources import SILENT_OWNER
from refsched.oddities.inter_pod_affinity import EXCLUDED_NAMESPACES, ONE_TERM_OF_MANY
from refsched.oddities.start_times import ORDER_OF_START_TIMES
from refsched.oddities.volume_binding import PANICS_AT_SCORE
from refsched.oddities.volume_restrictions import CLAIMS_OF_A_NODE_CREATED_ANEW
from refsched.preemption.eviction import evict_asynchronously
from refsched.releases.release import FeatureGate, Release
from refsched.releases.v1_36.cycle.batching import Batch
from refsched.releases.v1_36.objects import as_read
from refsched.releases.v1_36.plugins.default_preemption import DefaultPreemption
from refsched.releases.v1_36.plugins.dynamic_resources import DynamicResources
from refsched.releases.v1_36.plugins.image_locality import ImageLocality
from refsched.releases.v1_36.plugins.node_declared_features import NodeDeclaredFeatures
from refsched.releases.v1_36.plugins.node_name import NodeName
from refsched.releases.v1_36.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.releases.v1_36.plugins.node_resources_fit import NodeResourcesFit
from refsched.releases.v1_36.plugins.node_unschedulable import NodeUnschedulable
from refsched.releases.v1_36.plugins.taint_toleration import TaintToleration
from refsched.releases.v1_36.pod_level_defaults import whenever_stored
from refsched.releases.v1_36.preemption import preempt_pod
from refsched.releases.v1_36.queue import (
    changed_taints,
    last_attempt,
    never_examines_gated,
    nominates_on_activation,
    pod_update_events,
)
from refsched.releases.v1_37 import V1_37, without_storage_capacity_scoring, without_volume_limit_scaling

# --- Plugins --------------------------------------------------------------------------------------

PLUGINS = (
    DefaultPreemption,
    DynamicResources,
    ImageLocality,
    NodeDeclaredFeatures,
    NodeName,
    NodeResourcesBalancedAllocation,
    NodeResourcesFit,
    NodeUnschedulable,
    TaintToleration,
)


def _node_unschedulable_first(release: Release) -> Release:
    """Returns the release in which NodeUnschedulable comes before NodeName, so that a node which both reject is
    rejected by it."""
    plugins = release.default_plugins
    by_name = {plugin.name: plugin for plugin in plugins.multi_point.enabled}
    swapped = {"NodeName": "NodeUnschedulable", "NodeUnschedulable": "NodeName"}
    enabled = tuple(by_name[swapped.get(name, name)] for name in by_name)
    return evolve(
        release, default_plugins=evolve(plugins, multi_point=evolve(plugins.multi_point, enabled=enabled))
    )


# --- Feature gates --------------------------------------------------------------------------------

NOT_YET = (
    "CompositePodGroup",
    "DRADerivedAttributes",
    "DRADeviceCompatibilityGroups",
    "DRAFractionalCapacityRange",
    "DRAOptionalNodeOperations",
    "InPlacePodVerticalScalingSchedulerPreemption",
    "InterPodAffinityHostnameFastPath",
    "PodGroupPreemptionPolicy",
    "PodLevelResourcesFixDefaulting",
    "PodLevelResourcesFixKubeletQOSClass",
    "SchedulerPreQueueingHints",
)


def without_declared_features(release: Release) -> Release:
    return release.without_plugin("NodeDeclaredFeatures")


GATES = (
    *(
        V1_37.gates[name].earlier(default=True)
        for name in ("DRAExtendedResource", "DRAPrioritizedList", "DRAResourceClaimDeviceStatus")
    ),
    *(
        V1_37.gates[name].earlier(default=False)
        for name in ("DRADeviceTaintRules", "StorageCapacityScoring", "VolumeLimitScaling")
    ),
    V1_37.gates["NodeDeclaredFeatures"].earlier(default=True, otherwise=without_declared_features),
    FeatureGate("GangScheduling", False, "a group's pods wait for each other"),
    FeatureGate("SchedulerQueueingHints", True, "plugins say which events requeue a pod", locked=True),
    FeatureGate("SidecarContainers", True, "init containers that go on running", locked=True),
    FeatureGate("WorkloadAwarePreemption", False, "groups of pods preempt, and are preempted, as a whole"),
)

# --- The release ----------------------------------------------------------------------------------

LACKS = {
    *("R-DRA-35", "R-DRA-88", "R-DRA-89"),  # DeviceTaintRules; the deletion of a claim is no event
    "R-DRA-100",  # No allocation counts as about to be written while PreBind waits
    *(
        "R-VOLBIND-30",
        "R-VOLBIND-31",
        "R-VOLBIND-32",
        "R-VOLBIND-33",
        "R-VOLBIND-35",
        "R-ARGS-18",
    ),  # StorageCapacityScoring
    "R-VOLLIMIT-14",  # VolumeLimitScaling
    "R-NODENAME-02",
    "R-DRA-151",  # No selector is of a type that may be an optional
    "R-CHANGE-08",
    *("R-QUEUE-56", "R-QUEUE-57"),  # Gated pods that wait for too long
    *("R-PREEMPT-19", "R-PREEMPT-20", "R-PREEMPT-21", "R-PREEMPT-PREP-04"),
}

V1_36 = evolve(
    _node_unschedulable_first(without_volume_limit_scaling(without_storage_capacity_scoring(V1_37)))
    .with_plugins(*PLUGINS)
    .without_gates(*NOT_YET)
    .with_gates(*GATES),
    name="1.36",
    tag="v1.36.3",
    queue=evolve(
        V1_37.queue,
        nominates=nominates_on_activation,
        examines_gated=never_examines_gated,
        waits_since=last_attempt,
        further_events=changed_taints,
        update_events=pod_update_events,
    ),
    evict=partial(evict_asynchronously, preempt=preempt_pod),
    batch=Batch,
    oddities=V1_37.oddities - {ORDER_OF_START_TIMES, CLAIMS_OF_A_NODE_CREATED_ANEW} - PANICS_AT_SCORE
    | {EXCLUDED_NAMESPACES, ONE_TERM_OF_MANY, SILENT_OWNER},
    as_read=as_read,
    pod_level_defaults=whenever_stored,
    lacks=V1_37.lacks | LACKS,
)
