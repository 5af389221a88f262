# SPDX-License-Identifier: Apache-2.0
"""Which way pods go through the queue is counted, also where the queue leaves them alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from world import configuration, node_object, pod_object

from conformance.vocabulary.scripted import SCRIPTED
from refsched.checking.checker import Checker
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.records import Advance, Create, Delete, Reference, Update
from refsched.suite.recording.transitions import LEFT_OVER, MID_CYCLE, count_transitions

Json = dict[str, Any]


class Counted:
    def __init__(self, config: Json | None = None) -> None:
        self.checker = Checker(configuration() if config is None else config)
        self.rules: Counter[str] = Counter()
        self.happened: Counter[str] = Counter()
        count_transitions(self.queue, self.rules, self.happened)

    @property
    def queue(self) -> SchedulingQueue:
        return self.checker.scheduler.state.queue

    def create(self, *objects: Json) -> None:
        for value in objects:
            self.checker.take(Create(value))

    def activate(self, name: str) -> None:
        stored = self.checker.scheduler.state.objects.get(Pod, name, "default")
        unknown = read_as(Pod, {"metadata": {"name": name, "namespace": "default", "uid": name}})
        self.queue.activate([stored or unknown])


@pytest.fixture
def counted() -> Counted:
    return Counted()


def held() -> Counted:
    """Pod p is at Reserve, and held there."""
    counted = Counted(SCRIPTED)
    counted.create(node_object("n1"), with_script(pod_object("p"), '{"ScriptedA": {"reserve": "Hold"}}'))
    counted.checker.begin("default/p")
    return counted


def with_script(pod: Json, script: str) -> Json:
    return {**pod, "metadata": {**pod["metadata"], "annotations": {"refsched.dev/script": script}}}


def test_a_pod_that_goes_to_its_node_is_done(counted: Counted) -> None:
    counted.create(node_object("n1"), pod_object("p"))
    counted.checker.scheduler.schedule()
    assert [counted.rules[f"R-QUEUE-{number:02}"] for number in (1, 4, 6, 45)] == [1, 1, 1, 1]


def test_an_event_that_requeues_nobody_is_counted_for_those_that_stay(counted: Counted) -> None:
    counted.create(node_object("n1", cpu="1"), pod_object("p", cpu="2"), node_object("n2", cpu="1"))
    counted.checker.scheduler.schedule()
    counted.checker.take(Update(node_object("n1", cpu="1", labels={"a": "b"})))
    counted.checker.take(Update(node_object("n2", cpu="1500m")))
    assert counted.rules["R-QUEUE-14"] == 2
    assert counted.rules["R-QUEUE-15"] == counted.rules["R-QUEUE-16"] == 0


def test_activations_count_where_a_plugin_asks_for_them(counted: Counted) -> None:
    counted.create(node_object("n1", cpu="1"), pod_object("p", cpu="2"), pod_object("q", cpu="2"))
    counted.activate("p")
    counted.activate("nobody")
    counted.checker.scheduler.schedule("default/p")
    counted.activate("p")
    assert [counted.rules[f"R-QUEUE-{number}"] for number in (18, 39, 44)] == [1, 1, 1]


def test_a_checker_that_tries_a_pod_out_of_its_turn_is_no_plugin(counted: Counted) -> None:
    counted.create(node_object("n1", cpu="1"), pod_object("p", cpu="2"))
    counted.checker.scheduler.schedule()
    counted.checker.scheduler.schedule("default/p")
    assert counted.rules["R-QUEUE-18"] == 0
    assert counted.rules["R-QUEUE-04"] == 2


def test_what_happens_to_a_pod_in_flight_is_counted_as_such() -> None:
    counted = held()
    counted.create(node_object("n2"))
    counted.activate("p")
    counted.checker.take(Delete(Reference("Pod", "p", namespace="default")))
    assert [counted.rules[f"R-QUEUE-{number}"] for number in (42, 43)] == [1, 1]
    assert counted.happened[MID_CYCLE] == 2


def test_an_update_of_a_pod_in_flight_is_counted_where_the_queue_learns_of_it() -> None:
    counted = held()
    pod = counted.checker.scheduler.state.objects.get(Pod, "p", "default")
    assert pod is not None
    counted.queue.update(pod, pod)
    assert counted.rules["R-QUEUE-41"] == 1


def test_those_that_are_left_over_are_counted_when_they_are_tried_again(counted: Counted) -> None:
    counted.create(node_object("n1", cpu="1"), pod_object("p", cpu="2"), pod_object("q", cpu="2"))
    counted.checker.scheduler.schedule()
    counted.checker.scheduler.schedule()
    counted.checker.take(Advance(331))
    assert counted.happened[LEFT_OVER] == 2
