# SPDX-License-Identifier: Apache-2.0
"""Nominated pods that wait on Permit or are held, while others want the same resources, and while the nominated
pod is deleted, bound by another scheduler or evicted.

A nomination ends when the pod is assumed: what the pod requests counts once. (Of the nomination of a pod that
is in no queue only the name is known. It would count as one pod more, of priority 0, that requests nothing.)
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    REQUIRED,
    START_TIMES,
    cpu,
    node,
    pod,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.scripted import SCRIPTED, key, release_all, script
from refsched.suite.histories.history import History, Permit

Json = dict[str, Any]

_WAITS = ("ScriptedA", "permit", "Wait")
_WAYS: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (_WAITS,),
    (_WAITS,),
    (("ScriptedA", "preBind", "Hold"),),
    (("ScriptedA", "preBind", "Hold:Error"),),
    (_WAITS, ("ScriptedB", "preBind", "Unschedulable")),
    (("ScriptedA", "reserve", "Hold:Unschedulable"),),
    (("ScriptedB", "permit", "Hold"),),
    (("ScriptedA", "permit", "Wait:1.5"),),
    (),
)
"""How the first pod is kept from being bound, and what comes of it."""

_FIRST = combinations(
    lambda amount, priority, nominated, way: pod(
        "",
        cpu(amount),
        labels={"app": "a"},
        priority=priority,
        script=script(*way),
        status={"nominatedNodeName": nominated} if nominated else None,
    ),
    ("1", "1", "1", "2"),
    (10, 10, 5, 0),
    ("n1", "", "n1", "n2"),
    _WAYS,
)
_OTHERS = combinations(
    lambda amount, priority, waits: pod(
        "", cpu(amount), priority=priority, script=script(_WAITS) if waits else None
    ),
    ("1", "500m", "2"),
    (0, 10, 20, -1, 5),
    (False, False, True),
)
_VICTIMS = combinations(
    lambda amount, priority, start: pod("", cpu(amount), priority=priority, status={"startTime": start}),
    ("2", "1"),
    (-2, 1, 6),
    START_TIMES[:2],
)
_MEANWHILE = st.sampled_from(
    ["nothing", "leave", "allow", "reject", "delete", "relabel", "bind", "withdraw", "anew"]
)

_AFTERWARDS = st.sampled_from(["rival", "rival", "delete", "nothing"])


def histories() -> SearchStrategy[History]:
    @st.composite
    def kept(draw: DrawFn) -> History:
        cluster = HistoryBuilder()
        number, room = draw(st.sampled_from([(1, "2"), (1, "2"), (1, "9"), (2, "9")]))
        for _ in range(number):
            cluster.add_node(node("", {"cpu": "2", "pods": room}))
        for home in range(number):
            for victim in draw(st.lists(_VICTIMS, max_size=1)):
                cluster.add_pod(victim, home)
        first = len(cluster.pods)
        cluster.add_pod(draw(_FIRST))
        cluster.schedule(1)
        cluster.wait()
        cluster.schedule(1)
        for other in draw(st.lists(_OTHERS, min_size=1, max_size=2)):
            cluster.add_pod(other)
        cluster.schedule(draw(st.sampled_from([1, 2, 0])))
        value = list(cluster.pods.values())[first]
        _change(cluster, draw(_MEANWHILE), value)
        release_all(cluster)
        cluster.schedule(draw(st.sampled_from([1, 2, 0])))
        _change(cluster, draw(_AFTERWARDS), value)
        cluster.wait()
        release_all(cluster)
        cluster.schedule()
        return cluster.history(SCRIPTED)

    return st.one_of(kept(), _left(), _left(), _outranked(), _beside()).map(_as_one)


def _as_one(history: History) -> History:
    """Returns the history. It makes these histories one kind among many where they are drawn beside others."""
    return history


# --- Nominations that are no longer needed --------------------------------------------------------

_ENDS = st.sampled_from(["delete", "leave", "anew", "withdraw", "leave", "withdraw", "bind", "relabel"])
_HEIRS = combinations(
    lambda amount, priority: pod("", cpu(amount), priority=priority), ("", "", "1"), (0, -1, -1, 10)
)


@st.composite
def _left(draw: DrawFn) -> History:
    """A pod that is nominated to a node, by its status or by preemption, does not use the nomination; and later
    pods would use the node's last free resources."""
    cluster = HistoryBuilder()
    room = draw(st.sampled_from([1, 2]))
    cluster.add_node(node("", {"cpu": "2", "pods": str(room)}))
    makes_room = draw(st.booleans())
    if makes_room:
        cluster.add_pod(pod("", cpu("2"), priority=-2, status={"startTime": START_TIMES[0]}), 0)
    status = None if makes_room else {"nominatedNodeName": "n1"}
    first = len(cluster.pods)
    cluster.add_pod(pod("", cpu(draw(st.sampled_from(["2", "1"]))), priority=10, status=status))
    if makes_room:
        cluster.schedule(1)
    _change(cluster, draw(_ENDS), list(cluster.pods.values())[first])
    for heir in draw(st.lists(_HEIRS, min_size=room, max_size=room)):
        cluster.add_pod(heir)
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


