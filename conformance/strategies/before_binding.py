# SPDX-License-Identifier: Apache-2.0
"""Before binding: pods that are nominated to their node before they wait, and what becomes of them meanwhile: they
are preempted, deleted, created anew, or fail.

In each history some pods wait on Permit, in PreBind or in Bind, one more may be bound, and a more important pod
comes that has no room beside them.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder, nth
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    cpu,
    node,
    pod,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.scripted import SCRIPTED, Script, key, release_all, script, scripted
from refsched.suite.histories.history import History, Permit

Json = dict[str, Any]

# --- What holds pods before they are bound --------------------------------------------------------

_HELD: tuple[Script, ...] = (
    script(("ScriptedA", "permit", "Wait")),
    script(("ScriptedA", "permit", "Wait:5")),
    script(("ScriptedA", "preBind", "Hold")),
    script(("ScriptedB", "preBind", "Hold")),
    script(("ScriptedB", "preBind", "Hold:Error")),
    script(("ScriptedA", "permit", "Wait:5"), ("ScriptedA", "preBind", "Hold")),
    script(("ScriptedBinder", "bind", "Hold:Success")),
    script(("ScriptedBinder", "bind", "Hold:Error")),
)
_FAILING: tuple[Script, ...] = (
    script(("ScriptedA", "preBind", "Error")),
    script(("ScriptedB", "permit", "Wait"), ("ScriptedA", "preBind", "Unschedulable")),
    script(("ScriptedBinder", "bind", "Error")),
    script(("ScriptedA", "permit", "Unschedulable")),
)
_ANY = st.sampled_from([*_HELD * 2, *_FAILING, {}])
_WAITING = st.sampled_from([*_HELD, *_HELD[2:4] * 3])
_ENDING = st.sampled_from([*_HELD, *_HELD[2:4], *_FAILING, *_FAILING[:2] * 2])
_DISRUPTIONS: SearchStrategy[Json | None] = st.sampled_from(
    [
        None,
        {"reason": "PreemptionByScheduler"},
        None,
        {"reason": "EvictionByEvictionAPI"},
        {
            "reason": "PreemptionByScheduler",
            "message": "default-scheduler: preempting to accommodate a higher priority pod",
        },
    ]
).map(lambda why: why and {"conditions": [{"type": "DisruptionTarget", "status": "True", **why}]})
"""Somebody has begun to evict the pod, perhaps the scheduler itself."""
_GATES = st.sampled_from([{}, {}, {}, {"SchedulerAsyncPreemption": False}])


def _leaving(value: Json) -> Json:
    return with_metadata(value, deletionTimestamp=AN_AGE_AGO)


def _permit(cluster: HistoryBuilder, decision: str) -> None:
    cluster.steps.extend(Permit(key(value), decision) for value in cluster.pods.values())


def _victims(draw: DrawFn, cluster: HistoryBuilder) -> None:
    """Fills the first node with pods, some of which are not bound yet; one may be terminating."""
    amounts = draw(st.sampled_from([["2"], ["1", "1"], ["1", "1"]]))
    for amount in amounts:
        priority = draw(st.sampled_from([0, 0, 1]))
        if draw(st.sampled_from([True, True, False])):
            cluster.add_pod(pod("", cpu(amount), priority=priority, script=draw(_WAITING)))
            cluster.schedule(1)
            continue
        running = pod("", cpu(amount), priority=priority, status={"phase": "Running"})
        cluster.add_pod(_leaving(running) if draw(st.booleans()) else running, 0)


@st.composite
def _preempted(draw: DrawFn) -> History:
    """A pod evicts pods that are not bound yet; others of lower priority are nominated to the node, or wait."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    _victims(draw, cluster)
    if draw(st.booleans()):
        nominated = {"nominatedNodeName": "n1"}
        cluster.add_pod(pod("", cpu("2"), priority=1, status=nominated, preemptionPolicy="Never"))
        cluster.schedule(1)
    if draw(st.sampled_from([True, False, False])):
        cluster.add_node(node("", {"cpu": "500m", "pods": "9"}))
    answers = draw(st.sampled_from([{}, {}, *_HELD[:3]]))
    wanted = draw(st.sampled_from(["2", "2", "1"]))
    cluster.add_pod(pod("", cpu(wanted), priority=10, script=answers))
    cluster.schedule(1)
    for _ in range(draw(st.integers(1, 2))):
        match draw(st.sampled_from(["release", "allow", "wait", "deleted", "again", "second"])):
            case "release":
                release_all(cluster)
            case "allow":
                _permit(cluster, "allow")
            case "wait":
                cluster.wait(draw(st.sampled_from([1, 5, 11])))
            case "deleted":
                cluster.remove_pod(draw(st.integers(0, 3)))
            case "second":
                cluster.add_pod(pod("", cpu("2"), priority=20))
            case _:
                pass
        cluster.schedule(2)
    release_all(cluster)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED, draw(_GATES))


