# SPDX-License-Identifier: Apache-2.0
"""Devices, and claims for them, in a few words: JSON as the API server shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from refsched.devices.allocator import Allocator
from refsched.devices.ids import DeviceID
from refsched.devices.in_use import InUse
from refsched.devices.pools import Pools
from refsched.objects.dra import AllocationResult, DeviceClass, ResourceClaim, ResourceSlice
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.oddities.known_defects import with_oddities
from refsched.plugins.dynamic_resources_args import DynamicResourcesArgs
from refsched.releases import RELEASES

Json = dict[str, Any]
DRIVER = "gpu.example.com"
_KEYS = {bool: "bool", int: "int", str: "string"}


def device(
    name: str, capacity: Mapping[str, str] | None = None, version: str = "", **attributes: Any
) -> Json:
    """``attributes`` have the type of their values; fields of the device itself are in camelCase."""
    fields = {key: attributes.pop(key) for key in list(attributes) if key != key.lower()}
    values = {key: {_KEYS[type(value)]: value} for key, value in attributes.items()}
    if version:
        values["version"] = {"version": version}
    amounts = {key: {"value": value} for key, value in (capacity or {}).items()}
    return {"name": name, "attributes": values, "capacity": amounts, **fields}


def piece(name: str, *devices: Json, pool: str = "", node: str = "n1", **spec: Any) -> Json:
    """A ResourceSlice. ``pool`` is called like the slice, and ``node`` is empty where ``spec`` says where."""
    where: Json = {"nodeName": node} if node else {}
    numbers = {key: spec.pop(key) for key in ("generation", "resourceSliceCount") if key in spec}
    identity = {"name": pool or name, "generation": 1, "resourceSliceCount": 1, **numbers}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {"driver": DRIVER, "pool": identity, "devices": list(devices), **where, **spec},
    }


def selectors(*expressions: str) -> list[Json]:
    return [{"cel": {"expression": expression}} for expression in expressions]


def device_class(name: str = "gpu", *expressions: str, **spec: Any) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": selectors(*expressions), **spec},
    }


def one(name: str = "r", *expressions: str, class_name: str = "gpu", count: int = 1, **rest: Any) -> Json:
    """This many devices; as a request's ``exactly``, or as it is as an alternative."""
    return {
        "name": name,
        "deviceClassName": class_name,
        "selectors": selectors(*expressions),
        "allocationMode": "ExactCount",
        "count": count,
        **rest,
    }


def every(name: str = "r", *expressions: str, **rest: Any) -> Json:
    """All devices."""
    asked = one(name, *expressions, **rest)
    del asked["count"]
    return {**asked, "allocationMode": "All"}


def first_of(name: str, *alternatives: Json) -> Json:
    return {"name": name, "firstAvailable": list(alternatives)}


def claim(name: str, *requests: Json, status: Json | None = None, uid: str = "", **devices: Any) -> Json:
    asked = [
        request
        if "firstAvailable" in request
        else {
            "name": request["name"],
            "exactly": {key: value for key, value in request.items() if key != "name"},
        }
        for request in requests
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default", "uid": uid or f"uid-of-{name}"},
        "spec": {"devices": {"requests": asked, **devices}},
        "status": status or {},
    }


def allocated(*devices: str, pool: str = "s1", node: str = "n1", reserved_for: Sequence[str] = ()) -> Json:
    """A claim's status."""
    by_name = {"key": "metadata.name", "operator": "In", "values": [node]}
    return {
        "allocation": {
            "devices": {
                "results": [
                    {"request": "r", "driver": DRIVER, "pool": pool, "device": name} for name in devices
                ]
            },
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [by_name]}]},
        },
        "reservedFor": [{"resource": "pods", "name": uid, "uid": uid} for uid in reserved_for],
    }


def node(name: str = "n1", **labels: str) -> Node:
    return read_as(Node, {"metadata": {"name": name, "labels": labels}})


def allocator(
    *slices: Json,
    in_use: Sequence[str] = (),
    claims: Sequence[Json] = (),
    classes: Sequence[Json] = (),
    release: str = "1.37",
) -> Allocator:
    """``in_use`` are devices as pool/device, beside what the ``claims`` hold. Without ``classes`` there is one,
    ``gpu``, that takes anything. It has all known defects of the ``release``."""
    known = {c["metadata"]["name"]: read_as(DeviceClass, c) for c in classes or [device_class()]}
    taken = InUse(frozenset(DeviceID(DRIVER, *each.split("/")) for each in in_use))
    taken = taken.with_claims(read_as(ResourceClaim, each) for each in claims)
    kubernetes = RELEASES[release]
    made: Any = kubernetes.plugins["DynamicResources"].make(DynamicResourcesArgs())
    plugin = with_oddities(made, kubernetes.oddities)
    pieces = [read_as(ResourceSlice, each) for each in slices]
    result: Allocator = plugin.allocator(pieces, taken, known.get, plugin.steps)
    return result


def allocations(
    made: Allocator, *claims: Json, on: Node | None = None, pools: Pools | None = None
) -> tuple[AllocationResult, ...] | None:
    return made.allocate(on or node(), [read_as(ResourceClaim, each) for each in claims], pools)


def devices(made: Allocator, *claims: Json, on: Node | None = None, pools: Pools | None = None) -> Any:
    """For each claim what it got, as ``request=pool/device``; None where there is no solution."""
    results = allocations(made, *claims, on=on, pools=pools)
    if results is None:
        return None
    return [
        [f"{each.request}={each.pool}/{each.device}" for each in result.devices.results] for result in results
    ]
