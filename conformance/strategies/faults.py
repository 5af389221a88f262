# SPDX-License-Identifier: Apache-2.0
"""Faults: plugins reject, hold or fail from Reserve to PostBind, and events happen meanwhile.

While a scheduling cycle is held there is no other, so a held pod is released before the next pod is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import (
    label_changes,
    nodes_changed,
    nodes_removed,
    placed,
    pod_changes,
    pods_created,
    pods_removed,
    with_many_changes,
)
from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import AFTER_FIVE_MINUTES, Change, HistoryBuilder, nth
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    cpu,
    node,
    pod,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, Script, key, release_all, script, scripted
from refsched.suite.histories.history import History, Permit

Json = dict[str, Any]


# --- Scripts --------------------------------------------------------------------------------------

_REFUSALS = ("Unschedulable", "Error", "UnschedulableAndUnresolvable", "Pending")
_HELD = ("Hold", "Hold:Unschedulable", "Hold:Error")
_STAGES = (
    *(
        (plugin, point, answer)
        for point in ("reserve", "permit", "preBind")
        for plugin in ("ScriptedA", "ScriptedB")
        for answer in (*_REFUSALS, *_HELD)
    ),
    *(
        ("ScriptedBinder", "bind", answer)
        for answer in (
            *_REFUSALS,
            *_HELD,
            "Success",
            "ErrorAfterBound",
            "Hold:ErrorAfterBound",
            "Hold:Success",
        )
    ),
    *((plugin, "permit", answer) for plugin in ("ScriptedA", "ScriptedB") for answer in ("Wait", "Wait:5")),
)


SCRIPTS: SearchStrategy[Script] = st.lists(st.sampled_from(_STAGES), max_size=3).map(
    lambda answers: script(*answers)
)

# --- Pods and nodes -------------------------------------------------------------------------------

NODES = combinations(
    lambda cores, disk: node("", {"cpu": cores, "pods": "3"}, {"disk": disk} if disk else {}),
    ("2", "1"),
    ("", "ssd"),
)
PODS = st.builds(
    lambda shape, given: pod("", **shape, script=given),
    st.sampled_from(
        [
            {"requests": cpu("1")},
            {},
            {"requests": cpu("2")},
            {"requests": cpu("1"), "priority": 10, "preemptionPolicy": "Never"},
            {"nodeSelector": {"disk": "ssd"}},
            {"labels": {"app": "a"}},
        ]
    ),
    SCRIPTS,
)

# --- What happens meanwhile -----------------------------------------------------------------------


def _leaving(_: object) -> Any:
    return lambda value: with_metadata(value, deletionTimestamp=AN_AGE_AGO)


def _rival(shape: Json, index: int) -> Change:
    """The pod is held before it is bound, and somebody else binds it."""

    def change(cluster: HistoryBuilder) -> None:
        cluster.add_pod(pod("", **shape, script=script(("ScriptedA", "preBind", "Hold"))))
        cluster.schedule(1)
        if cluster.nodes:
            name = nth(cluster.nodes, index)
            cluster.change_pod(-1, lambda value: with_spec(value, nodeName=name))

    return change


def _taken(nominated: bool, large: str, priority: int) -> Change:
    """A pod waits on Permit, and somebody else binds it. It is rejected, and the event of the rejection has the
    pod as it was stored before, with or without a nomination; another pod, perhaps of higher priority and created
    later, waits for these resources."""

    def change(cluster: HistoryBuilder) -> None:
        if cluster.nodes:
            name = nth(cluster.nodes, 0)
            status = {"nominatedNodeName": name} if nominated else None
            release_all(cluster)
            cluster.add_pod(
                pod("", priority=100, status=status, script=script(("ScriptedA", "permit", "Wait")))
            )
            cluster.schedule(1)
            cluster.add_pod(pod("", cpu(large), priority=priority, preemptionPolicy="Never"))
            cluster.schedule(1)
            cluster.change_pod(-2, lambda value: with_spec(value, nodeName=name))

    return change


def _overdue(answer: str, text: str) -> Change:
    """While a pod is held another one has waited for five minutes, and its flush is an event for both; then an
    event follows that may make the held pod schedulable."""

    def change(cluster: HistoryBuilder) -> None:
        release_all(cluster)
        cluster.add_pod(pod("", priority=101, nodeSelector={"disk": "none"}))
        cluster.add_pod(pod("", priority=100, script=script(("ScriptedA", "reserve", f"Hold:{answer}"))))
        cluster.schedule(2)
        cluster.wait(AFTER_FIVE_MINUTES)
        _touched(0, _noted(text))(cluster)
        release_all(cluster)

    return change


def _touched(index: int, touch: Callable[[Json], Json]) -> Change:
    """Changes one thing about a node, and nothing else."""

    def change(cluster: HistoryBuilder) -> None:
        if cluster.nodes:
            cluster.change_node(index, touch(cluster.nodes[nth(cluster.nodes, index)]))

    return change


def _noted(text: str) -> Callable[[Json], Json]:
    return lambda value: with_metadata(value, annotations={"note": text})


def _ready(status: str, reason: str) -> Callable[[Json], Json]:
    conditions = [{"type": "Ready", "status": status, "reason": reason}]
    return lambda value: with_status(value, conditions=conditions)


_TOUCHES: tuple[Callable[[Json], Json], ...] = (
    _noted("x"),
    _ready("True", "x"),
    _noted("y"),
    _ready("False", "x"),
    _ready("True", "y"),
    lambda value: with_spec(value, taints=[{"key": "k", "effect": "PreferNoSchedule"}]),
    lambda value: with_metadata(value, labels={"disk": "ssd"}),
    lambda value: with_status(value, images=[{"names": ["i:1"], "sizeBytes": 1}]),
)


MEANWHILE: tuple[SearchStrategy[Change], ...] = (
    pods_removed(),
    nodes_changed(NODES),
    nodes_removed(),
    pod_changes(_leaving, st.none()),
    st.builds(_rival, st.sampled_from([{"requests": cpu("1")}, {}]), st.integers(0, 1)),
    label_changes(st.sampled_from([{"app": "a"}, {"app": "b"}])),
    st.builds(_touched, st.integers(0, 1), st.sampled_from(_TOUCHES)),
)
"""To pods and nodes; most of it finds a pod held now and then."""


def permitting(*decisions: str) -> SearchStrategy[Change]:
    """Draws which of the pods is allowed or rejected, by one plugin or by all; a pod that does not wait is
    skipped."""

    def permit(index: int, decision: str, plugin: str) -> Change:
        def change(cluster: HistoryBuilder) -> None:
            if cluster.pods:
                value = list(cluster.pods.values())[index % len(cluster.pods)]
                cluster.steps.append(Permit(key(value), decision, plugin))

        return change

    return st.builds(
        permit, st.integers(0, 5), st.sampled_from(decisions), st.sampled_from(["", "ScriptedA", "ScriptedB"])
    )


def then(seconds: float, *times: int) -> Change:
    """Time passes while some are held; they go on, and pods are tried, one after the other."""

    def change(cluster: HistoryBuilder) -> None:
        if seconds:
            cluster.wait(seconds)
        for number in times:
            release_all(cluster)
            cluster.schedule(number)

    return change


_AFTERWARDS = st.sampled_from([(0, 1), (0,), (0, 1, 1), (1, 1), (0,), (11, 1, 1), (5, 1), (11, 3), (2,)]).map(
    lambda turn: then(*turn)
)


TAKEN = st.builds(
    _taken, st.sampled_from([True, True, False]), st.sampled_from(["9", "1"]), st.sampled_from([99, 101])
)


def histories() -> SearchStrategy[History]:
    return with_many_changes(
        pods_created(PODS),
        pods_created(PODS),
        pods_created(PODS),
        permitting("allow", "reject"),
        pod_changes(scripted, SCRIPTS),
        TAKEN,
        st.builds(
            _overdue, st.sampled_from(["Pending", "Unschedulable", "Error"]), st.sampled_from(["x", "y"])
        ),
        *MEANWHILE,
        nodes=st.lists(NODES, min_size=1, max_size=2),
        pods=placed(PODS, most=3),
        config=st.just(SCRIPTED),
        afterwards=_AFTERWARDS,
        ending=then(11, 1, 1, 1),
        most=20,
    )
