# SPDX-License-Identifier: Apache-2.0
"""Backoff, Ranking, InFlight, UnschedulablePods and Nominator, each by itself."""

from __future__ import annotations

import pytest
from attrs import evolve
from queue_world import NODE_ADDED, NODE_LABELLED, pod

from refsched.framework.node_info import PodInfo
from refsched.queue.backoff import Backoff, to_the_second
from refsched.queue.in_flight import InFlight, ObservedEvent
from refsched.queue.queued_pod import NO_BACKOFF, QueuedPod


def queued(name: str, priority: int = 0, timestamp: float = 0) -> QueuedPod:
    return QueuedPod(PodInfo(pod(name, priority)), timestamp)


# --- Backoff --------------------------------------------------------------------------------------


def test_a_pod_without_failures_and_any_pod_without_a_maximum_owe_no_backoff() -> None:
    assert Backoff(1, 10, to_the_second).expiration(queued("p")) == NO_BACKOFF
    assert Backoff(1, 0, to_the_second).expiration(evolve(queued("p"), unschedulable_count=3)) == NO_BACKOFF
    assert not Backoff(1, 10, to_the_second).is_backing_off(queued("p"), 0)


# --- InFlight -------------------------------------------------------------------------------------


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
