# SPDX-License-Identifier: Apache-2.0
"""Nominated pods: resources kept for a nominated pod count against pods of equal or lower priority.

Nominations come from preemption, are in the pod's status when it is created, or are written there by others.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies import full_nodes, nominated_and_waiting
from conformance.strategies.changes import (
    nodes_changed,
    nodes_removed,
    placed,
    pod_changes,
    pods_created,
    pods_removed,
    pods_running,
    with_many_changes,
)
from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    REQUIRED,
    START_TIMES,
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_status,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_NODES = combinations(
    lambda cores, zone: node("", {"cpu": cores, "memory": "8Gi", "pods": "4"}, {ZONE: zone} if zone else {}),
    ("2", "1", "3"),
    ("a", "b", ""),
)
_A: list[Json] = [{"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": ZONE}]
_WAYS: tuple[Json, ...] = (
    {},
    {},
    {},
    {"nodeSelector": {ZONE: "c"}},
    {"affinity": {"podAffinity": {REQUIRED: _A}}},
    {"affinity": {"podAntiAffinity": {REQUIRED: _A}}},
    {
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": ZONE,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "a"}},
            }
        ]
    },
)
"""That a place counts must be good for the pod, and that it does not count as well: hence the affinities."""


def _pod(amount: str, priority: int, nominated: str, labels: Json, way: Json) -> Json:
    status = {"nominatedNodeName": nominated} if nominated else None
    return pod("", cpu(amount), labels=labels, priority=priority, status=status, **way)


_PODS = combinations(
    _pod,
    ("1", "2", "500m", "1001m", ""),
    (0, 0, 5, 10),
    ("", "", "n1", "n2", "n9"),
    ({}, {"app": "a"}),
    _WAYS,
)
_RUNNING = combinations(
    lambda amount, priority, start: pod("", cpu(amount), priority=priority, status={"startTime": start}),
    ("1", "500m", "2"),
    (-1, -5),
    START_TIMES,
)


_WITHOUT_POST_FILTER = profile_config(default_profile(plugins={"postFilter": {"disabled": [{"name": "*"}]}}))
"""A nomination that has become pointless then stays."""
_WITHOUT_SCORE = profile_config(default_profile(plugins={"score": {"disabled": [{"name": "*"}]}}))
"""A search then ends with the first feasible node, so that it shows where each search starts."""


def _nominate(name: str) -> Any:
    return lambda value: with_status(value, nominatedNodeName=name)


# --- Nominated to a node that PreFilter leaves out ------------------------------------------------


def _named(*names: str) -> Json:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    terms = [{"matchFields": [field]} for field in fields]
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}}


_TORN = combinations(
    lambda amount, nominated, way: pod(
        "", cpu(amount), status={"nominatedNodeName": nominated} if nominated else None, **way
    ),
    ("2", "1", "2", "4"),
    ("n1", "n1", "n2", ""),
    (_named("n2"), _named("n2", "n3"), {}, _named("n3")),
)


@st.composite
def _elsewhere(draw: DrawFn) -> History:
    """Pods are nominated to a node, and may go to others only, which are searched after that one."""
    cluster = HistoryBuilder()
    for cores in draw(st.lists(st.sampled_from(["1", "4", "2"]), min_size=3, max_size=4)):
        cluster.add_node(node("", {"cpu": cores, "pods": "4"}))
    for value in draw(st.lists(_TORN, min_size=2, max_size=4)):
        cluster.add_pod(value)
    cluster.schedule()
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    return cluster.history(draw(st.sampled_from([_WITHOUT_SCORE, None, _WITHOUT_SCORE])))


def histories() -> SearchStrategy[History]:
    anything = with_many_changes(
        pods_created(_PODS),
        pods_created(_PODS),
        pods_running(_RUNNING),
        pods_created(_PODS),
        pod_changes(_nominate, st.sampled_from(["n1", "n2", ""])),
        pods_removed(),
        nodes_changed(_NODES),
        nodes_removed(),
        nodes=st.lists(_NODES, min_size=1, max_size=3),
        pods=placed(_PODS, _RUNNING),
        config=st.sampled_from([*[DEFAULT_CONFIG, _WITHOUT_POST_FILTER] * 2, _WITHOUT_SCORE]),
    )
    return st.one_of(anything, full_nodes.histories(), nominated_and_waiting.histories(), _elsewhere())
