# SPDX-License-Identifier: Apache-2.0
"""Left out: a profile disables a plugin at some of its extension points, and not at the others.

For each plugin there are pods of three kinds: the plugin would reject one on some node, it accepts another, and it
has nothing to do for the third. What a plugin decides before it reads what an earlier point of it computes differs
between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    ZONE,
    container,
    cpu,
    default_profile,
    near,
    node,
    pod,
    profile_config,
    spread,
)
from conformance.vocabulary.storage import (
    HERE,
    a_claim,
    a_volume,
    bound_pair,
    csi_node,
    inline,
    reaching,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History

Json = dict[str, Any]

# --- Plugins, where they stand, and the pods that they decide about -----------------------------------

_FILTERS = ("preFilter", "filter")
_SCORES = ("preScore", "score")
_POINTS: Mapping[str, Sequence[str]] = {
    "VolumeRestrictions": _FILTERS,
    "NodePorts": _FILTERS,
    "NodeVolumeLimits": _FILTERS,
    "VolumeZone": _FILTERS,
    "NodeResourcesFit": (*_FILTERS, *_SCORES),
    "NodeAffinity": (*_FILTERS, *_SCORES),
    "InterPodAffinity": (*_FILTERS, *_SCORES),
    "PodTopologySpread": (*_FILTERS, *_SCORES),
    "VolumeBinding": (*_FILTERS, *_SCORES, "reserve", "preBind"),
    "DynamicResources": ("preEnqueue", *_FILTERS, "postFilter", "reserve", "preBind"),
    "TaintToleration": ("filter", *_SCORES),
    "NodeResourcesBalancedAllocation": _SCORES,
    "SelectorSpread": _SCORES,
    "NodeUnschedulable": ("filter",),
    "NodeName": ("filter",),
    "ImageLocality": ("score",),
    "DefaultPreemption": ("preEnqueue", "postFilter"),
    "SchedulingGates": ("preEnqueue",),
}
_A: Json = {"matchLabels": {"app": "a"}}
_DISK: Json = {"pdName": "d"}


def _affinity(kind: str, *expressions: Json, **more: Json) -> Json:
    term = {"matchExpressions": list(expressions), **more}
    terms: Any = {"nodeSelectorTerms": [term]} if kind == REQUIRED else [{"weight": 7, "preference": term}]
    return {"affinity": {"nodeAffinity": {kind: terms}}}


def _named(*names: str) -> Json:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    return _affinity(REQUIRED, matchFields=fields)


def _port(number: int) -> Json:
    return {"containers": [container("c", ports=[{"containerPort": number, "hostPort": number}])]}


def _asking(amount: str) -> Json:
    return {"containers": [container("c", cpu(amount))]}


def _with_claim(*names: str) -> Json:
    used = [{"name": f"g{index}", "resourceClaimName": name} for index, name in enumerate(names)]
    return {"resourceClaims": used}


_PODS: Mapping[str, Sequence[Json]] = {
    "VolumeRestrictions": (
        {"volumes": inline(gcePersistentDisk=_DISK)},
        {"volumes": inline(awsElasticBlockStore={"volumeID": "d"})},
        {"volumes": using("alone")},
        {"volumes": inline(emptyDir={})},
        {"volumes": using("missing")},
        {"volumes": [*inline(gcePersistentDisk=_DISK), *using("alone")]},
    ),
    "NodePorts": (_port(80), _port(81)),
    "NodeVolumeLimits": (
        {"volumes": using("bound")},
        {"volumes": using("zoned")},
        {"volumes": inline(emptyDir={})},
        {"volumes": inline(gcePersistentDisk=_DISK)},
        {"volumes": using("missing")},
        {"volumes": using("free")},
    ),
    "VolumeZone": (
        {"volumes": using("zoned")},
        {"volumes": using("missing")},
        {"volumes": using("immediate")},
        {"volumes": using("bound")},
        {"volumes": inline(emptyDir={})},
    ),
    "NodeResourcesFit": (_asking("1"), _asking("3"), _asking("5")),
    "NodeAffinity": (
        {"nodeSelector": {ZONE: "a"}},
        _named("n1"),
        _named("n1", "n2"),
        _affinity(REQUIRED, {"key": ZONE, "operator": "In", "values": ["b"]}),
        _affinity(PREFERRED, {"key": ZONE, "operator": "In", "values": ["b"]}),
        _affinity(PREFERRED, {"key": "a", "operator": "Gt", "values": ["x"]}),
    ),
    "InterPodAffinity": (
        {"affinity": near("podAntiAffinity", REQUIRED, _A)},
        {"affinity": near("podAffinity", REQUIRED, _A, ZONE)},
        {"affinity": near("podAffinity", PREFERRED, _A, ZONE)},
        {"affinity": near("podAntiAffinity", PREFERRED, _A)},
    ),
    "PodTopologySpread": (
        {"topologySpreadConstraints": [spread(HOSTNAME, 1, "DoNotSchedule")]},
        {"topologySpreadConstraints": [spread(ZONE, 1, "DoNotSchedule")]},
        {"topologySpreadConstraints": [spread(ZONE, 1)]},
    ),
    "VolumeBinding": (
        {"volumes": using("free")},
        {"volumes": using("near")},
        {"volumes": using("made")},
        {"volumes": using("bound")},
        {"volumes": using("immediate")},
        {"volumes": using("missing")},
    ),
    "DynamicResources": (
        _with_claim("new"),
        _with_claim("allocated"),
        _with_claim("new", "allocated"),
        _with_claim("far"),
        _with_claim("missing"),
        _with_claim("newer"),
    ),
    "TaintToleration": ({"tolerations": [{"operator": "Exists"}]},),
    "NodeResourcesBalancedAllocation": (_asking("1"),),
    "SelectorSpread": ({"topologySpreadConstraints": [spread(ZONE, 1)]},),
    "NodeName": ({"nodeName": ""},),
    "DefaultPreemption": (_asking("3"),),
    "SchedulingGates": ({"schedulingGates": [{"name": "g"}]},),
}

# --- What they claim ----------------------------------------------------------------------------------

_ZONED = {"metadata": {"labels": {ZONE: "a"}}}


def _storage() -> list[Json]:
    near_one = a_volume("v-near", **reaching_spec())
    pairs = (
        *bound_pair("bound", "v-bound"),
        *bound_pair("alone", "v-alone"),
        *bound_pair("zoned", "v-zoned"),
    )
    claims = [
        with_some(each, spec={"accessModes": ["ReadWriteOncePod"]})
        if each["metadata"]["name"] in ("alone", "v-alone")
        else each
        for each in pairs
    ]
    claims = [
        with_some(each, metadata={"labels": {ZONE: "a"}}) if each["metadata"]["name"] == "v-zoned" else each
        for each in claims
    ]
    return [
        storage_class("hand"),
        storage_class("near"),
        storage_class("made", "made.example"),
        {**storage_class("now"), "volumeBindingMode": "Immediate"},
        a_volume("v-free"),
        near_one,
        *claims,
        a_claim("free"),
        a_claim("near", spec={"storageClassName": "near"}),
        a_claim("made", spec={"storageClassName": "made"}),
        a_claim("immediate", spec={"storageClassName": "now"}),
    ]


def reaching_spec() -> Json:
    return {"spec": {"storageClassName": "near", **reaching(HERE)}}


def _allocated(name: str, device: str, host: str, pod_uid: str = "") -> Json:
    match = {"key": HOSTNAME, "operator": "In", "values": [host]}
    result = {"request": "r0", "driver": "gpu.example.com", "pool": "s1", "device": device}
    allocation = {
        "devices": {"results": [result]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [match]}]},
    }
    return resource_claim(name, ONE, {"allocation": allocation})


def _devices() -> list[Json]:
    return [
        device_class("any"),
        resource_slice("s1", [{"name": name} for name in ("d0", "d1", "d2")], {"nodeName": "n1"}),
        resource_claim("new", ONE),
        resource_claim("newer", ONE),
        _allocated("allocated", "d0", "n1"),
        _allocated("far", "d1", "n9"),
    ]


# --- Histories ----------------------------------------------------------------------------------------

_NODES = combinations(
    lambda cores, zone, taint, cordoned: node(
        "",
        {"cpu": cores, "memory": "8Gi", "pods": "5"},
        {ZONE: zone} if zone else {},
        taints=[{"key": "k", "effect": taint}] if taint else (),
        unschedulable=cordoned,
    ),
    ("4", "2"),
    ("a", "b", "a", "b", ""),
    ("", "", "", "PreferNoSchedule", "NoSchedule"),
    (*[False] * 5, True),
)


@st.composite
def _pod(draw: DrawFn, plugins: Sequence[str]) -> Json:
    spec: Json = {}
    for plugin in plugins:
        spec |= draw(st.sampled_from([*_PODS.get(plugin, ()), {}]))
    containers = spec.pop("containers", None)
    labels = draw(st.sampled_from([{"app": "a"}, {}]))
    return pod(
        "",
        cpu(draw(st.sampled_from(["", "1", "2"]))),
        labels=labels,
        priority=draw(st.sampled_from([0, 0, 10])),
        containers=containers,
        **spec,
    )


def _some_of(points: Sequence[str]) -> SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(points), min_size=1, max_size=len(points), unique=True)


@st.composite
def histories(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    plugins = draw(st.lists(st.sampled_from(list(_POINTS)), min_size=1, max_size=2, unique=True))
    disabled: dict[str, Json] = {}
    for plugin in plugins:
        for point in draw(_some_of(_POINTS[plugin])):
            disabled.setdefault(point, {"disabled": []})["disabled"].append({"name": plugin})
    if any(plugin.startswith(("Volume", "NodeVolume")) for plugin in plugins):
        cluster.add(*_storage())
    if "DynamicResources" in plugins:
        cluster.add(*_devices())
    for value in draw(st.lists(_NODES, min_size=1, max_size=3)):
        cluster.add_node(value)
        if "NodeVolumeLimits" in plugins:
            cluster.add(csi_node(list(cluster.nodes)[-1], {"count": draw(st.sampled_from([0, 1, 2]))}))
    for value, home in draw(st.lists(st.tuples(_pod(plugins), st.integers(0, 2)), max_size=3)):
        cluster.add_pod(value, home)
    for value in draw(st.lists(_pod(plugins), min_size=1, max_size=3)):
        cluster.add_pod(value)
        cluster.schedule(1)
    for _ in range(2):
        cluster.wait()
        cluster.schedule()
    return cluster.history(profile_config(default_profile(plugins=disabled)))
