# SPDX-License-Identifier: Apache-2.0
"""Ready devices: devices that must be ready before a pod is bound, and devices that serve extended resources.

Drivers report what becomes of the devices of a claim, in time or too late, one condition after the other. Pods
that request an extended resource get a claim of their own where a DeviceClass serves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies import served_resources
from conformance.vocabulary.allocations import users_of
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    ONE,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    default_profile,
    node,
    profile_config,
    with_metadata,
)
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

_Claims = list[tuple[Json, list[Json]]]
"""The claims of the pod that waits, each with what is allocated to it."""

# --- Binding conditions ---------------------------------------------------------------------------

_TWO_READY: Json = {"bindingConditions": ["Ready", "Attached"], "bindingFailureConditions": ["Broken"]}
_TWO_FAILING: Json = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken", "Lost"]}
_OF_THE_FIRST = st.sampled_from([_TWO_READY, _TWO_READY, _TWO_READY, _TWO_FAILING])
_OF_THE_SECOND = st.sampled_from([_TWO_READY, _TWO_READY, _TWO_FAILING, {}])
_ALLOCATED_AT = "2026-01-01T00:00:00Z"
_BY_NAME: Json = {
    "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
}
_REPORTS = st.sampled_from(
    [
        [("Ready", "True")],
        [("Ready", "True"), ("Attached", "False")],
        [("Ready", "True"), ("Attached", "True")],
        [("Ready", "True"), ("Attached", "True")],
        [("Broken", "True")],
        [("Ready", "True"), ("Lost", "True")],
        [("Ready", "True"), ("Attached", "True"), ("Broken", "True")],
        [("Broken", "False"), ("Attached", "True")],
        [],
    ]
)


_TIMEOUTS: SearchStrategy[Json] = st.sampled_from(
    [
        {},
        {},
        {},
        {"bindingTimeout": "30s"},
        {"filterTimeout": "40s"},
        {"bindingTimeout": "9s", "filterTimeout": "40s"},
    ]
)
"""How long a pod waits for its devices, and how long a search for devices may take."""


def _condition(kind: str, status: str) -> Json:
    return {"type": kind, "status": status, "reason": "Said", "lastTransitionTime": _ALLOCATED_AT}


def _reported(claim: Json, results: Sequence[Json], reports: Sequence[Sequence[tuple[str, str]]]) -> Json:
    """Returns the claim as its driver says that it is: what was allocated is part of what is written."""
    devices = [
        {
            **{name: result[name] for name in ("driver", "pool", "device")},
            "conditions": [_condition(*each) for each in said],
        }
        for result, said in zip(results, reports, strict=False)
        if said
    ]
    allocation = {
        "devices": {"results": list(results)},
        "nodeSelector": _BY_NAME,
        "allocationTimestamp": _ALLOCATED_AT,
    }
    return {**claim, "status": {"allocation": allocation, "reservedFor": users_of("p1"), "devices": devices}}


def _result(number: int, conditions: Json) -> Json:
    return {"request": "r0", "driver": DRIVER, "pool": "s0", "device": f"d{number}", **conditions}


def _add_rival(cluster: HistoryBuilder) -> None:
    name = f"more{len(cluster.pods)}"
    cluster.add(resource_claim(name, ONE))
    cluster.add_pod(claim_user(name))


def _waiting(draw: DrawFn) -> tuple[HistoryBuilder, _Claims]:
    """Returns a cluster in which a pod waits for one device or two, and its claims, each with what is allocated to
    it. Two devices are of one claim, or of two."""
    cluster = HistoryBuilder()
    number = draw(st.sampled_from([1, 2, 2]))
    conditions = [draw(_OF_THE_FIRST), draw(_OF_THE_SECOND)][:number]
    bound = {"bindsToNode": True} if draw(st.sampled_from([True, True, False])) else {}
    devices = [{"name": f"d{place}", **each, **bound} for place, each in enumerate(conditions)]
    cluster.add(device_class("any"), resource_slice("s0", devices, {"nodeName": "n1"}))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    if draw(st.booleans()):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
        cluster.add(resource_slice("s1", [{"name": "d0"}], {"nodeName": "n2"}))
    results = [_result(place, each) for place, each in enumerate(conditions)]
    of_claims = [[each] for each in results] if draw(st.booleans()) else [results]
    claims = [
        (resource_claim(f"c{place}", {"requests": [request("r0", [exactly(len(its))])]}), its)
        for place, its in enumerate(of_claims)
    ]
    begins = draw(st.sampled_from(["unallocated", "unallocated", "allocated"]))
    cluster.add(*(claim if begins == "unallocated" else _reported(claim, its, []) for claim, its in claims))
    if begins == "allocated":
        cluster.wait(draw(st.sampled_from([1, 600, 700])))
    names = [claim["metadata"]["name"] for claim, _ in claims]
    cluster.add_pod(with_metadata(claim_user(*names), uid="uid-of-p1"))
    cluster.schedule(1)
    return cluster, claims


def _happen(draw: DrawFn, happening: str, cluster: HistoryBuilder, claims: _Claims) -> None:
    match happening:
        case "report":
            for claim, results in claims:
                reports = draw(st.lists(_REPORTS, min_size=len(results), max_size=len(results)))
                cluster.steps.append(Update(_reported(claim, results, reports)))
        case "wait":
            cluster.wait(5)
        case "minute":
            cluster.wait(61)
        case "long":
            cluster.wait(draw(st.sampled_from([601, 595])))
        case "same":
            cluster.add_pod(claim_user("c0"))
        case "removed":
            cluster.remove_pod(0)
        case "deleted":
            cluster.steps.append(deleting(claims[0][0]))
        case _:
            _add_rival(cluster)


@st.composite
def _conditions(draw: DrawFn) -> History:
    """A pod waits for one device or two, of one claim or two: they are ready, fail, or nobody says so in time.
    Others use the claim, or want a device."""
    cluster, claims = _waiting(draw)
    for happening in draw(
        st.lists(
            st.sampled_from([*["report"] * 3, "wait", "minute", "long", "pod", "same", "removed", "deleted"]),
            min_size=2,
            max_size=4,
        )
    ):
        _happen(draw, happening, cluster, claims)
        cluster.schedule(2)
    cluster.wait(601)
    cluster.schedule()
    timeouts = draw(_TIMEOUTS)
    return cluster.history(
        profile_config(default_profile(("DynamicResources", timeouts))) if timeouts else None
    )


def histories() -> SearchStrategy[History]:
    return st.one_of(_conditions(), served_resources.histories())
