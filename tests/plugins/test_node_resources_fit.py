# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit: what fits, and how full a node would be."""

from __future__ import annotations

from typing import Any

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
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


def score(newcomer: PodInfo, on: NodeInfo, plugin: NodeResourcesFit) -> int:
    return plugin.score(plugin.pre_score(newcomer, [on], Snapshot()).state, newcomer, on)


# --- Score ----------------------------------------------------------------------------------------


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
