# SPDX-License-Identifier: Apache-2.0
"""Which victims a PodDisruptionBudget protects."""

from __future__ import annotations

from typing import Any

from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.reading import read_as
from refsched.preemption.disruption import Budgets, by_protection

WEB = {"matchLabels": {"app": "web"}}


def pod(name: str, namespace: str = "ns", **labels: str) -> PodInfo:
    metadata = {"name": name, "namespace": namespace, "uid": name, "labels": labels}
    return PodInfo(read_as(Pod, {"metadata": metadata}))


def budget(selector: Any = WEB, allowed: int = 0, disrupted: tuple[str, ...] = ()) -> PodDisruptionBudget:
    return read_as(
        PodDisruptionBudget,
        {
            "metadata": {"name": "budget", "namespace": "ns"},
            "spec": {"selector": selector, "minAvailable": 1},
            "status": {
                "disruptionsAllowed": allowed,
                "disruptedPods": dict.fromkeys(disrupted, "2026-01-01T00:00:00Z"),
            },
        },
    )


def every_violating(pods: list[PodInfo], *budgets: PodDisruptionBudget) -> list[list[str]]:
    found = by_protection(pods, Budgets.of(budgets))
    assert all({*protected.violating, *protected.others} == set(pods) for protected in found)
    return [[info.pod.name for info in protected.violating] for protected in found]


def violating(pods: list[PodInfo], *budgets: PodDisruptionBudget) -> list[str]:
    [found] = every_violating(pods, *budgets)
    return found


def test_an_empty_a_missing_or_an_invalid_selector_protects_nothing() -> None:
    invalid = {"matchExpressions": [{"key": "app", "operator": "Like"}]}
    assert violating([pod("a", app="web")], budget({}), budget(None), budget(invalid)) == []
