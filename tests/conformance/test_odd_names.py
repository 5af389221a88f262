# SPDX-License-Identifier: Apache-2.0
"""Odd names: names that begin alike, and objects of one name in two namespaces."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from conformance.strategies.odd_names import begin_alike, in_two_namespaces, with_odd_names
from conformance.vocabulary.objects import ZONE, named, node, pod, with_metadata, with_spec
from refsched.suite.histories.history import (
    Create,
    Delete,
    History,
    Permit,
    Release,
    Schedule,
    Update,
    creating,
    deleting,
)
from refsched.suite.session.drawing import collected, load_profile

Json = dict[str, Any]
CLAIM: Json = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {
        "name": "c",
        "uid": "u",
        "ownerReferences": [{"name": "p1", "uid": "1"}, {"name": "p2", "uid": "2"}],
    },
    "status": {"reservedFor": [{"name": "p1", "resource": "pods", "uid": "1"}]},
}
PODS = [pod(f"p{number}", labels={"app": "a"}) for number in (1, 2, 3, 4)]
NODES = [named(node(labels={ZONE: zone}), f"n-{zone}") for zone in ("b", "c")]
HISTORY = History(
    (
        *creating(*NODES, CLAIM, *PODS),
        Update(with_spec(PODS[1], nodeName="n-b")),
        Permit("default/p2", "allow"),
        Release("default/p1"),
        Schedule(),
        deleting(PODS[1]),
        deleting(CLAIM),
    )
)


def created(history: History) -> list[Json]:
    return [step.object for step in history.steps if isinstance(step, Create)]


def test_names_that_begin_alike_are_so_wherever_they_stand() -> None:
    history = begin_alike(HISTORY, ["p1", "p2", "p3"])
    pods = [value["metadata"]["name"] for value in created(history) if value["kind"] == "Pod"]
    assert pods == ["p1", "p1a", "p1aa", "p4"]
    assert Permit("default/p1a", "allow") in history.steps
    assert deleting(named(PODS[1], "p1a")) in history.steps
    zones = begin_alike(HISTORY, ["b", "c"])
    assert [value["metadata"]["labels"] for value in created(zones)[:2]] == [{ZONE: "b"}, {ZONE: "ba"}]
    assert [value["metadata"]["name"] for value in created(zones)[:2]] == ["n-b", "n-c"]


@pytest.mark.parametrize("taken", ["p1a", "p2-claim", "default/p2"])
def test_a_name_stays_if_the_new_one_is_taken_or_it_is_a_part_of_another_text(taken: str) -> None:
    history = History((*HISTORY.steps, Create(named(node(), taken))))
    assert begin_alike(history, ["p1", "p2"]) == history


@pytest.mark.parametrize(
    ("how", "names"), [("other's name", ["p1", "p3"]), ("own name", ["p2", "p4"]), ("twin", ["p1", "p3"])]
)
def test_every_second_pod_is_in_a_namespace_that_has_copies_of_what_it_may_need(
    how: str, names: list[str]
) -> None:
    history = in_two_namespaces(HISTORY, how)
    objects = [value for value in created(history) if value["metadata"].get("namespace") == "other"]
    assert [value["metadata"]["name"] for value in objects if value["kind"] == "Pod"] == names
    (copy,) = (value for value in objects if value["kind"] == "ResourceClaim")
    owners = copy["metadata"].pop("ownerReferences")
    assert copy["metadata"] == {"name": "c", "uid": "u-other", "namespace": "other"}
    assert [owner["uid"] for owner in owners] == ["1-other", "2"]
    assert "status" not in copy
    assert Permit(f"other/{names[0]}", "allow") in history.steps
    assert Release("default/p1") in history.steps
    deleted = [
        (step.object.name, step.object.namespace) for step in history.steps if isinstance(step, Delete)
    ]
    assert deleted == [(names[0], "other"), ("c", ""), ("c", "other")]


def test_a_twin_has_the_spec_of_the_pod_before_it_and_its_own_node() -> None:
    asking = with_spec(PODS[0], priority=5, nodeName="n-b")
    first, twin = created(in_two_namespaces(History(creating(asking, PODS[1])), "twin"))
    assert twin["metadata"]["namespace"] == "other"
    assert twin["metadata"]["name"] == first["metadata"]["name"] == "p1"
    assert {**twin["spec"], "nodeName": "n-b"} == first["spec"]
    assert "nodeName" not in twin["spec"]


def test_pods_that_come_again_and_pods_of_other_namespaces_stay_what_they_are() -> None:
    away = with_metadata(PODS[0], namespace="away")
    history = History((*creating(PODS[0], PODS[0], away), deleting(away)))
    assert in_two_namespaces(history, "twin") == history


def test_some_histories_have_odd_names_and_the_seed_says_which() -> None:
    load_profile()
    many = st.integers(1, 10**6).map(lambda n: History((*HISTORY.steps, Schedule(n))))
    first, again = (
        [one.steps[:-1] for one in collected(with_odd_names(many), examples=60, seed="3", name="odd")]
        for _ in range(2)
    )
    assert first == again
    assert 10 < sum(steps != HISTORY.steps for steps in first) < 50
