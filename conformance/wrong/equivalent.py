# SPDX-License-Identifier: Apache-2.0
"""Equivalent: mutants of which nobody outside can tell, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

_OF_DEFECTS: Mapping[str, Mapping[str, int]] = {
    "defects_that_matter": {
        "all-any": 5,
        "once": 4,
        "and-or": 5,
        "part": 10,
        "not": 1,
        "set": 1,
        "omission": 5,
        "negated": 1,
        "off-by-one": 2,
        "comparison": 1,
        "flag": 2,
    },
    "_asking_for_all": {"once": 3},
}
_OF_DEFECTS_MET: Mapping[str, int] = {
    "omission": 1,
    "comparison": 3,
    "off-by-one": 1,
    "once": 3,
    "filter": 1,
    "all-any": 1,
    "and-or": 1,
    "part": 2,
    "sign": 1,
    "set": 2,
}
"""How many mutants of each operator there are at these places."""

EQUIVALENT: Mapping[str, str] = {
    **dict.fromkeys(
        (
            f"framework.runtime:Framework.defects_met:{kind}"
            for kind in ("once:0", "filter:0", "and-or:0", "part:0", "part:1", "comparison:0", "once:1")
        ),
        "Only ``refsched explain`` asks where a known defect was met.",
    ),
    **dict.fromkeys(
        (
            f"plugins.inter_pod_affinity:{place}:{kind}"
            for place in ("InterPodAffinity.defects_met", "_speaks_of_all_for_want_of_labels")
            for kind in ("and-or:0", "part:0", "part:1", "comparison:0")
        ),
        "It decides what ``refsched explain`` tells of the known defect: Filter itself never looks at what would "
        "be found without it.",
    ),
    **dict.fromkeys(
        (
            f"dra.requests:{place}:{kind}:{number}"
            for place, kinds in _OF_DEFECTS.items()
            for kind, count in kinds.items()
            for number in range(count)
        ),
        "A scheduler that runs free has every known defect: whichever might matter, none is left open.",
    ),
    **dict.fromkeys(
        (
            f"plugins.dynamic_resources:_subsets:{kind}"
            for kind in ("once:0", "once:1", "sign:0", "omission:0", "set:0", "set:1", "set:2")
        ),
        "A scheduler that runs free has every known defect: the loop over those that are open is never entered.",
    ),
    **dict.fromkeys(
        (
            f"plugins.dynamic_resources:DynamicResources.defects_met:{kind}:{number}"
            for kind, count in _OF_DEFECTS_MET.items()
            for number in range(count)
        ),
        "Only ``refsched explain`` asks where a known defect was met.",
    ),
    "dra.allocator:_Search._take_next_of_all:flag:0": (
        "This is how a scheduler without the known defect all-against-a-constraint searches, which is as good as "
        "one with it."
    ),
    **dict.fromkeys(
        ("dra.pools:Pool:off-by-one:0", "dra.pools:Pool:flag:0"),
        "The one caller always says how many slices are out of reach, and whether the pool is superseded.",
    ),
    "preemption.go_sort:_Sorting._partition_equal:swapped:0": (
        "Two elements change places: which of them is named first makes no difference."
    ),
    "queue.cluster_events:pod_update_events:kin:1": (
        "Both callers tell of pods that have a node before and after, or neither: the handlers split the rest."
    ),
    "queue.scheduling_queue:SchedulingQueue.update:omission:1": (
        "An input finds a pod in flight only where its cycle has stopped, which it does from Reserve on: the pod"
        " is assumed then, and no update of an assumed pod comes to the queue."
    ),
    "queue.backoff:Backoff.duration:boundary:0": (
        "Both durations are whole seconds: where they are equal no bit was shifted out, and both sides of the"
        " condition answer the same, unless there were thirty doublings, with a maximum of 34 years."
    ),
    "queue.transitions::kin:38": "A pod that is in activeQ is passed over before its row is looked up.",
    "queue.hint_table:hint_table:flag:0": "The one caller always says whether there are extenders.",
    **dict.fromkeys(
        (f"queue.hint_table:HintTable.hears_of:{kind}" for kind in ("and-or:0", "set:0", "part:0", "part:1")),
        "It answers yes more often: but an event that meets no registration moves nobody and is not remembered.",
    ),
    **dict.fromkeys(
        (
            f"framework.snapshot:snapshot_of:{kind}"
            for kind in ("once:0", "and-or:0", "and-or:1", "part:0", "part:1", "part:2", "part:3")
        ),
        "A scheduler's snapshots come from its cache: nothing of the specification calls this function.",
    ),
    "binding.binding_cycle:_wait_and_bind:omission:1": (
        "Behind Permit a failure names no plugin, so that nobody asks what happened meanwhile; and who is bound "
        "never comes to the queue again."
    ),
    **dict.fromkeys(
        ("cycle.attempt:_pre_filter:order:0", "cycle.attempt:_pre_filter:order:1"),
        "The nodes that PreFilter named are compared without their order.",
    ),
    "preemption.importance:more_important:boundary:0": "It is asked only where the two priorities differ.",
    **dict.fromkeys(
        ("preemption.pick::off-by-one:0", "preemption.pick::off-by-one:1", "preemption.pick::off-by-one:2"),
        "From which day start times are counted moves all ranks by the same amount.",
    ),
    **dict.fromkeys(
        (f"preemption.victims:select_victims:{kind}" for kind in ("and-or:0", "part:0", "part:1")),
        "Victims that stand in order already are sorted once more. The highest priority stays in front, and of "
        "their order nothing else is asked.",
    ),
    **dict.fromkeys(
        ("cache.cache:Cache._change:omission:0", "cache.cache:Cache.__init__:off-by-one:0"),
        "Nothing reads a node's generation: which nodes changed since the last snapshot is kept by name.",
    ),
    "binding.waiting_pods:WaitingPod.reject:kin:0": (
        "Both codes are refusals, behind which nobody looks for victims any more; which of the two it is is told "
        "nowhere."
    ),
    **dict.fromkeys(
        ("binding.waiting_pods:_trimmed:boundary:0", "binding.waiting_pods:_trimmed:off-by-one:0"),
        "A unit is 1 or at least a thousand nanoseconds, and of the unit 1 there is no fraction to be trimmed.",
    ),
    "framework.node_info:PodInfo.host_ports:part:3": (
        "The API server has given a protocol to each port (R-DEFAULTS-04)."
    ),
    **dict.fromkeys(
        (
            "plugins.node_volume_limits:_claimed_volume:part:0",
            "plugins.node_volume_limits:_claimed_volume:part:1",
        ),
        "The API server refuses a CSI volume that lacks its driver or its handle.",
    ),
    "plugins.volume_zone:_topologies_of_claim:omission:0": (
        "The API server refuses a pod's volume that names no claim."
    ),
    "framework.node_info:NodeInfo.pods_with_affinity:filter:0": "A pod without affinity has no terms: to look at "
    "it adds nothing to any score.",
    "plugins.default_selector:with_labels:order:1": "All of a selector's requirements have to be met, in whatever "
    "order they are asked.",
    **dict.fromkeys(
        (
            "objects.resources:pod_level_requests:filter:0",
            "objects.resources:is_pod_level_resource:returned:0",
        ),
        "The API server refuses resources of a pod as a whole other than cpu, memory and huge pages.",
    ),
    "objects.resources:is_extended_resource:part:2": (
        "The API server refuses a pod that asks for a resource of such a name, and one that only a node gives is "
        "never looked up."
    ),
    "objects.resources:Resource:off-by-one:3": (
        "Whoever says how many pods it has room for says it outright; of all other amounts this one is not read."
    ),
}
