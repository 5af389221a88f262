# SPDX-License-Identifier: Apache-2.0
"""Waiting pods: who decides, and how long a wait is told to have been."""

from __future__ import annotations

from refsched.framework.status import SUCCESS, Code, Status
from refsched.framework.waiting_pods import WaitingPod, WaitingPods
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod


def waiting(**waits: float) -> WaitingPod:
    return WaitingPod(Pod(ObjectMeta(name="p", namespace="default", uid="u")), waits, 100.0)


def test_the_last_plugin_to_allow_a_pod_lets_it_go() -> None:
    pod = waiting(A=30, B=60)
    assert (pod.pending_plugins, pod.deadlines) == (["A", "B"], {"A": 130.0, "B": 160.0})
    pod.allow("A")
    pod.allow("A")
    assert pod.decision is None
    pod.allow("B")
    assert pod.decision == SUCCESS


def test_the_first_decision_counts() -> None:
    pod = waiting(A=30)
    pod.reject("A", "no")
    pod.allow("A")
    pod.time_out("A")
    assert pod.decision == Status(Code.UNSCHEDULABLE, ("no",), "A")


def test_a_timeout_says_how_long_the_plugin_waited() -> None:
    pod = waiting(A=90)
    pod.time_out("A")
    assert pod.decision is not None
    assert pod.decision.reasons == ("rejected due to timeout after waiting 1m30s at plugin A",)


def test_pods_are_known_by_their_uid() -> None:
    pods = WaitingPods()
    pods.add(waiting(A=30))
    assert [pod.pod.uid for pod in pods.undecided()] == ["u"]
    assert (pods.reject("other"), pods.reject("u")) == (False, True)
    assert list(pods.undecided()) == []
    assert pods.get("u") is not None
    pods.remove("u")
    pods.remove("u")
    assert pods.get("u") is None
