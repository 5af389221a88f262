# SPDX-License-Identifier: Apache-2.0
"""Errors: what may be wrong when devices are allocated."""

from __future__ import annotations

from typing import ClassVar


class AllocationError(Exception):
    """Something is wrong with a claim, a class or a pool. It ends the pod's attempt, whatever the node."""


class RejectedOnNode(AllocationError):  # noqa: N818  (no error: it says why the node is rejected)
    """What is wrong concerns this node alone; on others the pod may fit."""

    rule: ClassVar[str] = "R-DRA-04"


class SearchTooLong(RejectedOnNode):
    """The search for devices on this node was given up."""

    rule: ClassVar[str] = "R-DRA-59"
