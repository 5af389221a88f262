# SPDX-License-Identifier: Apache-2.0
"""Equivalent mutants of the framework, the cycle, the cache, the queue and binding."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.wrong.mutating.equivalent.places import each

CYCLE: Mapping[str, str] = {
    "queue.cluster_events:pod_update_events:kin:1": (
        "Both callers report pods that have a node both before and after the update, or neither."
    ),
    "queue.backoff:Backoff.duration:boundary:0": (
        "Both durations are whole seconds: where they are equal no bit was shifted out, and both sides of the"
        " condition answer the same, unless there were thirty doublings, with a maximum of 34 years."
    ),
    "queue.hint_table:hint_table:flag:0": "The one caller always says whether there are extenders.",
    **dict.fromkeys(
        (f"queue.hint_table:HintTable.watches:{kind}" for kind in ("and-or:0", "set:0", "part:0", "part:1")),
        "It is true more often, but an event without a matching registration requeues no pod and is not kept.",
    ),
    "binding.binding_cycle:_wait_and_bind:omission:1": (
        "After Permit a failure names no plugin, so that events in flight are not read; and a bound pod never "
        "returns to the queue."
    ),
    **dict.fromkeys(
        ("cycle.attempt:_pre_filter:order:0", "cycle.attempt:_pre_filter:order:1"),
        "The nodes that PreFilter named are compared without their order.",
    ),
    "binding.waiting_pods:WaitingPod.reject:kin:0": (
        "Both codes reject the pod after PostFilter, and no output differs between them."
    ),
    "framework.node_info:PodInfo.host_ports:part:3": (
        "The API server has given a protocol to each port (R-DEFAULTS-04)."
    ),
    "framework.node_info:NodeInfo.pods_with_affinity:filter:0": "A pod without affinity has no terms: to look at "
    "it adds nothing to any score.",
    **each(
        "queue.scheduling_queue:SchedulingQueue",
        ("_find:part:0", "_requeue:negated:0"),
        "Gated pods are kept in unschedulablePods, and any event moves both kinds to the same queue: only the "
        "reported rule would differ.",
    ),
    "queue.requeueing:by_hints:part:1": (
        "After Permit a failure names no plugin, and a pod that a plugin rejected is still in flight."
    ),
    "queue.scheduling_queue:SchedulingQueue.activate:part:1": (
        "A pod in activeQ stays there, and of equal pods any may be popped first."
    ),
    "queue.ranking:Ranking.put:omission:0": (
        "A pod was removed from its queue before it is put, or has the same rank in both queues."
    ),
    "queue.hint_table:HintTable.strategy:kin:0": (
        "It is called only for pods that a plugin rejected or gated: after an error a pod does not wait for an "
        "event."
    ),
    **each(
        "queue.transitions:",
        ("kin:6", "kin:8"),
        "No configuration can turn backoff off, so that a pod has a backoff after an attempt.",
    ),
    "queue.cluster_events::kin:2": "That it is this event, and no other, is all that is ever asked of it.",
    "queue.cluster_events:_gates_eliminated:part:1": "A remaining gate keeps the pod gated, whatever the event.",
    **each(
        "queue.cluster_events",
        ("matches:omission:0", "matches:flag:0"),
        "No plugin registers the wildcard event: a plugin without a table is registered for each resource.",
    ),
    "queue.cluster_events:is_wild_card:part:1": "What happens to everything is always anything.",
    "cycle.decide:Decider._search_all:once:0": (
        "Extenders can have rejected only the nominated node before the search."
    ),
    "machine.scheduler:Scheduler.schedule:omission:1": (
        "The machine pops pods itself, and such a scheduler is never asked to try a certain pod."
    ),
    "machine.scheduler:Scheduler.next_due:comparison:0": (
        "Backoffs are looked over at every whole second, that of the leftover flush included, and each time all "
        "that is due is flushed."
    ),
    "cache.cache:Cache.assume:kin:0": (
        "It never matches: a pod that counts is in no queue, and a popped pod is assumed in the same step."
    ),
    "cache.cache:Cache.update_pod:kin:1": (
        "It never matches: the first event of a pod that has a node is its addition, which confirms it."
    ),
    "cache.node_tree:NodeTree.names:off-by-one:0": "Where there are no zones, none has a first node to be named.",
    **dict.fromkeys(
        ("cycle.failure:Failure.plugins:order:0", "cycle.failure:Failure.plugins:order:1"),
        "The plugins that rejected a pod are compared without their order.",
    ),
    **dict.fromkeys(
        (f"cycle.failure:handle_scheduling_failure:{kind}" for kind in ("omission:3", "kin:1")),
        "A bound or deleted pod never returns to the queue, so that the events in flight are not read for it.",
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
        "An update changes neither a pod's uid nor its priority: the API server rejects that.",
    ),
    **each(
        "framework.runtime:Framework.run_filter_plugins",
        ("and-or:0", "part:0", "part:1"),
        "Of what a Filter answers only the one SUCCESS is a success: none makes another. Both sides say the same.",
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
