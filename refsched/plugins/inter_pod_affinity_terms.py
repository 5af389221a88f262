# SPDX-License-Identifier: Apache-2.0
"""Terms: which pods the affinity terms of InterPodAffinity match, and the steps that a release may do
otherwise.

Promised: podAffinity and podAntiAffinity are documented with the Pod API.
Source: plugins/interpodaffinity/plugin.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from refsched.framework.node_info import AffinityTerm, PodInfo
from refsched.objects.pod import Pod
from refsched.objects.selectors import EVERYTHING, NOTHING
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Namespace
from refsched.rules import applies

Labels = Mapping[str, str]
Terms = Sequence[AffinityTerm]
SelectedNamespaces = Callable[[AffinityTerm, frozenset[str]], AffinityTerm]
IsKeptAway = Callable[[Terms, Pod | None], bool]


def resolved(
    terms: Terms, existing: Mapping[str, Labels], select: SelectedNamespaces
) -> tuple[AffinityTerm, ...]:
    """R-PODAFF-05: A term of the pod applies to the namespaces that it lists and to those that exist with labels
    that its namespaceSelector selects; an empty selector selects all, also those that do not exist.

    Source: mergeAffinityTermNamespacesIfNotEmpty.
    """
    made: list[AffinityTerm] = []
    for term in terms:
        if term.namespace_selector in (EVERYTHING, NOTHING):
            made.append(term)
            continue
        selected = (name for name, labels in existing.items() if term.namespace_selector.matches(labels))
        applies("R-PODAFF-05")
        made.append(select(term, frozenset(selected)))
    return tuple(made)


def matching(terms: Terms, pod: Pod, namespace_labels: Labels | None) -> Iterator[AffinityTerm]:
    """R-PODAFF-06: For anti-affinity each term counts by itself, and a term of a running pod is matched against
    the labels of the incoming pod's namespace, which has none if it does not exist."""
    for term in terms:
        if term.matches(pod, namespace_labels):
            applies("R-PODAFF-06")
            yield term


def meets_all(terms: Terms, pod: Pod | None) -> bool:
    """R-PODAFF-07: For affinity one running pod must match all the terms; if there are no terms, no pod matches
    them."""
    if pod is None or not terms:
        return False
    applies("R-PODAFF-07")
    return all(term.matches(pod, None) for term in terms)


# --- Steps that a release may take otherwise ------------------------------------------------------


def listed_or_selected(term: AffinityTerm, selected: frozenset[str]) -> AffinityTerm:
    """Returns the term restricted to the namespaces that it lists and those that were selected."""
    return evolve(term, namespaces=term.namespaces | selected, namespace_selector=NOTHING)


def with_existing_namespaces(terms: Terms, objects: ObjectStore, select: SelectedNamespaces) -> Terms:
    """Returns the terms with the namespaces that exist, which hints look up as Filter does."""
    existing = {namespace.name: namespace.metadata.labels for namespace in objects.list(Namespace)}
    return resolved(terms, existing, select)


def by_any_term(terms: Terms, pod: Pod | None) -> bool:
    """Returns whether any of these anti-affinity terms rejects this pod."""
    return pod is not None and any(term.matches(pod, None) for term in terms)


def kept_the_pod_away(pod: Pod, deleted: Pod, is_kept_away: IsKeptAway) -> bool:
    """Returns whether the deleted pod's own anti-affinity rejected the pod."""
    return is_kept_away(PodInfo(deleted).required_anti_affinity_terms, pod)


def was_of_its_kind(pod: Pod, deleted: Pod, wanted: Terms) -> bool:
    """Returns whether both match the pod's own affinity terms. If no such pod is left, the pod may run
    anywhere."""
    return meets_all(wanted, deleted) and meets_all(wanted, pod)


@frozen
class AffinitySteps:
    """AffinitySteps are the steps of InterPodAffinity that a release may do otherwise; the defaults do what
    the rules say."""

    selected_namespaces: SelectedNamespaces = listed_or_selected
    terms_of_hints: Callable[[Terms, ObjectStore, SelectedNamespaces], Terms] = with_existing_namespaces
    is_kept_away: IsKeptAway = by_any_term
    frees_by_leaving: Callable[[Pod, Pod, IsKeptAway], bool] = kept_the_pod_away
    frees_as_last_of_its_kind: Callable[[Pod, Pod, Terms], bool] = was_of_its_kind
