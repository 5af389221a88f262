# SPDX-License-Identifier: Apache-2.0
"""Steps of an allocation that a release may do otherwise; the defaults do what the rules say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

from refsched.devices.errors import AllocationError, RejectedOnNode
from refsched.objects.dra import ResourceSlice


def under_itself(alternative: int) -> int:
    """Returns the alternative (by its position) itself."""
    return alternative


def does_not_fit(problem: str) -> None:
    """Does nothing: the device cannot be chosen, and the search continues."""


def every_slice(slices: Sequence[ResourceSlice]) -> Sequence[ResourceSlice]:
    """Returns all the slices, so that those that the node does not reach count."""
    return slices


@frozen
class AllocatorSteps:
    """``matches_of`` returns the alternative under which it is remembered which devices an alternative matches,
    and ``further_devices_of`` the one under which the second and later of all devices are looked for.
    ``broken_pool`` is raised if all devices of a pool that is incomplete or invalid are needed.
    ``unmet_constraint`` is called if a constraint rejects one of all devices that are needed. ``out_of_reach``
    returns which of the slices that the node does not reach count."""

    matches_of: Callable[[int], int] = under_itself
    further_devices_of: Callable[[int], int] = under_itself
    broken_pool: type[AllocationError] = RejectedOnNode
    unmet_constraint: Callable[[str], None] = does_not_fit
    out_of_reach: Callable[[Sequence[ResourceSlice]], Sequence[ResourceSlice]] = every_slice


AS_PROMISED = AllocatorSteps()
