# SPDX-License-Identifier: Apache-2.0
"""Errors: why no devices are allocated on a node."""

from __future__ import annotations

from refsched.rules import Reason

STOPPED = Reason("asked by caller to stop allocating devices: {}", "R-DRA-15")


class NotAllocated(Exception):  # noqa: N818  (not each of its subclasses is an error)
    """A NotAllocated has the reason why no devices are allocated on a node. What follows from it depends on its
    class."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class AllocationError(NotAllocated):
    """An AllocationError says that a claim, a class or a pool is invalid. The pod's attempt ends with an error,
    even if other nodes are feasible."""


class RejectedOnNode(NotAllocated):
    """A RejectedOnNode says why this node is rejected. The pod may fit on others."""


class SearchTooLong(NotAllocated):
    """A SearchTooLong says that the search for devices on this node was given up because it took too long."""
