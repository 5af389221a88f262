# SPDX-License-Identifier: Apache-2.0
"""Cases of the order of victims: nodes with more pods than an insertion sort handles. Which pods are reprieved
follows from the steps of the sort, where some compare as equal or each as the earlier one of two."""

from __future__ import annotations

from attrs import frozen

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import cpu, node, pod
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case


@frozen
class _Pods:
    """``size`` pods, each of which started ``stride`` minutes after the one before it, modulo ``period`` minutes.
    Of these minutes one in ``unstarted`` stands for a pod that never started, and one in ``important`` for a pod
    of higher priority."""

    size: int
    stride: int
    period: int
    unstarted: int = 0
    important: int = 0

    def history(self) -> History:
        """They request different amounts, so that nearly every exchange of two is seen in what is evicted. A pod
        comes that needs half of the node."""
        cluster = HistoryBuilder()
        amounts = [10 * (1 + number * 7 % 13) for number in range(self.size)]
        cluster.add_node(node("", {"cpu": f"{sum(amounts)}m", "memory": "8Gi", "pods": "99"}))
        for number, amount in enumerate(amounts):
            minute = number * self.stride % self.period
            has_started = not self.unstarted or minute % self.unstarted
            running = pod(
                "",
                cpu(f"{amount}m"),
                priority=1 if self.important and minute % self.important == 0 else 0,
                status={"startTime": f"2025-12-31T01:{minute:02}:00Z"} if has_started else None,
            )
            cluster.add_pod(running, 0)
        cluster.add_pod(pod("", cpu(f"{(sum(amounts) + 1) // 2}m"), priority=10))
        cluster.schedule()
        cluster.wait()
        cluster.schedule()
        return cluster.history()

    def case(self) -> Case:
        unstarted = f"_{self.unstarted}_unstarted" if self.unstarted else ""
        important = f"_{self.important}_important" if self.important else ""
        return Case(
            f"order_of_{self.size}_victims_{self.stride}_{self.period}{unstarted}{important}",
            f"Which of {self.size} pods of one node are reprieved follows from the sort by importance.",
            self.history(),
            ("R-PREEMPT-06", "R-PREEMPT-18"),
        )


_SIZES = (
    *(_Pods(16, 2, 3, 2), _Pods(50, 46, 11, 2), _Pods(52, 48, 49), _Pods(13, 40, 53, 1, 2)),
    *(_Pods(52, 8, 3, 3, 3), _Pods(16, 41, 2, 0, 2), _Pods(40, 41, 3, 2), _Pods(36, 51, 6, 0, 4)),
    *(_Pods(52, 50, 12), _Pods(32, 15, 2, 5, 4), _Pods(30, 7, 46, 1, 4), _Pods(16, 5, 46, 0, 4)),
    *(_Pods(52, 31, 5, 5, 2), _Pods(52, 3, 13, 2), _Pods(20, 49, 20, 1, 4), _Pods(51, 46, 37, 1, 3)),
)
"""More than a dozen pods are not sorted by insertion, and fifty are sorted otherwise than twenty. These take
nearly all ways through the sort."""

CASES: tuple[Case, ...] = tuple(pods.case() for pods in _SIZES)
