# SPDX-License-Identifier: Apache-2.0
"""Values drawn from the types that they are read as: objects, configurations and records in every shape that a
type allows, now and then with something in it that it does not allow.

A text is one that a field of its name may have, so that what is drawn refers to itself: few names, labels,
zones.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Union, cast, get_args, get_origin

import attrs
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from refsched.objects.kinds import KINDS, ApiKind
from refsched.objects.quantity import Quantity
from refsched.objects.reading import json_name
from refsched.records import Record

Json = dict[str, Any]

NAMES = ("a", "b", "zone", "kubernetes.io/hostname", "example.com/gpu", "cpu", "")
QUANTITIES = ("0", "1", "500m", "2Gi", "1e3", "-1", "9223372036854775807", "1n", "3Ei")
MOMENTS = (
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:01.5+01:00",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
)
BY_FIELD: Mapping[str, tuple[str, ...]] = {
    "allocationMode": ("ExactCount", "All", "Other"),
    "code": ("Success", "Unschedulable", "UnschedulableAndUnresolvable", "Error", "Wait", "Skip"),
    "decision": ("allow", "reject"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute", ""),
    "expression": (
        "true",
        "device.driver == 'a'",
        "device.attributes['a'].b > 1",
        "1",
        "[1].all(x, x > 0)",
        "(",
    ),
    "kind": ("Pod", "Node", "ReplicaSet", "PersistentVolume"),
    "name": (
        "a",
        "b",
        "NodeResourcesFit",
        "DefaultPreemption",
        "PodTopologySpread",
        "*",
        "default-scheduler",
    ),
    "nodeName": ("", "", "a", "b"),
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", ""),
    "phase": ("Pending", "Running", "Succeeded", "Bound", "Available"),
    "plugin": ("", "NodeResourcesFit", "ScriptedA"),
    "pod": ("default/a", "default/b", "a"),
    "preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "result": ("scheduled", "unschedulable", "error", "bound"),
    "schedulerName": ("default-scheduler", "default-scheduler", "a", ""),
    "topologyKey": ("zone", "kubernetes.io/hostname"),
    "type": ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "DisruptionTarget", "Hostname"),
    "urlPrefix": ("http://127.0.0.1:9", "http://[::1", "x"),
    "verb": ("create", "update", "patch", "delete"),
    "volumeBindingMode": ("Immediate", "WaitForFirstConsumer"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
}
ODD: SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False),
    st.text(max_size=4),
    st.sampled_from(("-1", "9" * 60, "\x1b[2J", "\u0085")),
    st.lists(st.integers(0, 1), max_size=1),
    st.dictionaries(st.sampled_from(NAMES), st.integers(0, 1), max_size=1),
)
RARELY = 60
"""One in this many values is none of its type."""


@cache
def of_type(annotation: Any, field: str = "") -> SearchStrategy[Any]:
    """Draws what may be written where this type is read, for the field of this name."""
    right = _right(annotation, field)
    return st.integers(0, RARELY).flatmap(lambda number: ODD if number == RARELY else right)


def _right(annotation: Any, field: str) -> SearchStrategy[Any]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return st.one_of(*(_right(part, field) for part in parts))
    if origin is tuple:
        return st.lists(of_type(parts[0], field), max_size=2)
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(st.sampled_from(NAMES), of_type(parts[1]), max_size=2)
    supertype = getattr(annotation, "__supertype__", None)
    if supertype is not None:
        return _right(supertype, field)
    if annotation is Quantity:
        return st.sampled_from(QUANTITIES)
    if attrs.has(annotation):
        return st.deferred(lambda: of_class(annotation))
    leaf: SearchStrategy[Any] = _LEAVES.get(annotation, lambda _: ODD)(field)
    return leaf


_LEAVES: Mapping[Any, Any] = {
    str: lambda field: st.sampled_from(BY_FIELD.get(field, NAMES)),
    int: lambda _: st.sampled_from((*(1, 2, 10, 100) * 4, 0, -1, 2**31 - 1, 2**31, 2**63 - 1)),
    float: lambda _: st.sampled_from((0, 1, 30, 86400.0, 1e9, 0.1)),
    bool: lambda _: st.booleans(),
    datetime: lambda _: st.sampled_from(MOMENTS),
    type(None): lambda _: st.none(),
}


@cache
def of_class(cls: type[Any]) -> SearchStrategy[Json]:
    """Draws an object of this class, with any of its fields."""
    fields = {
        json_name(attribute.name): of_type(attribute.type, json_name(attribute.name))
        for attribute in attrs.fields(attrs.resolve_types(cls))
        if attribute.init
    }
    required = [json_name(each.name) for each in attrs.fields(cls) if each.default is attrs.NOTHING]
    return st.fixed_dictionaries(
        {name: fields[name] for name in required if name in fields},
        optional={name: strategy for name, strategy in fields.items() if name not in required},
    )


@st.composite
def api_objects(draw: st.DrawFn, kinds: tuple[ApiKind, ...] = KINDS) -> Json:
    """Draws an object of one of these kinds, which has a name."""
    kind = draw(st.sampled_from(kinds))
    of_kind: type = kind.type
    drawn = draw(of_class(of_kind))
    metadata = drawn.get("metadata")
    name = draw(st.sampled_from(("a", "b")))
    namespace = {"namespace": "default"} if kind.namespaced else {}
    labels = draw(st.sampled_from(({}, {"zone": "a"}, {"a": "b", "kubernetes.io/hostname": name})))
    named = {"name": name, "labels": labels, **namespace}
    if isinstance(metadata, dict):
        kept = {
            key: value for key, value in metadata.items() if key in ("ownerReferences", "creationTimestamp")
        }
        named |= {**kept, **({"uid": f"{kind.name}-{name}"} if kept else {})}
    return {**drawn, "apiVersion": kind.api_version, "kind": kind.name, "metadata": named}


@st.composite
def records(draw: st.DrawFn, classes: tuple[type[Record], ...] = get_args(Record)) -> Json:
    """Draws a record of docs/protocol.md."""
    cls = draw(st.sampled_from(classes))
    drawn = draw(of_class(cast("Any", cls)))
    if "object" in drawn:
        drawn["object"] = draw(api_objects())
    bare = {
        "create": "object",
        "update": "object",
        "delete": "object",
        "advance": "seconds",
        "nodes": "nodes",
    }
    inner = drawn.get(bare[cls.member]) if cls.member in bare else drawn
    return {cls.member: inner}
