# SPDX-License-Identifier: Apache-2.0
"""Equivalent mutants of preemption."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.wrong.mutating.equivalent.places import each

PREEMPTION: Mapping[str, str] = {
    "oddities.go_sort:_Sorting._partition_equal:swapped:0": (
        "Two elements change places: which of them is named first makes no difference."
    ),
    "oddities.fixed_orders:more_important:boundary:0": "It is asked only where the two priorities differ.",
    **dict.fromkeys(
        (f"preemption.victims:select_victims:{kind}" for kind in ("and-or:0", "part:1", "part:2")),
        "Victims that stand in order already are sorted once more. The highest priority stays in front, and of "
        "their order nothing else is asked.",
    ),
    "preemption.victims:select_victims:part:0": "The releases whose mutants are made sort them.",
    **each(
        "oddities.go_sort:_Sorting",
        (
            "_heap_sort:weight:0",
            "_heap_sort:sign:2",
            "_heap_sort:off-by-one:0",
            "_heap_sort:off-by-one:2",
        ),
        "The heap is built from a root further on or, where that has no child, from one before: nothing "
        "sinks below a root without children.",
    ),
    "oddities.go_sort:_Sorting._insertion_sort:sign:0": (
        "Two elements more are sunk, neither of which may go further down than the start."
    ),
    **each(
        "oddities.go_sort:_Sorting",
        ("_partition:boundary:0", "_partition:boundary:1", "_partition_equal:boundary:2"),
        "Left and right do not stay on one element: either the one passes it by or the other does.",
    ),
    "oddities.go_sort:_Sorting._partition_equal:boundary:0": (
        "The last element that is left changes places with itself, and left passes it by all the same."
    ),
    "oddities.go_sort:_Sorting._partition:swapped:0": (
        "Two elements change places: which of them is named first makes no difference."
    ),
    **each(
        "oddities.go_sort:_Sorting._partition_equal",
        ("sign:0", "sign:4", "part:2"),
        "It looks at elements again that are not greater than the pivot: left passes them by, and right stops.",
    ),
    "oddities.go_sort:_Sorting._partial_insertion_sort:sign:7": (
        "Behind the last element nothing can rise: nothing is compared."
    ),
    **each(
        "oddities.go_sort:_xorshift",
        ("weight:1", "off-by-one:1", "off-by-one:2", "off-by-one:3"),
        "Of three numbers in a row the lowest bits are read: what the mask takes off comes down by seven bits "
        "with each. And the bit that the mask lacks is none of a number that was shifted.",
    ),
    **each(
        "oddities.go_sort:_xorshift",
        ("weight:3", "off-by-one:6", "off-by-one:7", "off-by-one:8"),
        "Of three numbers in a row the lowest bits are read: what the mask takes off comes down by seven bits "
        "with each. And the bit that the mask lacks is none of a number that was shifted.",
    ),
    "oddities.fixed_orders:more_important:part:0": (
        "A pod that has started did so before now, and so its start time is the earlier one."
    ),
    **each(
        "preemption.importance:earliest_start",
        ("once:0", "once:1"),
        "Victims stand in order of importance, also where an extender of the suite has kept the first of them: "
        "the first has the highest priority, and of those the earliest start.",
    ),
    "preemption.extenders:consult:leaving:0": "No victim is left, and no further extender is asked.",
    "preemption.extenders:consult:once:3": "Any of the nodes may be reported, including the first.",
    **each(
        "preemption.pick:possible_picks",
        ("sign:1", "off-by-one:0"),
        "More candidates than must have been seen are taken to have been: what is left to choose from are some of "
        "those that may be chosen.",
    ),
    "plugins.default_preemption:DefaultPreemption._preempt:order:0": (
        "Any of them may be chosen, in whatever order they are offered."
    ),
    "plugins.default_preemption:DefaultPreemption._preempt:omission:1": (
        "Without any node the cycle has ended with an error before PostFilter."
    ),
}
