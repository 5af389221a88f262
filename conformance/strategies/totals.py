# SPDX-License-Identifier: Apache-2.0
"""Nodes on which every pod fits, and which differ in all that is scored, so that only the scores decide.

Some nodes run more pods than they have room for, since the running pods were bound without a scheduler.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    PREFERRED,
    ZONE,
    container,
    default_profile,
    node,
    pod,
    profile_config,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_GPU = "example.com/gpu"
_STORAGE = "ephemeral-storage"
_TAINTS = [{"key": key, "effect": "PreferNoSchedule"} for key in ("k", "l", "m")]
_NODES = combinations(
    lambda cpu, memory, storage, zone, taints, gpu: node(
        "",
        {"cpu": cpu, "memory": memory, **storage, "pods": "20", **({_GPU: gpu} if gpu else {})},
        {ZONE: zone} if zone else {},
        taints=_TAINTS[:taints],
    ),
    ("4", "3", "7"),
    ("2Gi", "2000Mi", "1Gi", "2000Mi", "1500M"),
    ({_STORAGE: "10Gi"}, {_STORAGE: "4Gi"}, {}),
    ("a", "b", ""),
    (0, 1, 2, 3),
    ("", "", "2"),
)
_RUNNING = combinations(
    lambda cpu, memory: pod("", {**({"cpu": cpu} if cpu else {}), **({"memory": memory} if memory else {})}),
    ("", "500m", "1", "333m", "3"),
    ("", "1Gi", "600Mi", "2Gi", "3Gi"),
)


def _preferring(weights: tuple[int, int]) -> Json:
    preferred = [
        {
            "weight": weight,
            "preference": {"matchExpressions": [{"key": ZONE, "operator": "In", "values": zones}]},
        }
        for weight, zones in zip(weights, (["a"], ["a", "b"]), strict=True)
    ]
    return {"affinity": {"nodeAffinity": {PREFERRED: preferred}}}


_WAITING = combinations(
    lambda cpu, memory, storage, way: pod("", {"cpu": cpu, **memory, **storage}, **way),
    ("10m", "100m", "333m"),
    ({}, {}, {"memory": "1Mi"}, {"memory": "200Mi"}),
    ({}, {}, {_STORAGE: "1Gi"}),
    ({}, {}, _preferring((1, 2)), _preferring((7, 3)), {"initContainers": [container("i")]}),
)


def _whole(own: Json, first: Json, second: Json) -> Json:
    """Draws a pod with resources of its own, often of one kind alone, and two containers that say little of
    theirs."""
    return pod("", containers=[container("c", first), container("d", second)], resources={"requests": own})


_WHOLE = combinations(
    _whole,
    ({"cpu": "500m"}, {"memory": "600Mi"}, {"cpu": "1", "memory": "500Mi"}, {}),
    ({}, {"cpu": "150m"}, {"memory": "150Mi"}),
    ({}, {}, {"cpu": "10m", "memory": "1Mi"}),
)

_RESOURCES: tuple[list[Json], ...] = (
    [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
    [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}],
    [{"name": "memory", "weight": 7}, {"name": "cpu", "weight": 2}],
    [{"name": "cpu", "weight": 1}, {"name": _GPU, "weight": 3}],
    *[[{"name": name, "weight": 1} for name in ("cpu", "memory", _STORAGE)]] * 3,
)
_SHAPES = ((0, 10), (10, 0), (0, 3, 10), (7, 0, 2))


def _configured(kind: str, resources: list[Json], scores: tuple[int, ...]) -> Json:
    strategy: Json = {"type": kind, "resources": resources}
    if kind == "RequestedToCapacityRatio":
        points = zip((0, 40, 100), scores, strict=False)
        strategy["requestedToCapacityRatio"] = {
            "shape": [{"utilization": utilization, "score": score} for utilization, score in points]
        }
    balanced = {"resources": [{"name": each["name"], "weight": 1} for each in resources]}
    return profile_config(
        default_profile(
            ("NodeResourcesFit", {"scoringStrategy": strategy}), ("NodeResourcesBalancedAllocation", balanced)
        )
    )


_CONFIGS = st.one_of(
    st.just(DEFAULT_CONFIG),
    combinations(
        _configured,
        ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "RequestedToCapacityRatio"),
        _RESOURCES,
        _SHAPES,
    ),
)

_GATES = st.sampled_from([{}, {}, {}, {"PodLevelResources": False}])


def histories() -> SearchStrategy[History]:
    @st.composite
    def roomy(draw: DrawFn) -> History:
        cluster = HistoryBuilder()
        nodes = draw(st.lists(_NODES, min_size=2, max_size=4))
        for value in nodes:
            cluster.add_node(value)
        for home in draw(st.lists(st.integers(0, len(nodes) - 1), max_size=6)):
            cluster.add_pod(draw(st.one_of(_RUNNING, _WHOLE)), home)
        for value in draw(st.lists(st.one_of(_WAITING, _WHOLE), min_size=1, max_size=3)):
            cluster.add_pod(value)
        cluster.schedule()
        return cluster.history(draw(_CONFIGS), draw(_GATES))

    return roomy()
