# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.35, as v1.35.4 has it: release 1.36, except for what is named here."""

from __future__ import annotations

from functools import partial

from attrs import evolve

from refsched.config import gated_fields
from refsched.cycle.binding_cycle import binding_cycle
from refsched.cycle.binding_cycle import without_expectation as do_without_expectation
from refsched.cycle.scheduling_cycle import scheduling_cycle
from refsched.oddities.dynamic_resources import ALL_OF_AN_ALTERNATIVE, MATCHED_BY_AN_ALTERNATIVE, SILENT_OWNER
from refsched.oddities.inter_pod_affinity import REQUIRED_APART_BY_A_DELETED_POD
from refsched.oddities.node_resources import MATCHES_KEPT, SELECTORS_WITHOUT_CEL
from refsched.preemption.eviction import evict_asynchronously, evict_at_once
from refsched.releases.release import FeatureGate, Release
from refsched.releases.v1_35.cycle.failure import handle_scheduling_failure
from refsched.releases.v1_35.objects import as_read
from refsched.releases.v1_35.plugins.dynamic_resources import DynamicResources
from refsched.releases.v1_35.plugins.dynamic_resources_args import DynamicResourcesArgsWithoutTimeout
from refsched.releases.v1_35.plugins.image_locality import ImageLocality
from refsched.releases.v1_35.plugins.inter_pod_affinity import InterPodAffinity
from refsched.releases.v1_35.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.releases.v1_35.plugins.node_resources_fit import NodeResourcesFit
from refsched.releases.v1_35.plugins.node_volume_limits import NodeVolumeLimits
from refsched.releases.v1_35.plugins.pod_topology_spread import PodTopologySpread
from refsched.releases.v1_35.preemption import preempt_pod
from refsched.releases.v1_35.queue import keeps_no_signature
from refsched.releases.v1_36 import V1_36, without_declared_features

PLUGINS = (
    DynamicResources,
    ImageLocality,
    InterPodAffinity,
    NodeResourcesBalancedAllocation,
    NodeResourcesFit,
    NodeVolumeLimits,
    PodTopologySpread,
)

NOT_YET = (
    "DRAListTypeAttributes",
    "DRANodeAllocatableResources",
    "TopologyAwareWorkloadScheduling",
    "WorkloadAwarePreemption",
)


def without_expectation(release: Release) -> Release:
    return evolve(
        release,
        binding_cycle=partial(
            binding_cycle,
            handle_failure=handle_scheduling_failure,
            before_permit=do_without_expectation,
        ),
    )


def _without_filter_timeout(release: Release) -> Release:
    plugin = evolve(release.plugins["DynamicResources"], args=DynamicResourcesArgsWithoutTimeout)
    return release.with_plugin(plugin)


def _preempting_at_once(release: Release) -> Release:
    return evolve(release, evict=partial(evict_at_once, preempt=preempt_pod))


OFF = (
    "DRAConsumableCapacity",
    "DRADeviceBindingConditions",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAPartitionableDevices",
    "InPlacePodLevelResourcesVerticalScaling",
    "NodeDeclaredFeatures",
)
"""These gates are off by default."""

GATES = (
    FeatureGate("CSIMigrationPortworx", True, "in-tree Portworx volumes count as CSI volumes", locked=True),
    *(V1_36.gates[name].earlier(default=False) for name in OFF),
    *(V1_36.gates[name].earlier(default=True) for name in ("DRAAdminAccess", "VolumeAttributesClass")),
    V1_36.gates["DRASchedulerFilterTimeout"].earlier(default=True, otherwise=_without_filter_timeout),
    V1_36.gates["NominatedNodeNameForExpectation"].earlier(default=True, otherwise=without_expectation),
    V1_36.gates["SchedulerAsyncPreemption"].earlier(default=True, otherwise=_preempting_at_once),
)

OF_FEATURES = {"R-BATCH-29", "R-DECLARED-01", "R-DECLARED-02", "R-DECLARED-03", "R-DECLARED-04"}
"""There is no plugin NodeDeclaredFeatures."""

OF_HINTS = {"R-PODAFF-16", "R-PODAFF-17", "R-SPREAD-18"}
"""The pod's own labels, and pods that are nominated, requeue no pod."""

OF_CANCELLED_BINDINGS = {"R-BIND-06", "R-BIND-09"}
"""No binding is cancelled."""

OF_TAINTS = {"R-DRA-33", "R-DRA-34", "R-DRA-64"}
OF_COUNTERS = {"R-DRA-28", "R-DRA-29", "R-DRA-36", "R-DRA-39", "R-DRA-101", "R-DRA-103", "R-DRA-107"}
OF_SHARES = {
    *("R-DRA-31", "R-DRA-38", "R-DRA-46", "R-DRA-47", "R-DRA-48", "R-DRA-49", "R-DRA-63", "R-DRA-86"),
    *("R-DRA-102", "R-DRA-105", "R-DRA-106"),
}
OF_BINDING_CONDITIONS = {"R-DRA-97", "R-DRA-98", "R-DRA-99"}
OF_EXTENDED_RESOURCES = {
    "R-BATCH-23",
    *("R-DRA-90", "R-DRA-91", "R-DRA-92", "R-DRA-93", "R-DRA-94", "R-DRA-95", "R-DRA-96"),
    "R-DRA-157",
    *("R-FIT-13", "R-FIT-14", "R-FIT-15", "R-FIT-16"),
    "R-BALANCED-07",
}
"""Devices have no taints, counters, shares and binding conditions, and serve no extended resources."""

OF_RESIZED_PODS = {"R-REQUEST-17"}
"""The status of a pod does not count for its pod-level requests."""

V1_35 = evolve(
    without_declared_features(V1_36).with_plugins(*PLUGINS).without_gates(*NOT_YET).with_gates(*GATES),
    name="1.35",
    tag="v1.35.4",
    oddities=V1_36.oddities - {SILENT_OWNER, SELECTORS_WITHOUT_CEL, MATCHES_KEPT}
    | {MATCHED_BY_AN_ALTERNATIVE, ALL_OF_AN_ALTERNATIVE, REQUIRED_APART_BY_A_DELETED_POD},
    queue=evolve(V1_36.queue, keeps_signature=keeps_no_signature),
    scheduling_cycle=partial(scheduling_cycle, handle_failure=handle_scheduling_failure),
    binding_cycle=partial(binding_cycle, handle_failure=handle_scheduling_failure),
    evict=partial(evict_asynchronously, preempt=preempt_pod),
    as_read=as_read,
    disabled_fields=(*V1_36.disabled_fields, gated_fields.without_resized_pods),
    lacks=V1_36.lacks
    | OF_FEATURES
    | OF_HINTS
    | OF_CANCELLED_BINDINGS
    | OF_TAINTS
    | OF_COUNTERS
    | OF_SHARES
    | OF_BINDING_CONDITIONS
    | OF_EXTENDED_RESOURCES
    | OF_RESIZED_PODS,
)
