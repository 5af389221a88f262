# SPDX-License-Identifier: Apache-2.0
"""Pods that go where other pods are, or are not: by label, namespace and topology, required and preferred."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import DEFAULT_CONFIG, History
from conformance.strategies.objects import (
    CPU_REQUESTS,
    HOSTNAME,
    ZONE,
    combinations,
    cpu,
    default_profile,
    node,
    one_in,
    pod,
    profile_config,
)
from conformance.strategies.scenes import label_changes, scenes

Json = dict[str, Any]

_NODES = combinations(
    lambda zone, rack: node(labels={key: value for key, value in ((ZONE, zone), ("rack", rack)) if value}),
    ("a", "b", ""),
    ("", "r"),
)
_LABELS = st.sampled_from(
    [
        {"app": "a"},
        {},
        {"app": "b"},
        {"app": "a", "version": "1"},
        {"app": "a", "version": "2"},
        {"version": "1"},
    ]
)
_NAMESPACES = st.sampled_from(["", "", "", "other"])
_OTHERS = st.sampled_from([{}, {"team": "x"}]).map(
    lambda labels: [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "other", **({"labels": labels} if labels else {})},
        },
    ]
)

# --- Terms ----------------------------------------------------------------------------------------

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_KINDS = (
    ("podAffinity", _PREFERRED),
    ("podAntiAffinity", _REQUIRED),
    ("podAffinity", _REQUIRED),
    ("podAntiAffinity", _PREFERRED),
)

_SELECTORS: tuple[Json | None, ...] = (
    {"matchLabels": {"app": "a"}},
    {},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
    None,
)
"""The empty selector matches every pod, and none at all matches no pod."""

_WHOSE: tuple[Json, ...] = (
    {},
    {"namespaces": ["other"]},
    {"namespaceSelector": {"matchLabels": {"team": "x"}}},
    {"namespaceSelector": {}},
    {"namespaces": ["default"], "namespaceSelector": {"matchLabels": {"team": "x"}}},
)
_SAME: tuple[Json, ...] = ({}, {"matchLabelKeys": ["version"]}, {"mismatchLabelKeys": ["version"]})


def _term(
    kind: tuple[str, str], selector: Json | None, topology: str, whose: Json, same: Json, weight: int
) -> Json:
    """Keys of labels only go with a selector."""
    term: Json = {"topologyKey": topology, **whose}
    if selector is not None:
        term |= {"labelSelector": selector, **same}
    return {
        "kind": kind,
        "term": {"weight": weight, "podAffinityTerm": term} if kind[1] == _PREFERRED else term,
    }


_TERMS = st.lists(
    combinations(_term, _KINDS, _SELECTORS, (ZONE, HOSTNAME, "rack"), _WHOSE, _SAME, (1, 5, 100)), max_size=3
)


def _affinity(terms: list[Json]) -> Json:
    affinity: Json = {}
    for each in terms:
        where, when = each["kind"]
        affinity.setdefault(where, {}).setdefault(when, []).append(each["term"])
    return affinity


_PODS = st.builds(
    lambda amount, labels, namespace, terms: pod(
        "", cpu(amount), labels=labels, namespace=namespace, affinity=_affinity(terms)
    ),
    CPU_REQUESTS,
    _LABELS,
    _NAMESPACES,
    _TERMS,
)

# --- Configurations -------------------------------------------------------------------------------

_CONFIGS = one_in(
    3,
    combinations(
        lambda weight, ignores: profile_config(
            default_profile(
                (
                    "InterPodAffinity",
                    {"hardPodAffinityWeight": weight, "ignorePreferredTermsOfExistingPods": ignores},
                )
            )
        ),
        (1, 0, 100),
        (False, True),
    ),
    DEFAULT_CONFIG,
)


def histories() -> SearchStrategy[History]:
    return scenes(
        _NODES, _PODS, label_changes(_LABELS), config=_CONFIGS, others=one_in(2, _OTHERS, []), hosts=True
    )
