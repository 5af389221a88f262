# SPDX-License-Identifier: Apache-2.0
"""Checker: beside a live scheduler, which holds pods, skips some, and is idle."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from recorded import Recorded, altered, check, the_attempt
from world import FEASIBLE, configuration, node_object, pod_object

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.records import Attempt, Bind, Create, Nodes, NodeStatus, NodeUsage, Queues


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


def test_a_cycle_that_is_held_is_compared_when_it_is_reported() -> None:
    checker, world, found = held("n1")
    assert found == []
    world.node("meanwhile", cpu="8")
    world.observe()
    world.release("p")
    world.observe()
    assert [one for record in world.records for one in checker.take(record)] == []
    assert checker.take_missing() == []


def test_a_cycle_that_was_held_and_is_reported_otherwise_disagrees() -> None:
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
    changed = {**(attempt.filter or {}), "n112": FEASIBLE}
    checker.take(world.records[0])
    assert checker.take(evolve(attempt, filter=changed)) == []
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


def test_what_ended_and_was_not_reported_is_missed_in_the_end() -> None:
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


def test_of_equals_one_that_is_nominated_and_skipped_may_have_been_popped_before() -> None:
    """It then no longer counts where it is nominated."""
    leaving = dying("leaving", cpu="1", nominated_to="n1")
    created = [Create(node_object("n1", cpu="1")), leaving, Create(pod_object("other", cpu="1"))]
    attempt = Attempt("default/other", "scheduled", node="n1", evaluated=1, feasible=1)
    checker = Checker(configuration())
    for each in created:
        checker.take(each)
    assert not checker.take(attempt)
    assert checker.has_diverged


def test_a_pod_may_be_held_because_a_nominated_one_was_skipped_before_it() -> None:
    """The specification counts the nominated pod, and completes an attempt that fails."""
    leaving = dying("leaving", cpu="1", nominated_to="n1")
    other = pod_object("other", cpu="1", script={"ScriptedA": {"reserve": "Hold"}})
    checker = Checker(configuration())
    for each in (Create(node_object("n1", cpu="1")), leaving, Create(other)):
        checker.take(each)
    assert not checker.begin("default/other")
    assert not checker.take_missing()
    assert checker.has_diverged


@pytest.mark.parametrize("left", [(), ("default/leaving",)])
def test_the_queues_that_come_next_show_whether_a_nominated_pod_was_skipped(left: tuple[str, ...]) -> None:
    created = [
        Create(node_object("n1", cpu="1")),
        dying("leaving", cpu="1", nominated_to="n1"),
        Create(pod_object("other", cpu="1", script={"ScriptedA": {"reserve": "Hold"}})),
    ]
    checker = Checker(configuration())
    for each in created:
        checker.take(each)
    checker.foresee([Queues(left, (), ())])
    assert not checker.begin("default/other")
    is_held = not checker.take_missing()
    assert not checker.has_diverged
    assert is_held == (not left), "it fits beside nobody, and is held then"


def test_a_scheduler_without_a_queue_may_count_a_nominated_pod_that_was_skipped() -> None:
    leaving = dying("leaving", cpu="1", nominated_to="n1")
    checker = Checker(configuration())
    for each in (Create(node_object("n1", cpu="1")), leaving, Create(pod_object("other", cpu="1"))):
        checker.take(each)
    rejected = NodeStatus("Unschedulable", "NodeResourcesFit", ("Insufficient cpu",))

    assert checker.next_pod() == "default/other"
    assert not checker.take(Attempt("default/other", "unschedulable", filter={"n1": rejected}))
    assert checker.has_diverged


@pytest.mark.parametrize(("evaluated", "is_right"), [(1, True), (2, False)])
def test_for_a_scheduler_without_a_queue_a_pod_that_is_skipped_ends_no_batch(
    evaluated: int, is_right: bool
) -> None:
    args = {"defaultingType": "List", "defaultConstraints": []}
    of_spread = [{"name": "PodTopologySpread", "args": args}]
    checker = Checker(configuration({"pluginConfig": of_spread}))
    for node in (node_object("n1", cpu="4"), node_object("n2", cpu="16")):
        checker.take(Create(node))
    checker.take(Create(pod_object("first", cpu="1", priority=3)))
    checker.take(dying("leaving", priority=2))
    checker.take(Create(pod_object("second", cpu="1", priority=1)))

    for pod, nodes in (("default/first", 2), ("default/second", evaluated)):
        assert checker.next_pod() == pod
        found = checker.take(Attempt(pod, "scheduled", "n2", evaluated=nodes))
        assert (not found) == (is_right or pod == "default/first")
        checker.take(Bind(pod, "n2", "bound"))


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
    changed = pod_object(name, **rest)
    changed["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    return Create(changed)


def test_a_scheduler_that_skipped_everybody_is_idle() -> None:
    checker = Checker(configuration())
    checker.take(dying("p"))
    assert checker.idle() == []
    assert checker.take(Queues((), (), ())) == []


def test_who_is_skipped_before_an_attempt_is_not_reported() -> None:
    world = Recorded()
    world.node("n1")
    world.apply(dying("p", priority=10))
    world.schedule("other")
    world.observe()
    assert check(world.records) == []
