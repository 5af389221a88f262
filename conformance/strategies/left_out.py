# SPDX-License-Identifier: Apache-2.0
"""Left out: a profile disables a plugin, or two, at some of their extension points, and not at the others.

What a plugin decides before it reads what an earlier point of it computes differs between plugins, and between
pods of which it would reject one, would accept another, and has nothing to do for a third.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.left_out import PODS, POINTS, claimed_by_pods_of, profile_without
from conformance.vocabulary.objects import ZONE, cpu, node, pod
from conformance.vocabulary.storage import csi_node
from refsched.suite.histories.history import History

Json = dict[str, Any]

_NODES = combinations(
    lambda cores, zone, effect, cordoned: node(
        "",
        {"cpu": cores, "memory": "8Gi", "pods": "5"},
        {ZONE: zone} if zone else {},
        taints=[{"key": "k", "effect": effect}] if effect else (),
        unschedulable=cordoned,
    ),
    ("4", "2"),
    ("a", "b", "a", "b", ""),
    ("", "", "", "PreferNoSchedule", "NoSchedule"),
    (*[False] * 5, True),
)
_LIMITS = st.sampled_from([1, 0, 2])


@st.composite
def _pod(draw: DrawFn, plugins: Sequence[str]) -> Json:
    """Draws a pod about which both plugins may have something to say."""
    spec: Json = {}
    for plugin in plugins:
        spec |= draw(st.sampled_from([*PODS.get(plugin, ()), {}]))
    requests = cpu(draw(st.sampled_from(["", "1", "2"])))
    labels = draw(st.sampled_from([{"app": "a"}, {}]))
    priority = draw(st.sampled_from([0, 0, 10]))
    return pod(
        "", requests, labels=labels, priority=priority, containers=spec.pop("containers", None), **spec
    )


def _points_of(plugin: str) -> SearchStrategy[tuple[str, Sequence[str]]]:
    points = st.lists(st.sampled_from(POINTS[plugin]), min_size=1, unique=True)
    return points.map(lambda chosen: (plugin, chosen))


@st.composite
def histories(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    plugins = draw(st.lists(st.sampled_from(list(POINTS)), min_size=1, max_size=2, unique=True))
    config = profile_without([draw(_points_of(plugin)) for plugin in plugins])
    cluster.add(*claimed_by_pods_of(plugins))
    for value in draw(st.lists(_NODES, min_size=1, max_size=3)):
        cluster.add_node(value)
    if "NodeVolumeLimits" in plugins:
        cluster.add(*(csi_node(name, {"count": draw(_LIMITS)}) for name in cluster.nodes))
    for value, home in draw(st.lists(st.tuples(_pod(plugins), st.integers(0, 2)), max_size=3)):
        cluster.add_pod(value, home)
    for value in draw(st.lists(_pod(plugins), min_size=1, max_size=3)):
        cluster.add_pod(value)
        cluster.schedule(1)
    for _ in range(2):
        cluster.wait()
        cluster.schedule()
    return cluster.history(config)
