# SPDX-License-Identifier: Apache-2.0
"""The two kinds of oddities: a defect that a release has, and an order that it takes where a rule leaves it open.

The docstring with a rule's id states the rule, and the code beneath it does what the rule says. What the release
does is given as functions that replace steps of a plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

NOT_REPORTED = "no report is known"


@frozen
class KnownDefect:
    """A KnownDefect says that a release does not do what a rule says, and that a later release was fixed.
    ``report`` is where the defect was reported or fixed. ``does`` says what the release does, and ``should``
    what the rule says; the subject of both is the scheduler. ``steps`` are the functions that replace steps of
    ``plugin``, by name."""

    id: str
    rule: str
    report: str
    does: str
    should: str
    plugin: str
    steps: Mapping[str, Any] = field(eq=False, repr=False)
    panics: str = ""
    """What Go prints where the release panics because of it."""


@frozen
class FixedOrder:
    """A FixedOrder says that a release always takes one of the orders that a rule leaves open. ``rule`` says
    which one: it is observed of this release, and promised of none. ``steps`` are as for a known defect."""

    id: str
    rule: str
    plugin: str
    steps: Mapping[str, Any] = field(eq=False, repr=False)


Oddity = KnownDefect | FixedOrder
