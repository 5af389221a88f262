# SPDX-License-Identifier: Apache-2.0
"""Which of two pods is the more important one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from refsched.framework.choices import FirstChoice
from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.oddities.start_times import one_after_the_other
from refsched.preemption.importance import all_now, by_importance

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def pod(name: str, priority: int = 0, started: int | None = None) -> PodInfo:
    """``started`` this many seconds before now."""
    status = {} if started is None else {"startTime": (NOW - timedelta(seconds=started)).isoformat()}
    return PodInfo(
        read_as(
            Pod, {"metadata": {"name": name, "uid": name}, "spec": {"priority": priority}, "status": status}
        )
    )


def names(pods: Sequence[PodInfo]) -> str:
    return " ".join(info.pod.name for info in pods)


class Last:
    """Takes the last option, and keeps what was offered."""

    def __init__(self) -> None:
        self.offered: list[str] = []

    def choose(self, question: str, options: Sequence[Any]) -> Any:
        self.offered.append(f"{question}: {names(options)}")
        return options[-1]


def test_priority_comes_before_age() -> None:
    pods = [pod("young", 5, 1), pod("old", 1, 9), pod("oldest", 5, 10)]
    assert names(by_importance(pods, all_now(pods, NOW), FirstChoice())) == "oldest young old"


def test_a_pod_that_has_not_started_counts_as_started_now() -> None:
    pods = [pod("later", started=-1), pod("waiting"), pod("running", started=1)]
    assert names(by_importance(pods, all_now(pods, NOW), FirstChoice())) == "running waiting later"


def test_of_equally_important_pods_any_one_may_come_first() -> None:
    choices = Last()
    pods = [pod("a"), pod("high", 1), pod("b"), pod("c")]
    assert names(by_importance(pods, all_now(pods, NOW), choices)) == "high c b a"
    assert choices.offered == ["victim: high", "victim: a b c", "victim: a b", "victim: a"]


def test_pods_that_have_not_started_count_as_started_one_after_the_other() -> None:
    pods = [pod("b"), pod("a"), pod("running", started=1), pod("high", 1), pod("c")]
    started = one_after_the_other(pods, NOW)
    assert names(by_importance(pods, started, FirstChoice())) == "high running b a c"
    left = [pods[4], pods[1], pods[0]]
    assert names(by_importance(left, started, FirstChoice())) == "b a c"
