# SPDX-License-Identifier: Apache-2.0
"""Equivalent: mutants of which nobody outside can tell, each with the argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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


def _each(place: str, mutants: Iterable[str], why: str) -> Mapping[str, str]:
    """The same argument for several mutants of one place, or of one class (``_find:part:0``)."""
    return {f"{place}{'.' if mutant[0] == '_' else ':'}{mutant}": why for mutant in mutants}


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
        (
            "dra.allocator:_Search._take_next_of_all:negated:0",
            "dra.allocator:_Search._take_next_of_all:comparison:0",
            "dra.allocator:_Search._take:comparison:0",
            "dra.requests:Sizer._size_request:negated:0",
            "dra.requests:Sizer._size_request:comparison:0",
            "dra.requests:Sizer._size_all:negated:0",
            "dra.requests:Sizer._size_all:comparison:0",
            *(
                f"plugins.inter_pod_affinity:{place}"
                for place in (
                    *("InterPodAffinity._known_to_hints:omission:0", "InterPodAffinity._is_hit:omission:0"),
                    *(
                        "InterPodAffinity._known_to_hints:comparison:0",
                        "InterPodAffinity._is_hit:comparison:0",
                    ),
                    *("InterPodAffinity._is_freed:comparison:0", "InterPodAffinity._is_freed:comparison:1"),
                    *("_with_selected_namespaces:negated:0", "_with_selected_namespaces:comparison:1"),
                )
            ),
        ),
        "A scheduler without this one known defect behaves so, which is as good as one with it.",
    ),
    **dict.fromkeys(
        (
            "dra.allocator:Allocator.allocate:filter:0",
            "dra.allocator:_Search._take:part:1",
            "dra.pools:Pool.is_incomplete:part:1",
            "dra.pools:Pool.is_incomplete:part:3",
            "dra.pools:Pool.is_passed_over:returned:1",
            "dra.pools:Pool.is_passed_over:part:1",
            "dra.pools:Pool.is_passed_over:part:2",
            *(
                f"plugins.inter_pod_affinity:InterPodAffinity.after_pod_change:{kind}"
                for kind in (
                    *("part:8", "part:9", "part:10", "comparison:1", "comparison:2"),
                    *("kin:7", "kin:8", "kin:9"),
                )
            ),
            *(
                f"plugins.inter_pod_affinity:InterPodAffinity._is_freed:{kind}"
                for kind in ("returned:1", "and-or:0", "part:0", "part:1", "part:3", "part:5", "part:6")
            ),
            *(
                f"plugins.inter_pod_affinity:InterPodAffinity._is_hit:{kind}"
                for kind in (
                    *("returned:0", "returned:1", "and-or:0", "part:0", "part:1"),
                    *("comparison:1", "all-any:0", "once:0"),
                )
            ),
            "plugins.inter_pod_affinity:InterPodAffinity._known_to_hints:kin:0",
            "plugins.inter_pod_affinity:InterPodAffinity._known_to_hints:once:0",
        ),
        "Only a scheduler without the known defect comes here, or finds anything here; one that runs free has it.",
    ),
    **dict.fromkeys(
        (
            "plugins.inter_pod_affinity:InterPodAffinity.pre_filter:negated:0",
            "plugins.inter_pod_affinity:InterPodAffinity.pre_filter:all-any:0",
        ),
        "What would be found without the known defect is looked at by ``refsched explain`` alone.",
    ),
    **dict.fromkeys(
        (
            f"dra.cel_operators:_of_integers:{kind}"
            for kind in ("boundary:0", "boundary:1", "off-by-one:1", "off-by-one:2")
        ),
        "Of 0 the quotient is 0 whatever its sign, and by 0 nothing is divided.",
    ),
    "plugins.volume_restrictions:_conflicts:part:0": "Without disks of its own, none of them can conflict.",
    **dict.fromkeys(
        ("volume_binding.orders:volume_orders:order:0", "volume_binding.orders:volume_orders:order:1"),
        "Volumes that are alike may be looked at in any order: which order comes first is left open.",
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
        (f"preemption.victims:select_victims:{kind}" for kind in ("and-or:0", "part:0", "part:1")),
        "Victims that stand in order already are sorted once more. The highest priority stays in front, and of "
        "their order nothing else is asked.",
    ),
    **dict.fromkeys(
        (
            *(f"cache.cache:Cache._change:{kind}:0" for kind in ("omission", "sign", "off-by-one")),
            "cache.cache:Cache.__init__:off-by-one:0",
        ),
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
    **_each(
        "preemption.go_sort:_Sorting",
        (
            "_heap_sort:weight:0",
            "_heap_sort:sign:2",
            "_heap_sort:off-by-one:0",
            "_heap_sort:off-by-one:2",
        ),
        "The heap is built from a root further on or, where that has no child, from one before: nothing "
        "sinks below a root without children.",
    ),
    "preemption.go_sort:_Sorting._insertion_sort:sign:0": (
        "Two elements more are sunk, neither of which may go further down than the start."
    ),
    **_each(
        "preemption.go_sort:_Sorting",
        ("_partition:boundary:0", "_partition:boundary:1", "_partition_equal:boundary:2"),
        "Left and right do not stay on one element: either the one passes it by or the other does.",
    ),
    "preemption.go_sort:_Sorting._partition_equal:boundary:0": (
        "The last element that is left changes places with itself, and left passes it by all the same."
    ),
    "preemption.go_sort:_Sorting._partition:swapped:0": (
        "Two elements change places: which of them is named first makes no difference."
    ),
    **_each(
        "preemption.go_sort:_Sorting._partition_equal",
        ("sign:0", "sign:4", "part:2"),
        "It looks at elements again that are not greater than the pivot: left passes them by, and right stops.",
    ),
    "preemption.go_sort:_Sorting._partial_insertion_sort:sign:7": (
        "Behind the last element nothing can rise: nothing is compared."
    ),
    **_each(
        "preemption.go_sort:_xorshift",
        ("weight:1", "off-by-one:1", "off-by-one:2", "off-by-one:3"),
        "Of three numbers in a row the lowest bits are read: what the mask takes off comes down by seven bits "
        "with each. And the bit that the mask lacks is none of a number that was shifted.",
    ),
    **_each(
        "preemption.go_sort:_xorshift",
        ("weight:3", "off-by-one:6", "off-by-one:7", "off-by-one:8"),
        "Of three numbers in a row the lowest bits are read: what the mask takes off comes down by seven bits "
        "with each. And the bit that the mask lacks is none of a number that was shifted.",
    ),
    "preemption.importance:more_important:part:0": (
        "Whoever has started did so before now, and is the earlier of the two in any case."
    ),
    **_each(
        "preemption.importance:earliest_start",
        ("once:0", "once:1"),
        "Victims stand in order of importance, also where an extender of the suite has kept the first of them: "
        "the first has the highest priority, and of those the earliest start.",
    ),
    **_each(
        "preemption.victims:_Trial.filter",
        ("negated:0", "comparison:0", "off-by-one:0"),
        "Of several verdicts any may be told, the first one as well; of one it is that one.",
    ),
    "preemption.extenders:consult:leaving:0": "Nobody is left, and nobody else is asked either.",
    "preemption.extenders:consult:once:3": "Any of the nodes may be told, the first one as well.",
    **_each(
        "preemption.pick:possible_picks",
        ("sign:1", "off-by-one:0"),
        "More candidates than must have been seen are taken to have been: what is left to choose from are some of "
        "those that may be chosen.",
    ),
    "plugins.default_preemption:DefaultPreemption._preempt:order:0": (
        "Any of them may be chosen, in whatever order they are offered."
    ),
    **_each(
        "plugins.default_preemption:DefaultPreemption.pre_enqueue",
        ("omission:0", "kin:0"),
        "Nobody is entered while victims are deleted: in the machine that is over before anybody is told of it.",
    ),
    "plugins.default_preemption:DefaultPreemption._preempt:omission:1": (
        "Without any node the cycle has ended with an error before PostFilter."
    ),
    **_each(
        "queue.scheduling_queue:SchedulingQueue._is_head",
        ("part:0", "part:1", "part:2", "part:3", "part:4", "and-or:0", "and-or:1", "returned:0"),
        "Who is popped was chosen among the heads. Only a checker pops whom somebody else chose, and asks.",
    ),
    **_each(
        "queue.ranking:Ranking.is_first",
        ("returned:0", "part:0"),
        "Who is popped was chosen among the heads. Only a checker pops whom somebody else chose, and asks.",
    ),
    **_each(
        "queue.scheduling_queue:SchedulingQueue",
        ("_find:part:0", "_hear:negated:0"),
        "Gated pods are kept among those that were refused, and whatever happens sends both to the same place: "
        "only the rule that is told would be another one.",
    ),
    **_each(
        "queue.scheduling_queue:SchedulingQueue._passes_the_gate",
        ("and-or:0", "part:0"),
        "It asks those too who come back from an attempt, and have passed every gate for good, and those who "
        "stay at the gate, and are told what is known.",
    ),
    "queue.scheduling_queue:SchedulingQueue._strategy_after_attempt:part:1": (
        "Behind Permit a failure names no plugin: whom a plugin refused is in flight still."
    ),
    "queue.scheduling_queue:SchedulingQueue.activate:part:1": (
        "Who is in activeQ stays there, among equals of which any may be popped first."
    ),
    **_each(
        "queue.scheduling_queue:SchedulingQueue.update",
        ("omission:0", "kin:2", "kin:3", "once:0", "kin:4", "kin:5"),
        "An input finds a pod in flight only where its cycle has stopped, which it does from Reserve on: the pod "
        "is assumed then, and no update of an assumed pod comes to the queue.",
    ),
    "queue.ranking:Ranking.put:omission:0": (
        "Who is put was taken from where it was, or, in two queues at once, has the same rank there."
    ),
    "queue.hint_table:HintTable.strategy:kin:0": (
        "It is asked of those whom somebody refused or gates: after an error nobody asks, and nobody waits for an "
        "event."
    ),
    **_each(
        "queue.backoff:Backoff.expiration",
        ("omission:0", "and-or:1", "part:2", "part:3"),
        "It is asked after an attempt, which has been counted by then, and no configuration can turn backoff off.",
    ),
    **_each(
        "queue.transitions:",
        ("kin:6", "kin:8"),
        "No configuration can turn backoff off: who has just been tried backs off.",
    ),
    "queue.cluster_events::kin:2": "That it is this event, and no other, is all that is ever asked of it.",
    "queue.cluster_events:_gates_eliminated:part:1": "Where a gate is left it holds the pod, whatever woke it.",
    **_each(
        "queue.cluster_events",
        ("matches:omission:0", "matches:flag:0"),
        "Nobody registers for everything at once: who has no table is registered for each resource by itself.",
    ),
    "queue.cluster_events:is_wild_card:part:1": "What happens to everything is always anything.",
    **dict.fromkeys(
        (
            *(
                f"cycle.find_nodes:_Found.as_search:{kind}"
                for kind in ("once:0", "once:1", "filter:0", "comparison:0", "part:0")
            ),
            *(
                f"cycle.find_nodes:search:{kind}:{number}"
                for kind, numbers in (
                    ("once", (2, 3, 4, 5)),
                    ("filter", (0, 1)),
                    ("comparison", (2, 3, 4, 5)),
                    ("sign", (1,)),
                    ("omission", (3, 4)),
                    ("negated", (2,)),
                )
                for number in numbers
            ),
            *(
                f"framework.runtime:Framework.interrupted:{kind}:0"
                for kind in ("once", "and-or", "part", "comparison", "omission")
            ),
            "framework.runtime:Framework.interrupted:part:1",
            *(
                f"cycle.extenders:keep:{kind}"
                for kind in ("order:0", "order:1", "comparison:0", "comparison:1")
            ),
            "cycle.decide:Decider._check:negated:0",
            "cycle.extenders:keep:once:0",
        ),
        "It is reached with a plan alone, of what a recorded search came to: a scheduler that runs free has none.",
    ),
    **dict.fromkeys(
        (
            f"framework.runtime:Framework.filter_ways{place}"
            for place in (":once:0", ":once:1", ".way:once:0")
        ),
        "Of all plugins DynamicResources alone leaves anything open.",
    ),
    "cycle.decide:Decider._search_all:once:0": (
        "What extenders refused before the search is the one node that was nominated, or nothing."
    ),
    "cycle.decide:Decider:off-by-one:2": "Whoever makes a Decider says the percentage.",
    "scheduler:Scheduler.schedule:omission:1": (
        "The machine claims to pop by itself, and such a scheduler is never told which pod to try."
    ),
    "scheduler:Scheduler._next_due:comparison:0": (
        "Backoffs are looked over at every whole second, that of the leftover flush included, and each time all "
        "that is due is flushed."
    ),
    "cache.cache:Cache.assume:kin:0": (
        "It never matches: who counts already is in no queue, and who is popped is assumed in the same step."
    ),
    "cache.cache:Cache.update_pod:kin:1": (
        "It never matches: what is first told of a pod that has a node is that it is there, which confirms it."
    ),
    "cache.node_tree:NodeTree.names:off-by-one:0": "Where there are no zones, none has a first node to be named.",
    **dict.fromkeys(
        ("cycle.failure:Failure.plugins:order:0", "cycle.failure:Failure.plugins:order:1"),
        "The plugins that refused a pod are compared without their order.",
    ),
    **dict.fromkeys(
        (f"cycle.failure:handle_scheduling_failure:{kind}" for kind in ("omission:3", "kin:1")),
        "Whoever is bound, or gone, never comes to the queue again, so that nobody asks what happened meanwhile.",
    ),
    "cycle.failure:handle_scheduling_failure:negated:1": (
        "The reason stands in a condition of the pod alone, and statuses of pods are in no record."
    ),
}
