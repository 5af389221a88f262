# SPDX-License-Identifier: Apache-2.0
"""What is shown of a wrong scheduler is as small as what a person would have written."""

from __future__ import annotations

import pytest

from conformance.wrong.planted.table import all_wrong
from conformance.wrong.running.naming import shown
from conformance.wrong.running.profile import suite_tests
from refsched.suite.histories.history import Create

SMALL = {
    "overcommits": ("resources", 4, 5),
    "one-pod-too-many": ("resources", 4, 6),
    "ignores-overhead": ("resources", 3, 4),
    "takes-the-lowest-total": ("resources", 4, 5),
    "lets-no-execute-pass": ("taints", 2, 3),
    "skew-must-be-less": ("spread", 2, 3),
    "one-port-for-all-protocols": ("ports", 3, 4),
    "last-in-first-out": ("queue", 2, 4),
    "errors-owe-no-backoff": ("queue", 2, 4),
    "keeps-deleted-pods": ("queue", 1, 3),
    "all-must-be-satisfied": ("queue", 3, 6),
    "ports-ignore-deleted-pods": ("queue", 3, 5),
    "deleted-pods-go-on-counting": ("lifecycle", 2, 4),
    "skips-the-second-nominated-pass": ("nominated", 4, 6),
    "looks-at-all-nodes-first": ("nominated", 7, 9),
    "ignores-budgets": ("preemption", 8, 9),
    "leaks-what-it-assumed": ("faults", 2, 3),
    "unreserves-nothing": ("faults", 2, 3),
    "gives-a-device-twice": ("dra", 8, 9),
    "taints-weigh-one": ("config", 3, 4),
}
"""The area whose test is run, and how many objects and steps there may be at most."""


@pytest.mark.parametrize("name", SMALL)
def test_a_counterexample_is_small_and_names_the_rule(name: str) -> None:
    area, objects, steps = SMALL[name]
    test = next(test for test in suite_tests() if test.area == area and test.draws)
    found = shown(name, test)
    history = found.judgement.history
    assert sum(isinstance(step, Create) for step in history.steps) <= objects
    assert len(history.steps) <= steps
    assert found.rule in all_wrong()[name].breaks
