# SPDX-License-Identifier: Apache-2.0
"""Claims for devices that are allocated, and what can be configured in them, as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.vocabulary.devices import DRIVER, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import ZONE

Json = dict[str, Any]

OTHER_NAMESPACE = "other"
"""A namespace."""
PARAMETERS: tuple[Json, ...] = ({"mode": "fast"}, {"mode": "slow", "limits": {"cores": 2, "on": True}}, {})


def node_condition(*values: str, key: str = ZONE, operator: str = "In") -> Json:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def node_selector(expressions: Sequence[Json] = (), fields: Sequence[Json] = ()) -> Json:
    term: Json = {}
    if expressions:
        term["matchExpressions"] = list(expressions)
    if fields:
        term["matchFields"] = list(fields)
    return {"nodeSelectorTerms": [term]}


BY_NAME = node_condition("n1", key="metadata.name")
IN_ZONE_A = node_condition("a")
IN_ZONES_A_AND_B = node_condition("a", "b")

# --- Objects --------------------------------------------------------------------------------------


def opaque(number: int, driver: str = DRIVER) -> Json:
    return {"opaque": {"driver": driver, "parameters": PARAMETERS[number]}}


def configured_class(name: str, configs: Sequence[Json]) -> Json:
    return device_class(name, **({"config": list(configs)} if configs else {}))


def slice_of(name: str, where: Json, devices: Sequence[str], pool: Json | None = None) -> Json:
    made = [{"name": each, "attributes": {"parity": {"int": n % 2}}} for n, each in enumerate(devices)]
    return resource_slice(name, made, where, pool)


def claim_of(name: str, requests: Sequence[Json], status: Json | None = None, **devices: Any) -> Json:
    named = [{"name": f"r{number}", **request} for number, request in enumerate(requests)]
    return resource_claim(name, {"requests": named, **devices}, status)


def asked(count: int = 1, class_name: str = "any") -> Json:
    if not count:
        return {"deviceClassName": class_name, "allocationMode": "All"}
    return {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count}


def exactly_one(count: int = 1) -> Json:
    return {"exactly": asked(count)}


def users_of(*pods: str) -> list[Json]:
    """Returns the users of a claim that is reserved for the pods of these names, each with its uid."""
    return [{"resource": "pods", "name": name, "uid": f"uid-of-{name}"} for name in pods]


def allocated(device: str, selector: Json | None = None, users: Sequence[Json] = ()) -> Json:
    """Returns a claim's status."""
    allocation: Json = {
        "devices": {"results": [{"request": "r0", "driver": DRIVER, "pool": "s1", "device": device}]}
    }
    if selector is not None:
        allocation["nodeSelector"] = selector
    return {"allocation": allocation, **({"reservedFor": list(users)} if users else {})}
