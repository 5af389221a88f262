# SPDX-License-Identifier: Apache-2.0
"""Preemption: which pods may be evicted, which must be, and which are evicted only if no others suffice.

Every possible victim has a start time. All waiting pods have one priority, so that none of them, whose start
times are unknown, is a victim of another.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import candidates, competing_nodes, full_nodes, nominated_and_waiting
from conformance.strategies.changes import pod_changes, with_few_changes
from conformance.strategies.drawn import SELECTORS, combinations, sometimes, switched
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    REQUIRED,
    START_TIMES,
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_NODES = combinations(
    lambda cores, pods, zone: node(
        "", {"cpu": cores, "memory": "8Gi", "pods": pods}, {ZONE: zone} if zone else {}
    ),
    ("2", "1", "1500m"),
    ("9", "9", "2"),
    ("a", "b", ""),
)

_PRIORITY = 10
_APART: Json = {
    "podAntiAffinity": {REQUIRED: [{"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": ZONE}]}
}
_TOGETHER: Json = {"podAffinity": _APART["podAntiAffinity"]}
_WAYS: tuple[Json, ...] = (
    {},
    {},
    {},
    {"affinity": _APART},
    {"affinity": _TOGETHER},
    {
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": ZONE,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "a"}},
            }
        ]
    },
)
_LABELS: tuple[Json, ...] = ({"app": "a"}, {}, {"app": "b"}, {"app": "a", "tier": "x"})

# --- Those that run -------------------------------------------------------------------------------


def _running(
    amount: str, priority: int, labels: Json, start: str, way: Json, leaving: str, namespace: str
) -> Json:
    """Returns a running pod; ``leaving`` is why it is being deleted."""
    status: Json = {"phase": "Running", "startTime": start}
    if leaving == "PreemptionByScheduler":
        status["conditions"] = [{"type": "DisruptionTarget", "status": "True", "reason": leaving}]
    made = pod("", cpu(amount), labels=labels, priority=priority, status=status, namespace=namespace, **way)
    return with_metadata(made, deletionTimestamp=AN_AGE_AGO) if leaving else made


_RUNNING = combinations(
    _running,
    ("1", "500m", "2", "1m", ""),
    (0, 0, -5, 5, 9, _PRIORITY, 1000),
    _LABELS,
    START_TIMES,
    ({}, {}, {}, {"affinity": _APART}),
    ("", "", "", "", "", "PreemptionByScheduler", "Drain"),
    ("", "", "", "other"),
)

# --- Those that wait ------------------------------------------------------------------------------


def _preemptor(amount: str, way: Json, labels: Json, policy: str, nominated: str) -> Json:
    return pod(
        "",
        cpu(amount),
        labels=labels,
        priority=_PRIORITY,
        preemptionPolicy=policy,
        status={"nominatedNodeName": nominated} if nominated else None,
        **way,
    )


_PREEMPTORS = combinations(
    _preemptor,
    ("2", "1", "1500m", "501m", "1001m"),
    _WAYS,
    _LABELS,
    ("", "", "", "", "Never"),
    ("", "", "", "n1", "n2"),
)

# --- Budgets and arguments ------------------------------------------------------------------------


def _budget(selector: Json | None, allowed: int, disrupted: list[str]) -> Json:
    status: Json = {"disruptionsAllowed": allowed}
    if disrupted:
        status["disruptedPods"] = dict.fromkeys(disrupted, AN_AGE_AGO)
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {} if selector is None else {"selector": selector},
        "status": status,
    }


def _numbered(budgets: list[tuple[Json, Json]]) -> list[Json]:
    """Budgets of one name may be in two namespaces."""
    named: dict[tuple[str, str], Json] = {}
    for number, (budget, where) in enumerate(budgets, 1):
        name = "b1" if ("b1", str(where)) not in named else f"b{number}"
        named[name, str(where)] = with_metadata(budget, name=name, **where)
    return list(named.values())


_BUDGETS = st.lists(
    st.tuples(
        st.builds(
            _budget,
            st.one_of(SELECTORS, st.none()),
            st.sampled_from([0, 1, 2]),
            st.sampled_from([[], [], ["p1"], ["p2", "p3"]]),
        ),
        st.sampled_from([{}, {}, {"namespace": "other"}]),
    ),
    max_size=3,
).map(_numbered)

_LIMITS = ((10, 1), (0, 1), (50, 2), (10, 0), (100, 0), (0, 2), (50, 0), (50, 1))
"""The percentage of the nodes, and the absolute number, of the candidates that are enough: none, now and then."""
_CONFIGS = sometimes(
    combinations(
        lambda limit: profile_config(
            default_profile(
                (
                    "DefaultPreemption",
                    {"minCandidateNodesPercentage": limit[0], "minCandidateNodesAbsolute": limit[1]},
                )
            )
        ),
        _LIMITS,
    ),
    DEFAULT_CONFIG,
)


def _leave(reason: str) -> Any:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}

    def leaving(value: Json) -> Json:
        left = with_metadata(value, deletionTimestamp=AN_AGE_AGO)
        return {**left, "status": {**value.get("status", {}), "conditions": [condition]}}

    return leaving


def histories() -> SearchStrategy[History]:
    usual = with_few_changes(
        _NODES,
        _PREEMPTORS,
        pod_changes(_leave, st.sampled_from(["PreemptionByScheduler", "EvictionByEvictionAPI"])),
        config=_CONFIGS,
        others=sometimes(_BUDGETS, []),
        running=_RUNNING,
        gates=switched("SchedulerAsyncPreemption"),
        most_pods=9,
    )
    return st.one_of(
        usual,
        full_nodes.histories(),
        nominated_and_waiting.histories(),
        competing_nodes.histories(),
        candidates.histories(),
    )
