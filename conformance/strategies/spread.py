# SPDX-License-Identifier: Apache-2.0
"""Pods that spread over zones and hosts: their own constraints, and those that a profile gives to the others."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies import domains, workloads
from conformance.strategies.changes import (
    label_changes,
    nodes_created,
    nodes_removed,
    pod_changes,
    pods_removed,
    pods_running,
    with_few_changes,
)
from conformance.strategies.drawn import any_of, combinations, sometimes, switched
from conformance.strategies.requeueing import node_changes, pod_updates, relabelled, requeueing
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    ZONE,
    distinct_constraints,
    node,
    owner,
    pod,
    selecting,
    spread,
    spread_by_default,
    with_metadata,
    with_spec,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Update

Json = dict[str, Any]

_NODES = combinations(
    lambda zone, rack, host, spec: node(
        labels={
            key: value for key, value in ((ZONE, zone), ("rack", rack), (HOSTNAME, host)) if value is not None
        },
        **spec,
    ),
    ("a", "b", "a", "b", "c", None, ""),
    (None, "r", "s"),
    (None, None, None, None, "h"),
    (
        *[{}] * 4,
        {"taints": [{"key": "k", "effect": "NoSchedule"}]},
        {"taints": [{"key": "k", "effect": "NoExecute"}]},
        {"unschedulable": True},
    ),
)
"""An empty label is one. Two nodes may bear the same host's name, or another one's."""

# --- Constraints ----------------------------------------------------------------------------------


def _constraint(
    topology: str,
    anyway: bool,
    max_skew: int,
    min_domains: int,
    selector: Json | None,
    of_affinity: Json,
    of_taints: Json,
    same: bool,
) -> Json:
    """Draws a constraint: minDomains goes with DoNotSchedule only, and keys of labels with a selector."""
    constraint: Json = {
        "maxSkew": max_skew,
        "topologyKey": topology,
        "whenUnsatisfiable": "ScheduleAnyway" if anyway else "DoNotSchedule",
        **of_affinity,
        **of_taints,
    }
    if selector is not None:
        constraint["labelSelector"] = selector
    if min_domains and not anyway:
        constraint["minDomains"] = min_domains
    if same and selector is not None:
        constraint["matchLabelKeys"] = ["version"]
    return constraint


_CONSTRAINTS = combinations(
    _constraint,
    (ZONE, ZONE, HOSTNAME, HOSTNAME, "rack"),
    (False, True),
    (1, 1, 2, 5),
    (0, 0, 1, 2, 3),
    (
        {"matchLabels": {"app": "a"}},
        {"matchLabels": {"app": "a"}},
        {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": ["b", "a"]}]},
        {},
        None,
    ),
    ({}, {}, {"nodeAffinityPolicy": "Ignore"}, {"nodeAffinityPolicy": "Honor"}),
    ({}, {"nodeTaintsPolicy": "Honor"}, {"nodeTaintsPolicy": "Honor"}, {"nodeTaintsPolicy": "Ignore"}),
    (False, True),
)


def _of_each_key(constraints: list[Json]) -> list[Json]:
    """Returns one constraint of each topology key, all of which are required or preferred as the first one is."""
    when = constraints[0]["whenUnsatisfiable"]
    alike = [each for each in constraints if each["whenUnsatisfiable"] == when]
    return [
        {**alike[place % len(alike)], "topologyKey": key}
        for place, key in enumerate((ZONE, HOSTNAME, "rack"))
    ]


_ALIKE = st.tuples(_CONSTRAINTS, _CONSTRAINTS, _CONSTRAINTS).map(list).map(_of_each_key)


# --- Pods -----------------------------------------------------------------------------------------

_LABELS = st.sampled_from(
    [
        {"app": "a"},
        {"app": "a"},
        {"app": "b"},
        {},
        {"app": "a", "version": "1"},
        {"app": "a", "version": "2"},
        *[{"app": "a", "version": ""}] * 2,
    ]
)
_OWNERS = ("ReplicaSet", "StatefulSet", "ReplicationController", "Job")


_OWNED = (
    *(owner(kind) for kind in _OWNERS),
    owner("ReplicaSet", "apps/v1beta1"),
    owner("ReplicaSet", controls=False),
)


_REQUIREMENTS = combinations(
    lambda selector, tolerations, owner: {
        "nodeSelector": selector,
        "tolerations": tolerations,
        "owner": owner,
    },
    ({}, {}, {}, {}, {ZONE: "a"}, {"rack": "r"}),
    ((), (), [{"operator": "Exists"}]),
    (None, None, None, None, None, None, *_OWNED),
)


_PODS = st.builds(
    lambda constraints, labels, requirements: pod(
        "", labels=labels, topologySpreadConstraints=distinct_constraints(constraints), **requirements
    ),
    any_of(*[st.lists(_CONSTRAINTS, max_size=2)] * 5, _ALIKE),
    _LABELS,
    _REQUIREMENTS,
)

# --- What is around -------------------------------------------------------------------------------

_APP_A = {"app": "a"}
_WORKLOADS = st.sampled_from(
    [
        [selecting("Service", "w", _APP_A, "v1")],
        [selecting("ReplicaSet", "w", {"matchLabels": _APP_A})],
        [selecting("StatefulSet", "w", {"matchExpressions": [{"key": "app", "operator": "Exists"}]})],
        [selecting("ReplicationController", "w", _APP_A, "v1")],
        [selecting("Service", "w", {}, "v1"), selecting("ReplicaSet", "w", {"matchLabels": {"app": "b"}})],
        [selecting("Service", "w", _APP_A, "v1"), selecting("Service", "x", {"version": "1"}, "v1")],
        [with_metadata(selecting("Service", "w", _APP_A, "v1"), namespace="other")],
    ]
)


def _defaulting(constraints: list[Json]) -> Json:
    """Constraints of a profile have no selector of their own."""
    plain = [
        {name: each[name] for name in ("maxSkew", "topologyKey", "whenUnsatisfiable")} for each in constraints
    ]
    return spread_by_default(distinct_constraints(plain))


_CONFIGS = sometimes(st.lists(_CONSTRAINTS, max_size=2).map(_defaulting), DEFAULT_CONFIG)


def _leave(_: Any) -> Any:
    return lambda value: with_metadata(value, deletionTimestamp=AN_AGE_AGO)


def _tolerate(_: Any) -> Any:
    def tolerating(value: Json) -> Json:
        return with_spec(
            value, tolerations=[*value["spec"].get("tolerations", []), {"key": "k", "operator": "Exists"}]
        )

    return tolerating


# --- What requeues a rejected pod ---------------------------------------------------------------------

_TAINTED: Json = {"key": "k", "effect": "NoSchedule"}
_ZONED = combinations(
    lambda labels, cores, taints: node("", {"cpu": cores, "pods": "9"}, labels, taints=taints),
    ({ZONE: "b"}, {ZONE: "b", "rack": "r"}, {ZONE: "c"}, {ZONE: ""}),
    ("500m", "500m", "4"),
    ((), (), [_TAINTED]),
)
_IN_ZONE_A = st.sampled_from([node(labels={ZONE: "a", "rack": "r"}), node(labels={ZONE: "a"})])
_BY_HOST: Json = {"maxSkew": 9, "topologyKey": HOSTNAME, "whenUnsatisfiable": "DoNotSchedule"}
"""This rejects no pod."""
_SPREADING = combinations(
    lambda key, selector, policies, more, cores: pod(
        "",
        {"cpu": cores},
        labels=_APP_A,
        topologySpreadConstraints=[
            {
                "maxSkew": 1,
                "topologyKey": key,
                "whenUnsatisfiable": "DoNotSchedule",
                **policies,
                "labelSelector": selector,
            },
            *more,
        ],
    ),
    (ZONE, "rack"),
    ({"matchLabels": _APP_A}, {"matchExpressions": [{"key": "app", "operator": "Exists"}]}),
    ({}, {"nodeTaintsPolicy": "Honor"}, {}, {"nodeTaintsPolicy": "Honor"}, {"minDomains": 3}),
    (
        (),
        [_BY_HOST],
        [{**_BY_HOST, "nodeTaintsPolicy": "Honor"}],
        [{"maxSkew": 1, "topologyKey": HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"}],
    ),
    ("2", "1"),
)
_COUNTED = combinations(
    lambda labels, namespace: pod("", labels=labels, namespace=namespace),
    (_APP_A, _APP_A, {"app": "b"}),
    ("", "", "", "other"),
)


def requeued() -> SearchStrategy[History]:
    """One domain is ahead of the other, or is none: what is counted changes, and what is not."""
    relabels = relabelled(
        st.sampled_from(
            [{ZONE: "a"}, {ZONE: "b"}, {ZONE: "a", "rack": "r"}, {"rack": "r"}, {ZONE: ""}, {ZONE: "c"}]
        )
    )
    taints = st.sampled_from([(), [_TAINTED]])
    retainted = node_changes(lambda value: lambda node: with_spec(node, taints=list(value)), taints)
    renamed = pod_updates(lambda value: lambda pod: with_metadata(pod, labels=value), _LABELS)
    return requeueing(
        *(st.tuples(_IN_ZONE_A, _ZONED), _SPREADING, _COUNTED, relabels, retainted, renamed, renamed),
        *[pod_updates(_tolerate, st.none())] * 2,
        *(pods_running(_COUNTED), pods_removed(), nodes_created(_ZONED), nodes_removed()),
        hosts=True,
    )


def histories() -> SearchStrategy[History]:
    anything = with_few_changes(
        _NODES,
        _PODS,
        label_changes(_LABELS),
        pod_changes(_leave, st.none()),
        pod_changes(_tolerate, st.none()),
        config=_CONFIGS,
        gates=switched("MatchLabelKeysInPodTopologySpread"),
        others=sometimes(_WORKLOADS, []),
        hosts=True,
        most_pods=9,
    )
    return st.one_of(
        anything, domains.crowded(), _of_one_version(), domains.evicting(), workloads.histories()
    )


# --- The same version -----------------------------------------------------------------------------

_VERSIONS = ("", "1", None, "1a")


def _versioned(version: str | None, tier: str | None) -> Json:
    labels = {"app": "a", "version": version, "tier": tier}
    return {key: value for key, value in labels.items() if value is not None}


_LABELLED = combinations(_versioned, _VERSIONS, (None, None, "x", ""))
_KEYS = st.sampled_from([["version"], ["version"], ["version", "tier"], ["tier"], ["absent"]])


@st.composite
def _of_one_version(draw: DrawFn) -> History:
    """Pods spread among those that have the same values for some keys, of which a value may be empty and a key
    missing. Labels that change then do not change the selector, to which the keys were added."""
    cluster = HistoryBuilder(hosts=True)
    for zone in draw(st.sampled_from(["ab", "abb"])):
        cluster.add_node(node(labels={ZONE: zone}))
    for labels, home in draw(st.lists(st.tuples(_LABELLED, st.integers(0, 2)), min_size=2, max_size=5)):
        cluster.add_pod(pod("", labels=labels), home)
    for labels in draw(st.lists(_LABELLED, min_size=1, max_size=3)):
        when = draw(st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]))
        constraint = spread(ZONE, 1, when, matchLabelKeys=draw(_KEYS))
        cluster.add_pod(pod("", labels=labels, topologySpreadConstraints=[constraint]))
    for value in [value for value in cluster.pods.values() if "nodeName" not in value["spec"]]:
        if draw(st.booleans()):
            cluster.steps.append(Update(with_metadata(value, labels=draw(_LABELLED))))
    cluster.schedule()
    return cluster.history()
