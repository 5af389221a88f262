# SPDX-License-Identifier: Apache-2.0
"""Equivalent mutants of the framework, the cycle, the cache, the queue and binding."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.wrong.mutating.equivalent.places import each

CYCLE: Mapping[str, str] = {
    "queue.cluster_events:pod_update_events:kin:1": (
        "Both callers tell of pods that have a node before and after, or neither: the handlers split the rest."
    ),
    "queue.backoff:Backoff.duration:boundary:0": (
        "Both durations are whole seconds: where they are equal no bit was shifted out, and both sides of the"
        " condition answer the same, unless there were thirty doublings, with a maximum of 34 years."
    ),
    "queue.hint_table:hint_table:flag:0": "The one caller always says whether there are extenders.",
    **dict.fromkeys(
        (f"queue.hint_table:HintTable.watches:{kind}" for kind in ("and-or:0", "set:0", "part:0", "part:1")),
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
    "framework.node_info:NodeInfo.pods_with_affinity:filter:0": "A pod without affinity has no terms: to look at "
    "it adds nothing to any score.",
    **each(
        "queue.scheduling_queue:SchedulingQueue",
        ("_find:part:0", "_hear:negated:0"),
        "Gated pods are kept among those that were refused, and whatever happens sends both to the same place: "
        "only the rule that is told would be another one.",
    ),
    "queue.requeueing:by_hints:part:1": (
        "Behind Permit a failure names no plugin: whom a plugin refused is in flight still."
    ),
    "queue.scheduling_queue:SchedulingQueue.activate:part:1": (
        "Who is in activeQ stays there, among equals of which any may be popped first."
    ),
    "queue.ranking:Ranking.put:omission:0": (
        "Who is put was taken from where it was, or, in two queues at once, has the same rank there."
    ),
    "queue.hint_table:HintTable.strategy:kin:0": (
        "It is asked of those whom somebody refused or gates: after an error nobody asks, and nobody waits for an "
        "event."
    ),
    **each(
        "queue.transitions:",
        ("kin:6", "kin:8"),
        "No configuration can turn backoff off: who has just been tried backs off.",
    ),
    "queue.cluster_events::kin:2": "That it is this event, and no other, is all that is ever asked of it.",
    "queue.cluster_events:_gates_eliminated:part:1": "Where a gate is left it holds the pod, whatever woke it.",
    **each(
        "queue.cluster_events",
        ("matches:omission:0", "matches:flag:0"),
        "Nobody registers for everything at once: who has no table is registered for each resource by itself.",
    ),
    "queue.cluster_events:is_wild_card:part:1": "What happens to everything is always anything.",
    "cycle.decide:Decider._search_all:once:0": (
        "What extenders refused before the search is the one node that was nominated, or nothing."
    ),
    "machine.scheduler:Scheduler.schedule:omission:1": (
        "The machine claims to pop by itself, and such a scheduler is never told which pod to try."
    ),
    "machine.scheduler:Scheduler._next_due:comparison:0": (
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
    **dict.fromkeys(
        (
            *(f"machine.event_handlers:_handle_unscheduled_pod:{kind}" for kind in ("part:3", "kin:4")),
            *(f"machine.event_handlers:_handle_assigned_pod:{kind}" for kind in ("part:3", "kin:5")),
        ),
        "A pod that is there now, and was not before, has been dealt with by the branch above.",
    ),
    **each(
        "machine.event_handlers:_update_unscheduled_pod",
        ("kin:0", "kin:8"),
        "An update changes neither a pod's uid nor its priority: the API server refuses that.",
    ),
    **each(
        "framework.runtime:Framework.run_filter_plugins",
        ("and-or:1", "part:2", "part:3"),
        "Of what a Filter answers only the one SUCCESS is a success: none makes another. Both sides say the same.",
    ),
    **each(
        "queue.cluster_events:",
        ("off-by-one:0", "off-by-one:1"),
        "Of these two events nothing is asked but whether they are the ones that tell of a nomination.",
    ),
    "queue.in_flight:InFlight.__init__:off-by-one:0": (
        "Where counting begins does not matter: only differences, and whether two counts are the same, are asked."
    ),
    **each(
        "queue.hint_table:HintTable._says_queue",
        ("order:0", "order:1"),
        "One hint that says yes is enough, in whatever order they are asked.",
    ),
    "queue.hint_table:HintTable._says_queue:once:1": (
        "No plugin has two rows that meet one event: what it registers for one kind of object does not overlap."
    ),
}
