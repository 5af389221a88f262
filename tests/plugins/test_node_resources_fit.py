# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit: what fits, and how full a node would be."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.quantity import parse_quantity
from refsched.objects.reading import read_as
from refsched.objects.resources import resource_of
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.plugins.resource_scoring import ResourceSpec, UtilizationShapePoint

GPU = "example.com/gpu"
TENT = (UtilizationShapePoint(10, 0), UtilizationShapePoint(50, 10), UtilizationShapePoint(90, 3))


def pod(spec: dict[str, Any] | None = None, **requests: str) -> PodInfo:
    containers = [{"name": "c", "resources": {"requests": requests}}]
    return PodInfo(
        read_as(Pod, {"metadata": {"uid": "p"}, "spec": {"containers": containers, **(spec or {})}})
    )


def node(**allocatable: str) -> NodeInfo:
    has = {"cpu": "4", "memory": "8Gi", "pods": "2", **allocatable}
    return NodeInfo(None, allocatable=resource_of({k: parse_quantity(v) for k, v in has.items()}))


def verdict(newcomer: PodInfo, on: NodeInfo, plugin: NodeResourcesFit | None = None) -> Status:
    plugin = plugin or NodeResourcesFit()
    return plugin.filter(plugin.pre_filter(newcomer, Snapshot()).state, newcomer, on)


def score(newcomer: PodInfo, on: NodeInfo, plugin: NodeResourcesFit) -> int:
    return plugin.score(plugin.pre_score(newcomer, [on], Snapshot()).state, newcomer, on)


# --- Filter ---------------------------------------------------------------------------------------


def test_the_filter_counts_pod_level_requests_and_no_status() -> None:
    spec = {"resources": {"requests": {"cpu": "5"}}}
    assert verdict(pod(spec, cpu="1"), node()) == unresolvable("Insufficient cpu")
    resized = read_as(
        Pod,
        {
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
            "status": {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "9"}}}]},
        },
    )
    assert verdict(PodInfo(resized), node()) == SUCCESS


# --- Score ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [("LeastAllocated", (75 + 50) // 2), ("MostAllocated", (25 + 50) // 2), ("RequestedToCapacityRatio", 69)],
)
def test_each_strategy_looks_at_how_full_the_node_would_be(strategy: str, expected: int) -> None:
    """At 25 % and 50 % the shape gives 37 (cut) and 100; their mean, 68.5, is rounded up."""
    assert (
        score(pod(cpu="1", memory="4Gi"), node(), NodeResourcesFit(strategy=strategy, shape=TENT)) == expected
    )


@pytest.mark.parametrize(
    ("cpu", "expected"),
    [("200m", 0), ("400m", 0), ("1200m", 50), ("2", 100), ("3", 57), ("4", 30), ("9", 30)],
)
def test_the_shape_is_a_broken_line_flat_at_its_ends(cpu: str, expected: int) -> None:
    plugin = NodeResourcesFit(
        strategy="RequestedToCapacityRatio", resources=(ResourceSpec("cpu", 1),), shape=TENT
    )
    assert score(pod(cpu=cpu), node(), plugin) == expected


def test_weights_count_and_what_is_not_there_or_not_asked_for_does_not() -> None:
    weighted = NodeResourcesFit(
        resources=(ResourceSpec("cpu", 3), ResourceSpec("memory", 1), ResourceSpec(GPU, 9))
    )
    assert score(pod(cpu="1", memory="4Gi"), node(**{GPU: "1"}), weighted) == (3 * 75 + 50) // 4
    assert (
        score(pod(**{GPU: "1"}), node(**{GPU: "2"}), NodeResourcesFit(resources=(ResourceSpec(GPU, 1),)))
        == 50
    )
    for strategy in ("LeastAllocated", "RequestedToCapacityRatio"):
        nothing = NodeResourcesFit(strategy=strategy, resources=(ResourceSpec(GPU, 1),), shape=TENT)
        assert score(pod(), node(), nothing) == 0
