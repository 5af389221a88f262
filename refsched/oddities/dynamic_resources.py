# SPDX-License-Identifier: Apache-2.0
"""The known defects of DynamicResources in v1.34.2.

Source: dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go and
pools_experimental.go (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.devices.errors import AllocationError
from refsched.objects.dra import ResourceSlice
from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect

_PLUGIN = "DynamicResources"


# --- What the release does ------------------------------------------------------------------------


def under_the_one_before(alternative: int) -> int:
    """Each alternative has the key of the one before it, so the second one has that of the first."""
    return max(alternative - 1, 0)


def under_the_first(alternative: int) -> int:
    """The second and later devices are looked for under the first alternative, whichever the request is at."""
    return 0


def ends_the_attempt(problem: str) -> None:
    """A constraint that does not admit one of all devices is an error of the claim."""
    raise AllocationError(problem)


def unknown(slices: Sequence[ResourceSlice]) -> Sequence[ResourceSlice]:
    """Nothing is known of slices that the node does not reach."""
    return ()


# --- The defects ----------------------------------------------------------------------------------

MATCHED_BY_AN_ALTERNATIVE = KnownDefect(
    "matched-by-an-alternative",
    "R-DRA-45",
    "kubernetes #137347",
    "where the first and the second alternative ask for all devices, takes what the first one matches for what the"
    " second one does",
    "asks of each alternative alone which devices it matches",
    _PLUGIN,
    {"matches_of": under_the_one_before},
)
ALL_OF_AN_ALTERNATIVE = KnownDefect(
    "all-of-an-alternative",
    "R-DRA-54",
    "kubernetes #137347",
    "where an alternative asks for all devices, looks for the second and later ones under the first alternative",
    "looks for all of them under the alternative that asks for them",
    _PLUGIN,
    {"further_devices_of": under_the_first},
)
ALL_OF_A_BROKEN_POOL = KnownDefect(
    "all-of-a-broken-pool",
    "R-DRA-44",
    "kubernetes #141829",
    "ends the attempt with an error when all devices are asked for and a pool that the node reaches is incomplete"
    " or invalid",
    "rules out that node alone, with the same words",
    _PLUGIN,
    {"broken_pool": AllocationError},
)
ALL_AGAINST_A_CONSTRAINT = KnownDefect(
    "all-against-a-constraint",
    "R-DRA-58",
    NOT_REPORTED,
    "ends the attempt with an error when all devices are asked for and a constraint of the claim admits one of"
    " them no more",
    "goes on with the next alternative, or without that node",
    _PLUGIN,
    {"unmet_constraint": ends_the_attempt},
)
SLICES_OUT_OF_REACH = KnownDefect(
    "slices-out-of-reach",
    "R-DRA-21",
    "kubernetes #134466",
    "takes a pool for incomplete where the node does not reach all of its slices, and an old generation of it for"
    " the newest where the node does not reach the newer one",
    "counts the slices that the pool has anywhere, and passes over an old generation of which the node does not"
    " reach all",
    _PLUGIN,
    {"out_of_reach": unknown},
)
