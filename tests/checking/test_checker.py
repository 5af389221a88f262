# SPDX-License-Identifier: Apache-2.0
"""Checker: a session that the specification itself had is followed, and each alteration of it is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import evolve
from world import FEASIBLE, World, configuration, node_object, pod_object, profile, unschedulable

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.errors import InputError
from refsched.framework.choices import Choices, SeededChoices
from refsched.trace.records import (
    Attempt,
    Bind,
    Create,
    Input,
    Nodes,
    NodeUsage,
    Output,
    PreFilter,
    Queues,
    Record,
)


class Recorded(World):
    """A world that writes down what happens, as a trace does."""

    def __init__(self, config: dict[str, Any] | None = None, choices: Choices | None = None) -> None:
        self.records: list[Record] = []
        super().__init__(config, choices=choices)

    def apply(self, record: Input) -> list[Output]:
        self.records.append(record)
        return super().apply(record)

    def _caused(self) -> list[Output]:
        caused = super()._caused()
        self.records.extend(caused)
        return caused

    def observe(self) -> None:
        self.records.extend([self.machine.queues(), self.machine.nodes()])


def check(records: Sequence[Record], config: dict[str, Any] | None = None) -> list[Disagreement]:
    checker = Checker(config or configuration())
    return [found for record in records for found in checker.take(record)] + checker.take_missing()


def altered(records: Sequence[Record], kind: type[Any], **change: Any) -> list[Record]:
    """The last record of this kind says something else."""
    last = max(i for i, record in enumerate(records) if isinstance(record, kind))
    return [evolve(record, **change) if i == last else record for i, record in enumerate(records)]


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


def the_attempt(world: Recorded) -> Attempt:
    return world.attempts[-1]


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
    told = the_attempt(world).filter or {}
    found = check(altered(world.records, Attempt, filter={**told, "small": FEASIBLE}))
    assert "filter.small" in [one.member for one in found]


def test_a_node_that_fits_cannot_be_said_to_be_refused() -> None:
    world = small()
    told = the_attempt(world).filter or {}
    lie = unschedulable("NodeResourcesFit", "Insufficient cpu")
    found = check(altered(world.records, Attempt, filter={**told, "n2": lie}))
    assert found[0] == Disagreement("filter.n2", FEASIBLE, lie)


def test_a_node_that_was_left_out_is_missed() -> None:
    world = small()
    told = dict(the_attempt(world).filter or {})
    del told["small"]
    found = check(altered(world.records, Attempt, filter=told))
    assert {one.member for one in found} == {"filter.small"}


def test_a_score_is_checked_plugin_by_plugin() -> None:
    world = small()
    told = {node: dict(scores) for node, scores in (the_attempt(world).scores or {}).items()}
    right = told["n1"]["TaintToleration"]
    told["n1"]["TaintToleration"] = 0
    [found] = check(altered(world.records, Attempt, scores=told))
    assert found == Disagreement("scores.n1.TaintToleration", right, 0)


def test_a_total_is_checked_too() -> None:
    world = small()
    told = dict(the_attempt(world).totals or {})
    [found] = check(altered(world.records, Attempt, totals=told | {"n1": 1}))
    assert found == Disagreement("totals.n1", told["n1"], 1)


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
    told = Attempt("default/p", "unschedulable")
    assert check([*world.records, told]) == [
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

    def plan_search(self, number_of_nodes: int, enough: int) -> None:
        return None

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
def test_what_was_never_told_is_missed(kind: type[Any]) -> None:
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


# --- A search that stops early --------------------------------------------------------------------


def many(config: dict[str, Any] | None = None, refusing: Callable[[int], bool] = bool) -> Recorded:
    """Half of 200 nodes are enough; one pod, and ``refusing`` says on which nodes it does not fit."""
    world = Recorded(config)
    for i in range(200):
        world.node(f"n{i:03d}", cpu="500m" if refusing(i) else "4")
    world.schedule("p", cpu="1")
    return world


def nobody(_: int) -> bool:
    return False


def every_third(i: int) -> bool:
    return i % 3 == 0


@pytest.mark.parametrize("refusing", [nobody, every_third])
@pytest.mark.parametrize(
    "without",
    [(), ("filter",), ("scores",), ("totals",), ("scores", "totals"), ("filter", "scores", "totals")],
)
def test_a_search_that_stopped_early_is_followed_as_far_as_it_is_told(
    refusing: Callable[[int], bool], without: Sequence[str]
) -> None:
    world = many(refusing=refusing)
    assert check(altered(world.records, Attempt, **dict.fromkeys(without))) == []


def test_a_worker_goes_on_only_until_its_own_node_too_many() -> None:
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    assert (attempt.feasible, len(attempt.filter or {})) == (100, 101)
    told = {**(attempt.filter or {}), "n101": FEASIBLE}
    [found] = check(altered(world.records, Attempt, filter=told))
    assert found == Disagreement(
        "filter.n101", "not to be evaluated after n100, with which its worker ended the search", FEASIBLE
    )


def test_one_worker_of_sixteen_may_have_begun_the_next_chunk() -> None:
    """Chunks are of 13 nodes: the ninth begins with n104. Its worker found its first node one too many."""
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    told = {**(attempt.filter or {}), "n104": FEASIBLE}
    assert check(altered(world.records, Attempt, filter=told)) == []


def test_more_nodes_than_are_enough_cannot_have_been_kept() -> None:
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    scores, totals = dict(attempt.scores or {}), dict(attempt.totals or {})
    scores["n100"], totals["n100"] = scores["n000"], totals["n000"]
    session = altered(world.records, Attempt, scores=scores, totals=totals, evaluated=101, feasible=101)
    assert {"feasible", "evaluated"} <= {one.member for one in check(session)}


def test_nor_fewer() -> None:
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    scores, totals = dict(attempt.scores or {}), dict(attempt.totals or {})
    del scores["n050"], totals["n050"]
    session = altered(world.records, Attempt, scores=scores, totals=totals, evaluated=99, feasible=99)
    assert Disagreement("feasible", 100, 99) in check(session)


def test_a_node_cannot_have_been_passed_over() -> None:
    world = many(refusing=every_third)
    told = dict(the_attempt(world).filter or {})
    del told["n003"]
    [found, *_] = check(altered(world.records, Attempt, filter=told))
    assert found.member == "filter.n003"
    assert "by the same worker" in str(found.expected)


def test_the_next_search_begins_where_this_one_ended() -> None:
    world = many(refusing=nobody)
    second = world.schedule("q", cpu="1")
    assert set(second.filter or {}) == {f"n{i:03d}" for i in (*range(100, 200), 0)}
    assert check(world.records) == []
    elsewhere = {f"n{i:03d}": FEASIBLE for i in range(50, 151)}
    assert check(altered(world.records, Attempt, filter=elsewhere, scores=None, totals=None)) != []


def test_without_scoring_the_one_that_was_taken_is_the_one_that_was_kept() -> None:
    nothing: dict[str, Any] = {"disabled": [{"name": "*"}]}
    config = configuration(profile(score=nothing, preScore=nothing))
    world = many(config, refusing=nobody)
    attempt = the_attempt(world)
    assert (attempt.node, attempt.feasible, sorted(attempt.filter or {})) == ("n000", 1, ["n000", "n001"])
    assert check(world.records, config) == []
    other = altered(altered(world.records, Attempt, node="n001"), Bind, node="n001")
    [found, *_] = check(other, config)
    assert found.member == "filter.n001"


def test_where_filter_and_scores_are_not_told_the_node_must_still_fit() -> None:
    world = many(refusing=every_third)
    blank = {"filter": None, "scores": None, "totals": None}
    taken = altered(altered(world.records, Attempt, node="n199", **blank), Bind, node="n199")
    assert check(taken) == []
    small_one = altered(altered(world.records, Attempt, node="n198", **blank), Bind, node="n198")
    assert check(small_one)[0].member == "node"


def test_an_attempt_that_found_nothing_has_looked_at_every_node() -> None:
    world = many(refusing=lambda i: True)
    assert len(the_attempt(world).filter or {}) == 200
    assert check(world.records) == []
    assert check(altered(world.records, Attempt, filter=None)) == []
    told = dict(the_attempt(world).filter or {})
    del told["n199"]
    assert {one.member for one in check(altered(world.records, Attempt, filter=told))} == {"filter.n199"}


def test_where_nothing_is_filtered_no_search_is_looked_into() -> None:
    nothing: dict[str, Any] = {"disabled": [{"name": "*"}]}
    config = configuration(profile(filter=nothing))
    world = many(config, refusing=nobody)
    assert (the_attempt(world).evaluated, the_attempt(world).feasible) == (100, 100)
    assert check(world.records, config) == []


# --- Beside a live scheduler ----------------------------------------------------------------------


def test_a_scheduler_that_is_idle_must_have_nobody_to_schedule() -> None:
    checker = Checker(configuration())
    assert checker.idle() == []
    assert checker.next_pod() is None
    world = Recorded()
    world.pod("p")
    for record in world.records:
        checker.take(record)
    assert checker.idle() == [Disagreement("pod", ["default/p"], "no pod: Pop would block")]
    assert checker.next_pod() == "default/p"


def held(*nodes: str, checker: Checker | None = None) -> tuple[Checker, Recorded, list[Disagreement]]:
    """A cycle that is held in Reserve, and was told to the checker."""
    world = Recorded()
    for name in nodes:
        world.node(name)
    world.pop("p", cpu="1", script={"ScriptedA": {"reserve": "Hold"}})
    checker = checker or Checker(configuration())
    for record in world.records:
        checker.take(record)
    found = checker.begin("default/p")
    world.records.clear()
    return checker, world, found


def test_a_cycle_that_is_held_is_compared_when_it_is_told() -> None:
    checker, world, found = held("n1")
    assert found == []
    world.node("meanwhile", cpu="8")
    world.observe()
    world.release("p")
    world.observe()
    assert [one for record in world.records for one in checker.take(record)] == []
    assert checker.take_missing() == []


def test_a_cycle_that_was_held_and_is_told_otherwise_disagrees() -> None:
    checker, world, _ = held("n1")
    world.release("p")
    session = altered(world.records, Attempt, calls=())
    found = [one.member for record in session for one in checker.take(record)]
    assert found == ["calls"]


@pytest.mark.parametrize(("node", "has_diverged"), [("n1", False), ("n2", True)])
def test_a_held_cycle_that_took_another_equal_cannot_be_followed(node: str, has_diverged: bool) -> None:
    checker, world, _ = held("n1", "n2")
    world.release("p")
    session = altered(altered(world.records, Attempt, node=node), Bind, node=node)
    attempt = next(record for record in session if isinstance(record, Attempt))
    for record in session[: session.index(attempt)]:
        checker.take(record)
    assert checker.take(attempt) == []
    assert checker.has_diverged is has_diverged


def test_a_held_cycle_that_stopped_its_search_elsewhere_cannot_be_followed_either() -> None:
    checker, world, _ = held(*[f"n{i:03d}" for i in range(120)])
    world.release("p")
    attempt = the_attempt(world)
    told = {**(attempt.filter or {}), "n112": FEASIBLE}
    checker.take(world.records[0])
    assert checker.take(evolve(attempt, filter=told)) == []
    assert checker.has_diverged


def test_a_held_cycle_must_be_one_that_could_begin() -> None:
    checker, world, _ = held("n1")
    assert [one.expected for one in checker.begin("default/q")] == [
        "a scheduling cycle is held, and kube-scheduler runs one at a time"
    ]
    assert {one.member for one in checker.take(Attempt("default/q", "scheduled"))} == {"pod"}
    world.release("p")
    for record in world.records:
        checker.take(record)
    assert checker.begin("default/q") == [
        Disagreement("pod", "a pod that waits to be scheduled", "default/q")
    ]


def test_what_ended_and_was_not_told_is_missed_in_the_end() -> None:
    checker, world, _ = held("n1")
    world.release("p")
    checker.take(world.records[0])
    assert [one.member for one in checker.take_missing()] == ["attempt", "bind"]
    assert checker.take_missing() == []


@pytest.mark.parametrize("left", [(), ("default/dying",)])
def test_of_equals_one_that_is_skipped_may_have_been_popped_before(left: tuple[str, ...]) -> None:
    dying = pod_object("dying")
    dying["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    created = [Create(each) for each in (node_object("n1"), pod_object("other"), dying)]
    attempt = Attempt("default/other", "scheduled", node="n1")
    bound = Bind("default/other", "n1", "bound")
    assert not check([*created, attempt, bound, Queues(left, (), ())])
    assert check([*created, attempt, bound, Queues(("default/dying",), (), ()), Queues((), (), ())])
    urgent, urgently = Create(pod_object("urgent", priority=10)), ("default/urgent",)
    assert not check([*created, attempt, bound, urgent, Queues((*urgently, *left), (), ())])


def test_nodes_that_show_another_choice_of_a_held_cycle_end_what_can_be_followed() -> None:
    checker = Checker(configuration())
    held = pod_object("held", script={"ScriptedA": {"reserve": "Hold"}})
    for each in (node_object("n1"), node_object("n2"), held):
        checker.take(Create(each))
    assert not checker.begin("default/held")
    (there,) = (name for name, usage in checker.scheduler.nodes().nodes.items() if not usage.pods)
    seen = Nodes({name: NodeUsage(("default/held",) if name == there else ()) for name in ("n1", "n2")})
    assert not checker.take(seen)
    assert checker.has_diverged


# --- Pods that are popped and skipped -------------------------------------------------------------


def dying(name: str, **rest: Any) -> Create:
    """A pod whose deletion has begun."""
    told = pod_object(name, **rest)
    told["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    return Create(told)


def test_a_scheduler_that_skipped_everybody_is_idle() -> None:
    checker = Checker(configuration())
    checker.take(dying("p"))
    assert checker.idle() == []
    assert checker.take(Queues((), (), ())) == []


def test_who_is_skipped_before_an_attempt_is_not_told() -> None:
    world = Recorded()
    world.node("n1")
    world.apply(dying("p", priority=10))
    world.schedule("other")
    world.observe()
    assert check(world.records) == []


# --- Victims that no candidate has ----------------------------------------------------------------


def test_a_nomination_that_no_candidate_offers_is_told_with_one_that_does() -> None:
    world = crowded("n1")
    found = check(altered(world.records, Attempt, nominated_node="n9"))
    assert found == [Disagreement("nominatedNode", "n1", "n9")]
