# SPDX-License-Identifier: Apache-2.0
"""What is drawn depends on the seed alone, and every area draws what only it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from conformance.history import History, Observe, Schedule
from conformance.strategies import AREAS
from refsched.errors import InputError
from refsched.reference import create
from refsched.trace.records import to_json

OWN = (
    "resources",
    "taints",
    "node_affinity",
    "pod_affinity",
    "spread",
    "ports",
    "images",
    "config",
    "nominated",
    "queue",
    "preemption",
    "many",
    "faults",
    "permit",
    "lifecycle",
    "mixed",
    "volumes",
    "attached",
    "devices",
)
"""The areas that are tested here."""


def drawn(area: str, of_seed: int, count: int = 12) -> list[History]:
    histories: list[History] = []

    @seed(of_seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(AREAS[area]())
    def collect(history: History) -> None:
        histories.append(history)

    collect()
    return histories


@pytest.mark.parametrize("area", OWN)
def test_the_same_seed_draws_the_same_histories(area: str) -> None:
    assert drawn(area, 1) == drawn(area, 1)


@pytest.mark.parametrize("area", OWN)
def test_two_seeds_draw_different_histories(area: str) -> None:
    assert drawn(area, 1) != drawn(area, 2)


@pytest.mark.parametrize("area", OWN)
def test_every_history_can_be_done_to_the_specification(area: str) -> None:
    results = Counter(result for history in drawn(area, 3) for result in done(history))

    assert results["scheduled"]


def done(history: History) -> Iterator[str]:
    """The results of the attempts. What does not fit what happened meanwhile is passed over."""
    scheduler = create(history.config, feature_gates=history.feature_gates)
    for step in history.steps:
        try:
            if isinstance(step, Schedule):
                for _ in range(step.times):
                    yield from (
                        record["attempt"]["result"]
                        for record in scheduler.schedule().get("records", ())
                        if "attempt" in record
                    )
            elif not isinstance(step, Observe):
                ((request, value),) = to_json(step).items()
                argument = value if isinstance(value, dict) and request in ("permit", "release") else None
                method = getattr(scheduler, request)
                method(**argument) if argument is not None else method(value)
        except InputError as refused:
            if not any(words in str(refused) for words in PASSED_OVER):
                raise


PASSED_OVER = ("does not exist", "exists already", "is not held", "does not wait", "waits on Permit for")
