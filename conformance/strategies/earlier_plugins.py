# SPDX-License-Identifier: Apache-2.0
"""Plugins that kube-scheduler no longer has: a profile of an earlier configuration API enables them.

One of them decides in each history; the plugins that are enabled by default decide with it, so that their scores
add up, unless the profile has no other Score plugin.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import CPU_CAPACITIES, CPU_REQUESTS, any_of
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import ZONE, node, owner, pod, selecting, with_metadata
from refsched.suite.histories.history import History

Json = dict[str, Any]

API_VERSION = "kubescheduler.config.k8s.io/v1beta1"
_RACK = "rack"
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_DISK_LIMITS = (
    ("EBSLimits", "awsElasticBlockStore", "volumeID", "attachable-volumes-aws-ebs"),
    ("GCEPDLimits", "gcePersistentDisk", "pdName", "attachable-volumes-gce-pd"),
    ("AzureDiskLimits", "azureDisk", "diskName", "attachable-volumes-azure-disk"),
    ("CinderLimits", "cinder", "volumeID", "attachable-volumes-cinder"),
)

# --- Profiles -------------------------------------------------------------------------------------


def _config(points: Json, plugin: str, args: Json) -> Json:
    profile = {"plugins": points, "pluginConfig": [{"name": plugin, "args": args}] if args else []}
    return {"apiVersion": API_VERSION, "kind": "KubeSchedulerConfiguration", "profiles": [profile]}


def _at(plugin: str, *points: str, alone: bool = False, weight: int = 1) -> Json:
    """Returns the plugin at these points; ``alone`` if it is the only one that scores."""
    found: Json = {point: {"enabled": [{"name": plugin}]} for point in points}
    if "score" in found:
        found["score"]["enabled"][0]["weight"] = weight
    if alone:
        found["score"]["disabled"] = [{"name": "*"}]
    return found


def of_plugin(plugin: str, *points: str, alone: bool = False, **args: Any) -> Json:
    """Returns a configuration of the earlier API with the plugin at these points. ``args`` by their JSON names."""
    return _config(_at(plugin, *points, alone=alone), plugin, args)


_SHAPES = st.lists(
    st.tuples(st.sampled_from([0, 20, 50, 80, 100]), st.integers(0, 10)),
    min_size=1,
    max_size=3,
    unique_by=lambda point: point[0],
).map(lambda points: [{"utilization": at, "score": score} for at, score in sorted(points)])
_RESOURCES = st.lists(
    st.tuples(st.sampled_from(["cpu", "memory", "example.com/a"]), st.integers(1, 5)),
    max_size=3,
    unique_by=lambda resource: resource[0],
).map(lambda listed: [{"name": name, "weight": weight} for name, weight in listed])
_KEYS = st.permutations([_RACK, ZONE, "ssd"]).flatmap(
    lambda keys: st.sampled_from([1, 2, 0, 2, 3]).map(lambda count: keys[:count])
)


@st.composite
def _of_resources(draw: DrawFn) -> Json:
    plugin = draw(
        st.sampled_from(
            ["NodeResourcesMostAllocated", "RequestedToCapacityRatio", "NodeResourcesLeastAllocated"]
        )
    )
    resources = draw(_RESOURCES)
    args: Json = {"resources": resources} if resources else {}
    if plugin == "RequestedToCapacityRatio":
        args["shape"] = draw(_SHAPES)
    alone = plugin == "NodeResourcesLeastAllocated" or draw(st.booleans())
    return _config(_at(plugin, "score", alone=alone, weight=draw(st.sampled_from([1, 1, 3]))), plugin, args)


@st.composite
def _of_labels(draw: DrawFn) -> Json:
    present, absent = draw(_KEYS), draw(_KEYS)
    preferred = draw(_KEYS) or [_RACK]
    args = {
        "presentLabels": [key for key in present if key not in absent],
        "absentLabels": [key for key in absent if key not in present],
        "presentLabelsPreference": preferred,
        "absentLabelsPreference": [key for key in draw(_KEYS) if key not in preferred],
    }
    points = draw(st.sampled_from([("filter", "score"), ("filter",), ("score",)]))
    return _config(_at("NodeLabel", *points), "NodeLabel", args)


@st.composite
def _of_services(draw: DrawFn) -> Json:
    args = {"affinityLabels": draw(_KEYS), "antiAffinityLabelsPreference": draw(_KEYS) or [_RACK]}
    points = draw(st.sampled_from([("preFilter", "filter", "score"), ("preFilter", "filter"), ("score",)]))
    return _config(_at("ServiceAffinity", *points), "ServiceAffinity", args)


_OF_DISKS = st.just(_config(_at("CinderLimits", "filter"), "CinderLimits", {}))
_DEFAULT = st.just(_config({}, "", {}))

# --- Objects --------------------------------------------------------------------------------------

_NODE_LABELS: SearchStrategy[Json] = st.fixed_dictionaries(
    {},
    optional={
        _RACK: st.sampled_from(["a", "b"]),
        ZONE: st.sampled_from(["x", "y"]),
        "ssd": st.just(""),
    },
)
_INSTANCE, _FORMER_INSTANCE = "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"
_INSTANCE_LABELS: SearchStrategy[Json] = st.sampled_from(
    [
        {},
        *({_INSTANCE: name} for name in ("m5.large", "m4.large", "t3", "z1d.large")),
        {_FORMER_INSTANCE: "m5.large"},
        {_FORMER_INSTANCE: "m5.large", _INSTANCE: "m5.large"},
    ]
)
"""By these a cloud says how many disks a node attaches. Of two labels that differ v1.19.16 takes either, in the
order of a map."""
_FEW_DISKS = st.lists(st.sampled_from(["d", "e", "f"]), max_size=2, unique=True)
_MANY_DISKS = st.sampled_from([17, 16, 26, 25, 39, 40, 26]).map(lambda count: [f"d{n}" for n in range(count)])
_DISKS = any_of(_FEW_DISKS, _MANY_DISKS, _MANY_DISKS)
"""As many as a cloud's nodes attach where they say nothing, and one more."""
_POD_LABELS: SearchStrategy[Json] = st.sampled_from(
    [{"app": "a"}, {"app": "a"}, {"app": "b"}, {}, {"app": "a", "tier": "x"}, {"tier": "x"}]
)


