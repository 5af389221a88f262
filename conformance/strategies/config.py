# SPDX-License-Identifier: Apache-2.0
"""Configurations: plugins enabled, disabled and weighted, by point and at all of them; more than one profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import with_few_changes
from conformance.strategies.drawn import CPU_AMOUNTS, any_of, combinations, switched
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    PREFERRED,
    REQUIRED,
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
)
from conformance.vocabulary.storage import a_claim, a_volume, bound_pair, inline, storage_class, using
from refsched.suite.histories.history import History

Json = dict[str, Any]

# --- Plugins of a profile -------------------------------------------------------------------------

_SCORING = (
    "NodeResourcesFit",
    "TaintToleration",
    "NodeAffinity",
    "ImageLocality",
    "NodeResourcesBalancedAllocation",
    "InterPodAffinity",
    "PodTopologySpread",
)
_FILTERING = (
    "NodeResourcesFit",
    "TaintToleration",
    "NodeAffinity",
    "NodeUnschedulable",
    "NodePorts",
    "NodeName",
)
_POINTS = ("filter", "score", "preFilter", "preScore", "postFilter", "preEnqueue", "multiPoint")


def _names(*names: str) -> list[Json]:
    return [{"name": name} for name in names]


def _weighted(name: str, weight: int) -> Json:
    return {"name": name, "weight": weight}


_CHANGES: tuple[Json, ...] = (
    *({"score": {"disabled": _names(name)}} for name in _SCORING),
    *({"filter": {"disabled": _names(name)}} for name in _FILTERING),
    *({"multiPoint": {"disabled": _names(name)}} for name in _SCORING),
    *({"multiPoint": {"enabled": [_weighted(name, 7)]}} for name in _SCORING),
    *(
        {"score": {"disabled": _names(name), "enabled": [_weighted(name, weight)]}}
        for name in _SCORING
        for weight in (0, 1, 100)
    ),
)
_STRUCTURAL: tuple[Json, ...] = (
    {"score": {"disabled": _names("*")}},
    {"score": {"disabled": _names("*"), "enabled": [_weighted("NodeResourcesFit", 3)]}},
    {"filter": {"disabled": _names("*")}},
    {"postFilter": {"disabled": _names("*")}},
    {"preEnqueue": {"disabled": _names("*")}},
    {"preFilter": {"disabled": _names("NodeAffinity")}, "filter": {"disabled": _names("NodeAffinity")}},
    {"multiPoint": {"disabled": _names("DefaultPreemption")}},
    {"multiPoint": {"enabled": _names("ScriptedA")}, "permit": {"disabled": _names("ScriptedA")}},
    {"reserve": {"enabled": _names("ScriptedB", "ScriptedA")}},
    {
        "multiPoint": {"disabled": _names("*"), "enabled": _names("NodeResourcesFit", "NodeName")},
        "queueSort": {"enabled": _names("PrioritySort")},
        "bind": {"enabled": _names("DefaultBinder")},
    },
)
"""What takes whole points away, or brings in plugins that are not there by default."""
_AT_PRE_FILTER = (
    "InterPodAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "PodTopologySpread",
    "VolumeBinding",
    "VolumeRestrictions",
    "DynamicResources",
    "NodeAffinity",
    "NodeVolumeLimits",
    "VolumeZone",
)
_AT_PRE_SCORE = (
    "InterPodAffinity",
    "PodTopologySpread",
    "TaintToleration",
    "NodeResourcesFit",
    "NodeResourcesBalancedAllocation",
    "NodeAffinity",
    "VolumeBinding",
)
_WITHOUT_EARLIER_POINT: tuple[Json, ...] = (
    *({"preFilter": {"disabled": _names(name)}} for name in _AT_PRE_FILTER),
    *({"preScore": {"disabled": _names(name)}} for name in (*_AT_PRE_SCORE, *_AT_PRE_SCORE[:3] * 2)),
    *(
        {point: {"disabled": _names(name)} for point in points}
        for name in ("VolumeBinding", "DynamicResources")
        for points in (("preFilter", "filter"), ("preFilter", "filter", "reserve"), ("filter",), ("reserve",))
    ),
)
"""What takes an earlier point away from plugins that stand at a later one."""


def _together(changes: list[Json]) -> Json:
    """Joins many changes into one: the sets of a point are joined, and what is enabled twice stays once. What is
    disabled everywhere is not enabled at Score alone."""
    together: dict[str, dict[str, dict[str, Json]]] = {}
    for change in changes:
        for point, sets in change.items():
            for kind, plugins in sets.items():
                known = together.setdefault(point, {}).setdefault(kind, {})
                for plugin in plugins:
                    known.setdefault(plugin["name"], plugin)
    scored = together.get("score", {}).get("enabled", {})
    for name in together.get("multiPoint", {}).get("disabled", {}):
        scored.pop(name, None)
        if name == "*":
            scored.clear()
    return {
        point: {kind: list(plugins.values()) for kind, plugins in sets.items()}
        for point, sets in together.items()
    }


_TERM = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
_ARGS: tuple[tuple[str, Json], ...] = (
    ("NodeResourcesFit", {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu"}]}}),
    ("NodeResourcesBalancedAllocation", {"resources": [{"name": "cpu", "weight": 1}]}),
    ("InterPodAffinity", {"hardPodAffinityWeight": 50, "ignorePreferredTermsOfExistingPods": True}),
    (
        "NodeAffinity",
        {
            "addedAffinity": {
                REQUIRED: {"nodeSelectorTerms": [_TERM]},
            }
        },
    ),
    (
        "NodeAffinity",
        {
            "addedAffinity": {
                PREFERRED: [{"weight": 9, "preference": _TERM}],
            }
        },
    ),
)
"""Arguments are the profile's own: another one goes without."""