_APP: Json = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": HOSTNAME}
_WISHES = st.sampled_from(["podAffinity", "podAffinity", "podAntiAffinity"])


@st.composite
def _beside(draw: DrawFn) -> History:
    """A pod has made room for itself. Another one wants to be beside it, which it cannot while that one is not
    there, or to keep away from it, which it must already."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2"), priority=-2, status={"startTime": START_TIMES[0]}), 0)
    cluster.add_pod(pod("", cpu("1"), labels={"app": "a"}, priority=10))
    cluster.schedule(1)
    for priority in draw(st.lists(st.sampled_from([10, 0, 20, -1]), min_size=1, max_size=2)):
        wish = {draw(_WISHES): {REQUIRED: [_APP]}}
        cluster.add_pod(pod("", cpu(draw(st.sampled_from(["", "1"]))), priority=priority, affinity=wish))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_PROMISED: SearchStrategy[tuple[tuple[int, int], ...]] = st.sampled_from(
    [
        ((5, 1), (5, 2)),
        ((0, 1), (5, 2)),
        ((5, 1), (0, 1), (5, 2), (0, 2)),
        ((10, 1), (5, 2)),
        ((5, 1), (0, 2)),
        ((0, 1), (5, 1), (0, 2), (5, 2)),
    ]
)
"""The priorities of nominated pods, and the numbers of their nodes."""


@st.composite
def _outranked(draw: DrawFn) -> History:
    """Full nodes each have one or two nominated pods. A pod of higher priority preempts on one of them, and the
    nominations to the others stay, even while those pods wait for resources."""
    cluster = HistoryBuilder()
    promised = draw(_PROMISED)
    are_shy = draw(st.booleans())
    policy: Json = {"preemptionPolicy": "Never"} if are_shy else {}
    for home in range(2):
        cluster.add_node(node("", {"cpu": "2", "pods": "3" if are_shy else "9"}))
        cluster.add_pod(pod("", cpu("2"), priority=-2, status={"startTime": START_TIMES[0]}), home)
    amount = "2" if len(promised) == 2 else "1"
    for priority, number in promised:
        status = {"nominatedNodeName": f"n{number}"}
        cluster.add_pod(pod("", cpu(amount), priority=priority, status=status, **policy))
    if are_shy:
        cluster.schedule()
    cluster.add_pod(pod("", cpu("2"), priority=draw(st.sampled_from([20, 20, 7, 5, 3]))))
    cluster.schedule(1)
    cluster.add_pod(pod("", cpu("" if are_shy else "1"), priority=draw(st.sampled_from([5, 0, -1]))))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _change(cluster: HistoryBuilder, what: str, value: Json) -> None:
    """Changes this pod, if it is still there; or creates one that is more important than all. Where there are two
    nodes it may be bound to the other one already, and no API server would bind it again."""
    index = (
        list(cluster.pods).index(value["metadata"]["name"])
        if value["metadata"]["name"] in cluster.pods
        else -1
    )
    match what:
        case "allow" | "reject":
            cluster.steps.append(Permit(key(value), what))
        case "delete" | "anew" if index >= 0:
            cluster.remove_pod(index)
            if what == "anew":
                cluster.add_pod(with_metadata(value, labels={"app": "b"}))
        case "leave" if index >= 0:
            cluster.change_pod(index, lambda pod: with_metadata(pod, deletionTimestamp=AN_AGE_AGO))
        case "relabel" if index >= 0:
            cluster.change_pod(index, lambda pod: with_metadata(pod, labels={"app": "b"}))
        case "bind" if index >= 0 and len(cluster.nodes) == 1:
            cluster.change_pod(index, lambda pod: with_spec(pod, nodeName="n1"))
        case "withdraw" if index >= 0:
            cluster.change_pod(index, lambda pod: {**pod, "status": {"nominatedNodeName": ""}})
        case "rival":
            cluster.add_pod(pod("", cpu("2"), priority=30))
