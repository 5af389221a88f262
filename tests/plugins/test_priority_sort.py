# SPDX-License-Identifier: Apache-2.0
"""PrioritySort."""

from __future__ import annotations

import pytest
from attrs import frozen

from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.priority_sort import PrioritySort


@frozen
class Waiting:
    pod: Pod
    timestamp: float


def waiting(priority: int | None, timestamp: float) -> Waiting:
    return Waiting(read_as(Pod, {"spec": {"priority": priority}}), timestamp)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (waiting(2, 9.0), waiting(1, 0.0)),
        (waiting(1, 0.0), waiting(1, 0.5)),
        (waiting(None, 9.0), waiting(-1, 0.0)),
    ],
)
def test_priority_comes_first_and_then_time(first: Waiting, second: Waiting) -> None:
    assert PrioritySort().less(first, second)
    assert not PrioritySort().less(second, first)


def test_equals_in_priority_and_time_do_not_go_before_each_other() -> None:
    assert not PrioritySort().less(waiting(0, 1.0), waiting(None, 1.0))
