# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesBalancedAllocation."""

from __future__ import annotations

import pytest

from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.pod import Pod
from refsched.objects.quantity import parse_quantity
from refsched.objects.reading import read_as
from refsched.objects.resources import resource_of
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation

GPU = "example.com/gpu"
DISK = "ephemeral-storage"


def pod(**requests: str) -> PodInfo:
    return PodInfo(
        read_as(Pod, {"spec": {"containers": [{"name": "c", "resources": {"requests": requests}}]}})
    )


def node(**allocatable: str) -> NodeInfo:
    return NodeInfo(None, allocatable=resource_of({k: parse_quantity(v) for k, v in allocatable.items()}))


@pytest.mark.parametrize(
    ("resources", "asked", "has", "score"),
    [
        (("cpu", "memory"), {"cpu": "1"}, {"cpu": "4", "memory": "8Gi"}, 87),
        (("cpu", "memory"), {"cpu": "2", "memory": "4Gi"}, {"cpu": "4", "memory": "8Gi"}, 100),
        (("cpu", "memory"), {"cpu": "8"}, {"cpu": "4", "memory": "8Gi"}, 50),
        (("cpu", "memory"), {"cpu": "1"}, {"cpu": "4"}, 100),
        (("cpu", "memory", DISK), {"cpu": "1", DISK: "1Gi"}, {"cpu": "2", "memory": "1Gi", DISK: "1Gi"}, 59),
        (("cpu", "memory", GPU), {"cpu": "2"}, {"cpu": "4", "memory": "8Gi", GPU: "8"}, 75),
        (("cpu", GPU), {"cpu": "2", GPU: "4"}, {"cpu": "4", GPU: "8"}, 100),
    ],
)
def test_the_more_even_the_use_the_higher_the_balance(
    resources: tuple[str, ...], asked: dict[str, str], has: dict[str, str], score: int
) -> None:
    plugin = NodeResourcesBalancedAllocation(resources)
    outcome = plugin.pre_score(pod(**asked), [], Snapshot())
    assert isinstance(outcome, Continue)
    assert plugin.balances(outcome.state, node(**has)) == (score, 100)


def test_what_is_on_the_node_counts_with_its_real_requests() -> None:
    plugin = NodeResourcesBalancedAllocation()
    busy = node(cpu="4", memory="8Gi").with_pod(pod()).with_pod(pod(memory="2Gi"))
    assert plugin.balances((1000, 0), busy) == (100, 87)


@pytest.mark.parametrize(
    ("on_the_node", "score"),
    [
        ({}, 68),  # 87 with the pod, 100 without it
        ({"memory": "2Gi"}, 81),  # 100, and 87
        ({"cpu": "1", "memory": "1Gi"}, 69),  # 81, and 93
        ({"cpu": "9"}, 75),  # 50, and 50: no share is more than the whole
    ],
)
def test_a_node_scores_by_what_the_pod_does_to_its_balance(on_the_node: dict[str, str], score: int) -> None:
    has = node(cpu="4", memory="8Gi").with_pod(pod(**on_the_node))
    assert NodeResourcesBalancedAllocation().score((1000, 0), pod(cpu="1"), has) == score


def test_a_pod_that_asks_for_nothing_is_not_scored() -> None:
    assert NodeResourcesBalancedAllocation().pre_score(pod(**{GPU: "1"}), [], Snapshot()) == Skip()
