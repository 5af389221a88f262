# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.34, as v1.34.2 has it: release 1.35, except for what is named here."""

from __future__ import annotations

from functools import partial
from typing import Any

from attrs import evolve

from refsched.config import gated_fields
from refsched.cycle.scheduling_cycle import scheduling_cycle
from refsched.framework.interface import Plugin
from refsched.machine.event_handlers import handle
from refsched.oddities.dynamic_resources import SLICES_OUT_OF_REACH
from refsched.releases.release import Release
from refsched.releases.v1_34.cache import Cache
from refsched.releases.v1_34.cycle import keep_nomination
from refsched.releases.v1_34.event_handlers import handle_unscheduled_pod
from refsched.releases.v1_34.plugins.dynamic_resources import DynamicResources
from refsched.releases.v1_34.plugins.volume_binding import VolumeBinding
from refsched.releases.v1_34.preemption import evict_asynchronously, evict_at_once
from refsched.releases.v1_34.queue import runs_pre_enqueue_before_either_queue
from refsched.releases.v1_35 import V1_35, without_expectation
from refsched.releases.v1_35.cycle.failure import handle_scheduling_failure
from refsched.releases.v1_37 import without_batching

NOT_YET = (
    "DRADeviceTaintRules",
    "GangScheduling",
    "GenericWorkload",
    "InPlacePodLevelResourcesVerticalScaling",
    "NodeDeclaredFeatures",
    "OpportunisticBatching",
    "TaintTolerationComparisonOperators",
    "VolumeLimitScaling",
)


def _without_dynamic_resources(release: Release) -> Release:
    return release.without_plugin("DynamicResources")


def _without_in_place_scaling(release: Release) -> Release:
    """Returns the release in which a pod that requests less than before is not requeued, and a pod's status does
    not count."""
    made_before = release.plugins["NodeResourcesFit"].make

    def make(args: Any) -> Plugin:
        plugin: Any = made_before(args)
        changed: Plugin = evolve(plugin, in_place_scaling=False)
        return changed

    changed = release.with_plugin(evolve(release.plugins["NodeResourcesFit"], make=make))
    return evolve(
        changed, disabled_fields=(*release.disabled_fields, gated_fields.without_resized_containers)
    )


def _preempting_at_once(release: Release) -> Release:
    return evolve(release, evict=evict_at_once)


GATES = (
    V1_35.gates["DynamicResourceAllocation"].earlier(default=True, otherwise=_without_dynamic_resources),
    V1_35.gates["InPlacePodVerticalScaling"].earlier(default=True, otherwise=_without_in_place_scaling),
    V1_35.gates["MatchLabelKeysInPodTopologySpreadSelectorMerge"].earlier(default=True),
    V1_35.gates["NominatedNodeNameForExpectation"].earlier(default=False),
    V1_35.gates["SchedulerAsyncPreemption"].earlier(default=True, otherwise=_preempting_at_once),
)

LACKS = {"R-DRA-18", "R-DRA-19", "R-DRA-123"}
"""DynamicResources does not score."""

OF_GATES = {"R-FEATURE-07"}
"""A gate may be off where one that needs it is on."""

OF_BATCHES = {"R-BATCH", "R-SEARCH-15"}
"""No pod is tried first where one like it has left a node."""

OF_EXPECTATION = {"R-BIND-07", "R-BIND-08", "R-VOLBIND-34"}
"""No binding cycle nominates its pod."""

V1_34 = evolve(
    without_expectation(without_batching(V1_35))
    .with_plugins(DynamicResources, VolumeBinding)
    .with_weight("DynamicResources", 0)
    .without_gates(*NOT_YET)
    .with_gates(*GATES),
    name="1.34",
    tag="v1.34.2",
    oddities=V1_35.oddities | {SLICES_OUT_OF_REACH},
    cache=Cache,
    queue=evolve(V1_35.queue, runs_pre_enqueue=runs_pre_enqueue_before_either_queue),
    scheduling_cycle=partial(
        scheduling_cycle, handle_failure=handle_scheduling_failure, without_post_filter=keep_nomination
    ),
    evict=evict_asynchronously,
    handle_event=partial(handle, unscheduled=handle_unscheduled_pod),
    lacks=V1_35.lacks | LACKS | OF_GATES | OF_BATCHES | OF_EXPECTATION,
)
