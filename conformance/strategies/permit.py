# SPDX-License-Identifier: Apache-2.0
"""Permit: pods that wait on one plugin or two, and are allowed, rejected, timed out, deleted or preempted."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History, Permit
from conformance.strategies.faults import (
    MEANWHILE,
    NODES,
    SCRIPTED,
    TAKEN,
    Json,
    key,
    permitting,
    release_all,
    script,
    then,
)
from conformance.strategies.objects import combinations, cpu, pod, with_metadata
from conformance.strategies.scenes import Change, Scene, courses, nth, placed, pods_created

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

# --- Two who must agree ---------------------------------------------------------------------------

_PATIENCE = (
    ("Wait", "Wait:0.5"),
    ("Wait", "Wait"),
    ("Wait", "Wait:0.5"),
    ("Wait:5", "Wait:0.5"),
    ("Wait:61.5", "Wait:1"),
    ("Wait:0.0005", "Wait:0.001"),
    ("Wait:3600", "Wait:901"),
    ("Wait:0.001", "Wait"),
)
"""As long as each of them waits: so that units, minutes and the longest of all are told."""
_THEN = ("", "", "again", "other", "other rejects")
_PASSES = ((1, 1), (), (0.5, 2), (61, 900))


def _of_two(patience: tuple[str, str], one: str, then_comes: str, passed: tuple[float, ...]) -> Change:
    """A pod waits for two, of whom one allows it, or nobody does; then the same or the other one says something,
    or time passes, under the eyes of a node that changes."""
    waits = (("ScriptedA", "permit", patience[0]), ("ScriptedB", "permit", patience[1]))
    other = "ScriptedB" if one == "ScriptedA" else "ScriptedA"

    def change(scene: Scene) -> None:
        release_all(scene)
        scene.add_pod(pod("", priority=100, script=script(*waits)))
        waiting = key(list(scene.pods.values())[-1])
        scene.schedule(1)
        if one:
            scene.steps.append(Permit(waiting, "allow", one))
            if then_comes:
                decision = "reject" if then_comes == "other rejects" else "allow"
                scene.steps.append(Permit(waiting, decision, one if then_comes == "again" else other))
        if scene.nodes:
            noted = with_metadata(scene.nodes[nth(scene.nodes, 0)], annotations={"note": waiting})
            scene.change_node(0, noted)
        for seconds in passed:
            scene.wait(seconds)

    return change


_OF_TWO = st.builds(
    _of_two,
    st.sampled_from(_PATIENCE),
    st.sampled_from(["ScriptedA", "ScriptedB", ""]),
    st.sampled_from(_THEN),
    st.sampled_from(_PASSES),
)

# --- Histories ------------------------------------------------------------------------------------

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
        _OF_TWO,
        _OF_TWO,
        TAKEN,
        *MEANWHILE,
        nodes=st.lists(NODES, min_size=1, max_size=2),
        pods=placed(_PODS, most=4),
        config=st.just(SCRIPTED),
        afterwards=_AFTERWARDS,
        ending=then(11, 3),
        most=20,
    )
