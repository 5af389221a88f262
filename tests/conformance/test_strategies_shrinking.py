# SPDX-License-Identifier: Apache-2.0
"""What is found shrinks to what a person would have written."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from done_histories import QUICKLY, recorded
from hypothesis import find, settings

from conformance.strategies import AREAS
from refsched.suite.histories.history import Create, History, Schedule


def smallest(area: str, condition: Callable[[History], bool], seed: int = 1) -> History:
    return find(AREAS[area](), condition, settings=settings(QUICKLY, max_examples=1000), random=Random(seed))


def refuses(plugin: str) -> Callable[[History], bool]:
    """Some node is refused by this plugin."""
    return lambda history: any(
        status.get("plugin") == plugin
        for attempt in recorded(history, "attempt")
        for status in attempt.get("filter", {}).values()
    )


def kinds(history: History) -> list[str]:
    return [step.object["kind"] for step in history.steps if isinstance(step, Create)]


@pytest.mark.parametrize(
    ("area", "plugin", "seed"),
    # With some seeds a history of resources is one of requeueing, which does not shrink to another kind.
    [("taints", "TaintToleration", 1), ("resources", "NodeResourcesFit", 3)],
)
def test_a_rejection_shrinks_to_a_node_a_pod_and_an_attempt(area: str, plugin: str, seed: int) -> None:
    found = smallest(area, refuses(plugin), seed)

    assert kinds(found) == ["Node", "Pod"]
    assert found.steps[2:] == (Schedule(),)


def test_a_port_that_is_taken_shrinks_to_a_node_two_pods_and_an_attempt() -> None:
    found = smallest("ports", refuses("NodePorts"))

    assert kinds(found) == ["Node", "Pod", "Pod"]
    assert isinstance(found.steps[-1], Schedule)
    assert len(found.steps) == 4


def test_a_preemption_shrinks_to_few_pods() -> None:
    def preempts(history: History) -> bool:
        """In a crowd, too, but that takes its time."""
        return len(history.steps) < 25 and any(
            attempt.get("victims") for attempt in recorded(history, "attempt")
        )

    found = smallest("preemption", preempts)

    assert kinds(found).count("Node") == 1
    assert kinds(found).count("Pod") <= 4


def test_a_broken_binding_shrinks_to_one_pod() -> None:
    """Steps that decide nothing, as releases of what is not held, are left out by the suite."""
    found = smallest(
        "faults", lambda history: any(bind["result"] == "error" for bind in recorded(history, "bind"))
    )

    assert kinds(found) == ["Node", "Pod"]
