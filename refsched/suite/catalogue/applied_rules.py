# SPDX-License-Identifier: Apache-2.0
"""AppliedRules: which rules the specification applied, and what became of each pod in its queue.

The specification says at each branch which rule it applies (refsched/rules.py); its queue says where each pod goes
and by which row of the table, and its hint tables what each hint answered. Nothing is replaced to hear that.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TypeVar

from attrs import frozen

from refsched.objects.pod import Pod
from refsched.queue.hint_table import Registration
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.queue.transitions import Transition
from refsched.rules import listening

T = TypeVar("T")


@frozen
class QueueMove:
    """A QueueMove is a step of a pod in the queue. No two moves are the same one."""

    rule: str
    number: int
    asked: str = ""
    """This row of a plugin's events was the last one that was asked whether it requeues the pod."""
    said_queue: bool = False
    """The row said Queue."""
    before: str = ""
    """This is the rule of the step by which the pod had come to where it was."""


_NUMBERS = count()


class AppliedRules:
    """``applied`` are the rules that were applied since the last ``clear``, in the order in which they first were,
    and ``ever`` those of the whole history;
    ``moves`` for each pod (``namespace/name``) its last step in the queue."""

    def __init__(self) -> None:
        self.applied: dict[str, None] = {}
        self.ever: dict[str, None] = {}
        self.moves: dict[str, QueueMove] = {}
        self._asked: dict[str, tuple[str, bool]] = {}

    def clear(self) -> None:
        self.applied = {}

    def hearing(self, queue: SchedulingQueue, ask: Callable[[], T]) -> T:
        """Returns the answer, and hears which rules are applied and what this queue does until it is given."""
        queue.on_move = self._moved
        for table in queue.hint_tables.values():
            table.on_answer = self._answered
        with listening(self._heard):
            answer = ask()
        queue.on_move = None
        for table in queue.hint_tables.values():
            table.on_answer = None
        return answer

    def _heard(self, rule: str) -> None:
        self.applied.setdefault(rule)
        self.ever.setdefault(rule)

    def _moved(self, pod: QueuedPod, row: Transition) -> None:
        asked, said_queue = self._asked.pop(pod.key, ("", False))
        before = self.moves[pod.key].rule if pod.key in self.moves else ""
        self.moves[pod.key] = QueueMove(row.rule, next(_NUMBERS), asked, said_queue, before)

    def _answered(self, pod: Pod, registration: Registration, says_queue: bool) -> None:
        self._asked[pod.key] = registration.rule, says_queue
