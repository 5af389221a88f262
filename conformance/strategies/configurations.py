# SPDX-License-Identifier: Apache-2.0
"""Configurations that are accepted or refused: each member with each of its other values, and members together.

Nothing is asked but the configuration. Whether it is refused, and by which rule, is decided by the specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.objects import PREFERRED, REQUIRED, ZONE, profile_config
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.history import History

Json = dict[str, Any]

_ALL = [{"name": "*"}]
_SORTED: Json = {"queueSort": {"disabled": _ALL, "enabled": [{"name": "PrioritySort"}]}}
_PLUGINS: tuple[Json, ...] = (
    {"score": {"enabled": [{"name": "ImageLocality", "weight": 2}], "disabled": [{"name": "ImageLocality"}]}},
    {"multiPoint": {"enabled": [{"name": "TaintToleration", "weight": 3}, {"name": "NodeName"}]}},
    {"filter": {"enabled": [{"name": "NodePorts"}]}, "reserve": {"enabled": [{"name": "ScriptedA"}]}},
    _SORTED,
    {"bind": {"disabled": _ALL, "enabled": [{"name": "DefaultBinder"}]}},
    {"permit": {"enabled": [{"name": "ScriptedA"}, {"name": "ScriptedB"}]}, "preBind": {"disabled": _ALL}},
)
_TERM = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
_MALFORMED = {"matchExpressions": [{"key": ZONE, "operator": "Exists", "values": ["a"]}]}
_FIELD = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
_SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 50, "score": 5}, {"utilization": 100, "score": 10}]
_RESOURCES = [{"name": "cpu", "weight": 1}, {"name": "example.com/a", "weight": 1}]
_WEIGHTED = [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 100}]
_CONSTRAINT = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway"}
_OF_HOSTS = {"maxSkew": 2, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}
_ARGS: tuple[tuple[str, Json], ...] = (
    ("DefaultPreemption", {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 0}),
    ("DefaultPreemption", {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 1}),
    ("InterPodAffinity", {"hardPodAffinityWeight": 100, "ignorePreferredTermsOfExistingPods": True}),
    ("NodeAffinity", {"addedAffinity": {REQUIRED: {"nodeSelectorTerms": [_TERM, _FIELD]}}}),
    ("NodeAffinity", {"addedAffinity": {PREFERRED: [{"weight": 1, "preference": _TERM}]}}),
    ("NodeAffinity", {"addedAffinity": {PREFERRED: [{"weight": 0, "preference": _MALFORMED}]}}),
    ("NodeResourcesBalancedAllocation", {"resources": _RESOURCES}),
    ("NodeResourcesFit", {"ignoredResources": ["example.com/a"], "ignoredResourceGroups": ["example.com"]}),
    ("NodeResourcesFit", {"scoringStrategy": {"type": "MostAllocated", "resources": _WEIGHTED}}),
    (
        "NodeResourcesFit",
        {
            "scoringStrategy": {
                "type": "RequestedToCapacityRatio",
                "resources": _RESOURCES,
                "requestedToCapacityRatio": {"shape": _SHAPE},
            }
        },
    ),
    (
        "NodeResourcesFit",
        {"scoringStrategy": {"type": "LeastAllocated", "requestedToCapacityRatio": {"shape": _SHAPE}}},
    ),
    ("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": [_CONSTRAINT, _OF_HOSTS]}),
    ("PodTopologySpread", {"defaultingType": "System"}),
    ("VolumeBinding", {"bindTimeoutSeconds": 0, "shape": _SHAPE}),
    ("DynamicResources", {"filterTimeout": "10s"}),
    ("DynamicResources", {"bindingTimeout": "600s"}),
    ("NodeName", {}),
    ("Unheard", {"of": [1]}),
)
_MAY_BE_MISSING = ("DefaultPreemption", "NodeAffinity", "PodTopologySpread")
"""These plugins have arguments also where they are not enabled."""

_EXTENDER: Json = {
    "urlPrefix": f"{EXTENDERS}/e",
    "filterVerb": "filter",
    "prioritizeVerb": "prioritize",
    "weight": 1,
    "managedResources": [{"name": "example.com/a", "ignoredByScheduler": True}, {"name": "example.com/b"}],
}
_BINDING: Json = {"urlPrefix": f"{EXTENDERS}/b", "bindVerb": "bind", "ignorable": True, "httpTimeout": "5s"}
_SECURED: Json = {
    "urlPrefix": f"{EXTENDERS}/s",
    "enableHTTPS": True,
    "tlsConfig": {"insecure": True, "serverName": "a"},
}
_CERTIFICATE = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJMakNCNGFBREFnRUNBaFFyaUhYemQ3OUNtNHVwQVFBdUFQdlZmdmIyOERB"
    "RkJnTXJaWEF3RERFS01BZ0cKQTFVRUF3d0JZVEFnRncweU5qRXlNREV3TXpBMk1UQmFHQTh5TVRJMk1URXdOekF6TURZeE1Gb3dE"
    "REVLTUFnRwpBMVVFQXd3QllUQXFNQVVHQXl0bGNBTWhBT2hIZjlXdVpJM1hMRklSeGFhM25pRzFmV1B2c0s0MHFyZlh4VVpJClJo"
    "STJvMU13VVRBZEJnTlZIUTRFRmdRVUE1VFkybUZCS1ltZ0Nvbk9ienoxcStKY1owVXdId1lEVlIwakJCZ3cKRm9BVUE1VFkybUZC"
    "S1ltZ0Nvbk9ienoxcStKY1owVXdEd1lEVlIwVEFRSC9CQVV3QXdFQi96QUZCZ01yWlhBRApRUUJ6d3VHS3J2Z01XbEV1MEE4NTFw"
    "ZzdtVi94bmo2eFM4TXhiSStNdzd1UW45SW55WUVMUHcxNms4VjlsT3lDCndmUG9tRlNNcVAzRkY1NlNlTnVENzU0UAotLS0tLUVO"
    "RCBDRVJUSUZJQ0FURS0tLS0tCg=="
)
"""A certificate that can be read and is nobody's, in base64."""
_CONTRADICTORY: Json = {
    "urlPrefix": f"{EXTENDERS}/s",
    "tlsConfig": {"insecure": True, "caData": _CERTIFICATE},
}

