# SPDX-License-Identifier: Apache-2.0
"""The known defects of NodeResourcesFit and NodeResourcesBalancedAllocation, where devices count for the score.

No step of a plugin is replaced: a scheduler that has panicked decides nothing, and what a plugin matched long ago
is no part of the state that the specification has.
Source: plugins/noderesources/resource_allocation.go, nodeMatches, deviceMatchesClass; balanced_allocation.go,
NewBalancedAllocation.
"""

from __future__ import annotations

from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect

SELECTORS_WITHOUT_CEL = KnownDefect(
    "selectors-without-cel",
    "R-BALANCED-07",
    NOT_REPORTED,
    "panics with a nil pointer if NodeResourcesBalancedAllocation counts an extended resource that is served by a"
    " DeviceClass with selectors",
    "counts the devices that the class selects",
    "NodeResourcesBalancedAllocation",
    {},
    panics="nil pointer",
)
MATCHES_KEPT = KnownDefect(
    "matches-kept-for-scores",
    "R-FIT-15",
    NOT_REPORTED,
    "goes on scoring a node with the devices that its labels and their attributes gave it when it was first"
    " scored, after the labels or the attributes have changed",
    "counts the devices that the node reaches and the class selects now",
    "NodeResourcesFit",
    {},
)
