# SPDX-License-Identifier: Apache-2.0
"""Backoff, Ranking, InFlight, UnschedulablePods and Nominator, each by itself."""

from __future__ import annotations

import random

import pytest
from attrs import evolve
from queue_world import NODE_ADDED, NODE_LABELLED, by_priority, pod

from refsched.framework.node_info import PodInfo
from refsched.objects.store import ObjectStore
from refsched.queue.backoff import Backoff, by_expiration, to_the_nanosecond, to_the_second
from refsched.queue.in_flight import InFlight, ObservedEvent
from refsched.queue.nominator import Nominator
from refsched.queue.queued_pod import NO_BACKOFF, QueuedPod
from refsched.queue.ranking import Ranking
from refsched.queue.unschedulable_pods import UnschedulablePods


def queued(name: str, priority: int = 0, timestamp: float = 0) -> QueuedPod:
    return QueuedPod(PodInfo(pod(name, priority)), timestamp)


# --- Backoff --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "seconds"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (90, 10)])
def test_backoff_doubles_up_to_the_maximum(count: int, seconds: float) -> None:
    assert Backoff(1, 10, to_the_second).duration(count) == seconds


def test_backoff_reaches_a_maximum_that_is_no_power_of_two_at_once() -> None:
    assert [Backoff(4, 7, to_the_second).duration(count) for count in (1, 2, 3)] == [4, 7, 7]
    assert Backoff(10, 5, to_the_second).duration(1) == 5


def test_errors_count_before_refusals() -> None:
    refused = evolve(queued("p", timestamp=10.7), unschedulable_count=3)

    assert Backoff(1, 10, to_the_second).expiration(refused) == 14
    assert Backoff(1, 10, to_the_second).expiration(evolve(refused, consecutive_errors_count=1)) == 11


def test_a_pod_without_failures_and_any_pod_without_a_maximum_owe_no_backoff() -> None:
    assert Backoff(1, 10, to_the_second).expiration(queued("p")) == NO_BACKOFF
    assert Backoff(1, 0, to_the_second).expiration(evolve(queued("p"), unschedulable_count=3)) == NO_BACKOFF
    assert not Backoff(1, 10, to_the_second).is_backing_off(queued("p"), 0)


def test_without_popping_from_backoff_time_counts_to_the_nanosecond() -> None:
    exact = Backoff(1, 10, to_the_nanosecond)
    refused = evolve(queued("p", timestamp=0.1 + 0.2), unschedulable_count=1)
    refused = evolve(refused, backoff_expiration=exact.expiration(refused))

    assert refused.backoff_expiration == 1.3
    assert exact.is_backing_off(refused, 1.3)
    assert not exact.is_backing_off(refused, 1.300000001)


def test_a_second_made_of_tenths_is_a_second() -> None:
    assert sum([0.1] * 10) < 1
    assert to_the_second(sum([0.1] * 10)) == 1


def test_earlier_expiration_goes_before_higher_priority() -> None:
    less = by_expiration(by_priority)
    low = evolve(queued("low"), backoff_expiration=3)
    high = evolve(queued("high", 9), backoff_expiration=4)

    assert less(low, high)
    assert not less(high, low)
    assert less(evolve(high, backoff_expiration=3), low)


# --- Ranking --------------------------------------------------------------------------------------


def test_a_ranking_is_sorted_whatever_comes_and_goes() -> None:
    chance = random.Random(7)
    ranking, expected = Ranking(by_priority), {}
    for _ in range(2000):
        one = queued(f"p{chance.randrange(60)}", chance.randrange(4), chance.randrange(3))
        if chance.random() < 0.6:
            ranking.put(one)
            expected[one.key] = one
        else:
            assert ranking.remove(one.key) is expected.pop(one.key, None)
        order = [(-each.pod.priority, each.timestamp) for each in ranking]
        assert order == sorted((-each.pod.priority, each.timestamp) for each in expected.values())
        firsts = [each for each in ranking if (-each.pod.priority, each.timestamp) == order[0]]
        assert list(ranking.first()) == firsts
        assert len(ranking) == len(expected)
        assert all(ranking.get(key) is each for key, each in expected.items())


