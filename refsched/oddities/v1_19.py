# SPDX-License-Identifier: Apache-2.0
"""Where v1.19.16 panics: what stands in the specification is what would be right.

No step replaces one of a plugin, since a scheduler that has ended decides nothing.
"""

from __future__ import annotations

from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect

POD_IN_AN_UNCOUNTED_DOMAIN = KnownDefect(
    "pod-in-an-uncounted-domain",
    "R-SPREAD-54",
    NOT_REPORTED,
    "panics with a nil pointer where a pod is nominated to a node, or leaves it in a dry run, that has the"
    " topology keys of a pod with DoNotSchedule constraints and whose domain does not count, such as one that the"
    " nodeSelector excludes",
    "changes no count for that pod",
    "PodTopologySpread",
    {},
)
LABELS_WITHOUT_A_PREFERENCE = KnownDefect(
    "labels-without-a-preference",
    "R-NODELABEL-02",
    NOT_REPORTED,
    "panics with a division by zero where NodeLabel is enabled at Score without a preference",
    "gives every node the score 0",
    "NodeLabel",
    {},
)
NODES_WITHOUT_A_VICTIM = KnownDefect(
    "nodes-without-a-victim",
    "R-PREEMPT-55",
    NOT_REPORTED,
    "panics with an index out of range where it compares several nodes of which one needs no victim, as after an"
    " extender rejected nodes",
    "takes a node without a victim before others",
    "DefaultPreemption",
    {},
)

PANICS = (POD_IN_AN_UNCOUNTED_DOMAIN, LABELS_WITHOUT_A_PREFERENCE, NODES_WITHOUT_A_VICTIM)
AS_RELEASED = frozenset(PANICS)
