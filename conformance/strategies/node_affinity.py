# SPDX-License-Identifier: Apache-2.0
"""Node selectors, required and preferred node affinity, nodes by name, and affinity that the profile adds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import nodes_created, pods_removed, with_few_changes
from conformance.strategies.drawn import CPU_REQUESTS, any_of, combinations, repeating, sometimes
from conformance.strategies.requeueing import relabelled, requeueing
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
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]


_NODES = combinations(
    lambda zone, disk, size: node(
        labels={
            key: value for key, value in ((ZONE, zone), ("disk", disk), ("size", size)) if value is not None
        }
    ),
    (None, "a", "b"),
    (None, "ssd", ""),
    (None, "2", "1", "big", "03", "1.5", "1_0", "9223372036854775808"),
)

_CONDITIONS: tuple[Json, ...] = (
    {"key": ZONE, "operator": "In", "values": ["a"]},
    {"key": ZONE, "operator": "NotIn", "values": ["a"]},
    {"key": "disk", "operator": "Exists"},
    {"key": "disk", "operator": "DoesNotExist"},
    {"key": "disk", "operator": "In", "values": ["ssd", ""]},
    {"key": "size", "operator": "Gt", "values": ["1"]},
    {"key": "size", "operator": "Lt", "values": ["2"]},
    {"key": "size", "operator": "Lt", "values": ["04"]},
)
_UNCHECKED: tuple[Json, ...] = tuple(
    {"key": "size", "operator": "Gt", "values": [value]} for value in ("big", "1.5")
)
"""No API server looks whether what a pod compares with is a number; in its configuration, the scheduler does."""


def _named(operator: str, name: str) -> Json:
    return {"key": "metadata.name", "operator": operator, "values": [name]}


_NAMES = [_named("In", name) for name in ("n1", "n2", "n3", "elsewhere")]
_FIELDS: tuple[list[Json], ...] = (
    *([name] for name in _NAMES),
    [_named("NotIn", "n1")],
    [_NAMES[0], _NAMES[1]],
    [_NAMES[0], _named("NotIn", "n1")],
)


def _terms(conditions: tuple[Json, ...]) -> SearchStrategy[Json]:
    """Draws one condition, two, none (which matches no node), and nodes by their names, alone or with a
    condition."""
    return st.sampled_from(
        [
            *({"matchExpressions": [condition]} for condition in conditions),
            {},
            *({"matchFields": fields} for fields in _FIELDS),
            *({"matchExpressions": [conditions[0]], "matchFields": fields} for fields in _FIELDS),
            *({"matchExpressions": list(both)} for both in pairwise(conditions)),
        ]
    )


def _affinity(required: list[Json], preferred: list[Json]) -> Json:
    affinity: Json = {}
    if required:
        affinity[REQUIRED] = {"nodeSelectorTerms": required}
    if preferred:
        affinity[PREFERRED] = preferred
    return affinity


def _preferences(conditions: tuple[Json, ...]) -> SearchStrategy[list[Json]]:
    preferred = st.builds(
        lambda weight, term: {"weight": weight, "preference": term},
        st.sampled_from([1, 2, 50, 100]),
        _terms(conditions),
    )
    return repeating(preferred, 3)


def _affinities(conditions: tuple[Json, ...]) -> SearchStrategy[Json]:
    required = st.lists(_terms(conditions), max_size=2)
    return st.builds(_affinity, required, _preferences(conditions))


_SELECTORS = st.sampled_from(
    [{}, {}, {}, {}, {}, {ZONE: "a"}, {ZONE: "b"}, {"disk": ""}, {ZONE: "a", "disk": "ssd"}]
)

_PODS = st.builds(
    lambda amount, selector, affinity: pod(
        "",
        cpu(amount),
        nodeSelector=selector,
        affinity={"nodeAffinity": affinity} if affinity else {},
    ),
    CPU_REQUESTS,
    _SELECTORS,
    _affinities((*_CONDITIONS, *_UNCHECKED)),
)
_PREFERRING = _preferences(_CONDITIONS).map(
    lambda preferred: pod("", affinity={"nodeAffinity": _affinity([], preferred)})
)
_PLAIN = CPU_REQUESTS.map(lambda amount: pod("", cpu(amount)))


def _adding(affinities: SearchStrategy[Json]) -> SearchStrategy[Json]:
    return sometimes(
        affinities.map(
            lambda added: profile_config(default_profile(("NodeAffinity", {"addedAffinity": added})))
        ),
        DEFAULT_CONFIG,
    )


_CONFIGS = _adding(_affinities(_CONDITIONS))
_PREFERENCES_ADDED = _adding(_preferences(_CONDITIONS).map(lambda preferred: _affinity([], preferred)))


# --- What requeues a rejected pod ---------------------------------------------------------------------


def _required(*conditions: Json) -> Json:
    return {"nodeAffinity": _affinity([{"matchExpressions": list(conditions)}], [])}


_MATCHING: Json = {ZONE: "a", "disk": "ssd", "size": "2"}
_SMALL_OR_LARGE = st.sampled_from(
    [
        node("", {"cpu": cores, "pods": "9"}, labels)
        for cores, labels in (("1", _MATCHING), ("4", {}), ("4", {ZONE: "a"}), ("4", {"disk": "ssd"}))
    ]
)
"""Small nodes match, and large ones do not, or not in all."""
_ASKING = combinations(
    lambda selector, affinity: pod("", cpu("2"), nodeSelector=selector, affinity=affinity),
    ({}, {ZONE: "a"}, {"disk": "ssd"}),
    (_required(_CONDITIONS[0]), _required(_CONDITIONS[2]), {}, _required(_CONDITIONS[5])),
)
_RELABELLED = relabelled(
    st.sampled_from(
        [
            *({**_MATCHING, "other": value} for value in "xy"),
            *({}, {ZONE: "a"}, {"disk": "ssd"}, {ZONE: "a", "disk": "", "size": "2"}),
        ]
    )
)
_ADDED = _adding(
    st.sampled_from([_CONDITIONS[0], _CONDITIONS[2]]).map(
        lambda condition: _affinity([{"matchExpressions": [condition]}], [])
    )
)


def requeued() -> SearchStrategy[History]:
    """A change of a node that was too small requeues no pod that was rejected for the labels of other nodes."""
    return requeueing(
        st.lists(_SMALL_OR_LARGE, min_size=2, max_size=2),
        *(_ASKING, _PLAIN, _RELABELLED, _RELABELLED, _RELABELLED),
        *(nodes_created(_SMALL_OR_LARGE), pods_removed()),
        config=_ADDED,
        most_running=1,
    )


def histories() -> SearchStrategy[History]:
    """Where nothing is required, all nodes are feasible, and preferences decide."""
    preferring = with_few_changes(_NODES, _PREFERRING, config=_PREFERENCES_ADDED, fewest_nodes=2, most_pods=3)
    anything = with_few_changes(_NODES, _PODS, config=_CONFIGS)
    return any_of(anything, anything, preferring)
