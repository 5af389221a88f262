# SPDX-License-Identifier: Apache-2.0
"""SchedulingQueue: a pod's way through the queues."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from queue_world import (
    NODE_ADDED,
    NODE_LABELLED,
    Gate,
    World,
    pod,
)

from refsched.framework.events import POD, RESOURCE_SLICE, WILD_CARD, ActionType, ClusterEvent
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.queue.cluster_events import FORCE_ACTIVATE
from refsched.records import Queues


@pytest.fixture
def world() -> World:
    return World()


def node(name: str) -> Node:
    return read_as(Node, {"metadata": {"name": name}})


def keys(world: World) -> list[str]:
    return [head.key for head in world.queue.heads()]


def relabelled(before: Pod, **labels: Any) -> Pod:
    return evolve(before, metadata=evolve(before.metadata, labels=labels))


# --- Turns ----------------------------------------------------------------------------------------


def test_an_empty_queue_has_no_heads(world: World) -> None:
    assert world.queue.heads() == ()
    assert world.queue.queues() == Queues((), (), ())


def test_pods_that_queue_sort_leaves_equal_are_heads_together(world: World) -> None:
    world.add(pod("a"), pod("b"), pod("high", 5), pod("higher", 7), pod("highest", 7))

    assert keys(world) == ["ns/higher", "ns/highest"]


def test_whoever_waits_longer_is_head_among_equal_priorities(world: World) -> None:
    world.add(pod("old"))
    world.now = 0.5
    world.add(pod("new"))

    assert keys(world) == ["ns/old"]


def test_only_a_head_can_be_popped(world: World) -> None:
    world.add(pod("low"), pod("high", 1))

    with pytest.raises(KeyError):
        world.queue.pop("ns/low")
    with pytest.raises(KeyError):
        world.queue.pop("ns/unknown")
    assert world.queue.pop("ns/high").attempts == 1
    assert world.queue.pop("ns/low").attempts == 1


def test_a_driver_may_take_any_pod_that_no_gate_holds(world: World) -> None:
    world.refused("refused", "Deaf")
    world.refused("error")
    world.add(pod("low"), pod("high", 1), pod("held", gate="shut"))

    assert [world.queue.take(f"ns/{name}").attempts for name in ("refused", "error", "low")] == [2, 2, 1]
    for name in ("held", "unknown", "low"):
        with pytest.raises(KeyError):
            world.queue.take(f"ns/{name}")
    assert (world.active, world.unschedulable) == (["high"], ["held"])


def test_a_popped_pod_forgets_who_refused_it(world: World) -> None:
    world.refused("p", "Picky", pending=["Silent"])
    world.queue.activate([pod("p")])

    again = world.pop()

    assert (again.attempts, again.rejectors, again.unschedulable_count) == (2, frozenset(), 1)


def test_where_active_is_empty_the_backoff_queue_is_popped(world: World) -> None:
    world.refused("later", "Picky", wants="n")
    world.now = 1.5
    world.refused("earlier", "Picky", wants="n")
    world.now = 0.0
    world.happens(NODE_ADDED, None, node("n"))
    assert world.backoff == ["earlier", "later"]

    assert keys(world) == ["ns/later"]
    assert world.pop().key == "ns/later"
    world.add(pod("newcomer", -5))
    assert keys(world) == ["ns/newcomer"]
    with pytest.raises(KeyError):
        world.queue.pop("ns/earlier")


def test_in_the_backoff_queue_pods_of_one_second_stand_in_queue_sort_order(world: World) -> None:
    low, high = pod("low", 1), pod("high", 2)
    world.add(low, high)
    attempts = [world.pop(), world.pop()]
    world.happens(ClusterEvent(WILD_CARD, ActionType.ALL))
    world.now = 0.25
    world.refuse(attempts[0], "Picky")
    world.now = 0.75
    world.refuse(attempts[1], "Picky")

    assert world.backoff == ["high", "low"]
    assert keys(world) == ["ns/high"]


def test_a_pod_that_backs_off_after_an_error_is_not_popped_early(world: World) -> None:
    world.refused("p")

    assert world.backoff == ["p"]
    assert world.queue.heads() == ()
    with pytest.raises(KeyError):
        world.queue.pop("ns/p")


def test_done_pods_are_in_no_queue(world: World) -> None:
    world.add(pod("p"))
    world.queue.done(world.pop().pod.uid)

    assert world.queue.queues() == Queues((), (), ())


# --- Failure --------------------------------------------------------------------------------------


def test_a_refused_pod_waits_for_an_event(world: World) -> None:
    world.refused("p", "Picky")

    assert world.unschedulable == ["p"]


def test_errors_in_a_row_are_counted_and_a_refusal_ends_the_row(world: World) -> None:
    world.refused("p")
    world.passes(2)
    first = world.pop()
    world.refuse(first)
    assert first.consecutive_errors_count == 1
    world.passes(4)
    second = world.pop()
    assert (second.consecutive_errors_count, second.unschedulable_count) == (2, 0)
    world.refuse(second, "Picky")
    world.queue.activate([pod("p")])
    third = world.pop()
    assert (third.consecutive_errors_count, third.unschedulable_count) == (0, 1)


def test_a_pod_that_came_back_some_other_way_stays_there(world: World) -> None:
    world.add(pod("p"))
    attempt = world.pop()
    world.queue.add(pod("p"))

    world.refuse(attempt, "Picky")

    assert world.active == ["p"]
    assert world.unschedulable == []


@pytest.mark.parametrize(("now", "moved"), [(0.999, False), (1.0, False), (1.999, False), (2.0, True)])
def test_backoff_ends_with_the_second_in_which_it_ends(world: World, now: float, moved: bool) -> None:
    world.refused("p")

    world.passes(now)

    assert world.active == (["p"] if moved else [])


def test_all_pods_of_an_expired_second_become_active(world: World) -> None:
    world.add(pod("a"), pod("b"), pod("c"))
    attempts = [world.pop(), world.pop(), world.pop()]
    world.refuse(attempts[0])
    world.refuse(attempts[1])
    world.now = 3
    world.refuse(attempts[2])

    world.passes(0)

    assert (world.active, world.backoff) == (["a", "b"], ["c"])


def test_without_backoff_a_failed_pod_is_active_again() -> None:
    world = World(max_backoff=0)
    world.refused("error")
    world.add(pod("cured", 2000, wants="n"))
    attempt = world.pop()
    world.happens(NODE_ADDED, None, node("n"))
    world.refuse(attempt, "Picky")

    assert world.active == ["cured", "error"]


# --- Events ---------------------------------------------------------------------------------------


def test_an_event_that_requeues_a_pod_sends_it_to_backoff_while_it_backs_off(world: World) -> None:
    world.refused("p", "Picky", wants="n")
    world.refused("other", "Picky", wants="m")

    world.happens(NODE_ADDED, None, node("n"))

    assert (world.backoff, world.unschedulable) == (["p"], ["other"])


def test_an_event_that_requeues_a_pod_makes_it_active_after_its_backoff(world: World) -> None:
    world.refused("p", "Picky", wants="n")
    world.passes(2)

    world.happens(NODE_ADDED, None, node("n"))

    assert world.active == ["p"]


def test_what_a_pending_plugin_waited_for_skips_the_backoff(world: World) -> None:
    world.refused("p", "Silent", pending=["Picky"], wants="n")

    world.happens(NODE_ADDED, None, node("n"))

    assert world.active == ["p"]


def test_an_event_that_nobody_registered_for_moves_nothing(world: World) -> None:
    world.refused("p", "Deaf")
    world.refused("q", "Silent")

    world.happens(ClusterEvent(RESOURCE_SLICE, ActionType.ADD))
    assert world.unschedulable == ["p", "q"]
    world.happens(NODE_LABELLED, node("n"), node("n"))
    assert (world.unschedulable, world.backoff) == (["p"], ["q"])


def test_a_pre_check_leaves_waiting_pods_out_but_not_those_in_flight(world: World) -> None:
    world.add(pod("flying", 5))
    world.refused("p", "Silent")
    attempt = world.pop()
    assert attempt.key == "ns/flying"

    world.queue.move_all_to_active_or_backoff_queue(NODE_ADDED, None, node("n"), lambda other: False)
    world.refuse(attempt, "Silent")

    assert (world.unschedulable, world.backoff) == (["p"], ["flying"])


def test_a_wild_card_moves_every_refused_pod(world: World) -> None:
    world.refused("p", "Deaf")

    world.happens(ClusterEvent(WILD_CARD, ActionType.ALL))

    assert world.backoff == ["p"]


def test_events_before_the_pop_do_not_count_and_later_ones_do(world: World) -> None:
    world.add(pod("early", 2, wants="n"), pod("late", 1, wants="n"))
    early = world.pop()
    world.happens(NODE_ADDED, None, node("n"))
    late = world.pop()

    world.refuse(early, "Picky")
    world.refuse(late, "Picky")

    assert (world.backoff, world.unschedulable) == (["early"], ["late"])


def test_a_pending_plugin_is_looked_for_in_all_events_of_the_attempt(world: World) -> None:
    world.add(pod("p", wants="n"))
    attempt = world.pop()
    world.happens(NODE_LABELLED, node("x"), node("x"))
    world.happens(NODE_ADDED, None, node("n"))

    world.refuse(attempt, "Silent", pending=["Picky"])

    assert world.active == ["p"]


def test_without_its_awaited_event_a_pending_pod_backs_off(world: World) -> None:
    world.add(pod("p", wants="n"))
    attempt = world.pop()
    world.happens(NODE_LABELLED, node("x"), node("x"))
    world.happens(NODE_ADDED, None, node("x"))

    world.refuse(attempt, "Silent", pending=["Picky"])

    assert world.backoff == ["p"]


def test_past_permit_nothing_is_remembered_and_a_refused_pod_is_retried(world: World) -> None:
    world.add(pod("p"))
    attempt = world.pop()
    world.queue.done("p")

    world.refuse(attempt, "Picky")

    assert world.backoff == ["p"]


def test_after_five_minutes_a_refused_pod_is_tried_again(world: World) -> None:
    world.refused("p", "Deaf")
    world.add(pod("held", gate="shut"))
    world.now = 300
    world.queue.flush_unschedulable_pods_leftover()
    assert world.unschedulable == ["held", "p"]

    world.now = 300.5
    world.queue.flush_unschedulable_pods_leftover()

    assert (world.active, world.unschedulable) == (["p"], ["held"])


def test_who_registered_for_a_resource_wants_to_hear_of_it(world: World) -> None:
    assert world.queue.watches("PersistentVolume", ActionType.DELETE)
    assert not world.queue.watches(RESOURCE_SLICE, ActionType.ADD)


# --- Updates of a pod -----------------------------------------------------------------------------


def test_an_active_pod_is_sorted_anew_when_it_is_updated(world: World) -> None:
    world.add(pod("a"), pod("b", 1))

    world.update(pod("a", 2))

    assert keys(world) == ["ns/a"]
    assert world.queue.heads()[0].pod.priority == 2


def test_a_pod_that_backs_off_is_updated_where_it_is(world: World) -> None:
    world.refused("p")
    world.refused("q", "Silent")
    world.happens(NODE_ADDED, None, node("n"))

    world.update(relabelled(pod("p"), new="label"))
    world.update(relabelled(pod("q"), new="label"))

    assert world.backoff == ["p", "q"]
    assert world.queue.heads()[0].pod.labels == {"new": "label"}


def test_an_update_of_a_waiting_pod_may_requeue_it(world: World) -> None:
    world.refused("p", "Picky")
    world.update(pod("p", 1000, "n"))
    assert world.unschedulable == ["p"]

    world.passes(2)
    world.update(pod("p", 1000, "n", new="label"))

    assert world.active == ["p"]


def test_an_update_in_flight_is_an_event_of_the_attempt(world: World) -> None:
    world.add(pod("p"))
    attempt = world.pop()
    world.update(pod("p", new="label"))
    assert world.queue.queues() == Queues((), (), ())

    world.refuse(attempt, "Picky")

    assert world.backoff == ["p"]


def test_once_an_update_has_moved_a_pod_its_other_changes_are_not_asked(world: World) -> None:
    world.refused("p", "Picky")
    after = pod("p", 1000, new="label")
    tolerating = read_as(Pod, {"spec": {"tolerations": [{"key": "a"}]}}).spec.tolerations

    world.update(evolve(after, spec=evolve(after.spec, tolerations=tolerating)))

    assert world.backoff == ["p"]


def test_an_unknown_pod_that_is_updated_is_as_good_as_new(world: World) -> None:
    world.queue.update(pod("p"), pod("p", 7))

    assert world.active == ["p"]


def test_a_deleted_pod_is_in_no_queue(world: World) -> None:
    world.refused("refused", "Deaf")
    world.refused("error")
    world.refused("backoff", "Silent")
    world.happens(NODE_ADDED, None, node("n"))
    world.add(pod("active"), pod("held", gate="shut"))

    for name in ("refused", "error", "backoff", "active", "held", "unknown"):
        world.queue.delete(pod(name))

    assert world.queue.queues() == Queues((), (), ())


# --- Gates ----------------------------------------------------------------------------------------


def test_a_gated_pod_is_among_the_unschedulable_and_deaf_to_events_of_others(world: World) -> None:
    world.add(pod("held", gate="shut", wants="n"))

    world.happens(NODE_ADDED, None, node("n"))

    assert world.unschedulable == ["held"]


def test_a_pod_whose_gate_opens_becomes_active_without_backoff(world: World) -> None:
    world.add(pod("held", gate="shut"))

    world.update(pod("held"))

    assert world.active == ["held"]


def test_behind_one_gate_may_be_another(world: World) -> None:
    world.add(pod("held", gate="shut", door="shut"))
    world.update(pod("held", door="shut"))
    assert world.unschedulable == ["held"]

    world.update(pod("held"))

    assert world.active == ["held"]


def test_any_pods_event_may_be_a_key_and_the_gate_is_asked_again(world: World) -> None:
    world.add(pod("held", gate="shut"))

    world.happens(ClusterEvent(POD, ActionType.UPDATE_POD_LABEL), pod("x"), pod("x", new="label"))

    assert world.unschedulable == ["held"]


def test_a_gate_may_hold_a_pod_after_its_attempt(world: World) -> None:
    world.add(pod("p"))
    attempt = world.pop()
    shut = pod("p", gate="shut")
    world.update(shut)

    world.refuse(evolve(attempt, info=evolve(attempt.info, pod=shut)), "Picky")
    assert world.unschedulable == ["p"]
    world.update(pod("p"))

    assert world.backoff == ["p"]


def test_when_its_backoff_is_over_no_gate_is_asked(world: World) -> None:
    world.refused("p")
    world.update(pod("p", 1000, gate="shut"))

    world.passes(2)

    assert world.active == ["p"]


# --- Activation -----------------------------------------------------------------------------------


def test_an_activated_pod_does_not_back_off(world: World) -> None:
    world.refused("refused", "Deaf")
    world.refused("error")

    world.queue.activate([pod("refused"), pod("error"), pod("unknown")])

    assert world.active == ["error", "refused"]


def test_a_pod_that_backs_off_may_be_activated_and_held(world: World) -> None:
    world.refused("p")
    world.update(pod("p", 1000, gate="shut"))

    world.queue.activate([pod("p")])

    assert (world.backoff, world.unschedulable) == ([], ["p"])


def test_an_activation_in_flight_is_for_that_pod_alone(world: World) -> None:
    world.add(pod("a", 2), pod("b", 1))
    first, second = world.pop(), world.pop()
    world.queue.activate([pod("b")])

    world.refuse(first, "Picky")
    world.refuse(second, "Picky")

    assert (world.unschedulable, world.backoff) == (["a"], ["b"])


def test_a_wild_card_that_names_no_pod_but_another_object_moves_nobody(world: World) -> None:
    world.refused("p", "Picky")

    world.happens(FORCE_ACTIVATE, None, node("n"))

    assert world.unschedulable == ["p"]


# --- Nominations ----------------------------------------------------------------------------------


def nominated(world: World, name: str) -> list[str]:
    return [info.pod.name for info in world.queue.nominated_pods_for_node(name)]


def test_the_nomination_of_a_new_pod_counts_when_the_pod_is_active(world: World) -> None:
    world.add(pod("p", nominated="n"), pod("held", nominated="n", gate="shut"))

    assert nominated(world, "n") == ["p"]
    world.queue.delete(pod("p"))
    assert nominated(world, "n") == []


def test_a_nominated_pod_counts_as_the_queue_has_it_and_in_flight_by_its_name_alone(world: World) -> None:
    world.add(pod("p", 5, nominated="n"))
    assert world.queue.nominated_pods_for_node("n")[0].pod.priority == 5

    world.pop()

    assert world.queue.nominated_pods_for_node("n")[0].pod == Pod(pod("p").metadata)


def test_an_update_without_nomination_keeps_the_one_in_mind(world: World) -> None:
    world.refused("p", "Deaf")
    world.queue.nominator.nominate(pod("p"), "n")

    world.update(pod("p", 1000, new="label"))
    assert nominated(world, "n") == ["p"]

    world.update(pod("p", 1000, "m"))
    assert (nominated(world, "n"), nominated(world, "m")) == ([], ["p"])


def test_a_waiting_pod_that_a_plain_update_makes_active_loses_the_nomination_in_mind(world: World) -> None:
    world.refused("p", "Silent")
    world.passes(2)
    world.queue.nominator.nominate(pod("p"), "n")

    world.update(pod("p", 999))

    assert world.active == ["p"]
    assert nominated(world, "n") == []


def test_who_holds_a_pod_is_asked_first() -> None:
    asked = []

    class Asking(Gate):
        def pre_enqueue(self, pod: Pod, objects: Any) -> Any:
            asked.append(self.name)
            return super().pre_enqueue(pod, objects)

    world = World(gates=(Asking("a"), Asking("b"), Asking("c")))
    world.add(pod("p", b="shut"))
    world.update(pod("p"))

    assert asked == ["a", "b", "b", "a", "c"]
