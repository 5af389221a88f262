# SPDX-License-Identifier: Apache-2.0
"""Steps of an allocation that a release may do otherwise; the defaults do what the rules say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

from refsched.devices.errors import NotAllocated, RejectedOnNode
from refsched.objects.dra import ResourceSlice
from refsched.rules import ErrorReason


def itself(alternative: int) -> int:
    """Returns the alternative that was given."""
    return alternative


def search_goes_on(problem: ErrorReason) -> None:
    """Does nothing: the device is not chosen, and the search goes on with what is still to be tried."""


def every_slice(slices: Sequence[ResourceSlice]) -> Sequence[ResourceSlice]:
    """Returns all the slices, so that those that the node does not reach count."""
    return slices


@frozen
class AllocatorSteps:
    """The alternatives of a request are given by their positions. When the devices of an alternative for all of
    them are determined, one that is known to match the alternative which ``matched_as`` returns is taken to match
    this one, too. Once the first of them is chosen, the others are looked for in the alternative which
    ``continued_in`` returns.

    ``broken_pool`` is raised if all devices of a pool that is incomplete or invalid are needed.
    ``unmet_constraint`` is called if a constraint rejects one of all devices that are needed. ``out_of_reach``
    returns which of the slices that the node does not reach count."""

    matched_as: Callable[[int], int] = itself
    continued_in: Callable[[int], int] = itself
    broken_pool: type[NotAllocated] = RejectedOnNode
    unmet_constraint: Callable[[ErrorReason], None] = search_goes_on
    out_of_reach: Callable[[Sequence[ResourceSlice]], Sequence[ResourceSlice]] = every_slice


AS_PROMISED = AllocatorSteps()
