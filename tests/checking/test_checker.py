# SPDX-License-Identifier: Apache-2.0
"""Checker: a session that the specification itself had is followed, and each alteration of it is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from recorded import Recorded, altered, check, the_attempt
from world import FEASIBLE, unschedulable

from refsched.checking.agreement import Disagreement
from refsched.errors import InputError
from refsched.framework.choices import Choices, SeededChoices
from refsched.records import Attempt, Bind, Nodes, PreFilter, Queues

# --- A session is followed ------------------------------------------------------------------------


def busy(choices: Choices | None = None) -> Recorded:
    """Scheduled, waiting, rejected, refused, preempting, bound late, deleted: something of everything."""
    world = Recorded(choices=choices)
    for name in ("n1", "n2", "n3"):
        world.node(name)
    for i in range(4):
        world.pod(f"p{i}", cpu="1")
    for _ in range(4):
        world.schedule()
    world.schedule("waits", cpu="500m", script={"ScriptedA": {"permit": "Wait"}})
    world.observe()
    world.schedule("refused", script={"ScriptedB": {"reserve": "Unschedulable"}})
    world.schedule("fails", script={"ScriptedBinder": {"bind": "Error"}})
    world.permit("waits", "reject", "ScriptedA")
    world.observe()
    world.schedule("big", cpu="4", priority=10)
    victims = world.attempts[-1].victims
    assert victims is not None
    for victim in victims:
        world.delete_pod(victim.removeprefix("default/"))
    world.advance(20)
    world.observe()
    while world.queues.active:
        world.schedule()
    world.observe()
    return world


@pytest.mark.parametrize("seed", range(6))
def test_whatever_the_specification_chooses_it_allows(seed: int) -> None:
    assert check(busy(SeededChoices(seed)).records) == []


def small() -> Recorded:
    """One pod on one of two equal nodes, which was refused by a third, and what is seen then."""
    world = Recorded()
    world.node("n1")
    world.node("n2")
    world.node("small", cpu="500m")
    world.pod("waiting", priority=-1)
    world.schedule("p", cpu="1")
    world.observe()
    return world


# --- Each member of an attempt --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"result": "unschedulable"}, {"result"}),
        ({"evaluated": 2}, {"evaluated"}),
        ({"feasible": 3}, {"feasible"}),
        ({"waiting": True}, {"waiting"}),
        ({"unschedulable_plugins": ("NodeResourcesFit",)}, {"unschedulablePlugins"}),
        ({"nominated_node": "n1"}, {"nominatedNode"}),
        ({"victims": ("default/waiting",)}, {"victims"}),
        ({"calls": ()}, {"calls"}),
        ({"message": "hello"}, {"message"}),
        ({"pre_filter": PreFilter("Success", nodes=("n1",))}, {"preFilter"}),
        ({"pod": "default/nobody"}, {"pod", "bind", "queues.active", "nodes.n1.pods"}),
    ],
)
def test_an_attempt_that_says_something_else_is_found(change: dict[str, Any], named: set[str]) -> None:
    world = small()
    found = {one.member for one in check(altered(world.records, Attempt, **change))}
    assert named <= found
    if "pod" not in change:
        assert found == named


def test_a_node_that_was_refused_cannot_be_said_to_fit() -> None:
    world = small()
    reported = the_attempt(world).filter or {}
    found = check(altered(world.records, Attempt, filter={**reported, "small": FEASIBLE}))
    assert "filter.small" in [one.member for one in found]


def test_a_node_that_fits_cannot_be_said_to_be_refused() -> None:
    world = small()
    reported = the_attempt(world).filter or {}
    lie = unschedulable("NodeResourcesFit", "Insufficient cpu")
    found = check(altered(world.records, Attempt, filter={**reported, "n2": lie}))
    assert found[0] == Disagreement("filter.n2", FEASIBLE, lie)


def test_a_node_that_was_left_out_is_missed() -> None:
    world = small()
    reported = dict(the_attempt(world).filter or {})
    del reported["small"]
    found = check(altered(world.records, Attempt, filter=reported))
    assert {one.member for one in found} == {"filter.small"}


def test_a_score_is_checked_plugin_by_plugin() -> None:
    world = small()
    reported = {node: dict(scores) for node, scores in (the_attempt(world).scores or {}).items()}
    right = reported["n1"]["TaintToleration"]
    reported["n1"]["TaintToleration"] = 0
    [found] = check(altered(world.records, Attempt, scores=reported))
    assert found == Disagreement("scores.n1.TaintToleration", right, 0)


def test_a_total_is_checked_too() -> None:
    world = small()
    reported = dict(the_attempt(world).totals or {})
    [found] = check(altered(world.records, Attempt, totals=reported | {"n1": 1}))
    assert found == Disagreement("totals.n1", reported["n1"], 1)


# --- What is a choice, and what is not ------------------------------------------------------------


def test_either_of_two_equals_may_be_taken() -> None:
    world = small()
    assert the_attempt(world).node == "n1"
    session = altered(altered(world.records, Attempt, node="n2"), Bind, node="n2")
    found = check([record for record in session if not isinstance(record, Nodes)])
    assert found == []


@pytest.mark.parametrize("node", ["small", "nowhere"])
def test_a_node_that_is_not_among_the_best_may_not(node: str) -> None:
    world = small()
    session = altered(altered(world.records, Attempt, node=node), Bind, node=node)
    found = check(session)
    assert found[0] == Disagreement("node", ["n1", "n2"], node)


def test_to_take_none_is_no_choice_either() -> None:
    world = small()
    found = check(altered(world.records, Attempt, node=None, result="unschedulable"))
    assert found[0] == Disagreement("node", ["n1", "n2"], "no node")


def test_of_equal_pods_any_may_be_popped() -> None:
    world = Recorded(choices=SeededChoices(3))
    world.node("n1")
    for name in "abcde":
        world.pod(name)
    for _ in "abcde":
        world.schedule()
    assert [attempt.pod[-1] for attempt in world.attempts] != list("abcde")
    assert check(world.records) == []


def test_a_pod_whose_turn_it_is_not_is_named_and_followed() -> None:
    world = Recorded()
    world.node("n1")
    world.pod("first", priority=10)
    world.pod("second")
    world.records.append(Attempt("default/second", "scheduled", node="n1"))
    world.records.append(Bind("default/second", "n1", "bound"))
    assert check(world.records) == [Disagreement("pod", ["default/first"], "default/second")]


def test_where_nobody_waits_nobody_can_be_popped() -> None:
    world = Recorded()
    world.node("n1", cpu="1")
    world.schedule("p", cpu="2")
    reported = Attempt("default/p", "unschedulable")
    assert check([*world.records, reported]) == [
        Disagreement("pod", "no pod: Pop would block", "default/p"),
    ]
    assert check([*world.records, Attempt("default/stranger", "scheduled")]) == [
        Disagreement("pod", "no pod: Pop would block", "default/stranger"),
        Disagreement("pod", "a pod that waits to be scheduled", "default/stranger"),
    ]


def crowded(chosen: str) -> Recorded:
    """Two nodes, each with one pod that might be evicted."""
    world = Recorded(choices=Choosing(chosen))
    for node in ("n1", "n2"):
        world.node(node)
        world.pod(f"on-{node}", cpu="4", on=node)
    world.schedule("big", cpu="2", priority=10)
    assert world.attempts[-1].nominated_node == chosen
    return world


class Choosing:
    """Of candidates, the one on this node; else the first."""

    def __init__(self, node: str) -> None:
        self._node = node

    def choose(self, question: str, options: Sequence[Any]) -> Any:
        if question == "candidate":
            return next(option for option in options if option.node == self._node)
        return options[0]


@pytest.mark.parametrize("chosen", ["n1", "n2"])
@pytest.mark.parametrize("without", [{}, {"victims": None}, {"nominated_node": None}])
def test_any_of_equal_candidates_may_be_evicted(chosen: str, without: dict[str, Any]) -> None:
    world = crowded(chosen)
    assert check(altered(world.records, Attempt, **without)) == []


def test_but_only_the_victims_that_its_node_asks_for() -> None:
    world = crowded("n1")
    found = check(altered(world.records, Attempt, victims=("default/on-n2",)))
    assert "victims" in [one.member for one in found]
    found = check(altered(world.records, Attempt, victims=("default/on-n1", "default/on-n2")))
    assert [one.member for one in found] == ["victims"]


@pytest.mark.parametrize("nominated_to", ["n1", ""])
def test_a_scheduler_that_reports_nominations_says_which_it_takes_back(nominated_to: str) -> None:
    world = Recorded()
    world.node("n1")
    assert world.schedule("p", cpu="9", nominated_to=nominated_to).nominated_node == ""
    silent = altered(world.records, Attempt, nominated_node=None)
    assert check(silent) == []
    kept = [Disagreement("nominatedNode", "", None)] if nominated_to else []
    assert check(silent, reports_nominations=True) == kept


# --- Binding cycles and observations --------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "change", "named"),
    [
        (Bind, {"result": "error"}, ["bind.result"]),
        (Bind, {"node": "n2"}, ["bind.node"]),
        (Bind, {"message": "hello"}, ["bind.message"]),
        (Bind, {"calls": ("ScriptedA.preBind",)}, ["bind.calls"]),
        (Bind, {"pod": "default/waiting"}, ["bind", "bind"]),
        (Queues, {"active": ()}, ["queues.active"]),
        (Queues, {"backoff": ("default/p",)}, ["queues.backoff"]),
        (Nodes, {"nodes": {}}, ["nodes.n1", "nodes.n2", "nodes.small"]),
    ],
)
def test_what_follows_an_attempt_is_checked_as_well(
    kind: type[Any], change: dict[str, Any], named: list[str]
) -> None:
    assert [one.member for one in check(altered(small().records, kind, **change))] == named


@pytest.mark.parametrize("kind", [Attempt, Bind])
def test_what_was_never_reported_is_missed(kind: type[Any]) -> None:
    """An attempt that is not told has not happened here either: its binding cycle stands alone."""
    world = small()
    records = [record for record in world.records if not isinstance(record, kind)]
    assert "bind" in [one.member for one in check(records)]


def test_an_input_that_cannot_be_is_an_error_of_the_trace() -> None:
    world = small()
    with pytest.raises(InputError, match="exists already"):
        check([*world.records, world.records[0]])


def test_what_it_writes_is_not_compared() -> None:
    world = crowded("n1")
    assert world.writes
    assert check(world.records) == []
    assert check([record for record in world.records if record not in world.writes]) == []


# --- Victims that no candidate has ----------------------------------------------------------------


def test_a_nomination_of_no_candidate_is_reported_with_one_that_is() -> None:
    world = crowded("n1")
    found = check(altered(world.records, Attempt, nominated_node="n9"))
    assert found == [Disagreement("nominatedNode", "n1", "n9")]
