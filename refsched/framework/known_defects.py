# SPDX-License-Identifier: Apache-2.0
"""Known defects: where v1.34.2 does not do what the rule says, and a later version was mended.

The rule stands in the docstring that bears its id; what v1.34.2 does instead stands here, and both are modelled.
The specification running free has every defect, as v1.34.2 has. A scheduler that is followed may be without any of
them, each on its own: it must do one or the other, and nothing else. Where devices are given this is open for each
node (``Choices.may_be_mended``); of those in ``THROUGHOUT`` a scheduler is without from its first decision to its
last (refsched/checking/mending.py).
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

SLICES_OUT_OF_REACH = KnownDefect(
    "slices-out-of-reach",
    "R-DRA-21",
    "kubernetes #134466",
    "takes a pool for incomplete where the node does not reach all of its slices, and an old generation of it for"
    " the newest where the node does not reach the newer one",
    "counts the slices that the pool has anywhere, and passes over an old generation of which the node does not"
    " reach all",
)

EXCLUDED_NAMESPACES = KnownDefect(
    "excluded-namespaces",
    "R-PODAFF-05",
    "kubernetes #141526",
    "takes a term of the pod to speak of every namespace where its namespaceSelector selects one without labels"
    " (NotIn, DoesNotExist)",
    "takes it to speak of the namespaces that exist and are selected, and of those that are listed",
)
HATED_BY_WHO_WENT = KnownDefect(
    "hated-by-who-went",
    "R-PODAFF-14",
    "kubernetes #134393",
    "does not try a refused pod again when one is gone whose own anti-affinity stood against it",
    "tries it again",
)
ONE_TERM_OF_SEVERAL = KnownDefect(
    "one-term-of-several",
    "R-PODAFF-14",
    "kubernetes #139161",
    "does not try a refused pod again when one is gone, or relabelled, that met some of the anti-affinity terms"
    " between them and not all",
    "tries it again when one is gone that met any of them, or relabelled so that it meets none any more",
)
FIRST_OF_ITS_KIND = KnownDefect(
    "first-of-its-kind",
    "R-PODAFF-14",
    "kubernetes #141354",
    "does not try a refused pod again that meets its own affinity terms when one is gone that met them too",
    "tries it again: where nobody meets them any more it may go anywhere",
)
NAMESPACES_OF_HINTS = KnownDefect(
    "namespaces-of-hints",
    "R-PODAFF-14",
    "kubernetes #141953",
    "does not look up the namespaces that the namespaceSelector of a refused pod's term selects, when another pod"
    " comes, is gone or is relabelled there",
    "looks them up, as Filter does",
)

THROUGHOUT: tuple[KnownDefect, ...] = (
    EXCLUDED_NAMESPACES,
    HATED_BY_WHO_WENT,
    ONE_TERM_OF_SEVERAL,
    FIRST_OF_ITS_KIND,
    NAMESPACES_OF_HINTS,
)
"""What these change, queues and sums of scores, does not show where it is decided."""

KNOWN_DEFECTS: tuple[KnownDefect, ...] = (
    MATCHED_BY_AN_ALTERNATIVE,
    ALL_OF_AN_ALTERNATIVE,
    ALL_OF_A_BROKEN_POOL,
    ALL_AGAINST_A_CONSTRAINT,
    SLICES_OUT_OF_REACH,
    *THROUGHOUT,
)
