# SPDX-License-Identifier: Apache-2.0
"""Errors: the errors of an allocation of devices."""

from __future__ import annotations

from typing import ClassVar

from refsched.rules import Reason

STOPPED = Reason("asked by caller to stop allocating devices: {}", "R-DRA-15")


class AllocationError(Exception):
    """An AllocationError says that a claim, a class or a pool is invalid. It ends the pod's attempt, whatever
    the node."""


class RejectedOnNode(AllocationError):  # noqa: N818  (no error: it says why the node is rejected)
    """A RejectedOnNode concerns this node alone; the pod may fit on others."""

    rule: ClassVar[str] = "R-DRA-04"


class SearchTooLong(AllocationError):  # noqa: N818  (it says how the search ended)
    """A SearchTooLong says that the search for devices on this node was given up."""
