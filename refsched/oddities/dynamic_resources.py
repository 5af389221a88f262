# SPDX-License-Identifier: Apache-2.0
"""The known defects of DynamicResources.

No step of the plugin is replaced where a release panics, since a scheduler that has panicked decides nothing.
Source: dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go,
pools_experimental.go; plugins/dynamicresources/extendeddynamicresources.go, findExtendedResourceClaim.
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.devices.errors import AllocationError
from refsched.objects.dra import ResourceSlice
from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect
from refsched.rules import ErrorReason

_PLUGIN = "DynamicResources"


# --- What the release does ------------------------------------------------------------------------


def the_one_before(alternative: int) -> int:
    """Returns the alternative before this one. kube-scheduler looks up an alternative with the key of the one
    before it, so that the second one has that of the first."""
    return max(alternative - 1, 0)


def the_first(alternative: int) -> int:
    """Returns the first alternative, in which kube-scheduler looks for the second and later devices, whichever
    alternative the first device was chosen for."""
    return 0


def ends_the_attempt(problem: ErrorReason) -> None:
    """Raises AllocationError: if a constraint does not admit one of the devices of an "All" request, the whole
    attempt fails."""
    raise AllocationError(problem)


def unknown(slices: Sequence[ResourceSlice]) -> Sequence[ResourceSlice]:
    """Returns none of the slices that the node does not reach, since they are ignored."""
    return ()


# --- The defects ----------------------------------------------------------------------------------

MATCHED_BY_AN_ALTERNATIVE = KnownDefect(
    "matched-by-an-alternative",
    "R-DRA-45",
    "kubernetes #137347",
    "if the first and the second alternative ask for all devices, uses the devices that the first one matches for"
    " the second one too",
    "determines for each alternative by itself which devices it matches",
    _PLUGIN,
    {"matched_as": the_one_before},
)
ALL_OF_AN_ALTERNATIVE = KnownDefect(
    "all-of-an-alternative",
    "R-DRA-54",
    "kubernetes #137347",
    "if an alternative asks for all devices, looks for the second and later ones under the first alternative",
    "looks for all of them under the alternative that asks for them",
    _PLUGIN,
    {"continued_in": the_first},
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
    "ends the attempt with an error when all devices are asked for and a constraint of the claim does not admit"
    " one of them",
    "goes on with the next alternative, or without that node",
    _PLUGIN,
    {"unmet_constraint": ends_the_attempt},
)
SLICES_OUT_OF_REACH = KnownDefect(
    "slices-out-of-reach",
    "R-DRA-21",
    "kubernetes #134466",
    "treats a pool as incomplete if the node does not reach all of its slices, and an old generation of it as the"
    " newest if the node does not reach the newer one",
    "counts the slices that the pool has on all nodes, and skips an old generation if the node does not reach all"
    " of its slices",
    _PLUGIN,
    {"out_of_reach": unknown},
)
SILENT_OWNER = KnownDefect(
    "owner-that-does-not-say-whether-it-controls",
    "R-DRA-157",
    NOT_REPORTED,
    "panics with a nil pointer if it looks for the special claim of a pod, and an owner reference of another"
    " special claim has the name of the pod and does not say whether the owner controls the claim",
    "goes on, since such an owner does not control the claim",
    _PLUGIN,
    {},
    panics="nil pointer",
)
