# SPDX-License-Identifier: Apache-2.0
"""Crowds: nodes with more pods than are put in order one by one, and a pod that needs half of each. Who may stay
follows from the steps of the sort.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import cpu, node, pod
from refsched.suite.histories.history import History


@frozen
class Crowd:
    """``size`` pods, each of which started ``stride`` minutes after the one before it, within ``period`` minutes.
    Of these one in ``unstarted`` stands for a pod that never started, and one in ``important`` for a pod of higher
    priority."""

    size: int
    stride: int
    period: int
    unstarted: int = 0
    important: int = 0

    def add_to(self, cluster: HistoryBuilder) -> None:
        """They ask for different amounts, so that nearly every exchange of two is seen in who has to leave."""
        home = len(cluster.nodes)
        amounts = [10 * (1 + number * 7 % 13) for number in range(self.size)]
        cores = {"cpu": f"{sum(amounts)}m", "memory": "8Gi", "pods": "99"}
        cluster.add_node(node("", cores, {"crowd": str(home)}))
        for number, amount in enumerate(amounts):
            minute = number * self.stride % self.period
            has_started = not self.unstarted or minute % self.unstarted
            cluster.add_pod(
                pod(
                    "",
                    cpu(f"{amount}m"),
                    priority=1 if self.important and minute % self.important == 0 else 0,
                    status={"startTime": f"2025-12-31T01:{minute:02}:00Z"} if has_started else None,
                ),
                home,
            )
        wanted = f"{(sum(amounts) + 1) // 2}m"
        cluster.add_pod(pod("", cpu(wanted), priority=10, nodeSelector={"crowd": str(home)}))


_CROWDS = (
    (Crowd(16, 2, 3, 2), Crowd(50, 46, 11, 2), Crowd(52, 48, 49), Crowd(13, 40, 53, 1, 2)),
    (Crowd(52, 8, 3, 3, 3), Crowd(16, 41, 2, 0, 2), Crowd(40, 41, 3, 2), Crowd(36, 51, 6, 0, 4)),
    (Crowd(52, 50, 12), Crowd(32, 15, 2, 5, 4), Crowd(30, 7, 46, 1, 4), Crowd(16, 5, 46, 0, 4)),
    (Crowd(52, 31, 5, 5, 2), Crowd(52, 3, 13, 2), Crowd(20, 49, 20, 1, 4), Crowd(51, 46, 37, 1, 3)),
)
"""Those of each history. More than a dozen pods are not sorted in one go, nor fifty as twenty are. Pods that never
started are each the earlier of two: these crowds take nearly all the ways through the sort."""


def _crowded(crowds: tuple[Crowd, ...]) -> History:
    cluster = HistoryBuilder()
    for crowd in crowds:
        crowd.add_to(cluster)
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_CROWDS).map(_crowded)
