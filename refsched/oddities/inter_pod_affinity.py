# SPDX-License-Identifier: Apache-2.0
"""The known defects of InterPodAffinity in v1.34.2.

Source: plugins/interpodaffinity/plugin.go, isSchedulableAfterPodChange, mergeAffinityTermNamespacesIfNotEmpty.
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
    """The selector is kept after its namespaces have been looked up, and is matched once more against an empty
    set of labels: a selector that only excludes (NotIn, DoesNotExist) then selects every namespace. The real
    function changes a copy."""
    return evolve(term, namespaces=term.namespaces | selected)


def as_they_are_written(terms: Terms, objects: ObjectStore, select: SelectedNamespaces) -> Terms:
    """Queueing hints do not look up namespaces."""
    return terms


def by_all_terms(terms: Terms, pod: Pod | None) -> bool:
    """Queueing hints ask whether the pod matches all anti-affinity terms, while Filter asks for any of them."""
    return meets_all(terms, pod)


def never(pod: Pod, deleted: Pod, other: object) -> bool:
    """Queueing hints do not check this when a pod is deleted."""
    return False


# --- The defects ----------------------------------------------------------------------------------

EXCLUDED_NAMESPACES = KnownDefect(
    "excluded-namespaces",
    "R-PODAFF-05",
    "kubernetes #141526",
    "applies a term of the pod to every namespace if its namespaceSelector selects a namespace without labels"
    " (NotIn, DoesNotExist)",
    "applies it to the existing namespaces that are selected, and to those that are listed",
    _PLUGIN,
    {"selected_namespaces": keeping_the_selector},
)
REQUIRED_APART_BY_A_DELETED_POD = KnownDefect(
    "repelled-by-a-deleted-pod",
    "R-PODAFF-14",
    "kubernetes #134393",
    "does not requeue a rejected pod when a pod is deleted whose own required anti-affinity matched it",
    "requeues it",
    _PLUGIN,
    {"frees_by_leaving": never},
)
ONE_TERM_OF_MANY = KnownDefect(
    "one-term-of-many",
    "R-PODAFF-14",
    "kubernetes #139161",
    "does not requeue a rejected pod when a pod is deleted or relabelled that matched one of the anti-affinity"
    " terms between them but not all",
    "requeues it when a pod that matched any of them is deleted, or is relabelled so that it matches none",
    _PLUGIN,
    {"is_kept_away": by_all_terms},
)
FIRST_OF_ITS_KIND = KnownDefect(
    "first-of-its-kind",
    "R-PODAFF-14",
    "kubernetes #141354",
    "does not requeue a rejected pod that matches its own affinity terms when another pod that matches them is"
    " deleted",
    "requeues it: if no other pod matches them, its own terms no longer restrict it",
    _PLUGIN,
    {"frees_as_last_of_its_kind": never},
)
NAMESPACES_OF_HINTS = KnownDefect(
    "namespaces-of-hints",
    "R-PODAFF-14",
    "kubernetes #141953",
    "does not look up the namespaces that the namespaceSelector of a rejected pod's term selects when another pod"
    " is created, deleted or relabelled there",
    "looks them up, as Filter does",
    _PLUGIN,
    {"terms_of_hints": as_they_are_written},
)
