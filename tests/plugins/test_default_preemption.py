# SPDX-License-Identifier: Apache-2.0
"""DefaultPreemption as a whole: what it answers, which victims it names, and what it says when it gives up."""

from __future__ import annotations

from typing import Any

import pytest
from preemption_world import Offered, names, node, pod, preempt

from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterResult
from refsched.framework.status import unschedulable
from refsched.oddities.known_defects import AS_PROMISED

# --- May it preempt? ------------------------------------------------------------------------------


def victim_that_leaves(**changes: Any) -> PodInfo:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"} | changes
    ready = {"type": "Ready", "status": "False"}
    return pod("low", leaving=True, status={"conditions": [ready, condition]})


NOMINATED = pod("p", 4, 9, status={"nominatedNodeName": "n"})


def test_a_pod_waits_for_its_victims_on_the_nominated_node() -> None:
    waits = unschedulable("preemption: not eligible due to a terminating pod on the nominated node.")
    assert preempt(NOMINATED, node("n", victim_that_leaves())) == PostFilterResult(waits)


@pytest.mark.parametrize(
    "other",
    [
        pod("low"),
        pod("low", leaving=True),
        victim_that_leaves(status="False"),
        victim_that_leaves(reason="DeletionByTaintManager"),
    ],
    ids=["stays", "leaves by itself", "condition is false", "leaves for another reason"],
)
def test_a_pod_does_not_wait_for_what_is_no_victim_of_preemption(other: PodInfo) -> None:
    assert preempt(NOMINATED, node("n", other)).nominated_node == "n"


# --- Victims --------------------------------------------------------------------------------------


def test_by_the_rule_any_of_them_may_be_reprieved_first() -> None:
    offered = Offered()
    crowded = node("n", *map(pod, "abcd"))
    found = preempt(pod("p", 2, 9), crowded, offered=offered, oddities=AS_PROMISED)
    assert names(found.victims) == "c d"
    asked = [question for question, _ in offered.questions]
    assert asked == ["victim"] * 4 + ["candidate"]
