# SPDX-License-Identifier: Apache-2.0
"""Plugins that a profile disables at some extension points: where each one stands, and pods for it.

Of the pods of a plugin, it rejects some on a node, accepts others, and has nothing to do for one without any of
these. The claims that they name are in ``STORAGE`` and ``DEVICES``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.vocabulary.devices import DRIVER, ONE, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    ZONE,
    container,
    cpu,
    default_profile,
    near,
    profile_config,
    spread,
)
from conformance.vocabulary.storage import (
    HERE,
    a_claim,
    a_volume,
    bound_pair,
    inline,
    reaching,
    storage_class,
    using,
    with_some,
)

Json = dict[str, Any]

# --- Where plugins stand --------------------------------------------------------------------------

_FILTERS = ("preFilter", "filter")
_SCORES = ("preScore", "score")
POINTS: Mapping[str, Sequence[str]] = {
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


def profile_without(points_of: Iterable[tuple[str, Sequence[str]]]) -> Json:
    """Returns a configuration that disables each of the plugins at these points of it."""
    disabled: dict[str, Json] = {}
    for plugin, points in points_of:
        for point in points:
            disabled.setdefault(point, {"disabled": []})["disabled"].append({"name": plugin})
    return profile_config(default_profile(plugins=disabled))


# --- Pods -----------------------------------------------------------------------------------------


def _volumes(*volumes: Json) -> Json:
    return {"volumes": list(volumes)}


def _node_affinity(kind: str, term: Json) -> Json:
    terms: Any = {"nodeSelectorTerms": [term]}
    return {"affinity": {"nodeAffinity": {kind: terms if kind == REQUIRED else [{"weight": 7, **term}]}}}


def _labelled(key: str, operator: str, value: str) -> Json:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": [value]}]}


def _named(*names: str) -> Json:
    """Returns node affinity by the names of nodes, which exclude each other if there is more than one."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    return _node_affinity(REQUIRED, {"matchFields": fields})


def _port(number: int) -> Json:
    return {"containers": [container("c", ports=[{"containerPort": number, "hostPort": number}])]}


def _requesting(amount: str) -> Json:
    return {"containers": [container("c", cpu(amount))]}


def _claiming(*names: str) -> Json:
    used = [{"name": f"g{index}", "resourceClaimName": name} for index, name in enumerate(names)]
    return {"resourceClaims": used}


_SELECTED: Json = {"matchLabels": {"app": "a"}}
_DISK = inline(gcePersistentDisk={"pdName": "d"})
_NO_DISK = inline(emptyDir={})

