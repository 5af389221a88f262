# SPDX-License-Identifier: Apache-2.0
"""Following: what was recorded is done, and what is not recorded is the first of the options."""

from __future__ import annotations

from typing import Any

import pytest
from snapshots import snapshot_of

from refsched.checking.agreement import Disagreement
from refsched.checking.following import Following
from refsched.checking.other_scheduler import OtherScheduler
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.machine.profiles import scheduler_of
from refsched.objects.meta import ObjectMeta
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.preemption.candidate import Candidate
from refsched.queue.queued_pod import QueuedPod
from refsched.reading.configuration.read import read_config
from refsched.records import Attempt, Nodes, NodeStatus, NodeUsage
from refsched.suite.histories.history import DEFAULT_CONFIG

FEASIBLE = NodeStatus("Success")
SNAPSHOT = snapshot_of(*(NodeInfo(Node(ObjectMeta(name=name))) for name in ("n1", "n2", "n3")))


def following(**reported: Any) -> Following:
    choices = Following()
    choices.follow(Attempt("default/p", "scheduled", **reported))
    return choices


def queued(name: str) -> QueuedPod:
    return QueuedPod(PodInfo(Pod(ObjectMeta(name=name, namespace="default"))), 0.0)


def test_without_a_record_the_first_option_is_taken() -> None:
    choices = Following()
    assert choices.choose("node", ["n1", "n2"]) == "n1"
    assert choices.plan_search(200, 100) is None
    assert choices.offered == {"node": 2}


def test_a_pod_is_followed_by_its_name_alone() -> None:
    choices = Following()
    choices.follow(None, "default/p")
    other, pod = queued("other"), queued("p")
    assert choices.choose("pod", [other, pod]) is pod
    assert choices.choose("pod", [other]) is other


def test_a_node_that_is_not_offered_is_noted_and_followed() -> None:
    choices = following(node="n3")
    assert choices.choose("node", ["n1", "n2"]) == "n3"
    assert choices.not_allowed == [Disagreement("node", ["n1", "n2"], "n3")]
    choices.follow(Attempt("default/p", "unschedulable"))
    assert choices.not_allowed == []
    assert choices.choose("node", ["n1"]) == ""
    assert choices.not_allowed == [Disagreement("node", ["n1"], "no node")]


@pytest.mark.parametrize(
    ("evaluated", "hint"),
    [
        ({"n2": FEASIBLE}, "n2"),
        ({"n1": FEASIBLE, "n2": FEASIBLE, "n3": NodeStatus("Unschedulable")}, "n3"),
        ({"n1": FEASIBLE, "n2": FEASIBLE}, "n2"),
        (None, "n2"),
    ],
)
def test_a_hint_is_the_chosen_node_unless_others_were_evaluated(
    evaluated: dict[str, NodeStatus] | None, hint: str
) -> None:
    choices = following(node="n2", filter=evaluated)
    choices._snapshot = lambda: SNAPSHOT
    assert choices.choose("hint", ["n3", "n2"]) == hint
    choices = following(node="n9", filter=evaluated)
    assert choices.choose("hint", ["n3"]) == "n3"


def test_a_hint_that_leaves_no_trace_is_a_node_that_does_not_exist() -> None:
    choices = following(node="n2", filter={"n1": FEASIBLE, "n2": FEASIBLE})
    choices._snapshot = lambda: SNAPSHOT
    assert choices.choose("hint", ["n2", "n9"]) == "n9"


@pytest.mark.parametrize(
    ("reported", "hint"),
    [
        ({"filter": {"n2": FEASIBLE}}, "n2"),
        ({"filter": {"n1": NodeStatus("Unschedulable"), "n2": FEASIBLE}}, ""),
        ({"filter": {"n2": FEASIBLE, "n3": NodeStatus("Unschedulable")}}, "n3"),
        ({"filter": {"n2": FEASIBLE}, "scores": {"n2": {"ImageLocality": 7}}}, ""),
        ({}, "n2"),
    ],
)
def test_a_part_may_pass_a_hint_over_and_look_at_all_nodes(reported: dict[str, Any], hint: str) -> None:
    choices = following(node="n2", **reported)
    choices.other = OtherScheduler(may_search_all=True)
    choices._snapshot = lambda: SNAPSHOT
    assert choices.choose("hint", ["n2", "n3"]) == hint


def test_errors_are_reported_in_the_order_of_the_message() -> None:
    choices = following(message="preemption: [no room on n10, no room on n2, no room on n1]")
    errors = [f"no room on {node}" for node in ("n1", "n2", "n10")]
    assert choices.choose("error", errors) == "no room on n10"
    assert choices.choose("error", errors[:2]) == "no room on n1", "the name of n10 begins like it"
    assert choices.choose("error", errors[1:2]) == "no room on n2"
    assert choices.choose("error", ["another", "one more"]) == "another"


# --- What is known of a search --------------------------------------------------------------------

FOUND = dict.fromkeys(("n1", "n2", "n3"), FEASIBLE)


@pytest.mark.parametrize(
    ("reported", "enough", "kept", "is_blind"),
    [
        ({"node": "n2"}, 3, None, False),
        ({"node": "n2"}, 2, {"n2"}, True),
        ({"node": "n2"}, 1, {"n2"}, False),
        ({"totals": {"n1": 1, "n3": 1}, "node": "n3"}, 2, {"n1", "n3"}, False),
        ({"scores": {"n1": {}, "n3": {}}, "node": "n3"}, 2, {"n1", "n3"}, False),
        ({}, 2, None, False),
    ],
)
def test_what_was_kept_follows_from_the_scores_or_from_the_node(
    reported: dict[str, Any], enough: int, kept: set[str] | None, is_blind: bool
) -> None:
    choices = following(filter=FOUND, **reported)
    plan = choices.plan_search(200, enough)
    assert plan is not None
    assert (plan.evaluated, plan.kept) == (set(FOUND), kept)
    assert choices.is_blind is is_blind


@pytest.mark.parametrize(
    ("reported", "kept"),
    [
        ({"node": "n2"}, {"n2"}),
        ({"node": "n2", "totals": {"n1": 1, "n2": 1}}, {"n1", "n2"}),
        ({}, None),
    ],
)
def test_where_no_node_is_reported_a_search_that_may_stop_early_is_not_seen(
    reported: dict[str, Any], kept: set[str] | None
) -> None:
    choices = following(**reported)
    plan = choices.plan_search(200, 100)
    assert (plan.kept if plan is not None else None) == kept
    assert choices.is_blind is (kept is not None)
    assert choices.plan_search(3, 3) is None


def test_the_node_of_a_pod_that_is_held_is_the_one_on_which_it_is_counted() -> None:
    following = Following()
    following.foresee([Nodes({"n1": NodeUsage(("default/q",)), "n2": NodeUsage(("default/p",))})])
    following.follow(None, "default/p")
    assert following.choose("node", ["n1", "n2"]) == "n2"
    following.follow(None, "default/r")
    assert following.choose("node", ["n1", "n2"]) == "n1"


def test_where_nothing_was_nominated_an_eviction_that_ended_at_a_missing_victim_is_followed() -> None:
    choices = Following()
    choices.attach(scheduler_of(read_config(DEFAULT_CONFIG), choices))
    candidates = (Candidate("n1", ()), Candidate("n2", (PodInfo(Pod(ObjectMeta("gone"))),)))
    choices.follow(Attempt("default/p", "unschedulable"))
    assert choices.choose("candidate", candidates).node == "n2"
    choices.follow(Attempt("default/p", "unschedulable", nominated_node="n1", victims=()))
    assert choices.choose("candidate", candidates).node == "n1"
