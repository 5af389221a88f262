# SPDX-License-Identifier: Apache-2.0
"""Plugins that decide otherwise in v1.35 and before than in v1.36."""

from __future__ import annotations

from refsched.releases.v1_35.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.rules import listening
from tests.plugins.test_node_resources_balanced_allocation import node, pod


def test_a_node_scores_by_the_balance_that_the_pod_leaves() -> None:
    plugin = NodeResourcesBalancedAllocation()
    applied: list[str] = []
    with listening(applied.append):
        assert plugin.score((1000, 0), pod(cpu="1"), node(cpu="4", memory="8Gi")) == 87
    assert applied == ["R-BALANCED-03", "R-BALANCED-06"]