def _profile(name: str, changes: list[Json], percentage: int | None, args: list[tuple[str, Json]]) -> Json:
    profile: Json = default_profile(*args, schedulerName=name)
    if changes:
        profile["plugins"] = _together(changes)
    if percentage is not None:
        profile["percentageOfNodesToScore"] = percentage
    return profile


_PERCENTAGES = st.sampled_from([None, None, 0, 1, 50, 100])
_CHANGED = st.lists(st.one_of(st.sampled_from(_CHANGES), st.sampled_from(_STRUCTURAL)), max_size=2)
_CONFIGURED = st.lists(st.sampled_from(_ARGS), max_size=1)
_PROFILES = st.builds(_profile, st.just("default-scheduler"), _CHANGED, _PERCENTAGES, _CONFIGURED)
_SECOND = st.builds(_profile, st.just("second"), _CHANGED, _PERCENTAGES, _CONFIGURED)


def _config(first: Json, second: Json | None, more: Mapping[str, int]) -> Json:
    """Returns a configuration in which QueueSort is the same in all profiles."""
    if second is not None:
        sorting = [profile.get("plugins", {}).get("queueSort") for profile in (first, second)]
        second = second if sorting[0] == sorting[1] else None
    return profile_config(first, *([second] if second is not None else []), **more)


_CONFIGS = st.builds(
    _config,
    _PROFILES,
    st.one_of(st.none(), _SECOND),
    st.sampled_from(
        [{}, {}, {"parallelism": 1}, {"percentageOfNodesToScore": 30}, {"podMaxBackoffSeconds": 20}]
    ),
)

# --- Nodes and pods -------------------------------------------------------------------------------

_PREFERS_A: Json = {
    "nodeAffinity": {
        PREFERRED: [
            {
                "weight": 5,
                "preference": {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]},
            }
        ]
    },
    "podAntiAffinity": {
        PREFERRED: [
            {
                "weight": 2,
                "podAffinityTerm": {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "a"}}},
            }
        ]
    },
}

_IMAGE: Json = {"names": ["i:latest"], "sizeBytes": 500_000_000}
_AVOIDED: Json = {"key": "k", "effect": "PreferNoSchedule"}

_NODES = combinations(
    lambda cores, zone, effect, cordoned: node(
        "",
        {"cpu": cores, "memory": "8Gi", "pods": "5"},
        {ZONE: zone} if zone else {},
        images=[_IMAGE] if zone == "b" else [],
        taints=[{"key": "k", "effect": effect}] if effect else (),
        unschedulable=cordoned,
    ),
    ("2", "1", "4"),
    ("a", "b", ""),
    ("", "", "", "PreferNoSchedule", "NoSchedule"),
    (*[False] * 7, True),
)
_PODS = combinations(
    lambda amount, scheduler, way, selector, gates: pod(
        "",
        cpu(amount),
        labels={"app": "a"},
        schedulerName=scheduler,
        nodeSelector=selector,
        schedulingGates=gates,
        **way,
    ),
    CPU_AMOUNTS,
    (*[""] * 5, "second", "second", "nobody"),
    ({}, {"affinity": _PREFERS_A}, {"priority": 0}),
    ({}, {}, {}, {}, {}, {ZONE: "a"}),
    (*[()] * 7, [{"name": "g"}]),
)


# --- Plugins that stand elsewhere, or not at all at an earlier point ------------------------------

