# SPDX-License-Identifier: Apache-2.0
"""NodeAffinity."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, error, unresolvable
from refsched.objects import pod as pods
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.plugins.node_affinity import NodeAffinity

NOT_MINE = unresolvable("node(s) didn't match Pod's node affinity/selector")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def names(*values: str) -> dict[str, Any]:
    return {"key": "metadata.name", "operator": "In", "values": list(values)}


def has(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def pod(*terms: dict[str, Any], preferred: list[Any] | None = None, **spec: Any) -> PodInfo:
    affinity: dict[str, Any] = {PREFERRED: preferred or []}
    if terms:
        affinity[REQUIRED] = {"nodeSelectorTerms": list(terms)}
    return PodInfo(read_as(pods.Pod, {"spec": {"affinity": {"nodeAffinity": affinity}, **spec}}))


def added(**affinity: Any) -> NodeAffinity:
    return NodeAffinity(read_as(pods.NodeAffinity, affinity))


NODE = NodeInfo(read_as(Node, {"metadata": {"name": "n1", "labels": {"disk": "ssd", "zone": "a"}}}))
PLAIN = PodInfo(pods.Pod())
ON_SSD = {"nodeSelectorTerms": [{"matchExpressions": [has("disk", "ssd")]}]}


def test_a_pod_that_asks_for_nothing_is_neither_filtered_nor_scored() -> None:
    for asking in (PLAIN, PodInfo(read_as(pods.Pod, {"spec": {"affinity": {}}})), pod()):
        assert NodeAffinity().pre_filter(asking, Snapshot()) == Skip()
        assert NodeAffinity().pre_score(asking, [], Snapshot()) == Skip()


@pytest.mark.parametrize(
    ("terms", "narrowed"),
    [
        ([{"matchFields": [names("n1", "n2")]}], {"n1", "n2"}),
        ([{"matchFields": [names("n1", "n2"), names("n2", "n3")]}], {"n2"}),
        ([{"matchFields": [names("n1")]}, {"matchFields": [names("n3")]}], {"n1", "n3"}),
        ([{"matchFields": [names("n1"), names("n2")]}, {"matchFields": [names("n3")]}], {"n3"}),
        ([{"matchFields": [names("n1")]}, {"matchExpressions": [has("disk", "ssd")]}], None),
        ([{"matchFields": [{**names("n1"), "operator": "NotIn"}]}], None),
    ],
)
def test_only_where_every_term_names_nodes_is_the_search_narrowed(terms: list[Any], narrowed: Any) -> None:
    outcome = NodeAffinity().pre_filter(pod(*terms), Snapshot())
    assert outcome == Continue(None, None if narrowed is None else frozenset(narrowed))


def test_names_that_exclude_each_other_refuse_the_pod() -> None:
    outcome = NodeAffinity().pre_filter(pod({"matchFields": [names("n1"), names("n2")]}), Snapshot())
    assert outcome == Reject(unresolvable("pod affinity terms conflict"))


def test_a_required_affinity_without_terms_narrows_nothing_and_matches_nothing() -> None:
    asking = PodInfo(read_as(pods.Pod, {"spec": {"affinity": {"nodeAffinity": {REQUIRED: {}}}}}))
    assert NodeAffinity().pre_filter(asking, Snapshot()) == Continue(None, None)
    assert NodeAffinity().filter(None, asking, NODE) == NOT_MINE


@pytest.mark.parametrize(
    ("asking", "fits"),
    [
        (pod(nodeSelector={"disk": "ssd"}), True),
        (pod(nodeSelector={"disk": "ssd", "zone": "b"}), False),
        (pod({"matchExpressions": [has("zone", "b")]}, {"matchExpressions": [has("zone", "a")]}), True),
        (pod({"matchExpressions": [has("zone", "a"), has("disk", "hdd")]}), False),
        (pod({"matchExpressions": [has("zone", "a")]}, nodeSelector={"disk": "hdd"}), False),
    ],
)
def test_selector_and_one_term_must_match(asking: PodInfo, fits: bool) -> None:
    assert isinstance(NodeAffinity().pre_filter(asking, Snapshot()), Continue)
    assert NodeAffinity().filter(None, asking, NODE) == (SUCCESS if fits else NOT_MINE)


def test_the_profiles_own_affinity_comes_first_with_its_own_reason() -> None:
    elsewhere = added(**{REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [has("disk", "hdd")]}]}})
    assert elsewhere.pre_filter(PLAIN, Snapshot()) == Continue(None)
    assert elsewhere.filter(None, pod(nodeSelector={"zone": "b"}), NODE) == unresolvable(
        "node(s) didn't match scheduler-enforced node affinity"
    )
    assert added(**{REQUIRED: ON_SSD}).filter(None, PLAIN, NODE) == SUCCESS


def test_matching_preferences_add_up_the_pods_and_the_profiles() -> None:
    def preference(weight: int, *zone: str) -> dict[str, Any]:
        return {"weight": weight, "preference": {"matchExpressions": [has("zone", *zone)]}}

    asking = pod(preferred=[preference(5, "a"), preference(7, "b"), {"weight": 9, "preference": {}}])
    plugin = added(**{PREFERRED: [preference(20, "a", "b")]})
    outcome = plugin.pre_score(asking, [NODE], Snapshot())
    assert isinstance(outcome, Continue)
    assert plugin.score(outcome.state, asking, NODE) == 25
    assert plugin.normalize_score(outcome.state, asking, {"n1": 25, "n2": 20}) == {"n1": 100, "n2": 80}


def test_a_preference_that_compares_with_no_number_is_an_error() -> None:
    def larger_than(value: str) -> dict[str, Any]:
        return {"weight": 1, "preference": {"matchExpressions": [compares("Gt", value), compares("Lt", "3")]}}

    def compares(operator: str, value: str) -> dict[str, Any]:
        return {"key": "size", "operator": operator, "values": [value]}

    def problem(at: int) -> str:
        return (
            f'[{at}].matchExpressions[0].values[0]: Invalid value: "big": '
            "for 'Gt', 'Lt' operators, the value must be an integer"
        )

    one, two = (
        pod(preferred=[larger_than("2"), larger_than("big")]),
        pod(preferred=[larger_than("big")] * 2),
    )
    assert NodeAffinity().pre_score(one, [NODE], Snapshot()) == Reject(error(problem(1)))
    assert NodeAffinity().pre_score(two, [NODE], Snapshot()) == Reject(error(f"[{problem(0)}, {problem(1)}]"))
