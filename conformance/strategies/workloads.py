# SPDX-License-Identifier: Apache-2.0
"""Workloads: pods without constraints of their own, which spread with those that a Service or their owner selects.

What selects them is one selector or two; it comes late, changes or goes; and others that bear its name are of
another kind or another namespace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    ZONE,
    node,
    owner,
    pod,
    profile_config,
    selecting,
    spread_by_default,
    with_metadata,
)
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

_VERSIONS = {
    "Service": "v1",
    "ReplicationController": "v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
}
_APP, _TIER, _OTHER, _BOTH = {"app": "a"}, {"tier": "x"}, {"app": "b"}, {"app": "a", "tier": "x"}
_EXPRESSIONS: tuple[Json, ...] = (
    {"key": "app", "operator": "In", "values": ["a"]},
    {"key": "app", "operator": "In", "values": ["b", "c"]},
    {"key": "tier", "operator": "Exists"},
    {"key": "tier", "operator": "NotIn", "values": ["x"]},
)


def _selectors(kind: str) -> SearchStrategy[Json]:
    """Services and ReplicationControllers have plain labels."""
    labels = st.sampled_from([_APP, _TIER, _OTHER, _OTHER, _BOTH, {}])
    if kind in ("Service", "ReplicationController"):
        return labels
    expressions = st.sampled_from(_EXPRESSIONS).map(lambda one: {"matchExpressions": [one]})
    return st.one_of(labels.map(lambda each: {"matchLabels": each}), expressions)


@st.composite
def _selecting(draw: DrawFn, kind: str, name: str, namespaces: Sequence[str]) -> Json:
    value = selecting(kind, name, draw(_selectors(kind)), _VERSIONS[kind])
    return with_metadata(value, namespace=draw(st.sampled_from(namespaces)))


# --- Profiles and running pods --------------------------------------------------------------------


def _constraint(key: str, skew: int, when: str) -> Json:
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": when}


_CONFIGS = st.sampled_from(
    [
        *[spread_by_default([_constraint(ZONE, 1, "DoNotSchedule")])] * 3,
        spread_by_default(
            [_constraint(ZONE, 1, "DoNotSchedule"), _constraint(HOSTNAME, 2, "ScheduleAnyway")]
        ),
        *[profile_config()] * 4,
    ]
)
_LABELS = st.sampled_from([_APP, _APP, _BOTH, _BOTH, _TIER, _OTHER, {}])
_HOMES = st.sampled_from([0, 0, 0, 1, 2])
_ZONES = st.sampled_from(
    [("a", "b"), ("a", "b", "b"), ("a", "a", "b"), ("a", "b", ""), ("a", ""), ("", "a", "a", "")]
)
"""The zone of each node, or "" for none."""
_CHANGES = st.sampled_from(["changed", "deleted", "changed", "deleted", "nothing"])


@st.composite
def histories(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    kind = draw(st.sampled_from([*_VERSIONS, "ReplicaSet", "ReplicationController"]))
    workload = draw(_selecting(kind, "w", [*["default"] * 5, "other"]))
    cluster.add(workload)
    if draw(st.booleans()):
        cluster.add(draw(_selecting("Service", "s", ["default", "default", "other"])))
    for zone in draw(_ZONES):
        cluster.add_node(node(labels={ZONE: zone} if zone else {}))
    for labels, home in draw(st.lists(st.tuples(_LABELS, _HOMES), min_size=2, max_size=5)):
        cluster.add_pod(pod("", labels=labels), home)
    waiting = pod("", labels=_BOTH, owner=owner(kind) if kind != "Service" else None)
    cluster.add_pod(waiting)
    cluster.schedule()
    match draw(_CHANGES):
        case "deleted":
            cluster.steps.append(deleting(workload))
        case "changed":
            changed = {**workload, "spec": selecting(kind, "w", draw(_selectors(kind)))["spec"]}
            cluster.steps.append(Update(changed))
    cluster.add_pod(waiting)
    cluster.schedule()
    return cluster.history(draw(_CONFIGS))