PODS: Mapping[str, Sequence[Json]] = {
    "VolumeRestrictions": (
        _volumes(*_DISK),
        _volumes(*inline(awsElasticBlockStore={"volumeID": "d"})),
        _volumes(*using("alone")),
        _volumes(*_NO_DISK),
        _volumes(*using("missing")),
        _volumes(*_DISK, *using("alone")),
    ),
    "NodePorts": (_port(80), _port(81)),
    "NodeVolumeLimits": (
        _volumes(*using("bound")),
        _volumes(*using("zoned")),
        _volumes(*_NO_DISK),
        _volumes(*_DISK),
        _volumes(*using("missing")),
        _volumes(*using("without-its-volume")),
        _volumes(*using("free")),
    ),
    "VolumeZone": (
        _volumes(*using("zoned")),
        _volumes(*using("missing")),
        _volumes(*using("immediate")),
        _volumes(*using("without-its-volume")),
        _volumes(*using("bound")),
        _volumes(*_NO_DISK),
    ),
    "NodeResourcesFit": (_requesting("3"), _requesting("1"), _requesting("5")),
    "NodeAffinity": (
        {"nodeSelector": {ZONE: "a"}},
        _named("n1"),
        _named("n1", "n2"),
        _node_affinity(REQUIRED, _labelled(ZONE, "In", "b")),
        _node_affinity(PREFERRED, {"preference": _labelled(ZONE, "In", "b")}),
        _node_affinity(PREFERRED, {"preference": _labelled("a", "Gt", "x")}),
    ),
    "InterPodAffinity": (
        {"affinity": near("podAntiAffinity", REQUIRED, _SELECTED)},
        {"affinity": near("podAffinity", REQUIRED, _SELECTED, ZONE)},
        {"affinity": near("podAffinity", PREFERRED, _SELECTED, ZONE)},
        {"affinity": near("podAntiAffinity", PREFERRED, _SELECTED)},
    ),
    "PodTopologySpread": (
        {"topologySpreadConstraints": [spread(HOSTNAME, 1, "DoNotSchedule")]},
        {"topologySpreadConstraints": [spread(ZONE, 1, "DoNotSchedule")]},
        {"topologySpreadConstraints": [spread(ZONE, 1)]},
    ),
    "VolumeBinding": (
        _volumes(*using("bound")),
        _volumes(*using("free")),
        _volumes(*using("near")),
        _volumes(*using("made")),
        _volumes(*using("immediate")),
        _volumes(*using("without-its-volume")),
        _volumes(*using("missing")),
    ),
    "DynamicResources": (
        _claiming("new"),
        _claiming("allocated"),
        _claiming("newer", "allocated"),
        _claiming("far"),
        _claiming("missing"),
    ),
    "TaintToleration": ({"tolerations": [{"operator": "Exists"}]},),
    "NodeResourcesBalancedAllocation": (_requesting("1"),),
    "SelectorSpread": ({"topologySpreadConstraints": [spread(ZONE, 1)]},),
    "DefaultPreemption": (_requesting("3"),),
    "SchedulingGates": ({"schedulingGates": [{"name": "g"}]},),
}
"""What the pods' ``spec`` has, by its JSON names."""

# --- What they claim ------------------------------------------------------------------------------


def _pair(claim: str, pod_alone: bool = False, zone: str = "") -> tuple[Json, Json]:
    modes: Json = {"accessModes": ["ReadWriteOncePod"]} if pod_alone else {}
    made, volume = (with_some(each, spec=modes) for each in bound_pair(claim, f"v-{claim}"))
    return made, with_some(volume, metadata={"labels": {ZONE: zone}}) if zone else volume


def _unbound(name: str, storage_class: str) -> Json:
    return a_claim(name, spec={"storageClassName": storage_class})


STORAGE: Sequence[Json] = (
    storage_class("hand"),
    storage_class("near"),
    storage_class("made", "made.example"),
    {**storage_class("now"), "volumeBindingMode": "Immediate"},
    a_volume("v-free"),
    a_volume("v-near", spec={"storageClassName": "near", **reaching(HERE)}),
    *_pair("bound"),
    *_pair("alone", pod_alone=True),
    *_pair("zoned", zone="a"),
    _pair("without-its-volume")[0],
    a_claim("free"),
    _unbound("near", "near"),
    _unbound("made", "made"),
    _unbound("immediate", "now"),
)


def _allocated(name: str, device: str, host: str) -> Json:
    match = {"key": HOSTNAME, "operator": "In", "values": [host]}
    allocation = {
        "devices": {"results": [{"request": "r0", "driver": DRIVER, "pool": "s1", "device": device}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [match]}]},
    }
    return resource_claim(name, ONE, {"allocation": allocation})


DEVICES: Sequence[Json] = (
    device_class("any"),
    resource_slice("s1", [{"name": name} for name in ("d0", "d1", "d2")], {"nodeName": "n1"}),
    resource_claim("new", ONE),
    resource_claim("newer", ONE),
    _allocated("allocated", "d0", "n1"),
    _allocated("far", "d1", "n9"),
)
"""All devices are on n1."""


def claimed_by_pods_of(plugins: Iterable[str]) -> list[Json]:
    """Returns the objects that the pods of these plugins need."""
    named = set(plugins)
    storage = STORAGE if any("Volume" in plugin for plugin in named) else ()
    return [*storage, *(DEVICES if "DynamicResources" in named else ())]
