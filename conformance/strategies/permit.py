# SPDX-License-Identifier: Apache-2.0
"""Permit: pods that wait on one plugin or two, and are allowed, rejected, timed out, deleted or preempted."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import placed, pods_created, with_many_changes
from conformance.strategies.drawn import combinations
from conformance.strategies.faults import MEANWHILE, NODES, TAKEN, Json, permitting, then
from conformance.vocabulary.builder import Change, HistoryBuilder, nth
from conformance.vocabulary.objects import cpu, pod, with_metadata
from conformance.vocabulary.scripted import SCRIPTED, key, release_all, script
from refsched.suite.histories.history import History, Permit
from refsched.suite.scripts import SCRIPT

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

# --- Two plugins must allow the pod ---------------------------------------------------------------

_PATIENCE = (
    (("Wait", "Wait:0.5"), (0.5, 2)),
    (("Wait", "Wait"), ()),
    (("Wait:5", "Wait:0.5"), (1, 1)),
    (("Wait", "Wait"), (61, 900)),
    (("Wait:3600", "Wait:901"), (61, 900)),
    (("Wait:61.5", "Wait:60"), (61, 900)),
    (("Wait:0.3", "Wait:0.301"), (1, 1)),
    (("Wait:3600", "Wait:901"), (61, 900)),
    (("Wait:0.25", "Wait"), (1, 1)),
    (("Wait", "Wait:1"), (0.5, 2)),
)
"""The timeout of each plugin and the time that passes, so that units, minutes and the maximum timeout are tested.

No timeout is so short that it could expire by the real clock before the adapter of kube-scheduler stops it."""
_THEN = ("", "somebody rejects", "again", "other", "other rejects", "rejects", "somebody rejects", "")


def _of_two(waiting_for: tuple[tuple[str, str], tuple[float, ...]], one: str, then_comes: str) -> Change:
    """A pod waits for two plugins, one of which allows or rejects it, or neither does; then the same or the other
    decides, or time passes, or a node is updated."""
    patience, passed = waiting_for
    waits = (("ScriptedA", "permit", patience[0]), ("ScriptedB", "permit", patience[1]))
    other = "ScriptedB" if one == "ScriptedA" else "ScriptedA"

    def change(cluster: HistoryBuilder) -> None:
        release_all(cluster)
        cluster.add_pod(pod("", priority=100, script=script(*waits)))
        waiting = key(list(cluster.pods.values())[-1])
        cluster.schedule(1)
        match then_comes:
            case "rejects" | "somebody rejects" as how:
                cluster.steps.append(Permit(waiting, "reject", one if how == "rejects" else ""))
            case _ if one:
                cluster.steps.append(Permit(waiting, "allow", one))
                if then_comes:
                    decision = "reject" if then_comes == "other rejects" else "allow"
                    cluster.steps.append(Permit(waiting, decision, one if then_comes == "again" else other))
        if cluster.nodes:
            noted = with_metadata(cluster.nodes[nth(cluster.nodes, 0)], annotations={"note": waiting})
            cluster.change_node(0, noted)
        for seconds in passed:
            cluster.wait(seconds)

    return change


_OF_TWO = st.builds(
    _of_two,
    st.sampled_from(_PATIENCE),
    st.sampled_from(["ScriptedA", "ScriptedB", ""]),
    st.sampled_from(_THEN),
)

# --- Pods that waited before or wait together ------------------------------------------------------


def _once_more(ended: str, answers: tuple[tuple[str, str, str], ...]) -> Change:
    """A pod that waited and was rejected is tried again, and then does not wait or waits otherwise: earlier
    decisions no longer count."""

    def change(cluster: HistoryBuilder) -> None:
        release_all(cluster)
        cluster.add_pod(pod("", priority=101, script=script(("ScriptedA", "permit", "Wait:1.5"))))
        cluster.schedule(1)
        if ended == "reject":
            cluster.steps.append(Permit(key(list(cluster.pods.values())[-1]), ended))
        cluster.wait(2)
        annotations = {SCRIPT: json.dumps(script(*answers))}
        cluster.change_pod(-1, lambda value: with_metadata(value, annotations=annotations))
        cluster.wait()
        cluster.schedule(1)

    return change


_ONCE_MORE = st.builds(
    _once_more,
    st.sampled_from(["reject", "time"]),
    st.sampled_from([(), (("ScriptedB", "permit", "Wait:0.5"),), (("ScriptedA", "reserve", "Hold"),)]),
)


def _beside(patience: tuple[tuple[str, str], ...], seconds: float) -> Change:
    """Many pods wait, each for two plugins, and their timeouts end in another order than the pods came."""

    def change(cluster: HistoryBuilder) -> None:
        release_all(cluster)
        for one, other in patience:
            waits = (("ScriptedA", "permit", one), ("ScriptedB", "permit", other))
            cluster.add_pod(pod("", priority=100, script=script(*waits)))
        cluster.schedule(len(patience))
        cluster.wait(seconds)

    return change


_BESIDE = st.builds(
    _beside,
    st.sampled_from(
        [
            (("Wait:0.7", "Wait"), ("Wait:5", "Wait:0.5")),
            (("Wait:5", "Wait:0.7"), ("Wait:5", "Wait:0.5")),
        ]
    ),
    st.sampled_from([2, 1, 11]),
)

# --- Histories ------------------------------------------------------------------------------------

_AFTERWARDS = st.sampled_from([(0, 1), (0, 3), (0,), (1, 1), (5, 1), (0,), (11, 3), (2,), (901, 1)]).map(
    lambda turn: then(*turn)
)


def histories() -> SearchStrategy[History]:
    return with_many_changes(
        pods_created(_PODS),
        permitting("allow"),
        permitting("reject", "allow"),
        pods_created(_PODS),
        permitting("allow"),
        _OF_TWO,
        _OF_TWO,
        _ONCE_MORE,
        _BESIDE,
        TAKEN,
        *MEANWHILE,
        nodes=st.lists(NODES, min_size=1, max_size=2),
        pods=placed(_PODS, most=4),
        config=st.just(SCRIPTED),
        afterwards=_AFTERWARDS,
        ending=then(11, 3),
        most=20,
    )
