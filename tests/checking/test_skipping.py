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
    inputs: list[Input] = []
    take = world.apply

    def apply(record: Input) -> list[Output]:
        inputs.append(record)
        return take(record)

    world.apply = apply  # type: ignore[method-assign]
    for step in steps:
        caused = step()
        for record in (*inputs, *caused, world.queues):
            assert checker.take(record) == []
        inputs.clear()
    assert world.attempts[-1].victims == ("default/p",)
    assert world.where("other") == waits
    assert checker.take(evolve(world.queues, active=("default/other",))) != []