_ROOMY = st.sampled_from([{ZONE: "a"}, {ZONE: "b"}]).map(lambda labels: node("", labels=labels))
_REFUSED = combinations(
    lambda effect, cores, zone: node(
        "",
        {"cpu": cores, "pods": "9"},
        {ZONE: zone},
        **({"taints": [{"key": "k", "effect": effect}]} if effect else {}),
    ),
    ("NoSchedule", "NoSchedule", ""),
    ("1", "1", "4"),
    ("b", "b", "a"),
)
"""Most of these configurations have more than one error, of which the first is reported."""
_WITH_VOLUMES = combinations(
    lambda volumes, affinity: pod("", volumes=volumes, labels={"app": "a"}, **affinity),
    ((), (), using("c1"), using("c2"), inline(gcePersistentDisk={"pdName": "d"})),
    ({}, {"affinity": _PREFERS_A}),
)
_CLAIMED = (
    storage_class("hand"),
    a_claim("c1"),
    a_volume("v1"),
    *bound_pair("c2", "v2"),
)


def _without_earlier_point() -> SearchStrategy[History]:
    """Every node has room for every pod, so that a pod is rejected or fails only because of its profile."""
    changes = st.lists(st.sampled_from(_WITHOUT_EARLIER_POINT), min_size=1, max_size=2)
    profile = st.builds(_profile, st.just("default-scheduler"), changes, st.none(), st.just([]))
    return with_few_changes(
        _ROOMY,
        _WITH_VOLUMES,
        config=profile.map(profile_config),
        others=st.just([*_CLAIMED]),
        hosts=True,
        fewest_nodes=2,
        most_nodes=2,
        most_pods=3,
    )


def _reordered() -> SearchStrategy[History]:
    """Plugins that a point enables again go first there, in the order in which it names them."""
    again = st.lists(st.sampled_from(_FILTERING), min_size=1, max_size=2, unique=True)
    config = again.map(
        lambda names: profile_config(default_profile(plugins={"filter": {"enabled": _names(*names)}}))
    )
    wanting = st.just(pod("", cpu("2"), nodeSelector={ZONE: "a"}))
    return with_few_changes(_REFUSED, wanting, config=config, fewest_nodes=2, most_nodes=3, most_pods=2)


# --- Weights in both places -----------------------------------------------------------------------

_WEIGHTS = st.sampled_from([None, 0, 7, 1, 2])
_IN_BOTH_PLACES = st.dictionaries(
    st.sampled_from(_SCORING), st.tuples(_WEIGHTS, _WEIGHTS), min_size=2, max_size=4
)
_UNLIKE = st.permutations(
    [
        node("", {"cpu": "2", "memory": "9Gi", "pods": "5"}, {ZONE: "a"}),
        node("", {"cpu": "4", "memory": "4Gi", "pods": "5"}, {ZONE: "b"}, images=[_IMAGE]),
        node("", {"cpu": "8", "memory": "2Gi", "pods": "5"}, {ZONE: "c"}, taints=[_AVOIDED]),
    ]
)
_SPREAD_ANYWAY = {
    "maxSkew": 1,
    "topologyKey": ZONE,
    "whenUnsatisfiable": "ScheduleAnyway",
    "labelSelector": {"matchLabels": {"app": "a"}},
}


def _weighing(weights: Mapping[str, tuple[int | None, int | None]]) -> Json:
    points: dict[str, list[Json]] = {}
    for name, pair in weights.items():
        for point, weight in zip(("multiPoint", "score"), pair, strict=True):
            if weight is not None:
                points.setdefault(point, []).append(_weighted(name, weight))
    plugins = {point: {"enabled": enabled} for point, enabled in points.items()}
    return profile_config(default_profile(plugins=plugins))


@st.composite
def _weighed(draw: DrawFn) -> History:
    """Plugins have a weight at all points, one at Score, both or none, and every plugin prefers another node."""
    cluster = HistoryBuilder(hosts=True)
    for value in draw(_UNLIKE):
        cluster.add_node(value)
    cluster.add_pod(pod("", cpu("1"), labels={"app": "a"}), draw(st.integers(0, 2)))
    for amount in draw(st.lists(st.sampled_from(["500m", "1", ""]), min_size=1, max_size=2)):
        wishes: Json = {"affinity": _PREFERS_A, "topologySpreadConstraints": [_SPREAD_ANYWAY]}
        cluster.add_pod(pod("", cpu(amount), labels={"app": "a"}, **wishes))
    cluster.schedule()
    return cluster.history(_weighing(draw(_IN_BOTH_PLACES)))


def histories() -> SearchStrategy[History]:
    anything = with_few_changes(
        _NODES,
        _PODS,
        config=_CONFIGS,
        gates=switched("DynamicResourceAllocation", "DRASchedulerFilterTimeout"),
        fewest_nodes=2,
    )
    left_out = _without_earlier_point()
    return any_of(anything, left_out, left_out, _weighed(), _reordered())