# --- Deleted, or created anew, while they wait ----------------------------------------------------


@st.composite
def _deleted(draw: DrawFn) -> History:
    """Pods that wait begin to be deleted, are deleted, or are created anew, while others want their node."""
    cluster = HistoryBuilder()
    for cores in draw(st.sampled_from([["2"], ["2"], ["2", "1"]])):
        cluster.add_node(node("", {"cpu": cores, "pods": "9"}))
    for answers in draw(st.lists(_ANY, min_size=1, max_size=2)):
        amount = draw(st.sampled_from(["2", "1"]))
        cluster.add_pod(pod("", cpu(amount), priority=draw(st.sampled_from([0, 5])), script=answers))
        cluster.schedule(1)
    amount, priority = draw(st.sampled_from(["2", "1"])), draw(st.sampled_from([0, 0, 5]))
    rejected = draw(st.sampled_from([{}, {}, script(("ScriptedA", "permit", "Unschedulable"))]))
    cluster.add_pod(pod("", cpu(amount), priority=priority, preemptionPolicy="Never", script=rejected))
    cluster.schedule(1)
    cluster.add_pod(pod("", cpu("2"), preemptionPolicy="Never"))
    cluster.schedule(1)
    for happening in draw(
        st.lists(
            st.sampled_from(["leaving", "leaving", "removed", "anew", "anew", "bound", "wait", "decide"]),
            min_size=1,
            max_size=3,
        )
    ):
        match happening:
            case "leaving":
                cluster.change_pod(0, _leaving)
            case "removed":
                cluster.remove_pod(draw(st.integers(0, 3)))
            case "anew":
                _anew(cluster, 0)
            case "bound":
                cluster.change_pod(0, lambda value: with_spec(value, nodeName="n1"))
            case "wait":
                cluster.wait(draw(st.sampled_from([1, 5])))
            case _:
                _permit(cluster, draw(st.sampled_from(["reject", "allow"])))
        cluster.schedule(1)
    release_all(cluster)
    cluster.schedule(2)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


# --- What they leave behind -----------------------------------------------------------------------


@st.composite
def _left(draw: DrawFn) -> History:
    """A pod waits or fails; then somebody else binds it, it is tried again under another script, or it leaves.
    Only after that a more important pod comes, for which it may be a victim."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    for amount in draw(st.sampled_from([["2"], ["1", "1"]])):
        cluster.add_pod(pod("", cpu(amount), script=draw(_ENDING), status=draw(_DISRUPTIONS)))
        cluster.schedule(1)
    for happening in draw(
        st.lists(
            st.sampled_from(["bound", "bound", "again", "removed", "removed", "anew"]), min_size=1, max_size=2
        )
    ):
        index = draw(st.sampled_from([0, 0, 1]))
        match happening:
            case "bound":
                cluster.change_pod(index, lambda value: with_spec(value, nodeName="n1"))
            case "again":
                cluster.change_pod(index, scripted(draw(_ANY)))
                cluster.wait()
                cluster.schedule(2)
            case "removed":
                cluster.remove_pod(index)
            case _:
                _anew(cluster, index)
    for priority in draw(st.sampled_from([[10], [10, 20]])):
        cluster.add_pod(pod("", cpu("2"), priority=priority, script=draw(_ANY)))
        cluster.schedule(1)
    release_all(cluster)
    cluster.schedule(2)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED, draw(_GATES))


def _anew(cluster: HistoryBuilder, index: int) -> None:
    """Deletes the pod, and creates one of the same name."""
    if cluster.pods:
        name = nth(cluster.pods, index)
        value = cluster.pods[name]
        cluster.remove_pod(index)
        cluster.pods[name] = value
        cluster.add(value)


def histories() -> SearchStrategy[History]:
    return st.one_of(_preempted(), _deleted(), _left())
