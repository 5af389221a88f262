# SPDX-License-Identifier: Apache-2.0
"""Features of pods, nodes and what they use: one thing each, which every other one can stand beside.

A feature is a part of an object, as plain JSON. An object is made of any number of them: members of one name are
put together, lists one after the other, and of two plain values the last one stands. All refer to the same few
names, so that features of one object meet those of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    PREFERRED,
    REGION,
    REQUIRED,
    START_TIMES,
    ZONE,
    container,
    near,
    owner,
    resized,
    spread,
)
from conformance.vocabulary.storage import OLD_REGION, OLD_ZONE, inline, reaching, using

Json = dict[str, Any]
Feature = Json

GPU = "example.com/gpu"
_HUGE = "hugepages-2Mi"


def merged(value: Json, features: Iterable[Feature]) -> Json:
    """Returns the object with these features."""
    for feature in features:
        value = _merged(value, feature)
    return value


def _merged(old: Json, new: Json) -> Json:
    made = dict(old)
    for name, value in new.items():
        if isinstance(value, dict) and isinstance(made.get(name), dict):
            made[name] = _merged(made[name], value)
        elif isinstance(value, list) and isinstance(made.get(name), list):
            made[name] = [*made[name], *(each for each in value if each not in made[name])]
        else:
            made[name] = value
    return made


def _labels(**labels: str) -> Feature:
    return {"metadata": {"labels": labels}}


def _spec(**members: Any) -> Feature:
    return {"spec": members}


def _status(**members: Any) -> Feature:
    return {"status": members}


# --- What a pod asks for --------------------------------------------------------------------------

_GPU_ASKED: Json = {"resources": {"requests": {GPU: "1"}, "limits": {GPU: "1"}}}


def _container(name: str, requests: Json, **more: Any) -> Feature:
    return _spec(containers=[container(name, requests, **more)])


def _starting(name: str, requests: Json, **more: Any) -> Feature:
    return _spec(initContainers=[container(name, requests, **more)])


_SIDECAR: Json = {"restartPolicy": "Always"}
_PORT: Json = {"ports": [{"containerPort": 80, "hostPort": 80}]}
_AMOUNTS: tuple[Feature, ...] = (
    _container("d", {"cpu": "1"}),
    _container("e", {"memory": "1Gi", "ephemeral-storage": "1Gi"}),
    _spec(containers=[{**container("g"), **_GPU_ASKED}]),
    _starting("i", {"cpu": "1500m"}),
    _starting("j", {"memory": "2Gi", "ephemeral-storage": "2Gi"}),
    _spec(initContainers=[{**container("k"), **_GPU_ASKED}]),
    _starting("s", {"cpu": "500m", "ephemeral-storage": "1Gi"}, **_SIDECAR),
    _spec(initContainers=[{**container("t", **_SIDECAR), **_GPU_ASKED}]),
    _spec(
        containers=[
            {
                **container("h"),
                "resources": {
                    "requests": {"cpu": "1m", _HUGE: "2Mi"},
                    "limits": {_HUGE: "2Mi"},
                },
            }
        ]
    ),
    _spec(containers=[{**container("l"), "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}}}]),
    _spec(resources={"requests": {"cpu": "3"}}),
    _spec(resources={"requests": {"memory": "5Gi"}, "limits": {"memory": "5Gi"}}),
    _spec(overhead={"cpu": "250m", "memory": "512Mi"}, runtimeClassName="r"),
)

# --- With which pods and nodes --------------------------------------------------------------------

_APP: Json = {"matchLabels": {"app": "a"}}
_KEYED: Json = {"matchLabelKeys": ["version"]}
_HONOR: Json = {"nodeTaintsPolicy": "Honor"}
_HARD = "DoNotSchedule"


def _terms(kind: str, *terms: Json) -> Feature:
    return _spec(affinity={kind: {REQUIRED: [{"labelSelector": _APP, **term} for term in terms]}})


def _preferring(kind: str, weight: int, term: Json) -> Feature:
    weighed = {"weight": weight, "podAffinityTerm": {"labelSelector": _APP, **term}}
    return _spec(affinity={kind: {PREFERRED: [weighed]}})


_BY_ZONE: Json = {"topologyKey": ZONE}
_BY_HOST: Json = {"topologyKey": HOSTNAME}
_NEAR: tuple[Feature, ...] = (
    _terms("podAffinity", _BY_ZONE),
    _terms("podAffinity", {**_BY_HOST, "namespaceSelector": {"matchLabels": {"team": "x"}}}),
    _terms("podAffinity", {**_BY_ZONE, "namespaces": ["other"], "namespaceSelector": {}}),
    _terms("podAntiAffinity", _BY_HOST),
    _terms("podAntiAffinity", {**_BY_ZONE, "namespaceSelector": {"matchLabels": {"team": "x"}}}),
    _terms("podAntiAffinity", {**_BY_HOST, "namespaceSelector": {}}),
    _terms("podAntiAffinity", {**_BY_HOST, "namespaces": ["other"]}),
    _preferring("podAffinity", 7, _BY_ZONE),
    _preferring("podAntiAffinity", 5, {**_BY_HOST, "namespaceSelector": {}}),
    _spec(affinity=near("podAntiAffinity", PREFERRED, {"matchLabels": {"app": "b"}}, ZONE)),
)
_SPREAD: tuple[Feature, ...] = tuple(
    _spec(topologySpreadConstraints=[each])
    for each in (
        spread(ZONE, 1, _HARD),
        spread(ZONE, 1, _HARD, minDomains=3),
        spread(ZONE, 1, _HARD, **_HONOR),
        spread(HOSTNAME, 1, _HARD, nodeAffinityPolicy="Ignore"),
        spread(HOSTNAME, 2, _HARD, **_KEYED),
        spread(HOSTNAME, 1, _HARD, **_HONOR, minDomains=2),
        spread(ZONE, 2),
        spread(ZONE, 1, **_HONOR, nodeAffinityPolicy="Ignore"),
        spread(HOSTNAME, 1, **_KEYED),
    )
)


def _node_terms(*terms: Json) -> Feature:
    return _spec(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}})


def _expressions(key: str, operator: str, *values: str) -> Json:
    said: Json = {"key": key, "operator": operator}
    return {"matchExpressions": [{**said, "values": list(values)} if values else said]}


_IN_B = _expressions(ZONE, "In", "b")
NAMED: Json = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
_PLACES: tuple[Feature, ...] = (
    _spec(nodeSelector={ZONE: "a"}),
    _spec(nodeSelector={"disk": "ssd"}),
    _node_terms(_IN_B),
    _node_terms(_expressions(ZONE, "NotIn", "b"), NAMED),
    _node_terms({**NAMED, **_expressions("disk", "DoesNotExist")}, {}),
    _node_terms(_expressions("size", "Gt", "3")),
    _spec(affinity={"nodeAffinity": {PREFERRED: [{"weight": 10, "preference": _IN_B}]}}),
    _spec(affinity={"nodeAffinity": {PREFERRED: [{"weight": 4, "preference": NAMED}]}}),
    *(
        _spec(tolerations=[toleration])
        for toleration in (
            {"operator": "Exists"},
            {"key": "k", "operator": "Exists"},
            {"key": "k", "value": "v", "effect": "NoSchedule"},
            {"key": "k", "operator": "Exists", "effect": "NoExecute"},
            {"key": "k", "operator": "Exists", "effect": "PreferNoSchedule"},
            {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
        )
    ),
)

# --- What a pod uses ------------------------------------------------------------------------------

_GCE = {"gcePersistentDisk": {"pdName": "d"}}
_PORTS: tuple[Feature, ...] = (
    _container("p", {}, **_PORT),
    _starting("q", {}, **_SIDECAR, **_PORT),
    _container("u", {}, ports=[{"containerPort": 80, "hostPort": 80, "protocol": "UDP"}]),
    _container("v", {}, ports=[{"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}]),
    _container("m", {}, image="big"),
    _starting("n", {}, image="big:latest"),
)
_VOLUMES: tuple[Feature, ...] = (
    *(_spec(volumes=[{**using(name)[0], "name": name}]) for name in ("c1", "c2", "c3", "c4")),
    _spec(volumes=inline(**_GCE)),
    _spec(volumes=[{"name": "o", "gcePersistentDisk": {"pdName": "d", "readOnly": True}}]),
    _spec(volumes=[{"name": "w", "awsElasticBlockStore": {"volumeID": "d"}}]),
)
_DEVICES: tuple[Feature, ...] = (
    *(
        _spec(resourceClaims=[{"name": name, "resourceClaimName": name}])
        for name in ("k1", "k2", "k3", "k4", "k5")
    ),
)

# --- Who it is ------------------------------------------------------------------------------------

_TARGET: Json = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
_OWNERS = ("ReplicaSet", "StatefulSet", "ReplicationController")
WHO: tuple[Feature, ...] = (
    *[_labels(app="a")] * 4,
    _labels(app="b"),
    _labels(app="a", version="1"),
    _labels(app="a", version="2"),
    {"metadata": {"namespace": "other"}},
    *({"metadata": {"ownerReferences": [owner(kind)]}} for kind in _OWNERS),
    _spec(priority=5),
    _spec(priority=20),
    _spec(preemptionPolicy="Never"),
    _status(nominatedNodeName="n2"),
)
TERMINATING: tuple[Feature, ...] = (
    {"metadata": {"deletionTimestamp": AN_AGE_AGO}},
    {"metadata": {"deletionTimestamp": AN_AGE_AGO}, "status": {"conditions": [_TARGET]}},
)
STARTED: tuple[Feature, ...] = tuple(_status(startTime=start) for start in START_TIMES)
GATED = _spec(schedulingGates=[{"name": "g"}])


def _gains(feature: Feature) -> Callable[[Json], Json]:
    return lambda value: merged(value, [feature])


def _ungated(value: Json) -> Json:
    spec = {name: member for name, member in value["spec"].items() if name != "schedulingGates"}
    return {**value, "spec": spec}


def _narrowed(value: Json) -> Json:
    """Returns the pod, which may ask for a label more while it is gated, or for node affinity if it asks for
    none."""
    if "schedulingGates" not in value["spec"]:
        return value
    selects = "affinity" in value["spec"]
    return merged(value, [_spec(nodeSelector={"disk": "ssd"}) if selects else _node_terms(_IN_B)])


CHANGES: tuple[Callable[[Json], Json], ...] = (
    *map(_gains, TERMINATING),
    *map(_gains, (_labels(app="a"), _labels(app="b"), _labels(version="2"))),
    _gains(_spec(tolerations=[{"key": "k", "operator": "Exists"}])),
    _gains(_spec(tolerations=[{"key": "k", "value": "v", "effect": "NoExecute"}])),
    _ungated,
    lambda value: _ungated(_narrowed(value)),
    resized({"cpu": "1m"}, {}, {}, ""),
    resized({"cpu": "2"}, {"cpu": "1"}, {"cpu": "1"}, "Infeasible", "starting"),
    resized({"cpu": "1m"}, {"cpu": "1"}, {"cpu": "1500m"}, "Deferred", "last"),
)
"""What may become of a pod while it lives."""

# --- Nodes ----------------------------------------------------------------------------------------


def _taints(*effects: str, value: str = "v") -> Feature:
    return _spec(taints=[{"key": "k", "value": value, "effect": effect} for effect in effects])


def _has(**amounts: str) -> Feature:
    names = {"gpu": GPU, "huge": _HUGE, "storage": "ephemeral-storage"}
    return _status(allocatable={names.get(name, name): amount for name, amount in amounts.items()})


_TAINTED: tuple[Feature, ...] = (
    *(_taints(effect) for effect in ("NoSchedule", "NoExecute", "PreferNoSchedule")),
    _taints("NoExecute", "PreferNoSchedule"),
    _taints("NoSchedule", value=""),
    _spec(unschedulable=True),
)
_IN_ZONES: tuple[Feature, ...] = (_labels(**{ZONE: "b"}), _labels(**{ZONE: "b"}), _labels(**{ZONE: "c"}))
_LABELLED: tuple[Feature, ...] = (_labels(disk="ssd"), _labels(size="4"), _labels(size="3"))
_ROOM: tuple[Feature, ...] = (
    _has(cpu="1"),
    _has(cpu="2", memory="2Gi"),
    _has(pods="2"),
    _has(gpu="1"),
    _has(gpu="2", storage="3Gi"),
    _has(huge="4Mi", storage="1Gi"),
)
_IMAGES: tuple[Feature, ...] = (
    _status(images=[{"names": ["big:latest"], "sizeBytes": 900_000_000}]),
    _status(images=[{"names": ["big:latest", "i:latest"], "sizeBytes": 400_000_000}]),
)
_OF_OLD: tuple[Feature, ...] = (
    _labels(**{REGION: "r"}),
    _labels(**{REGION: "r"}),
    _labels(**{OLD_ZONE: "a"}),
    _labels(**{OLD_ZONE: "b", OLD_REGION: "r"}),
    _labels(**{OLD_REGION: "s"}),
)
ABOUT: tuple[tuple[tuple[Feature, ...], tuple[Feature, ...]], ...] = (
    (_AMOUNTS, _ROOM),
    (_NEAR, _IN_ZONES),
    (_SPREAD, (*_IN_ZONES, *_TAINTED[:2])),
    (_PLACES, (*_TAINTED, *_LABELLED)),
    (_PORTS, _IMAGES),
    (_VOLUMES, (*_OF_OLD, _LABELLED[0])),
    (_VOLUMES, (*_OF_OLD, _LABELLED[0])),
    (_DEVICES, ()),
)
"""What pods and nodes may have, by what it is about. Without any of it a node is in the zone ``a`` and has four
cores."""

# --- Volumes --------------------------------------------------------------------------------------

_IN_A: Json = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
_ON_SSD: Json = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}


def _reaches(*terms: Json) -> Feature:
    return _spec(nodeAffinity={"required": {"nodeSelectorTerms": list(terms)}})


VOLUME: tuple[Feature, ...] = (
    _reaches(_IN_A, _ON_SSD),
    _reaches({}, _ON_SSD),
    _reaches({}),
    _spec(**reaching(*_IN_A["matchExpressions"], *_ON_SSD["matchExpressions"])),
    *(
        _labels(**labels)
        for labels in (
            {ZONE: "a"},
            {ZONE: "a__b"},
            {OLD_ZONE: "b"},
            {OLD_REGION: "r"},
            {REGION: "r", OLD_ZONE: "a"},
            {"disk": "ssd"},
        )
    ),
    _spec(accessModes=["ReadOnlyMany", "ReadWriteOncePod"]),
    _spec(capacity={"storage": "2Gi"}),
    _spec(volumeMode="Block"),
    _status(phase="Released"),
    TERMINATING[0],
)
CLAIM: tuple[Feature, ...] = (
    _spec(accessModes=["ReadWriteOncePod"]),
    _spec(selector={"matchLabels": {"disk": "ssd"}}),
    _spec(resources={"requests": {"storage": "2Gi"}}),
    _spec(volumeMode="Block"),
    TERMINATING[0],
)
