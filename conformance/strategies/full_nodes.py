# SPDX-License-Identifier: Apache-2.0
"""Full nodes, and pods that can only be scheduled by preemption: nothing fits without a victim, and what was
freed for one pod is what the next pod requests.

Where most histories of other areas schedule what fits, nearly every attempt here comes to nominated pods or
victims.
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
    ZONE,
    cpu,
    named,
    node,
    pod,
    with_metadata,
    with_status,
)
from conformance.vocabulary.victims import a_budget
from refsched.suite.histories.history import History

Json = dict[str, Any]

_APP = {"labelSelector": {"matchLabels": {"app": "a"}}}


def _apart(key: str) -> Json:
    return {"affinity": {"podAntiAffinity": {REQUIRED: [{**_APP, "topologyKey": key}]}}}


def _spread(key: str) -> Json:
    constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", **_APP}
    return {"topologySpreadConstraints": [constraint]}


_TOGETHER: Json = {"affinity": {"podAffinity": {REQUIRED: [{**_APP, "topologyKey": HOSTNAME}]}}}
_WAYS: tuple[Json, ...] = ({}, {}, {}, _apart(HOSTNAME), _spread(HOSTNAME), _TOGETHER, _apart(ZONE))

_RUNNING = combinations(
    lambda amount, priority, labels, start, namespace, way: pod(
        "",
        cpu(amount),
        labels=labels,
        priority=priority,
        namespace=namespace,
        status={"phase": "Running", "startTime": start},
        **way,
    ),
    ("1", "500m", "500m", "2"),
    (0, 0, 1, -1, 3),
    ({"app": "a"}, {"app": "b"}, {}, {"app": "a"}),
    START_TIMES,
    ("", "", "", "other"),
    ({}, {}, {}, {}, _apart(HOSTNAME)),
)
_WAITING = combinations(
    lambda amount, priority, labels, nominated, way: pod(
        "",
        cpu(amount),
        labels=labels,
        priority=priority,
        status={"nominatedNodeName": nominated} if nominated else None,
        **way,
    ),
    ("1", "500m", "1500m", "2"),
    (10, 10, 5, 20),
    ({"app": "a"}, {}, {"app": "b"}),
    ("", "", "n1", "n2"),
    _WAYS,
)
_BUDGETS = combinations(
    lambda selector, allowed, namespace, disrupted: {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", **({"namespace": namespace} if namespace else {})},
        "spec": {"selector": selector},
        "status": {
            "disruptionsAllowed": allowed,
            **({"disruptedPods": dict.fromkeys(disrupted, AN_AGE_AGO)} if disrupted else {}),
        },
    },
    ({"matchLabels": {"app": "a"}}, {"matchLabels": {"app": "b"}}, {}),
    (0, 1, 0),
    ("", "", "other"),
    ((), (), ("p1", "p3"), ("p2",)),
)
_ZONES = st.sampled_from([("a", "b", "a"), ("a", "a", "b"), ("a", "b", "c")])
_CHANGES = st.sampled_from(["nothing", "update", "delete", "withdraw", "nominate", "node"])


def histories() -> SearchStrategy[History]:
    @st.composite
    def full(draw: DrawFn) -> History:
        cluster = HistoryBuilder(hosts=True)
        budgets = st.lists(_BUDGETS, max_size=2, unique_by=lambda budget: str(budget["metadata"]))
        cluster.add(*draw(budgets))
        zones = draw(_ZONES)[: draw(st.integers(1, 3))]
        for zone in zones:
            cluster.add_node(node("", {"cpu": "2", "memory": "8Gi", "pods": "9"}, {ZONE: zone}))
        for home in range(len(zones)):
            for running in draw(st.lists(_RUNNING, min_size=1, max_size=4)):
                cluster.add_pod(running, home)
        ran = len(cluster.pods)
        for waiting in draw(st.lists(_WAITING, min_size=1, max_size=3)):
            cluster.add_pod(waiting)
        cluster.schedule(1)
        _change(cluster, draw(_CHANGES), draw(st.integers(ran, len(cluster.pods) - 1)))
        cluster.add_pod(draw(_WAITING))
        cluster.schedule()
        cluster.wait()
        cluster.schedule()
        return cluster.history()

    return st.one_of(full(), _guarded(), full(), _awaiting())


# --- Budgets --------------------------------------------------------------------------------------

_VICTIMS = combinations(
    lambda namespace, labels, priority: pod(
        "",
        cpu("1"),
        labels=labels,
        priority=priority,
        namespace=namespace,
        status={"phase": "Running", "startTime": START_TIMES[0]},
    ),
    ("", "other"),
    ({"app": "a"}, {"app": "a"}, {"app": ""}),
    (0, 0, 1),
)
_DISRUPTED = st.sampled_from([(), (), ("p1", "p4"), ("p11", "p22"), ("p2", "p33"), ("p1x", "p2x", "p3x")])
_SELECTORS = st.sampled_from([{"matchLabels": {"app": "a"}}, {"matchLabels": {"app": ""}}])


@st.composite
def _guarded(draw: DrawFn) -> History:
    """Budgets decide which of two full nodes is taken. Those of two namespaces may bear one name, and a pod whose
    disruption is known may be called nearly as another one."""
    cluster = HistoryBuilder(hosts=True)
    for namespace, name in draw(st.sampled_from([(("", "b"), ("other", "b")), (("", "b"), ("", "c"))])):
        guard = a_budget(draw(_SELECTORS), draw(st.sampled_from([1, 0, 1, 2])), namespace, draw(_DISRUPTED))
        cluster.add(named(guard, name))
    for home in range(2):
        cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
        for value in draw(st.lists(_VICTIMS, min_size=2, max_size=2)):
            cluster.add_pod(value, home)
    for amount in draw(st.lists(st.sampled_from(["2", "1"]), min_size=1, max_size=2)):
        cluster.add_pod(pod("", cpu(amount), priority=10))
        cluster.schedule(1)
    return cluster.history()


# --- Victims that are still leaving -----------------------------------------------------------------

_REASONS = ("PreemptionByScheduler", "PreemptionByScheduler", "EvictionByEvictionAPI")
_LEAVING = combinations(
    lambda amount, priority, status, first, reason: pod(
        "",
        cpu(amount),
        priority=priority,
        status={
            "startTime": START_TIMES[0],
            "conditions": [
                *first,
                *([{"type": "DisruptionTarget", "status": status, "reason": reason}] if reason else []),
            ],
        },
    ),
    ("1", "500m"),
    (0, 1, 10, 20),
    ("True", "True", "False"),
    ((), ({"type": "Ready", "status": "True"},)),
    (*_REASONS, ""),
)
_STAYING = combinations(
    lambda amount, priority: pod("", cpu(amount), priority=priority, status={"startTime": START_TIMES[1]}),
    ("500m", "1"),
    (0, 0, 5, 20),
)
_TAINTS: SearchStrategy[list[Json]] = st.sampled_from([[], [], [], [{"key": "k", "effect": "NoSchedule"}]])


@st.composite
def _awaiting(draw: DrawFn) -> History:
    """A pod waits for the victims of its preemption, on a node where others stay; it could preempt elsewhere."""
    cluster = HistoryBuilder(hosts=True)
    for taints in (draw(_TAINTS), []):
        cluster.add_node(node("", {"cpu": "2", "memory": "8Gi", "pods": "9"}, taints=taints))
    lives = [(value, False) for value in draw(st.lists(_STAYING, min_size=1, max_size=2))]
    for value in draw(st.lists(_LEAVING, min_size=1, max_size=2)):
        lives.insert(draw(st.sampled_from([len(lives), 0, 1])), (value, True))
    for value, leaves in lives:
        cluster.add_pod(with_metadata(value, deletionTimestamp=AN_AGE_AGO) if leaves else value, 0)
    cluster.add_pod(pod("", cpu("2"), priority=0, status={"startTime": START_TIMES[2]}), 1)
    nominated = draw(st.sampled_from(["n1", "n1", "n1", "n2", "n9"]))
    amount = draw(st.sampled_from(["1500m", "2"]))
    cluster.add_pod(pod("", cpu(amount), priority=10, status={"nominatedNodeName": nominated}))
    cluster.schedule()
    cluster.remove_pod(draw(st.integers(0, 3)))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _change(cluster: HistoryBuilder, what: str, index: int) -> None:
    """Changes one of the pods that waited, or a node."""
    match what:
        case "update":
            cluster.change_pod(
                index, lambda value: {**value, "metadata": {**value["metadata"], "labels": {"v": "1"}}}
            )
        case "delete":
            cluster.remove_pod(index)
        case "withdraw" | "nominate":
            to = "n1" if what == "nominate" else ""
            cluster.change_pod(index, lambda value: with_status(value, nominatedNodeName=to))
        case "node":
            cluster.remove_node(1)
