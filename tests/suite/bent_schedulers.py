# SPDX-License-Identifier: Apache-2.0
"""Bent schedulers: the specification, whose answers are changed on their way in one manner.

What they decide is right. They are wrong in how they tell it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from refsched.suite.adapters.adapter import Adapter, TransportError
from refsched.suite.adapters.module import InProcess
from refsched.suite.histories.history import History
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history
from refsched.suite.session.standard import StandardBench

Json = dict[str, Any]
Bend = Callable[[Json, Any], Any]
"""From a request and what was answered to what is answered instead."""


class Bent:
    """The transport of one: it remembers the answers that it has given."""

    def __init__(self, bend: Callable[[], Bend]) -> None:
        self._bend = bend
        self._bent: Bend = bend()
        self._inner = InProcess("refsched.reference", 30.0)

    def open(self) -> None:
        self._bent = self._bend()
        self._inner.open()

    def ask(self, request: Json) -> Any:
        return self._bent(request, self._inner.ask(request))

    def close(self, *, at_once: bool = False) -> None:
        self._inner.close(at_once=at_once)

    def log(self) -> tuple[str, ...]:
        return ()


class BentBench(StandardBench):
    def connect(self, what: str, timeout: float, only: str = "") -> Adapter:
        return bent(what)


def bent(name: str) -> Adapter:
    return Adapter(name, Bent(BENT[name]))


def came_of(name: str, history: History) -> Judgement:
    with bent(name) as adapter:
        return try_history(adapter, history)


def attempts(answer: Json) -> list[Json]:
    return [record["attempt"] for record in answer.get("records", ()) if "attempt" in record]


# --- What is told ---------------------------------------------------------------------------------


def claiming(*capabilities: str) -> Callable[[], Bend]:
    def bend(request: Json, answer: Json) -> Json:
        return answer | {"capabilities": list(capabilities)} if "hello" in request else answer

    return lambda: bend


def leaving_out(*members: str) -> Callable[[], Bend]:
    def bend(request: Json, answer: Json) -> Json:
        for attempt in attempts(answer):
            for member in members:
                attempt.pop(member, None)
        return answer

    return lambda: bend


def saying(**members: Any) -> Callable[[], Bend]:
    """Of every attempt."""

    def bend(request: Json, answer: Json) -> Json:
        for attempt in attempts(answer):
            attempt.update(members)
        return answer

    return lambda: bend


def answering(verb: str, value: Any) -> Callable[[], Bend]:
    return lambda: lambda request, answer: deepcopy(value) if verb in request else answer


def with_more(request: Json, answer: Json) -> Json:
    """Members that nobody knows, wherever there may be some."""
    for record in answer.get("records", ()):
        for value in (record[member] for member in ("attempt", "bind", "queues") if member in record):
            value["x-build"] = {"of": ["today", None]}
        record["x-seconds"] = 0.25
    return answer | {"x-more": True}


def with_nulls(request: Json, answer: Json) -> Json:
    """Members that are not there, said to be null."""
    for attempt in attempts(answer):
        for member in ("preFilter", "scores", "totals", "victims", "nominatedNode", "calls", "message"):
            attempt.setdefault(member, None)
    return answer


def repeating() -> Bend:
    """The first attempt comes again instead of the second."""
    first: list[Json] = []

    def bend(request: Json, answer: Json) -> Json:
        if attempts(answer):
            first.append(deepcopy(answer))
            return deepcopy(first[0])
        return answer

    return bend


def binding_twice() -> Bend:
    """The end of a binding cycle is told again with the next answer."""
    reported: list[Json] = []

    def bend(request: Json, answer: Json) -> Json:
        binds = [record for record in answer.get("records", ()) if "bind" in record]
        if reported and "schedule" in request and "records" in answer:
            answer["records"] += reported
        reported.extend(deepcopy(binds))
        return answer

    return bend


def looking_back() -> Bend:
    """What is observed is what was observed before."""
    seen: list[Json] = []

    def bend(request: Json, answer: Json) -> Json:
        if "observe" not in request:
            return answer
        seen.append(deepcopy(answer))
        return seen[-2] if len(seen) > 1 else answer

    return bend


def holding() -> Bend:
    """Without having claimed that it can."""

    def bend(request: Json, answer: Json) -> Json:
        if "hello" in request:
            return answer | {"capabilities": ["filter", "queue", "scripted"]}
        return (
            {"records": [], "held": {"pod": "default/a", "point": "reserve"}}
            if "schedule" in request
            else answer
        )

    return bend


def dying() -> Bend:
    """At its second attempt, each time that it is started."""
    asked: list[Json] = []

    def bend(request: Json, answer: Json) -> Json:
        asked.extend([request] if "schedule" in request else [])
        if len(asked) > 1:
            raise TransportError("it has ended, with exit code 3")
        return answer

    return bend


CONTRADICTION = {"records": [{"attempt": {"pod": "default/p", "result": "scheduled"}}], "idle": True}
SOMEBODY = {"records": [{"attempt": {"pod": "default/nobody", "result": "unschedulable"}}]}
NUMBER = {"n1": {"NodeResourcesFit": 10**40}}

BENT: dict[str, Callable[[], Bend]] = {
    "straight": lambda: lambda request, answer: answer,
    "says-more": lambda: with_more,
    "says-null": lambda: with_nulls,
    "no-filter": leaving_out("filter"),
    "no-scores": leaving_out("scores", "totals"),
    "no-node": leaving_out("node"),
    "no-calls": leaving_out("calls"),
    "no-victims": leaving_out("victims"),
    "no-nomination": leaving_out("nominatedNode"),
    "no-words": leaving_out("message"),
    "claims-filter-alone": claiming("filter"),
    "claims-the-unheard-of": claiming("filter", "statuses"),
    "does-not-schedule": answering("schedule", {"unsupported": "not today"}),
    "schedules-nobody": answering("schedule", {"idle": True}),
    "schedules-somebody-else": answering("schedule", SOMEBODY),
    "contradicts-itself": answering("schedule", CONTRADICTION),
    "holds-out-of-the-blue": holding,
    "another-node": saying(node="n9"),
    "counts-hugely": saying(evaluated=10**40),
    "scores-hugely": saying(scores=NUMBER),
    "a-number-for-a-name": saying(node=7),
    "a-null-for-a-name": saying(pod=None),
    "repeats": repeating,
    "binds-twice": binding_twice,
    "looks-back": looking_back,
    "dies": dying,
    "fails": answering("schedule", {"error": "out of order"}),
}