def of_controller(kind: str, uid: str) -> Json:
    controller = {"apiVersion": "v1", "kind": kind, "name": "w", "uid": uid, "controller": True}
    return {"podSignature": {"podController": controller}}


def avoids(*entries: Any) -> str:
    return json.dumps({"preferAvoidPods": entries})


_ANNOTATIONS = st.sampled_from(
    [
        "",
        "",
        avoids(of_controller("ReplicationController", "w")),
        avoids(of_controller("ReplicaSet", "w")),
        avoids(of_controller("ReplicaSet", "v")),
        avoids(of_controller("ReplicaSet", "v"), of_controller("ReplicationController", "w")),
        avoids(),
    ]
)


@st.composite
def _node(draw: DrawFn, limit: Json) -> Json:
    amounts = {"cpu": draw(st.sampled_from(CPU_CAPACITIES)), "memory": "4Gi", "pods": "9", **limit}
    if draw(st.booleans()):
        amounts["example.com/a"] = "4"
    value = node(allocatable=amounts, labels={**draw(_NODE_LABELS), **draw(_INSTANCE_LABELS)})
    annotation = draw(_ANNOTATIONS)
    return with_metadata(value, annotations={AVOID: annotation}) if annotation else value


@st.composite
def _pod(draw: DrawFn, disk: tuple[str, str] | None) -> Json:
    requests = {"cpu": draw(CPU_REQUESTS), "memory": draw(st.sampled_from(["", "1Gi", "300Mi"]))}
    if draw(st.sampled_from([False, False, True])):
        requests["example.com/a"] = draw(st.sampled_from(["1", "3"]))
    controller = draw(st.sampled_from(["", "ReplicationController", "ReplicaSet", "StatefulSet"]))
    spec: Json = {}
    if draw(st.sampled_from([False, False, True])):
        spec["nodeSelector"] = {_RACK: draw(st.sampled_from(["a", "b"]))}
    if disk is not None:
        kind, name = disk
        named = draw(_DISKS)
        spec["volumes"] = [{"name": f"v{each}", kind: {name: each, **_uri(kind, each)}} for each in named]
    return pod(
        "",
        {resource: amount for resource, amount in requests.items() if amount},
        labels=draw(_POD_LABELS),
        owner=owner(controller) if controller else None,
        **spec,
    )


def _uri(kind: str, name: str) -> Json:
    """Returns the URI that an Azure disk has beside its name; other disks have none."""
    return {"diskURI": f"/disks/{name}"} if kind == "azureDisk" else {}


@st.composite
def histories(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    _, kind, name, resource = limits = draw(st.sampled_from([*_DISK_LIMITS, *_DISK_LIMITS[:1] * 2]))
    subject = draw(st.sampled_from(["resources", "labels", "services", *["disks"] * 2, "controllers"]))
    limit = {resource: "1"} if subject == "disks" and draw(st.sampled_from([False, False, True])) else {}
    disk = (kind, name) if subject == "disks" else None
    configs = {
        "resources": _of_resources(),
        "labels": _of_labels(),
        "services": _of_services(),
        "disks": _OF_DISKS if limits[0] == "CinderLimits" else _DEFAULT,
        "controllers": _DEFAULT,
    }
    if subject == "services" or draw(st.sampled_from([False, False, True])):
        cluster.add(selecting("Service", "s", {"app": "a"}, "v1"))
        if draw(st.sampled_from([False, False, True])):
            cluster.add(selecting("Service", "t", {"tier": "x"}, "v1"))
    if draw(st.sampled_from([False, False, True])):
        kind_of_workload = draw(st.sampled_from(["ReplicationController", "ReplicaSet"]))
        selector = (
            {"app": "a"} if kind_of_workload == "ReplicationController" else {"matchLabels": {"app": "a"}}
        )
        version = "v1" if kind_of_workload == "ReplicationController" else "apps/v1"
        cluster.add(selecting(kind_of_workload, "w", selector, version))
    for value in draw(st.lists(_node(limit), min_size=2, max_size=4)):
        cluster.add_node(value)
    for value, home in draw(st.lists(st.tuples(_pod(disk), st.integers(0, 3)), max_size=4)):
        cluster.add_pod(value, home)
    for value in draw(st.lists(_pod(disk), min_size=1, max_size=3)):
        cluster.add_pod(value)
        cluster.schedule()
    return cluster.history(draw(configs[subject]))