_FEATURE_GATES: tuple[dict[str, bool], ...] = (
    {"DRASchedulerFilterTimeout": False},
    {"StorageCapacityScoring": False},
)


_MEMBERS: tuple[Json, ...] = (
    {"parallelism": 16},
    {"percentageOfNodesToScore": 50},
    {"podInitialBackoffSeconds": 2},
    {"podInitialBackoffSeconds": 2, "podMaxBackoffSeconds": 2},
    *({"extenders": [extender]} for extender in (_EXTENDER, _BINDING, _SECURED, _CONTRADICTORY)),
    {"extenders": [_BINDING, _EXTENDER]},
    {"extenders": [_BINDING], "profiles": [{"plugins": {"bind": {"disabled": _ALL}}}]},
    {
        "profiles": [
            {"schedulerName": "default-scheduler", "plugins": _SORTED},
            {"schedulerName": "second", "plugins": _SORTED},
        ]
    },
)
_OF_PROFILES: tuple[Json, ...] = (
    {"percentageOfNodesToScore": 100},
    *({"plugins": plugins} for plugins in _PLUGINS),
    *({"pluginConfig": [{"name": plugin, "args": args}]} for plugin, args in _ARGS),
    *(
        {
            "plugins": {"multiPoint": {"disabled": [{"name": plugin}]}},
            "pluginConfig": [{"name": plugin, "args": args}],
        }
        for plugin, args in _ARGS
        if plugin in _MAY_BE_MISSING
    ),
)


# --- Other values ---------------------------------------------------------------------------------

