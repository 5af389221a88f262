# SPDX-License-Identifier: Apache-2.0
"""Known defects: where v1.34.2 does not do what the rule says, and a later version was mended.

The rule stands in the docstring that bears its id; what v1.34.2 does instead stands here, and both are modelled.
The specification running free has every defect, as v1.34.2 has. A scheduler that is followed may be without any of
them, each on its own: it must do one or the other, and nothing else (``Choices.may_be_mended``).
"""

from __future__ import annotations

from attrs import frozen


@frozen
class KnownDefect:
    """``report`` is where it was reported, or mended. ``does`` tells what v1.34.2 does, ``should`` what the rule
    says instead; both are sentences without a subject: the scheduler is meant."""

    id: str
    rule: str
    report: str
    does: str
    should: str


NOT_REPORTED = "no report is known"

Mended = frozenset[KnownDefect]
"""The known defects that a scheduler is without."""

AS_RELEASED: Mended = frozenset()

MATCHED_BY_AN_ALTERNATIVE = KnownDefect(
    "matched-by-an-alternative",
    "R-DRA-45",
    "kubernetes #137347",
    "where the first and the second alternative ask for all devices, takes what the first one matches for what the"
    " second one does",
    "asks of each alternative alone which devices it matches",
)
ALL_OF_AN_ALTERNATIVE = KnownDefect(
    "all-of-an-alternative",
    "R-DRA-54",
    "kubernetes #137347",
    "where an alternative asks for all devices, looks for the second and later ones under the first alternative",
    "looks for all of them under the alternative that asks for them",
)
ALL_OF_A_BROKEN_POOL = KnownDefect(
    "all-of-a-broken-pool",
    "R-DRA-44",
    "kubernetes #141829",
    "ends the attempt with an error when all devices are asked for and a pool that the node reaches is incomplete"
    " or invalid",
    "rules out that node alone, with the same words",
)

ALL_AGAINST_A_CONSTRAINT = KnownDefect(
    "all-against-a-constraint",
    "R-DRA-58",
    NOT_REPORTED,
    "ends the attempt with an error when all devices are asked for and a constraint of the claim admits one of"
    " them no more",
    "goes on with the next alternative, or without that node",
)

KNOWN_DEFECTS: tuple[KnownDefect, ...] = (
    MATCHED_BY_AN_ALTERNATIVE,
    ALL_OF_AN_ALTERNATIVE,
    ALL_OF_A_BROKEN_POOL,
    ALL_AGAINST_A_CONSTRAINT,
)