def test_an_empty_ranking_has_no_first_and_no_pod() -> None:
    ranking = Ranking(by_priority)

    assert ranking.first() == ()
    assert ranking.get("ns/p") is None
    assert ranking.remove("ns/p") is None


# --- InFlight -------------------------------------------------------------------------------------


def test_each_pod_in_flight_sees_what_happened_since_it_was_popped() -> None:
    flight, first, second = InFlight(), ObservedEvent(NODE_ADDED), ObservedEvent(NODE_LABELLED)
    flight.note(first)
    flight.add(queued("a"))
    flight.note(first)
    flight.add(queued("b"))
    flight.note(second)

    assert flight.since_pop("a") == (first, second)
    assert flight.since_pop("b") == (second,)


def test_what_only_the_oldest_pod_could_ask_for_is_forgotten_with_it() -> None:
    flight, first, second = InFlight(), ObservedEvent(NODE_ADDED), ObservedEvent(NODE_LABELLED)
    flight.add(queued("a"))
    flight.note(first)
    flight.add(queued("b"))
    flight.add(queued("c"))
    flight.note(second)

    flight.done("b")
    assert flight.since_pop("a") == (first, second)
    flight.done("a")
    assert list(flight._events) == [second]
    assert flight.since_pop("c") == (second,)
    flight.done("c")
    flight.done("c")
    assert not flight._events
    assert "c" not in flight
    with pytest.raises(KeyError):
        flight.since_pop("c")


# --- UnschedulablePods ----------------------------------------------------------------------------


def test_unschedulable_pods_are_listed_in_the_order_in_which_they_came() -> None:
    pool = UnschedulablePods()
    one, two = queued("one"), queued("two")
    pool.put(one)
    pool.put(two)
    assert list(pool) == [one, two]
    again = evolve(one, unschedulable_plugins=frozenset({"A"}))
    pool.put(again)

    assert (len(pool), list(pool), pool.get("ns/one")) == (2, [two, again], again)
    assert pool.remove("ns/one") is again
    assert pool.remove("ns/one") is None
    assert (len(pool), list(pool), pool.get("ns/two")) == (1, [two], two)


# --- Nominator ------------------------------------------------------------------------------------


def nominator(*names: str) -> Nominator:
    objects = ObjectStore()
    for name in names:
        objects.put(pod(name))
    return Nominator(objects)


def on(promised: Nominator, node: str) -> list[str]:
    return [named.name for named in promised.nominated_to(node)]


def test_a_pod_is_nominated_as_its_status_or_its_caller_says() -> None:
    promised = nominator("a", "b", "c")
    promised.nominate(pod("a", nominated="n"))
    promised.nominate(pod("b", nominated="n"), "m")
    promised.nominate(pod("c"))

    assert (on(promised, "n"), on(promised, "m")) == (["a"], ["b"])
    promised.nominate(pod("a", nominated="n"), "")
    assert on(promised, "n") == []
    promised.nominate(pod("b"))
    assert on(promised, "m") == []


def test_a_pod_that_is_deleted_or_assigned_is_not_nominated() -> None:
    objects = ObjectStore()
    objects.put(pod("assigned", node="x"))
    promised = Nominator(objects)

    promised.nominate(pod("assigned"), "n")
    promised.nominate(pod("gone"), "n")

    assert on(promised, "n") == []


def test_an_updated_pod_goes_to_the_end_of_its_nodes_nominations() -> None:
    promised = nominator("a", "b")
    promised.nominate(pod("a"), "n")
    promised.nominate(pod("b"), "n")

    promised.update(pod("a"), pod("a"))
    assert on(promised, "n") == ["b", "a"]
    promised.update(pod("b", nominated="n"), pod("b"))
    assert on(promised, "n") == ["a"]
    promised.withdraw(pod("a"))
    promised.withdraw(pod("a"))
    assert on(promised, "n") == []
