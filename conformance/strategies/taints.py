# SPDX-License-Identifier: Apache-2.0
"""Taints and tolerations, cordoned nodes, and the preference for nodes with fewer taints."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History
from conformance.strategies.objects import CPU_AMOUNTS, combinations, cpu, node, pod, with_spec
from conformance.strategies.scenes import pod_changes, scenes

Json = dict[str, Any]

_KEYS = ("k", "l", "node.kubernetes.io/unschedulable")
_VALUES = ("", "v", "w")


def _taint(key: str, value: str, effect: str) -> Json:
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _toleration(key: str, operator: str, value: str, effect: str, seconds: int | None) -> Json:
    """An empty key stands for all and asks for Exists, which goes without a value; only NoExecute is tolerated
    for a time (validation.go, ValidateTolerations)."""
    operator = operator if key else "Exists"
    told = {
        "key": key,
        "operator": operator,
        "value": "" if operator == "Exists" else value,
        "effect": effect,
    }
    toleration: Json = {name: member for name, member in told.items() if member}
    if effect == "NoExecute" and seconds is not None:
        toleration["tolerationSeconds"] = seconds
    return toleration


def _node(taints: list[Json], cordoned: bool) -> Json:
    """Of taints with the same key and effect a node bears one."""
    distinct = {(taint["key"], taint["effect"]): taint for taint in taints}
    return node(taints=list(distinct.values()), unschedulable=cordoned)


_TAINTS = st.lists(
    combinations(_taint, _KEYS, _VALUES, ("NoSchedule", "PreferNoSchedule", "NoExecute")), max_size=3
)
_TOLERATIONS = st.lists(
    combinations(
        _toleration,
        (*_KEYS, ""),
        ("", "Equal", "Exists"),
        _VALUES,
        ("", "NoSchedule", "PreferNoSchedule", "NoExecute"),
        (None, 0, 300),
    ),
    max_size=2,
)

_NODES = st.builds(_node, _TAINTS, st.sampled_from([False, False, False, True]))
_PODS = st.builds(
    lambda amount, tolerations: pod("", cpu(amount), tolerations=tolerations),
    st.sampled_from(CPU_AMOUNTS),
    _TOLERATIONS,
)


def _tolerate(tolerations: list[Json]) -> Any:
    """Tolerations may be added to a pod that exists, not taken from it."""

    def tolerating(value: Json) -> Json:
        return with_spec(value, tolerations=[*value["spec"].get("tolerations", []), *tolerations])

    return tolerating


def histories() -> SearchStrategy[History]:
    return scenes(_NODES, _PODS, pod_changes(_tolerate, _TOLERATIONS))
