# SPDX-License-Identifier: Apache-2.0
"""Pods that are popped and not tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, cast

import pytest
from attrs import evolve

from refsched.checking.checker import Checker
from refsched.checking.skipping import skip_heads, skippable_heads
from refsched.framework.choices import FirstChoice
from refsched.records import Input, Output, Record
from refsched.releases import release_of
from tests.world import World, pod_object

T = TypeVar("T")


def leaving(name: str) -> dict[str, object]:
    pod = pod_object(name, priority=10)
    pod["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    return pod


def test_heads_that_would_not_be_tried_are_skipped_and_no_other_pod_is() -> None:
    world = World()
    world.node("n1")
    world.create(leaving("leaving"))
    world.pod("other")

    assert skippable_heads(world.machine) == ["default/leaving"]
    skip_heads(world.machine)
    assert world.where("leaving") == "nowhere"
    assert world.where("other") == "active"


def test_a_head_that_was_tried_is_not_skipped_although_it_would_be() -> None:
    world = World()
    world.node("n1")
    world.create(leaving("leaving"))

    skip_heads(world.machine, until="default/leaving")
    assert world.where("leaving") == "active"


class Deleting(FirstChoice):
    """A Deleting chooses when a pod that preempts itself is deleted."""

    def __init__(self, when: str) -> None:
        self.when = when

    def choose(self, question: str, options: Sequence[T]) -> T:
        return cast("T", self.when) if question == "deletion" else super().choose(question, options)


def follow(world: World, checker: Checker, steps: Iterable[Callable[[], Iterable[Record]]]) -> None:
    """Shows the checker what the world does, and the queues before each step but the first."""
    inputs: list[Input] = []
    take = world.apply

    def apply(record: Input) -> list[Output]:
        inputs.append(record)
        return take(record)

    world.apply = apply  # type: ignore[method-assign]
    for step in steps:
        assert checker.take(world.queues) == []
        caused = step()
        for record in (*inputs, *caused):
            assert checker.take(record) == []
        inputs.clear()
        pod, _, point = world.held.partition(": ")
        if point.endswith("reserve"):
            assert checker.begin(f"default/{pod}") == []


@pytest.mark.parametrize(("when", "waits"), [("early", "unschedulable"), ("late", "backoff")])
def test_a_pod_that_preempts_itself_may_be_nominated_before_it_is_deleted_or_not(
    when: str, waits: str
) -> None:
    world = World(kubernetes="1.34", choices=Deleting(when))
    checker = Checker(world.config, release=release_of("1.34"))
    steps: list[Callable[[], Iterable[Record]]] = [
        lambda: world.node("n1", cpu="1"),
        lambda: world.pop("p", cpu="1", script={"ScriptedBinder": {"bind": "Hold:Success"}}),
        lambda: world.delete_pod("p"),
        lambda: world.pop("other", cpu="1"),
        lambda: world.pop("p", cpu="1", priority=10),
        lambda: world.delete_pod("p"),
    ]
    follow(world, checker, steps)
    assert checker.take(world.queues) == []
    assert world.attempts[-1].victims == ("default/p",)
    assert world.where("other") == waits
    assert checker.take(evolve(world.queues, active=("default/other",))) != []


def test_a_victim_that_waited_on_permit_in_1_19_may_be_dropped_if_the_pod_of_its_name_was_bound() -> None:
    scripted = {"enabled": [{"name": "ScriptedA"}]}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1beta1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {"schedulerName": "default-scheduler", "plugins": {"reserve": scripted, "permit": scripted}}
        ],
    }
    world = World(config, kubernetes="1.19")
    checker = Checker(config, release=release_of("1.19"))
    bound = pod_object("p")
    bound["metadata"]["uid"] = "another"
    bound["spec"]["nodeName"] = "n1"
    steps: list[Callable[[], Iterable[Record]]] = [
        lambda: world.node("n1", cpu="1", pods="2"),
        lambda: world.pop("p", cpu="1", script={"ScriptedA": {"reserve": "Hold", "permit": "Wait"}}),
        lambda: world.delete_pod("p"),
        lambda: world.create(bound),
        lambda: world.release("p"),
        lambda: world.pop("preemptor", cpu="1", priority=10),
        lambda: world.delete_pod("p"),
    ]
    follow(world, checker, steps)
    assert world.attempts[-1].victims == ("default/p",)
    assert world.where("p") == "backoff"
    seen = world.queues
    assert checker.take(evolve(seen, backoff=tuple(set(seen.backoff) - {"default/p"}))) == []
