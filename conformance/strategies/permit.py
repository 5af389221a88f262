# SPDX-License-Identifier: Apache-2.0
"""Permit: pods that wait on one plugin or two, and are allowed, rejected, timed out, deleted or preempted."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History
from conformance.strategies.faults import (
    MEANWHILE,
    NODES,
    SCRIPTED,
    TAKEN,
    Json,
    permitting,
    script,
    then,
)
from conformance.strategies.objects import combinations, cpu, pod
from conformance.strategies.scenes import courses, placed, pods_created

_WAITS = ("Wait", "Wait:1", "Wait:5", "Wait:5", "Wait:0.5", "")
_FAULTS = (
    (),
    (),
    (),
    (("ScriptedB", "preBind", "Error"),),
    (("ScriptedB", "preBind", "Hold"),),
    (("ScriptedA", "reserve", "Hold"),),
    (("ScriptedB", "permit", "Unschedulable"),),
    (("ScriptedB", "permit", "Hold:Wait"),),
)


def _pod(one: str, other: str, fault: tuple[tuple[str, str, str], ...], amount: str, priority: int) -> Json:
    answers = [
        (plugin, "permit", answer) for plugin, answer in (("ScriptedA", one), ("ScriptedB", other)) if answer
    ]
    return pod("", cpu(amount), priority=priority, script=script(*answers, *fault))


_PODS = combinations(_pod, _WAITS, ("", "", "Wait", "Wait:5"), _FAULTS, ("1", "", "2"), (0, 0, 0, 10))

_AFTERWARDS = st.sampled_from([(0, 1), (0, 3), (0,), (1, 1), (5, 1), (0,), (11, 3), (2,), (901, 1)]).map(
    lambda turn: then(*turn)
)


def histories() -> SearchStrategy[History]:
    return courses(
        pods_created(_PODS),
        permitting("allow"),
        permitting("reject", "allow"),
        pods_created(_PODS),
        permitting("allow"),
        TAKEN,
        *MEANWHILE,
        nodes=st.lists(NODES, min_size=1, max_size=2),
        pods=placed(_PODS, most=4),
        config=st.just(SCRIPTED),
        afterwards=_AFTERWARDS,
        ending=then(11, 3),
        most=20,
    )
