# SPDX-License-Identifier: Apache-2.0
"""Cases of NodeAffinity: terms that cannot be read, and a node that is deleted before its pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.cases.deleted import Replaced
from conformance.cases.pod_affinity import zones
from conformance.vocabulary.allocations import node_condition
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    PREFERRED,
    REQUIRED,
    ZONE,
    default_profile,
    node,
    pod,
    profile_config,
)
from conformance.vocabulary.odd_values import BEYOND_FRACTIONS
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _node_deleted_before_its_pod() -> History:
    cluster = zones("a", "b")
    cluster.add_pod(pod(""), 0)
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [named]}}}
    cluster.add_pod(pod("", affinity=affinity))
    cluster.schedule()
    cluster.remove_node(0)
    cluster.add_pod(pod("", affinity=affinity))
    cluster.add_pod(pod("", status={"nominatedNodeName": "n1"}))
    cluster.schedule()
    return cluster.history()


def _named_node_comes() -> History:
    """A pod requires a node by its name, which comes after an attempt."""
    cluster = zones("a")
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}
    cluster.add_pod(pod("", affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [named]}}}))
    cluster.schedule()
    for _ in range(2):
        cluster.wait()
        cluster.add_node(node(""))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def _added(required: Json) -> History:
    """The profile adds a required affinity, and there are pods without affinity and with their own."""
    cluster = zones("a", "b")
    cluster.add_pod(pod(""))
    cluster.add_pod(pod("", nodeSelector={ZONE: "b"}))
    own = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]}]}
    cluster.add_pod(pod("", affinity={"nodeAffinity": {REQUIRED: own}}))
    cluster.schedule()
    return cluster.history(
        profile_config(default_profile(("NodeAffinity", {"addedAffinity": {REQUIRED: required}})))
    )


def _preferring(own: Sequence[tuple[int, str]], added: Sequence[tuple[int, str]] = ()) -> History:
    """A pod, and perhaps its profile, prefers zones with these weights."""

    def preferences(weighed: Sequence[tuple[int, str]]) -> list[Json]:
        return [
            {"weight": weight, "preference": {"matchExpressions": [node_condition(zone)]}}
            for weight, zone in weighed
        ]

    cluster = zones("a", "b")
    cluster.add_pod(pod("", affinity={"nodeAffinity": {PREFERRED: preferences(own)}}))
    cluster.schedule()
    args = ("NodeAffinity", {"addedAffinity": {PREFERRED: preferences(added)}})
    return cluster.history(profile_config(default_profile(*([args] if added else []))))


LARGEST = 2**63 - 1
"""Go parses no larger number into an int64."""


def _size(operator: str, value: str) -> Json:
    return {"key": "size", "operator": operator, "values": [value]}


def _of_sizes(sizes: Sequence[int], operator: str, value: int) -> History:
    """The nodes have these sizes, and a pod requires one that compares so."""
    cluster = HistoryBuilder()
    for size in sizes:
        cluster.add_node(node(labels={"size": str(size)}))
    terms = {"nodeSelectorTerms": [{"matchExpressions": [_size(operator, str(value))]}]}
    cluster.add_pod(pod("", affinity={"nodeAffinity": {REQUIRED: terms}}))
    cluster.schedule()
    return cluster.history()


def _preferring_what_cannot_be_read(place: str) -> History:
    """The pod prefers a zone that no node has, and, in this term or another one, a size that is no number."""
    cluster = zones("a", "b")
    terms = [[_FAR, _INVALID]] if place == "same" else [[_FAR], [_INVALID]]
    preferred = [{"weight": 1, "preference": {"matchExpressions": each}} for each in terms]
    cluster.add_pod(pod("", affinity={"nodeAffinity": {PREFERRED: preferred}}))
    cluster.schedule()
    return cluster.history()


def _wanting_no_label_value(expression: Json, *, is_required: bool) -> History:
    """A pod requires or prefers a node by this expression, in the second of two terms, and one that names no
    affinity comes after it."""
    cluster = HistoryBuilder()
    for size in ("5", "6"):
        cluster.add_node(node(labels={"size": size}))
    terms = [{"matchExpressions": [each]} for each in (_FAR, expression)]
    required = {REQUIRED: {"nodeSelectorTerms": terms}}
    preferred = {PREFERRED: [{"weight": 1, "preference": term} for term in terms]}
    cluster.add_pod(pod("", affinity={"nodeAffinity": required if is_required else preferred}))
    cluster.add_pod(pod(""))
    cluster.schedule()
    return cluster.history()


_TWICE: dict[str, tuple[str, Sequence[tuple[int, str]], Sequence[tuple[int, str]]]] = {
    "of_the_pod": ("the pod has it twice", [(30, "a"), (30, "a"), (50, "b")], ()),
    "of_other_weights": ("the pod has it with two weights", [(30, "a"), (40, "a"), (50, "b")], ()),
    "of_pod_and_profile": ("the pod and the profile have it", [(30, "a"), (50, "b")], [(30, "a")]),
}
"""Preferences that are there twice."""


_FAR: Json = {"key": "zone", "operator": "In", "values": ["z"]}
_INVALID = _size("Gt", "big")
_NO_LABEL_VALUES: dict[str, tuple[str, Json]] = {
    "negative": ("a number below zero", _size("Gt", "-1")),
    "spaced": ("one with a space", {"key": "size", "operator": "In", "values": ["5", "5 6"]}),
    "excluded": ("one with a space, to be excluded", {"key": "size", "operator": "NotIn", "values": ["5 6"]}),
}
"""Values that no label can have. An API server stores them in preferred terms, and in required ones that it has
stored before it checked them."""
_TERMS: dict[str, tuple[str, list[Json]]] = {
    "valid_term": ("a valid term", [{"matchExpressions": [_FAR]}]),
    "invalid_second_term": (
        "an invalid term beside a valid one",
        [{"matchExpressions": [_FAR]}, {"matchExpressions": [_INVALID]}],
    ),
    "invalid_expression": (
        "an invalid expression beside a valid one",
        [{"matchExpressions": [_FAR, _INVALID]}],
    ),
}


def _of_values() -> Iterator[Case]:
    for operator, value in (("Gt", BEYOND_FRACTIONS - 1), ("Lt", BEYOND_FRACTIONS)):
        yield Case(
            f"sizes_beyond_fractions_by_{operator.lower()}",
            f"{operator} compares whole numbers, of which each differs from the next one, however large they are.",
            _of_sizes((BEYOND_FRACTIONS - 1, BEYOND_FRACTIONS), operator, value),
            ("R-SELECTOR-02",),
        )
    for operator, value in (("Gt", LARGEST - 1), ("Gt", LARGEST), ("Lt", LARGEST), ("Lt", LARGEST + 1)):
        yield Case(
            f"sizes_about_the_largest_by_{operator.lower()}_{value}",
            f"{operator} compares numbers up to {LARGEST}; what is larger is no number, in a label or in a"
            " requirement.",
            _of_sizes((LARGEST - 1, LARGEST, LARGEST + 1), operator, value),
            ("R-SELECTOR-02",),
        )
    for name, (says, expression) in _NO_LABEL_VALUES.items():
        for how in ("required", "preferred"):
            yield Case(
                f"{name}_value_that_is_{how}",
                "An expression with a value that no label can have cannot be read, whatever its operator; the"
                f" value is {says}, and {how}.",
                _wanting_no_label_value(expression, is_required=how == "required"),
                ("R-SELECTOR-03",) if how == "required" else (),
            )
    for place in ("same", "other"):
        yield Case(
            f"preferred_size_that_is_no_number_in_the_{place}_term",
            "A preferred requirement that cannot be read is an error whether or not a node gets so far: one that"
            f" no node meets stands in the {place} term.",
            _preferring_what_cannot_be_read(place),
        )


def _cases() -> Iterator[Case]:
    yield Case(
        "node_deleted_before_its_pod",
        "A node that is deleted while a pod still runs there is no node for any other pod, by its name either.",
        _node_deleted_before_its_pod(),
    )
    of_zone_a = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}]
    for name, says, required in (
        ("of_one_zone", "of the first zone", {"nodeSelectorTerms": of_zone_a}),
        ("without_terms", "without terms, which no node matches", {"nodeSelectorTerms": []}),
    ):
        yield Case(
            f"added_affinity_{name}",
            "The required affinity that the profile adds counts for all pods, besides their own; it is one"
            f" {says}.",
            _added(required),
            ("R-NODEAFF-03",),
        )
    yield Case(
        "node_that_a_pod_requires_by_its_name_comes",
        "A pod that requires a node by its name is requeued when this node is added.",
        _named_node_comes(),
    )
    for name, (says, own, added) in _TWICE.items():
        yield Case(
            f"a_preference_twice_{name}",
            f"A preference that is there twice counts twice; {says}.",
            _preferring(own, added),
            ("R-NODEAFF-06",),
        )
    for name, (says, terms) in _TERMS.items():
        affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
        replaced = Replaced(name, (), pod("", affinity=affinity), later=node("n1", labels={"disk": "ssd"}))
        for is_tried_before in (False, True):
            when = "after_an_attempt" if is_tried_before else "before_any_attempt"
            yield Case(
                f"node_relabelled_for_{name}_{when}",
                "A pod whose required node affinity matches no node is requeued by a label only if the affinity"
                f" cannot be read: {says}, {when.replace('_', ' ')}.",
                replaced.history(is_tried_before=is_tried_before),
            )


CASES: tuple[Case, ...] = (*_cases(), *_of_values())
