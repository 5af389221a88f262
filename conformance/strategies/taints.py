# SPDX-License-Identifier: Apache-2.0
"""Taints and tolerations, cordoned nodes, and the preference for nodes with fewer taints."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import nodes_created, pod_changes, pods_removed, with_few_changes
from conformance.strategies.drawn import CPU_AMOUNTS, combinations, sometimes
from conformance.strategies.requeueing import node_changes, pod_updates, requeueing
from conformance.vocabulary.objects import cpu, node, pod, with_spec, with_status
from refsched.suite.histories.history import History

Json = dict[str, Any]

_CORDON = "node.kubernetes.io/unschedulable"
_KEYS = ("k", "l", _CORDON)
_VALUES = ("", "v", "w")


def _taint(key: str, value: str, effect: str) -> Json:
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _toleration(key: str, operator: str, value: str, effect: str, seconds: int | None) -> Json:
    """An empty key stands for all and asks for Exists, which goes without a value; only NoExecute is tolerated
    for a time (validation.go, ValidateTolerations)."""
    operator = operator if key else "Exists"
    members = {
        "key": key,
        "operator": operator,
        "value": "" if operator == "Exists" else value,
        "effect": effect,
    }
    toleration: Json = {name: member for name, member in members.items() if member}
    if effect == "NoExecute" and seconds is not None:
        toleration["tolerationSeconds"] = seconds
    return toleration


def _node(taints: list[Json], cordoned: bool) -> Json:
    """Returns a node, which bears one of the taints with the same key and effect."""
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


# --- What requeues a rejected pod ---------------------------------------------------------------------


_LIGHT = combinations(_taint, ("l", "m"), ("", "v"), ("PreferNoSchedule", "PreferNoSchedule", "NoSchedule"))
_RETAINTED = st.lists(_LIGHT, max_size=2)


def _refusing(why: str, more: list[Json]) -> Json:
    """Returns a node that rejects the pod for one reason: its taint, its cordon, or too few resources."""
    refusing = [_taint("k", "", why)] if why.startswith("No") else []
    cores = "1" if why == "small" else "4"
    return with_status(_node([*refusing, *more], why == "cordoned"), allocatable={"cpu": cores, "pods": "9"})


_REFUSING = st.builds(
    _refusing,
    st.sampled_from(["cordoned", "small", "NoSchedule", "cordoned", "small", "NoExecute"]),
    st.lists(_LIGHT, max_size=1),
)
_SAID = st.sampled_from(
    [
        [{"key": _CORDON, "operator": "Exists"}],
        [{"key": _CORDON, "effect": "NoSchedule"}],
        [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}],
        [{"key": _CORDON, "operator": "Exists", "effect": "NoExecute"}],
        [{"key": "l", "operator": "Exists"}],
        [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
        [{"key": _CORDON, "value": "v"}],
    ]
)
_LARGE = st.builds(lambda tolerations: pod("", cpu("2"), tolerations=tolerations), sometimes(_SAID, []))
_RUNNING = _SAID.map(lambda tolerations: pod("", tolerations=tolerations))


def requeued() -> SearchStrategy[History]:
    retainted = node_changes(lambda taints: lambda node: with_spec(node, taints=taints), _RETAINTED)
    cordoned = node_changes(lambda yes: lambda node: with_spec(node, unschedulable=yes), st.booleans())
    tolerating = pod_updates(_tolerate, _SAID)
    return requeueing(
        *(st.lists(_REFUSING, min_size=2, max_size=2), _LARGE, _RUNNING),
        *(tolerating, tolerating, retainted, retainted, retainted, cordoned, cordoned),
        *(nodes_created(_REFUSING), pods_removed()),
        most_running=2,
    )


def histories() -> SearchStrategy[History]:
    return with_few_changes(_NODES, _PODS, pod_changes(_tolerate, _TOLERATIONS))
