# SPDX-License-Identifier: Apache-2.0
"""The queue of v1.19: its table, walked, and what its functions say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve
from queue_world import by_priority, pod

from refsched.checking.skipping import skip_earlier
from refsched.framework.events import WILD_CARD, ActionType, ClusterEvent
from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod, PodStatus
from refsched.objects.store import ObjectStore
from refsched.queue.hint_table import hint_table
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.queue.transitions import Occurrence, Place, Transition
from refsched.releases.v1_19.queue.requeueing import QUEUE, exact_backoff
from refsched.releases.v1_19.queue.transitions import TRANSITIONS, Happened
from refsched.rules import listening

NODE_ADDED = ClusterEvent(WILD_CARD, ActionType.ALL, "NodeAdd")


class World:
    def __init__(self) -> None:
        self.now = 0.0
        self.objects = ObjectStore()
        scheduler = "default-scheduler"
        self.queue = SchedulingQueue(
            QUEUE,
            less=by_priority,
            hint_tables={scheduler: hint_table(())},
            pre_enqueue_plugins={scheduler: ()},
            objects=self.objects,
            initial_backoff=1,
            max_backoff=10,
            clock=lambda: self.now,
        )

    def add(self, added: Pod) -> None:
        self.objects.put(added)
        self.queue.add(added)

    def pop(self, name: str) -> QueuedPod:
        return self.queue.pop(f"ns/{name}")

    def moves(self) -> None:
        self.queue.move_all_to_active_or_backoff_queue(NODE_ADDED, None, None)

    def place(self, name: str) -> Place:
        return self.queue._find(f"ns/{name}")[0]


@pytest.fixture
def world() -> World:
    return World()


def status_of(changed: Pod) -> Pod:
    return evolve(changed, status=PodStatus(phase="Failed"))


# --- The table ------------------------------------------------------------------------------------


class Subject:
    """One pod, ``p``, brought to a place."""

    def __init__(self, place: Place) -> None:
        self.world = World()
        self.pod = pod("p")
        if place is Place.NOWHERE:
            return
        self.world.add(self.pod)
        if place is Place.ACTIVE:
            return
        self.attempt = self.world.pop("p")
        if place is Place.BACKOFF:
            self.world.moves()
        if place is not Place.IN_FLIGHT:
            self.fails()
            assert self.world.place("p") is place

    def fails(self) -> None:
        self.world.queue.add_unschedulable_if_not_present(self.attempt)

    def fails_after_a_move(self) -> None:
        self.world.moves()
        self.fails()

    def moves_later(self) -> None:
        self.world.now = 1
        self.world.moves()

    def backoff_ends(self) -> None:
        self.world.now = 1
        self.world.queue.flush_backoff_q_completed()


HAPPENS: dict[object, Callable[[Subject], None]] = {
    Occurrence.ADDED: lambda subject: subject.world.add(subject.pod),
    Occurrence.UPDATED: lambda subject: subject.world.queue.update(subject.pod, pod("p", 3)),
    Happened.STATUS_UPDATED: lambda subject: subject.world.queue.update(subject.pod, status_of(subject.pod)),
    Occurrence.DELETED: lambda subject: subject.world.queue.delete(subject.pod),
    Occurrence.POPPED: lambda subject: subject.world.queue.take("ns/p") and None,
    Occurrence.BACKOFF_OVER: Subject.backoff_ends,
    Happened.FAILED: Subject.fails,
    Happened.FAILED_AND_MOVED: Subject.fails_after_a_move,
    Happened.MOVED_IN_BACKOFF: lambda subject: subject.world.moves(),
    Happened.MOVED: Subject.moves_later,
}


@pytest.mark.parametrize(
    "row", TRANSITIONS, ids=lambda row: f"{row.rule} {row.place.value}: {row.occurrence.value}"
)
def test_what_the_table_of_v1_19_says_happens(row: Transition) -> None:
    subject, applied = Subject(row.place), list[str]()

    with listening(applied.append):
        HAPPENS[row.occurrence](subject)

    assert row.rule in applied
    expected = Place.NOWHERE if row.goes_to is Place.IN_FLIGHT else row.goes_to
    assert subject.world.place("p") is expected


def test_no_rule_and_no_cause_stands_twice_in_the_table_of_v1_19() -> None:
    rows = list(TRANSITIONS)
    assert len({row.rule for row in rows}) == len({(row.place, row.occurrence) for row in rows}) == len(rows)


# --- Two attempts ---------------------------------------------------------------------------------


def test_an_update_of_a_pod_in_flight_puts_it_into_active_q_where_it_stays_when_its_attempt_fails(
    world: World,
) -> None:
    world.add(pod("p"))
    attempt = world.pop("p")
    world.queue.update(pod("p"), pod("p", 3))
    assert world.place("p") is Place.ACTIVE

    world.queue.add_unschedulable_if_not_present(attempt)

    assert world.place("p") is Place.ACTIVE
    assert world.queue.heads()[0].attempts == 0


def test_a_pop_ends_what_moved_also_for_a_pod_that_is_still_being_bound(world: World) -> None:
    world.add(pod("binding"))
    binding = world.pop("binding")
    world.moves()
    world.add(pod("next"))
    world.pop("next")

    world.queue.add_unschedulable_if_not_present(binding)

    assert world.place("binding") is Place.UNSCHEDULABLE


def test_a_pod_that_was_skipped_before_that_pop_ends_nothing_that_moved_since(world: World) -> None:
    world.add(pod("binding"))
    world.add(pod("skipped"))
    binding = world.pop("binding")
    world.moves()
    skip_earlier(world.queue, "ns/skipped")

    world.queue.add_unschedulable_if_not_present(binding)

    assert (world.place("binding"), world.place("skipped")) == (Place.BACKOFF, Place.NOWHERE)


def test_the_leftover_flush_comes_after_a_minute_and_is_a_move_request(world: World) -> None:
    world.add(pod("p"))
    world.queue.add_unschedulable_if_not_present(world.pop("p"))
    world.add(pod("q"))
    attempt = world.pop("q")
    world.now = 60
    world.queue.flush_unschedulable_pods_leftover()
    assert world.place("p") is Place.UNSCHEDULABLE
    world.now = 60.000000001
    world.queue.flush_unschedulable_pods_leftover()
    assert world.place("p") is Place.ACTIVE

    world.queue.add_unschedulable_if_not_present(attempt)

    assert world.place("q") is Place.BACKOFF


def test_nobody_is_popped_from_pod_backoff_q() -> None:
    subject = Subject(Place.BACKOFF)
    assert subject.world.queue.heads() == ()
    assert subject.world.queue.until_backoff_flush() == 1


# --- Backoff --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("attempts", "seconds"), [(1, 1), (2, 2), (4, 8), (5, 10), (60, 10)])
def test_the_backoff_grows_with_the_number_of_attempts(attempts: int, seconds: float) -> None:
    waiting = QueuedPod(PodInfo(pod("p")), 0.25, attempts=attempts, consecutive_errors_count=7)
    assert exact_backoff(1, 10).expiration(waiting) == 0.25 + seconds


def test_a_backoff_is_over_at_the_nanosecond_at_which_it_ends() -> None:
    waiting = QueuedPod(PodInfo(pod("p")), 0, backoff_expiration=1.5)
    assert exact_backoff(1, 10).is_backing_off(waiting, 1.499999999)
    assert not exact_backoff(1, 10).is_backing_off(waiting, 1.5)


# --- Nominations ----------------------------------------------------------------------------------


def test_a_nominated_pod_counts_as_it_was_nominated_in_a_queue_or_not(world: World) -> None:
    world.add(pod("p", 7))
    attempt = world.pop("p")

    world.queue.nominator.nominate(attempt.pod, "n")
    assert [info.pod.priority for info in world.queue.nominated_pods_for_node("n")] == [7]
    world.queue.add_unschedulable_if_not_present(attempt)
    world.queue.update(pod("p", 7), pod("p", 8))
    assert [info.pod.priority for info in world.queue.nominated_pods_for_node("n")] == [8]
    world.queue.delete(pod("p", 8))
    assert world.queue.nominated_pods_for_node("n") == ()


def test_a_pod_that_is_assigned_may_be_nominated_and_one_that_is_deleted_may_not(world: World) -> None:
    world.objects.put(pod("p", node="m"))
    world.queue.nominator.nominate(pod("p", nominated="n"))
    world.queue.nominator.nominate(pod("unknown", nominated="n"))
    world.queue.nominator.nominate(pod("p"))
    assert world.queue.nominated_pods_for_node("n") == ()
    world.queue.nominator.nominate(pod("p"), "n")
    assert [info.pod.name for info in world.queue.nominated_pods_for_node("n")] == ["p"]
