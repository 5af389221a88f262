# SPDX-License-Identifier: Apache-2.0
"""Pods of one kind run in a few zones, and one more must be spread among them, so that the counts decide.

Running pods differ in what could exclude them from the count: their namespace, their labels, and whether they are
being deleted. Nodes differ in what could exclude them as a domain. Or nodes are full: evicted pods are no longer
counted, and nominated pods are.
"""

from __future__ import annotations

from collections import ChainMap
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    START_TIMES,
    ZONE,
    distinct_constraints,
    node,
    pod,
    with_metadata,
)
from refsched.suite.histories.history import History

Json = dict[str, Any]

_GOING: list[Json] = [{"key": "k", "effect": "NoExecute"}]
_NODES = combinations(
    lambda zone, taints: node(labels={} if zone is None else {ZONE: zone}, taints=taints),
    ("a", "b", "a", "b", "c", None, ""),
    ((), _GOING, (), [{"key": "k", "effect": "NoSchedule"}], _GOING),
)


def _running(labels: Json, namespace: str, leaves: bool) -> Json:
    value = pod("", labels=labels, namespace=namespace)
    return with_metadata(value, deletionTimestamp=AN_AGE_AGO) if leaves else value


_RUNNING = combinations(
    _running,
    ({"app": "a"}, {"app": "a"}, {"app": "a", "tier": "x"}, {"app": "a", "version": "1"}, {}),
    ("", "", "", "other"),
    (False, False, False, True),
)


def _constraint(key: str, when: str, skew: int, fewest: int | None, selector: Json, *more: Json) -> Json:
    least = {} if fewest is None or when == "ScheduleAnyway" else {"minDomains": fewest}
    return {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": when,
        "labelSelector": {"matchLabels": selector},
        **least,
        **ChainMap(*more),
    }


_CONSTRAINTS = combinations(
    _constraint,
    (ZONE, ZONE, HOSTNAME),
    ("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
    (1, 2),
    (None, None, None, 2, 3, 4),
    ({"app": "a"}, {"app": "a"}, {"app": "a"}, {"tier": "x"}),
    ({}, {"nodeTaintsPolicy": "Honor"}),
    ({}, {}, {"nodeAffinityPolicy": "Ignore"}),
    ({}, {}, {}, {"matchLabelKeys": ["version"]}),
)


def _preferring(zone: str) -> Json:
    wanted = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    weighted = [{"weight": 5, "preference": wanted}]
    return {"affinity": {"nodeAffinity": {PREFERRED: weighted}}}


def _requiring(zone: str) -> Json:
    wanted = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    required = {REQUIRED: {"nodeSelectorTerms": [wanted]}}
    return {"affinity": {"nodeAffinity": required}}


_WAYS: tuple[Json, ...] = ({}, {"nodeSelector": {ZONE: "a"}}, _preferring("a"), _requiring("b"))


_PODS = st.builds(
    lambda constraints, labels, way: pod(
        "", labels=labels, topologySpreadConstraints=distinct_constraints(constraints), **way
    ),
    st.lists(_CONSTRAINTS, min_size=1, max_size=2),
    st.sampled_from([{"app": "a"}, {"app": "a", "tier": "x"}, {"app": "a", "version": "1"}, {"app": "b"}]),
    st.sampled_from(_WAYS),
)


# --- Full nodes -----------------------------------------------------------------------------------

_FULL = combinations(
    lambda zone, cores, taints: node("", {"cpu": cores, "pods": "9"}, {ZONE: zone}, taints=taints),
    ("a", "b", "a", "b", "c"),
    ("1", "2"),
    ((), [{"key": "k", "effect": "NoSchedule"}], ()),
)
"""A domain on which no pod can be scheduled has no pods that a victim could be among."""
_EVICTABLE = combinations(
    lambda requests, labels, priority, namespace, leaving, start: with_metadata(
        pod(
            "",
            requests,
            labels=labels,
            priority=priority,
            namespace=namespace,
            status={"startTime": start},
        ),
        **leaving,
    ),
    ({"cpu": "1"}, {}, {"cpu": "500m"}),
    ({"app": "a"}, {"app": "a"}, {"app": "a"}, {}),
    (0, 0, 0, 9),
    ("", "other"),
    ({}, {}, {}, {"deletionTimestamp": AN_AGE_AGO}),
    START_TIMES,
)
_EVICTING = combinations(
    lambda requests, labels, skew: pod(
        "",
        requests,
        labels=labels,
        priority=5,
        topologySpreadConstraints=[_constraint(ZONE, "DoNotSchedule", skew, None, {"app": "a"})],
    ),
    ({"cpu": "1"}, {}),
    ({"app": "a"}, {"app": "a"}, {"app": "b"}),
    (1, 1, 2),
)


@st.composite
def evicting(draw: DrawFn) -> History:
    """Each node has a pod or a few, and another pod preempts there. A reprieved victim counts again."""
    cluster = HistoryBuilder(hosts=True)
    for home, value in enumerate(draw(st.lists(_FULL, min_size=2, max_size=4))):
        cluster.add_node(value)
        for evictable in draw(st.lists(_EVICTABLE, min_size=1, max_size=3)):
            cluster.add_pod(evictable, home)
    for value in draw(st.lists(_EVICTING, min_size=2, max_size=3)):
        cluster.add_pod(value)
    cluster.schedule()
    return cluster.history()


@st.composite
def crowded(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    nodes = draw(st.lists(_NODES, min_size=1, max_size=5))
    for value in nodes:
        cluster.add_node(value)
    for home in draw(st.lists(st.integers(0, len(nodes) - 1), min_size=3, max_size=9)):
        cluster.add_pod(draw(_RUNNING), home)
    for value in draw(st.lists(_PODS, min_size=2, max_size=6)):
        cluster.add_pod(value)
    cluster.schedule()
    return cluster.history()
