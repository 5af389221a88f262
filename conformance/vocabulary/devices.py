# SPDX-License-Identifier: Apache-2.0
"""Device objects: classes, slices, claims and pods that use them, as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod
from refsched.suite.histories.history import History

Json = dict[str, Any]

DRIVER = "gpu.example.com"
EVERYWHERE: Json = {"allNodes": True}

Asked = Sequence[Json]
"""A request for one thing, or a list of alternatives of which any one will do."""


def _resource(kind: str, name: str, spec: Json, namespace: str = "") -> Json:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def device_class(name: str, **spec: Any) -> Json:
    return _resource("DeviceClass", name, spec)


def resource_slice(
    name: str, devices: Sequence[Json], where: Json = EVERYWHERE, pool: Json | None = None
) -> Json:
    """Returns a ResourceSlice, which is a pool of its own unless ``pool`` says otherwise."""
    of_pool = {"name": name, "generation": 1, "resourceSliceCount": 1, **(pool or {})}
    return _resource(
        "ResourceSlice", name, {"driver": DRIVER, "pool": of_pool, **where, "devices": list(devices)}
    )


def counters_of_a_pool(
    name: str, sets: Sequence[Json], where: Json = EVERYWHERE, pool: Json | None = None
) -> Json:
    """Returns a ResourceSlice that has counters, and no devices, for the other slices of its pool."""
    made = resource_slice(name, [], where, pool)
    others = {member: each for member, each in made["spec"].items() if member != "devices"}
    return {**made, "spec": {**others, "sharedCounters": list(sets)}}


def resource_claim(name: str, devices: Json, status: Json | None = None) -> Json:
    made = _resource("ResourceClaim", name, {"devices": devices}, "default")
    return {**made, "status": status} if status else made


def exactly(count: int, of_class: str = "any") -> Json:
    return {"deviceClassName": of_class, "allocationMode": "ExactCount", "count": count}


def all_there_are(*expressions: str) -> Json:
    selectors = [{"cel": {"expression": each}} for each in expressions]
    selected = {"selectors": selectors} if selectors else {}
    return {"deviceClassName": "any", "allocationMode": "All", **selected}


def request(name: str, asked: Asked) -> Json:
    if len(asked) == 1:
        return {"name": name, "exactly": asked[0]}
    return {"name": name, "firstAvailable": [{"name": f"a{place}", **one} for place, one in enumerate(asked)]}


def names_of_requests(requests: Iterable[Json]) -> set[str]:
    """Returns the names by which a constraint may refer to requests and their alternatives."""
    return {
        name
        for request in requests
        for name in (
            request["name"],
            *(f"{request['name']}/{each['name']}" for each in request.get("firstAvailable") or ()),
        )
    }


ONE: Json = {"requests": [request("r0", [exactly(1)])]}
"""What a claim of any one device says."""


def taint_rule(name: str, selector: Json | None, taint: Json) -> Json:
    """Returns a DeviceTaintRule. The empty selector selects every device, and without any a rule concerns none."""
    selected = {} if selector is None else {"deviceSelector": selector}
    return _resource("DeviceTaintRule", name, {**selected, "taint": taint})


def claim_user(*claims: str, **more: Any) -> Json:
    """Returns a pod that uses these claims."""
    used = [{"name": f"g{index}", "resourceClaimName": name} for index, name in enumerate(claims)]
    return pod("", {"cpu": "1"}, resourceClaims=used, **more)


def claims_in_turn(
    objects: Sequence[Json], claims: Sequence[Json], host: Json | None = None, **of_class: Any
) -> History:
    """Returns a history of the class ``any``, these objects, one node (``host``), and claims, each with a pod of
    its own, which is tried before the next one comes."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any", **of_class), *objects)
    cluster.add_node(node("") if host is None else host)
    claimed(cluster, claims)
    return cluster.history()


def claimed(cluster: HistoryBuilder, claims: Sequence[Json]) -> None:
    """Creates claims, each with a pod of its own, which is tried before the next one comes."""
    for number, devices in enumerate(claims):
        cluster.add(resource_claim(f"c{number}", devices))
        cluster.add_pod(claim_user(f"c{number}"))
        cluster.schedule(1)
