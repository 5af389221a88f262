# SPDX-License-Identifier: Apache-2.0
"""NodeAffinity."""

from __future__ import annotations

from typing import Any

from refsched.framework.interface import Reject
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import error
from refsched.objects import pod as pods
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.plugins.node_affinity import NodeAffinity

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod(*terms: dict[str, Any], preferred: list[Any] | None = None, **spec: Any) -> PodInfo:
    affinity: dict[str, Any] = {PREFERRED: preferred or []}
    if terms:
        affinity[REQUIRED] = {"nodeSelectorTerms": list(terms)}
    return PodInfo(read_as(pods.Pod, {"spec": {"affinity": {"nodeAffinity": affinity}, **spec}}))


NODE = NodeInfo(read_as(Node, {"metadata": {"name": "n1", "labels": {"disk": "ssd", "zone": "a"}}}))


def test_a_preference_that_compares_with_no_number_is_an_error() -> None:
    def larger_than(value: str) -> dict[str, Any]:
        return {"weight": 1, "preference": {"matchExpressions": [compares("Gt", value), compares("Lt", "3")]}}

    def compares(operator: str, value: str) -> dict[str, Any]:
        return {"key": "size", "operator": operator, "values": [value]}

    def problem(at: int) -> str:
        return (
            f'[{at}].matchExpressions[0].values[0]: Invalid value: "big": '
            "for 'Gt', 'Lt' operators, the value must be an integer"
        )

    one, two = (
        pod(preferred=[larger_than("2"), larger_than("big")]),
        pod(preferred=[larger_than("big")] * 2),
    )
    assert NodeAffinity().pre_score(one, [NODE], Snapshot()) == Reject(error(problem(1)))
    assert NodeAffinity().pre_score(two, [NODE], Snapshot()) == Reject(error(f"[{problem(0)}, {problem(1)}]"))
