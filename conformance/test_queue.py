# SPDX-License-Identifier: Apache-2.0
"""The queue: which pod is popped next, which pods wait and for what, and which events requeue a rejected pod."""

from __future__ import annotations

from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms


@conforms(
    area="queue",
    rules=rules_of(
        "QUEUE", "BACKOFF", "HINT", "CHANGE", "FLIGHT", "SORT", "GATES", "CURE", "R-INV-06", "R-INV-07"
    ),
    needs=("queue",),
    examples=260,
)
def test_queue_and_events(check: Check, history: History) -> None:
    check(history)


@conforms(area="requeued", rules=rules_of("HINT", "CHANGE", "CURE", "EVENT"), needs=("queue",), examples=150)
def test_requeueing_of_rejected_pods(check: Check, history: History) -> None:
    check(history)


@conforms(area="hints", rules=rules_of("HINT", "CHANGE", "CURE"), needs=("queue",), examples=60)
def test_queueing_hints(check: Check, history: History) -> None:
    check(history)


@conforms(area="lifecycle", rules=rules_of("EVENT", "CACHE", "R-INV-05"), examples=64)
def test_nodes_and_pods_come_and_go(check: Check, history: History) -> None:
    check(history)
