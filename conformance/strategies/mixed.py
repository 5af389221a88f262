# SPDX-License-Identifier: Apache-2.0
"""A bit of everything, for longer: what no area looks at by itself is what happens where areas meet."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import (
    label_changes,
    nodes_changed,
    nodes_created,
    nodes_removed,
    placed,
    pods_created,
    pods_removed,
    pods_running,
    with_many_changes,
)
from conformance.strategies.drawn import LABELS, combinations, sometimes
from conformance.strategies.faults import permitting, then
from conformance.vocabulary.objects import (
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    START_TIMES,
    ZONE,
    container,
    cpu,
    node,
    pod,
    profile_config,
    selecting,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History

Json = dict[str, Any]

# --- Nodes ----------------------------------------------------------------------------------------


def _node(cores: str, zone: str, effect: str, cordoned: bool, image: bool, gpu: str) -> Json:
    amounts = {"cpu": cores, "memory": "4Gi", "pods": "4", **({"example.com/gpu": gpu} if gpu else {})}
    return node(
        "",
        amounts,
        {ZONE: zone} if zone else {},
        images=[{"names": ["i:latest"], "sizeBytes": 400_000_000}] if image else [],
        taints=[{"key": "k", "effect": effect}] if effect else [],
        unschedulable=cordoned,
    )


_NODES = combinations(
    _node,
    ("2", "1", "4"),
    ("a", "b", "a", "b", ""),
    ("", "", "", "NoSchedule", "PreferNoSchedule"),
    (False, False, False, False, True),
    (False, True),
    ("", "", "1"),
)

# --- Pods -----------------------------------------------------------------------------------------

_A: Json = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": ZONE}
_IN_B: Json = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]}


def _spread(topology: str, action: str) -> Json:
    return {
        "maxSkew": 1,
        "topologyKey": topology,
        "whenUnsatisfiable": action,
        "labelSelector": {"matchLabels": {"app": "a"}},
    }


_WISHES: tuple[Json, ...] = (
    {},
    {},
    {"nodeSelector": {ZONE: "a"}},
    {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [_IN_B]}}}},
    {"affinity": {"nodeAffinity": {PREFERRED: [{"weight": 10, "preference": _IN_B}]}}},
    {"affinity": {"podAffinity": {REQUIRED: [_A]}}},
    {"affinity": {"podAntiAffinity": {REQUIRED: [{**_A, "topologyKey": HOSTNAME}]}}},
    {"affinity": {"podAffinity": {PREFERRED: [{"weight": 3, "podAffinityTerm": _A}]}}},
    {"topologySpreadConstraints": [_spread(ZONE, "DoNotSchedule")]},
    {"topologySpreadConstraints": [_spread(HOSTNAME, "ScheduleAnyway"), _spread(ZONE, "ScheduleAnyway")]},
    {"tolerations": [{"operator": "Exists"}]},
    {"schedulingGates": [{"name": "g"}]},
    {"containers": [{**container("c"), "ports": [{"containerPort": 80, "hostPort": 80}]}]},
    {
        "containers": [
            {
                **container("c"),
                "resources": {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}},
            }
        ]
    },
    {"schedulerName": "another"},
)
_SCRIPTS = (
    *[()] * 8,
    (("ScriptedA", "reserve", "Unschedulable"),),
    (("ScriptedB", "permit", "Wait:5"),),
    (("ScriptedA", "preBind", "Error"),),
    (("ScriptedB", "preBind", "Hold"),),
    (("ScriptedBinder", "bind", "ErrorAfterBound"),),
)
_LIVES = st.tuples(
    st.sampled_from(["1", "", "500m", "2", "1001m"]),
    st.sampled_from(_WISHES),
    LABELS,
    st.sampled_from(_SCRIPTS),
)
_PODS = _LIVES.map(
    lambda life: pod(
        "",
        cpu(life[0]) if "containers" not in life[1] else None,
        labels=life[2],
        script=script(*life[3]),
        priority=10,
        **life[1],
    )
)
_RUNNING = combinations(
    lambda amount, priority, labels, start: pod(
        "", cpu(amount), labels=labels, priority=priority, status={"startTime": start}
    ),
    ("1", "500m", "2"),
    (0, 5, 10),
    ({}, {"app": "a"}, {"app": "b"}),
    START_TIMES,
)

# --- What is around -------------------------------------------------------------------------------

_OTHERS = st.sampled_from(
    [
        [],
        [selecting("Service", "s", {"app": "a"}, "v1")],
        [
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "b"},
                "spec": {"selector": {"matchLabels": {"app": "a"}}},
                "status": {"disruptionsAllowed": 0},
            }
        ],
    ]
)
_CONFIGS = sometimes(
    st.sampled_from(
        [
            profile_config(*SCRIPTED["profiles"], podInitialBackoffSeconds=2, podMaxBackoffSeconds=3),
            profile_config(
                {
                    **SCRIPTED["profiles"][0],
                    "pluginConfig": [
                        {
                            "name": "NodeResourcesFit",
                            "args": {
                                "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu"}]}
                            },
                        }
                    ],
                }
            ),
        ]
    ),
    SCRIPTED,
)


def histories() -> SearchStrategy[History]:
    return with_many_changes(
        pods_created(_PODS),
        pods_created(_PODS),
        pods_running(_RUNNING),
        nodes_changed(_NODES),
        pods_removed(),
        pods_created(_PODS),
        nodes_created(_NODES),
        nodes_removed(),
        label_changes(LABELS),
        permitting("allow", "reject"),
        nodes=st.lists(_NODES, min_size=1, max_size=4),
        pods=placed(_PODS, _RUNNING, most=8),
        config=_CONFIGS,
        others=_OTHERS,
        afterwards=st.sampled_from(
            [(0, 1), (0, 9), (0,), (1, 1), (11, 9), (0,), (5, 2), (31,), (331, 9)]
        ).map(lambda turn: then(*turn)),
        ending=then(11, 9, 9),
        hosts=True,
        most=40,
    )
