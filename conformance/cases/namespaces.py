# SPDX-License-Identifier: Apache-2.0
"""Cases of InterPodAffinity: namespaces that a term lists or selects, and namespaces whose labels change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import HOSTNAME, REQUIRED, node, pod
from refsched.suite.histories.history import History, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _namespace(team: str, name: str = "other") -> Json:
    labels = {"team": team} if team else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _with_term(kind: str, operator: str, *values: str) -> Json:
    """Returns a pod whose term selects all pods of the namespaces with such a label ``team``."""
    condition = {"key": "team", "operator": operator, **({"values": list(values)} if values else {})}
    selector = {"matchExpressions": [condition]}
    return _of_namespaces_of(kind, namespaceSelector=selector)


def _after_namespace_changed(coming: Json, running: Json, later: Json | None) -> History:
    """The namespace ``other``, of team x, is deleted or becomes ``later`` before the pod comes."""
    cluster = HistoryBuilder(hosts=True)
    namespace = _namespace("x")
    cluster.add(namespace)
    cluster.add_node(node(""))
    cluster.add_pod(running, 0)
    cluster.steps.append(deleting(namespace) if later is None else Update(later))
    cluster.add_pod(coming)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_SELECTORS: dict[str, tuple[str, ...]] = {
    "in": ("In", "x"),
    "not_in": ("NotIn", "x"),
    "exists": ("Exists",),
    "does_not_exist": ("DoesNotExist",),
    "in_two": ("In", "y", "x"),
}


def _of_changed_namespaces() -> Iterator[Case]:
    elsewhere = pod("", namespace="other")
    relabelled = _namespace("y")
    for number, (name, selector) in enumerate(_SELECTORS.items()):
        is_deleted = number % 2 == 1
        what = "deleted" if is_deleted else "relabelled"
        other = "relabelled" if is_deleted else "deleted"
        later = None if is_deleted else relabelled
        anti = _with_term("podAntiAffinity", *selector)
        says = f"has a namespace selector with {selector[0]}, and the namespace"
        yield Case(
            f"namespace_{what}_before_anti_affinity_of_the_pod_{name}",
            f"The pod's own anti-affinity {says} of the other pod was {what} before the attempt.",
            _after_namespace_changed(anti, elsewhere, later),
        )
        yield Case(
            f"namespace_{what}_before_anti_affinity_of_another_pod_{name}",
            f"A running pod's anti-affinity {says} of the pod to be scheduled was {what} before the attempt.",
            _after_namespace_changed(elsewhere, anti, later),
        )
        yield Case(
            f"namespace_{other}_before_affinity_of_the_pod_{name}",
            f"The pod's own affinity {says} of the other pod was {other} before the attempt.",
            _after_namespace_changed(
                _with_term("podAffinity", *selector), elsewhere, relabelled if is_deleted else None
            ),
        )


def _beside_a_pod_of(whose: str, coming: Json, *namespaces: Json) -> History:
    """These namespaces exist. A pod of one of them runs on the first of two nodes when the other one comes."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*namespaces)
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", namespace=whose), 0)
    cluster.add_pod(coming)
    cluster.schedule()
    return cluster.history()


def _of_namespaces_of(kind: str, **about: Any) -> Json:
    """Returns a pod whose term selects all pods of the namespaces that it is ``about``."""
    term = {"topologyKey": HOSTNAME, "labelSelector": {}, **about}
    return pod("", affinity={kind: {REQUIRED: [term]}})


def _of_namespaces_that_are_selected_together() -> Iterator[Case]:
    namespaces = (_namespace("x", "first"), _namespace("y", "second"), _namespace("x", "third"))
    for kind, name in (("podAffinity", "affinity"), ("podAntiAffinity", "anti_affinity")):
        for whose in ("first", "second", "third"):
            yield Case(
                f"{name}_to_two_of_three_namespaces_and_a_pod_of_the_{whose}",
                f"A term of {kind} applies to each namespace that its selector selects, the first and the third of"
                f" three, and to no other; a pod of the {whose} runs.",
                _beside_a_pod_of(whose, _with_term(kind, "In", "x"), *namespaces),
                ("R-PODAFF-05",),
            )


def _of_namespaces_that_are_listed_and_selected() -> Iterator[Case]:
    namespaces = (_namespace("x", "listed"), _namespace("y", "selected"), _namespace("x", "neither"))
    selector = {"matchLabels": {"team": "y"}}
    for kind, name in (("podAffinity", "affinity"), ("podAntiAffinity", "anti_affinity")):
        coming = _of_namespaces_of(kind, namespaces=["listed"], namespaceSelector=selector)
        for whose in ("listed", "selected", "neither"):
            yield Case(
                f"{name}_with_both_namespaces_and_a_selector_and_a_pod_of_{whose}",
                f"A term of {kind} applies to the namespaces that it lists and to those that it selects, and to no"
                " other.",
                _beside_a_pod_of(whose, coming, *namespaces),
                ("R-PODAFF-05",),
            )


def _of_all_namespaces() -> Iterator[Case]:
    for kind, name in (("podAffinity", "affinity"), ("podAntiAffinity", "anti_affinity")):
        for has_others in (False, True):
            listed = {"namespaces": ["listed"]} if has_others else {}
            coming = _of_namespaces_of(kind, namespaceSelector={}, **listed)
            yield Case(
                f"{name}_with_an_empty_namespace_selector" + ("_and_a_namespace" if has_others else ""),
                f"A term of {kind} whose namespace selector is empty applies to all namespaces"
                + (", whichever it lists." if has_others else ", and not only to that of the pod."),
                _beside_a_pod_of("other", coming, _namespace("x")),
                ("R-PODAFF-05",),
            )


def of_namespaces() -> Iterator[Case]:
    yield from _of_changed_namespaces()
    yield from _of_namespaces_that_are_selected_together()
    yield from _of_namespaces_that_are_listed_and_selected()
    yield from _of_all_namespaces()
