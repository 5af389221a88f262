# SPDX-License-Identifier: Apache-2.0
"""The cases in which v1.19.16 panics. The specification does what would be correct.

No step of a plugin is replaced, since a scheduler that has panicked decides nothing.
"""

from __future__ import annotations

from refsched.oddities.fixed_orders import ORDER_OF_CLAIMS, ORDER_OF_VICTIMS
from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect, Oddity
from refsched.oddities.node_ports import PORT_OF_TWO_PODS

POD_IN_AN_UNCOUNTED_DOMAIN = KnownDefect(
    "pod-in-an-uncounted-domain",
    "R-SPREAD-54",
    NOT_REPORTED,
    "panics with a nil pointer if a pod is nominated to a node, or leaves it in a dry run, that has the"
    " topology keys of a pod with DoNotSchedule constraints and whose domain does not count, such as one that the"
    " nodeSelector excludes",
    "changes no count for that pod",
    "PodTopologySpread",
    {},
    panics="nil pointer",
)
NODE_SENT_BACK_IN_ANOTHER_DOMAIN = KnownDefect(
    "node-sent-back-in-another-domain",
    "R-SPREAD-58",
    NOT_REPORTED,
    "panics with a nil pointer if an extender sends a node back with another value of a topology key, so that no"
    " feasible node is in the domain in which the node is",
    "counts no pods in that domain",
    "PodTopologySpread",
    {},
    panics="nil pointer",
)
LABELS_WITHOUT_A_PREFERENCE = KnownDefect(
    "labels-without-a-preference",
    "R-NODELABEL-02",
    NOT_REPORTED,
    "panics with a division by zero if NodeLabel is enabled at Score without a preference",
    "gives every node the score 0",
    "NodeLabel",
    {},
    panics="divide by zero",
)
NODES_WITHOUT_A_VICTIM = KnownDefect(
    "nodes-without-a-victim",
    "R-PREEMPT-55",
    NOT_REPORTED,
    "panics with an index out of range if it compares nodes of which one needs no victim, as after an"
    " extender rejected nodes",
    "prefers a node without a victim",
    "DefaultPreemption",
    {},
    panics="index out of range",
)

PANICS = (
    POD_IN_AN_UNCOUNTED_DOMAIN,
    NODE_SENT_BACK_IN_ANOTHER_DOMAIN,
    LABELS_WITHOUT_A_PREFERENCE,
    NODES_WITHOUT_A_VICTIM,
)
AS_RELEASED: frozenset[Oddity] = frozenset((*PANICS, PORT_OF_TWO_PODS, ORDER_OF_VICTIMS, ORDER_OF_CLAIMS))
