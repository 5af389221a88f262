# SPDX-License-Identifier: Apache-2.0
"""Equivalent: mutants of which nobody outside can tell, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENT: Mapping[str, str] = {
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
}
