# SPDX-License-Identifier: Apache-2.0
"""The small worlds that are searched exhaustively: two nodes, three pods, and what may happen to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

from conformance.vocabulary.objects import cpu, node, pod
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.records import Input
from refsched.suite.histories.history import DEFAULT_CONFIG, creating, deleting

Json = dict[str, Any]


@frozen
class World:
    """``meanwhile`` may happen at any moment, each once, besides the passing of ``seconds``."""

    name: str
    there: Sequence[Json]
    meanwhile: Sequence[Input] = ()
    seconds: Sequence[float] = (1.0,)
    config: Json = field(factory=lambda: dict(DEFAULT_CONFIG))


# --- The worlds -----------------------------------------------------------------------------------


def _nodes(*cores: str) -> list[Json]:
    return [node(f"n{number}", {"cpu": each, "pods": "9"}) for number, each in enumerate(cores, 1)]


def _pods(*shapes: Json) -> list[Json]:
    return [pod(f"p{number}", uid=f"u{number}", **shape) for number, shape in enumerate(shapes, 1)]


def worlds() -> tuple[World, ...]:
    one: Json = {"requests": cpu("1")}
    ties = _pods(one, one, one)
    held = _pods({**one, "script": script(("ScriptedA", "preBind", "Hold:Error"))}, one, one)
    refused = _pods({**one, "script": script(("ScriptedA", "reserve", "Unschedulable"))}, one, one)
    waiting = _pods({**one, "script": script(("ScriptedA", "permit", "Wait:5"))}, one, one)
    mid_cycle = _pods({**one, "script": script(("ScriptedA", "reserve", "Hold"))}, one, one)
    bound_all_the_same = _pods(
        {**one, "script": script(("ScriptedBinder", "bind", "Hold:ErrorAfterBound"))}, one, one
    )
    preempting = _pods({**one, "nodeName": "n1"}, {**one, "nodeName": "n2"}, {**one, "priority": 10})
    rivals = _pods({**one, "nodeName": "n1"}, {**one, "priority": 5}, {**one, "priority": 10})
    return (
        World("ties", [*_nodes("1", "1"), *ties], [deleting(ties[0])]),
        World("held before it is bound", [*_nodes("1", "1"), *held], [deleting(held[0])], config=SCRIPTED),
        World("refused late", [*_nodes("1", "1"), *refused], [deleting(refused[1])], config=SCRIPTED),
        World(
            "waiting",
            [*_nodes("1", "1"), *waiting],
            [deleting(waiting[0])],
            seconds=(1.0, 5.0),
            config=SCRIPTED,
        ),
        World(
            "held in mid-cycle",
            [*_nodes("1", "1"), *mid_cycle],
            [deleting(mid_cycle[0]), deleting(_nodes("1")[0])],
            config=SCRIPTED,
        ),
        World(
            "bound, and answered that it was not",
            [*_nodes("1", "1"), *bound_all_the_same],
            [deleting(bound_all_the_same[0])],
            config=SCRIPTED,
        ),
        World("preemption", [*_nodes("1", "1"), *preempting], [deleting(preempting[1])]),
        World(
            "two preemptors", [*_nodes("1"), *rivals], [*creating(*_nodes("1", "1")[1:]), deleting(rivals[2])]
        ),
    )
