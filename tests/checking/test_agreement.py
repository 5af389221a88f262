# SPDX-License-Identifier: Apache-2.0
"""Agreement: each member that differs is named, and a member that is missing says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve, fields
from world import FEASIBLE, unresolvable, unschedulable

from refsched.checking.agreement import (
    Disagreement,
    attempt_disagreements,
    bind_disagreements,
    nodes_disagreements,
    queues_disagreements,
)
from refsched.records import Attempt, Bind, Nodes, NodeStatus, NodeUsage, PreFilter, Queues

ATTEMPT = Attempt(
    "default/p",
    "scheduled",
    node="n1",
    evaluated=3,
    feasible=2,
    pre_filter=PreFilter("Success", nodes=("n1", "n2", "n3")),
    filter={"n1": FEASIBLE, "n2": FEASIBLE, "n3": unschedulable("Fit", "Insufficient cpu", "Too many pods")},
    scores={"n1": {"Fit": 80, "Spread": 5}, "n2": {"Fit": 70, "Spread": 5}},
    totals={"n1": 85, "n2": 75},
    waiting=True,
    unschedulable_plugins=("Fit", "Spread"),
    nominated_node="",
    victims=("default/a", "default/b"),
    calls=("A.reserve", "A.permit"),
    message="0/3 nodes are available: 1 this, 2 that.",
)


def members(record: Attempt, specified: Attempt = ATTEMPT) -> list[str]:
    return [found.member for found in attempt_disagreements(record, specified)]


# --- Attempts -------------------------------------------------------------------------------------


def test_what_is_the_same_agrees() -> None:
    assert members(ATTEMPT) == []


@pytest.mark.parametrize("member", [a.name for a in fields(Attempt) if a.name not in ("pod", "result")])
def test_a_member_that_is_missing_says_nothing(member: str) -> None:
    assert members(evolve(ATTEMPT, **{member: None})) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"result": "unschedulable"}, "result"),
        ({"node": "n2"}, "node"),
        ({"evaluated": 2}, "evaluated"),
        ({"feasible": 3}, "feasible"),
        ({"waiting": False}, "waiting"),
        ({"nominated_node": "n1"}, "nominatedNode"),
        ({"unschedulable_plugins": ("Fit",)}, "unschedulablePlugins"),
        ({"victims": ("default/a",)}, "victims"),
        ({"victims": ()}, "victims"),
        ({"calls": ("A.permit", "A.reserve")}, "calls"),
        ({"calls": ()}, "calls"),
        ({"message": "0/3 nodes are available: 1 this, 1 that."}, "message"),
        ({"pre_filter": PreFilter("Success", nodes=("n1", "n2"))}, "preFilter.nodes"),
        ({"pre_filter": PreFilter("Unschedulable")}, "preFilter.code"),
        ({"pre_filter": PreFilter("Success", "NodeAffinity")}, "preFilter.plugin"),
        ({"pre_filter": PreFilter("Success", reasons=("why",))}, "preFilter.reasons"),
        ({"filter": {"n1": FEASIBLE, "n2": FEASIBLE}}, "filter.n3"),
        ({"totals": {"n1": 85, "n2": 76}}, "totals.n2"),
        ({"totals": {"n1": 85, "n2": 75, "n9": 1}}, "totals.n9"),
        ({"scores": {"n1": {"Fit": 80, "Spread": 5}}}, "scores.n2"),
        ({"scores": {**(ATTEMPT.scores or {}), "n3": {"Fit": 1}}}, "scores.n3"),
        ({"scores": {**(ATTEMPT.scores or {}), "n2": {"Fit": 70, "Spread": 6}}}, "scores.n2.Spread"),
        ({"scores": {**(ATTEMPT.scores or {}), "n2": {"Fit": 70}}}, "scores.n2.Spread"),
        ({"scores": {**(ATTEMPT.scores or {}), "n2": {"Fit": 70, "Spread": 5, "X": 0}}}, "scores.n2.X"),
    ],
)
def test_a_member_that_is_altered_is_named_and_no_other(change: dict[str, Any], named: str) -> None:
    assert members(evolve(ATTEMPT, **change)) == [named]


@pytest.mark.parametrize(
    "status",
    [
        FEASIBLE,
        unresolvable("Fit", "Insufficient cpu", "Too many pods"),
        unschedulable("Other", "Insufficient cpu", "Too many pods"),
        unschedulable("Fit", "Insufficient cpu"),
        unschedulable("Fit", "Insufficient cpu", "Insufficient cpu"),
    ],
)
def test_a_node_s_status_is_code_plugin_and_reasons(status: NodeStatus) -> None:
    reported = evolve(ATTEMPT, filter={**(ATTEMPT.filter or {}), "n3": status})
    assert list(attempt_disagreements(reported, ATTEMPT)) == [
        Disagreement("filter.n3", (ATTEMPT.filter or {})["n3"], status)
    ]


@pytest.mark.parametrize(
    "change",
    [
        {
            "filter": {
                **(ATTEMPT.filter or {}),
                "n3": unschedulable("Fit", "Too many pods", "Insufficient cpu"),
            }
        },
        {"filter": {**(ATTEMPT.filter or {}), "n3": unschedulable("Fit")}},
        {"filter": {**(ATTEMPT.filter or {}), "n3": unschedulable("")}},
        {"pre_filter": PreFilter("Success", nodes=("n3", "n1", "n2"))},
        {"unschedulable_plugins": ("Spread", "Fit")},
        {"victims": ("default/b", "default/a")},
        {"totals": {"n1": 85}},
    ],
)
def test_order_says_nothing_where_it_is_a_map_s_and_neither_does_what_is_left_out(
    change: dict[str, Any],
) -> None:
    assert members(evolve(ATTEMPT, **change)) == []


def test_a_refusal_by_prefilter_is_compared_as_a_node_s_is() -> None:
    refused = evolve(ATTEMPT, pre_filter=PreFilter("UnschedulableAndUnresolvable", "Volumes", ("a", "b")))
    reported = evolve(ATTEMPT, pre_filter=PreFilter("UnschedulableAndUnresolvable", "Volumes", ("b", "a")))
    assert members(reported, refused) == []
    assert members(reported, evolve(ATTEMPT, pre_filter=None)) == ["preFilter"]


def test_errors_that_are_listed_in_any_order_agree_word_by_word() -> None:
    one = evolve(ATTEMPT, message="[first error, second error]")
    assert members(evolve(ATTEMPT, message="[second error, first error]"), one) == []
    assert members(evolve(ATTEMPT, message="[second error, third error]"), one) == ["message"]
    assert members(ATTEMPT, evolve(ATTEMPT, message=None)) == ["message"]


def test_where_nothing_was_scored_no_score_is_expected() -> None:
    unscored = evolve(ATTEMPT, scores=None, totals=None)
    assert members(unscored, unscored) == []
    assert members(ATTEMPT, unscored) == ["scores.n1", "scores.n2", "totals.n1", "totals.n2"]


# --- Binding cycles -------------------------------------------------------------------------------

BIND = Bind("default/p", "n1", "error", ("A.preBind", "A.unreserve"), "broken", ("A",))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({}, []),
        ({"calls": None, "message": None, "unschedulable_plugins": None}, []),
        ({"node": "n2"}, ["bind.node"]),
        ({"result": "bound"}, ["bind.result"]),
        ({"message": "else"}, ["bind.message"]),
        ({"calls": ()}, ["bind.calls"]),
        ({"unschedulable_plugins": ("B",)}, ["bind.unschedulablePlugins"]),
    ],
)
def test_the_end_of_a_binding_cycle_is_compared_by_member(change: dict[str, Any], named: list[str]) -> None:
    assert [found.member for found in bind_disagreements(evolve(BIND, **change), BIND)] == named


def test_a_binding_cycle_that_has_not_ended_here_is_named() -> None:
    assert list(bind_disagreements(BIND, None)) == [Disagreement("bind", None, BIND)]


# --- Observations ---------------------------------------------------------------------------------

QUEUES = Queues(("default/a", "default/b"), ("default/c",), ())


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"active": ("default/b", "default/a")}, []),
        ({"active": ("default/a",)}, ["queues.active"]),
        ({"backoff": (), "unschedulable": ("default/c",)}, ["queues.backoff", "queues.unschedulable"]),
    ],
)
def test_queues_are_compared_one_by_one(change: dict[str, Any], named: list[str]) -> None:
    assert [found.member for found in queues_disagreements(evolve(QUEUES, **change), QUEUES)] == named


USAGE = NodeUsage(("default/a", "default/b"), 1500, 1024, 5, {"gpu": 1})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"pods": ("default/b", "default/a")}, []),
        ({"ephemeral_storage": None, "scalar": None}, []),
        ({"scalar": {"gpu": 1, "none": 0}}, []),
        ({"pods": ("default/a",)}, ["nodes.n1.pods"]),
        ({"milli_cpu": 1}, ["nodes.n1.milliCPU"]),
        ({"memory": 1}, ["nodes.n1.memory"]),
        ({"ephemeral_storage": 1}, ["nodes.n1.ephemeralStorage"]),
        ({"scalar": {}}, ["nodes.n1.scalar"]),
        ({"scalar": {"gpu": 2}}, ["nodes.n1.scalar"]),
    ],
)
def test_nodes_are_compared_by_what_is_requested_there(change: dict[str, Any], named: list[str]) -> None:
    reported, specified = Nodes({"n1": evolve(USAGE, **change)}), Nodes({"n1": USAGE})
    assert [found.member for found in nodes_disagreements(reported, specified)] == named


def test_a_node_that_only_one_side_knows_is_named() -> None:
    empty, one = Nodes({}), Nodes({"n1": NodeUsage(())})
    assert list(nodes_disagreements(one, empty)) == [Disagreement("nodes.n1", None, NodeUsage(()))]
    assert list(nodes_disagreements(empty, one)) == [Disagreement("nodes.n1", NodeUsage(()), None)]


def test_what_is_zero_on_both_sides_agrees() -> None:
    reported = Nodes({"n1": NodeUsage((), ephemeral_storage=0, scalar={"gpu": 0})})
    assert list(nodes_disagreements(reported, Nodes({"n1": NodeUsage(())}))) == []


def test_the_uid_of_a_pod_in_an_error_may_differ() -> None:
    one = evolve(ATTEMPT, message="pod a1 is in the cache, so can't be assumed")
    assert members(evolve(ATTEMPT, message="pod b2 is in the cache, so can't be assumed"), one) == []
    assert members(evolve(ATTEMPT, message="pod b2 is in the cache, so it is"), one) == ["message"]
    refused = "Precondition failed: UID in precondition: {}, UID in object meta: {}"
    one = evolve(ATTEMPT, message=refused.format("a1", "b1"))
    assert members(evolve(ATTEMPT, message=refused.format("a2", "b2")), one) == []
