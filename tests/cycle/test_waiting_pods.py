# SPDX-License-Identifier: Apache-2.0
"""Waiting pods: who decides, and how long a wait is told to have been."""

from __future__ import annotations

from refsched.framework.status import Code, Status
from refsched.framework.waiting_pods import WaitingPod
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod


def waiting(**waits: float) -> WaitingPod:
    return WaitingPod(Pod(ObjectMeta(name="p", namespace="default", uid="u")), waits, 100.0)


def test_the_first_decision_counts() -> None:
    pod = waiting(A=30)
    pod.reject("A", "no")
    pod.allow("A")
    pod.time_out("A")
    assert pod.decision == Status(Code.UNSCHEDULABLE, ("no",), "A")