_NUMBERS = (-1, 0, 10, 11, 100, 101)
_TEXTS = (
    "",
    "x",
    "a/b",
    "a/b/c",
    "cpu",
    "example.com/a",
    "default-scheduler",
    "second",
    "NodePorts",
    "ScriptedA",
)
_TEXTS_OF = {
    "type": ("", "LeastAllocated", "MostAllocated", "Other"),
    "defaultingType": ("", "List", "System", "Other"),
    "whenUnsatisfiable": ("", "DoNotSchedule", "ScheduleAnyway", "Other"),
    "operator": ("", "In", "NotIn", "Exists", "Gt", "Near"),
    "filterTimeout": ("0s", "-1s", "1ms", "x"),
    "bindingTimeout": ("0s", "1s", "-1s", "x"),
}
_AS_THEY_ARE = frozenset({"apiVersion", "kind", "urlPrefix", "tlsConfig"})
_STAYS = frozenset({*_AS_THEY_ARE, "name", "weight", "key", "operator", "requestedToCapacityRatio"})
"""These members are not left out. The specification requires those of terms and of preferences, as an API server
does; and without a requestedToCapacityRatio kube-scheduler panics until v1.35 where it is the type."""


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields what holds a value, and the key or the index at which it stands there."""
    keys: Any = (
        value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        if key not in _AS_THEY_ARE:
            yield value, key
            yield from _places(value[key])


def _others(name: Any, value: Any, alike: list[str]) -> list[Any]:
    """Returns what may stand under this name instead; ``alike`` are the values that stand elsewhere under it."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [*_NUMBERS, value - 1, value + 1, 2**31 - 1]
    if isinstance(value, str):
        return [*_TEXTS_OF[name]] if name in _TEXTS_OF else [*alike, *_TEXTS, f"{value} "]
    if isinstance(value, list):
        return [[], [*value, *value[:1]], value[::-1], value[1:]]
    left_out = [{key: value[key] for key in value if key != each} for each in sorted(value.keys() - _STAYS)]
    return [*left_out, {**value, "nope": 1}]


def _changes(config: Json) -> Iterator[Json]:
    """Yields the configuration with each other value of each of its members."""
    box = {"all": json.loads(json.dumps(config))}  # what is written once stands in each of its places
    places = [*_places(box)]
    for holder, key in places:
        before = holder[key]
        alike = [there[at] for there, at in places if at == key and isinstance(there[at], str)]
        others = [other for other in _others(key, before, alike) if other != before]
        for number, other in enumerate(others):
            if other not in others[:number]:
                holder[key] = other
                yield deepcopy(box["all"])
        holder[key] = before


def _once() -> Iterator[History]:
    for members in (*_MEMBERS, *({"profiles": [profile]} for profile in _OF_PROFILES)):
        for config in (members, *_changes(members)):
            yield History((), profile_config(**config))
        for gates in _FEATURE_GATES:
            yield History((), profile_config(**members), gates)


ONCE: Sequence[History] = tuple({str((one.config, one.feature_gates)): one for one in _once()}.values())
"""Each member alone, with each of its other values, and with each feature gate that is about arguments."""


def histories() -> SearchStrategy[History]:
    return st.sampled_from(ONCE)


@st.composite
def together(draw: DrawFn) -> History:
    """Draws members that may contradict each other, with other values in up to two places."""
    profiles = [{"schedulerName": "default-scheduler", **draw(st.sampled_from(_OF_PROFILES))}]
    if draw(st.booleans()):
        profiles.append({"schedulerName": "second", **draw(st.sampled_from(_OF_PROFILES))})
    config = profile_config(*profiles, **draw(st.sampled_from(({}, *_MEMBERS))))
    for _ in range(draw(st.integers(0, 2))):
        config = draw(st.sampled_from([*_changes(config)]))
    return History((), config, draw(st.sampled_from(({}, *_FEATURE_GATES))))
