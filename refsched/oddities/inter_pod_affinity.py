# SPDX-License-Identifier: Apache-2.0
"""The known defects of InterPodAffinity in v1.34.2.

Source: plugins/interpodaffinity/plugin.go, isSchedulableAfterPodChange, mergeAffinityTermNamespacesIfNotEmpty
(v1.34.2).
"""

from __future__ import annotations

from attrs import evolve

from refsched.framework.node_info import AffinityTerm
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.oddities.known_defect import KnownDefect
from refsched.plugins.inter_pod_affinity_terms import SelectedNamespaces, Terms, meets_all

_PLUGIN = "InterPodAffinity"


# --- What the release does ------------------------------------------------------------------------


def keeping_the_selector(term: AffinityTerm, selected: frozenset[str]) -> AffinityTerm:
    """The selector is not dropped once its namespaces are known, and is tried again, against no labels at all: one
    that only excludes (NotIn, DoesNotExist) then selects every namespace. The real function changes a copy."""
    return evolve(term, namespaces=term.namespaces | selected)


def as_they_are_written(terms: Terms, objects: ObjectStore, select: SelectedNamespaces) -> Terms:
    """Hints do not look namespaces up."""
    return terms


def by_all_terms(terms: Terms, pod: Pod | None) -> bool:
    """Hints ask whether the pod matches all anti-affinity terms, where Filter asks for any."""
    return meets_all(terms, pod)


def never(pod: Pod, deleted: Pod, other: object) -> bool:
    """Hints do not look at this when a pod is deleted."""
    return False


# --- The defects ----------------------------------------------------------------------------------

EXCLUDED_NAMESPACES = KnownDefect(
    "excluded-namespaces",
    "R-PODAFF-05",
    "kubernetes #141526",
    "takes a term of the pod to speak of every namespace where its namespaceSelector selects one without labels"
    " (NotIn, DoesNotExist)",
    "takes it to speak of the namespaces that exist and are selected, and of those that are listed",
    _PLUGIN,
    {"selected_namespaces": keeping_the_selector},
)
HATED_BY_WHO_WENT = KnownDefect(
    "hated-by-who-went",
    "R-PODAFF-14",
    "kubernetes #134393",
    "does not try a refused pod again when one is gone whose own anti-affinity stood against it",
    "tries it again",
    _PLUGIN,
    {"frees_by_leaving": never},
)
ONE_TERM_OF_SEVERAL = KnownDefect(
    "one-term-of-several",
    "R-PODAFF-14",
    "kubernetes #139161",
    "does not try a refused pod again when one is gone, or relabelled, that met some of the anti-affinity terms"
    " between them and not all",
    "tries it again when one is gone that met any of them, or relabelled so that it meets none any more",
    _PLUGIN,
    {"is_kept_away": by_all_terms},
)
FIRST_OF_ITS_KIND = KnownDefect(
    "first-of-its-kind",
    "R-PODAFF-14",
    "kubernetes #141354",
    "does not try a refused pod again that meets its own affinity terms when one is gone that met them too",
    "tries it again: where nobody meets them any more it may go anywhere",
    _PLUGIN,
    {"frees_as_last_of_its_kind": never},
)
NAMESPACES_OF_HINTS = KnownDefect(
    "namespaces-of-hints",
    "R-PODAFF-14",
    "kubernetes #141953",
    "does not look up the namespaces that the namespaceSelector of a refused pod's term selects, when another pod"
    " comes, is gone or is relabelled there",
    "looks them up, as Filter does",
    _PLUGIN,
    {"terms_of_hints": as_they_are_written},
)
