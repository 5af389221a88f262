# SPDX-License-Identifier: Apache-2.0
"""Which of two pods is the more important one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.preemption.importance import by_importance, earliest_start, more_important

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def pod(name: str, priority: int = 0, started: int | None = None) -> PodInfo:
    """``started`` so many seconds before now."""
    status = {} if started is None else {"startTime": (NOW - timedelta(seconds=started)).isoformat()}
    return PodInfo(
        read_as(
            Pod, {"metadata": {"name": name, "uid": name}, "spec": {"priority": priority}, "status": status}
        )
    )


def names(pods: list[PodInfo]) -> str:
    return " ".join(info.pod.name for info in pods)


def test_priority_comes_before_age() -> None:
    assert names(by_importance([pod("young", 5, 1), pod("old", 1, 9), pod("oldest", 5, 10)], NOW)) == (
        "oldest young old"
    )


def test_a_pod_that_has_not_started_counts_from_now() -> None:
    waiting, running, later = pod("waiting"), pod("running", started=1), pod("later", started=-1)
    assert more_important(running, waiting, NOW)
    assert not more_important(waiting, running, NOW)
    assert more_important(waiting, later, NOW)


def test_of_two_that_have_not_started_each_is_the_more_important_and_they_come_out_reversed() -> None:
    one, other = pod("one"), pod("other")
    assert more_important(one, other, NOW)
    assert more_important(other, one, NOW)
    assert names(by_importance([one, other, pod("third"), pod("high", 1)], NOW)) == "high third other one"


def test_of_two_that_started_together_neither_is_the_more_important() -> None:
    assert names(by_importance([pod("a", started=1), pod("b", started=1)], NOW)) == "a b"


def test_the_earliest_start_is_that_of_the_victims_of_highest_priority() -> None:
    victims = [pod("a", 5, 10), pod("b", 5, 20), pod("c", 1, 99), pod("d", 5)]
    assert earliest_start(victims, NOW) == NOW - timedelta(seconds=20)
    assert earliest_start([pod("d", 5), pod("c", 1, 99)], NOW) == NOW
