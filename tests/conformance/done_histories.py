# SPDX-License-Identifier: Apache-2.0
"""Histories drawn by a seed, and what the specification does when they are done to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from conformance.strategies import AREAS
from refsched.errors import InputError
from refsched.reading.record_json import to_json
from refsched.reference import ReferenceScheduler, create
from refsched.suite.adapters.answers import read_hello
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Observe, Schedule
from refsched.suite.histories.part import Part, part_of
from refsched.suite.histories.sent_to_part import history_for
from refsched.suite.session.drawing import load_profile

Json = dict[str, Any]

load_profile()  # draws the same whatever else is imported

QUICKLY = settings(
    deadline=None,
    database=None,
    derandomize=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def drawn(area: str, of_seed: int, count: int = 12) -> list[History]:
    histories: list[History] = []

    @seed(of_seed)
    @settings(QUICKLY, max_examples=count, phases=[Phase.generate])
    @given(AREAS[area]())
    def collect(history: History) -> None:
        histories.append(history)

    collect()
    return histories


PASSED_OVER = ("does not exist", "exists already", "is not held", "does not wait", "waits on Permit for")


@cache
def _whole() -> Part:
    """What the specification says of itself."""
    return part_of(read_hello(create(DEFAULT_CONFIG).hello()))


def done(history: History) -> list[Json]:
    """The records that it caused. Victims are deleted; what does not fit what happened is passed over."""
    configured = history_for(_whole(), history)
    scheduler = create(configured.config, feature_gates=configured.feature_gates)
    return [record for step in history.steps for record in _done(scheduler, step)]


def _done(scheduler: ReferenceScheduler, step: Any) -> Iterator[Json]:
    if isinstance(step, Observe):
        return
    if isinstance(step, Schedule):
        for _ in range(step.times):
            yield from _caused(scheduler, scheduler.schedule())
        return
    ((request, value),) = to_json(step).items()
    arguments = value if request in ("permit", "release") else {}
    try:
        method = getattr(scheduler, request)
        yield from _caused(scheduler, method(**arguments) if arguments else method(value))
    except InputError as refused:
        if not any(words in str(refused) for words in PASSED_OVER):
            raise


def _caused(scheduler: ReferenceScheduler, answer: Json) -> Iterator[Json]:
    for record in answer.get("records", ()):
        yield record
        if record.get("write", {}).get("verb") == "delete":
            metadata = record["write"]["object"]["metadata"]
            victim = {"kind": "Pod", "name": metadata["name"], "namespace": metadata["namespace"]}
            yield from _caused(scheduler, scheduler.delete(victim))


def recorded(history: History, member: str) -> list[Json]:
    """The attempts, or the ends of binding cycles (``bind``)."""
    return [record[member] for record in done(history) if member in record]
