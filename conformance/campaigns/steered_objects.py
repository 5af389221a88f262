# SPDX-License-Identifier: Apache-2.0
"""Objects, for recordings alone, that other areas create, change or delete but seldom."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import DRIVER, device_class, request, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    selecting,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, key, script
from refsched.suite.histories.history import History, Permit, Release, Update, deleting

Json = dict[str, Any]

# --- Workloads ------------------------------------------------------------------------------------

_APP = {"app": "a"}
_WORKLOADS = (
    selecting("ReplicaSet", "w", {"matchLabels": _APP}),
    selecting("StatefulSet", "w", {"matchExpressions": [{"key": "app", "operator": "Exists"}]}),
    selecting("ReplicationController", "w", _APP, "v1"),
    selecting("Service", "w", _APP, "v1"),
)
_CONSTRAINTS: tuple[Json, ...] = (
    {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"},
    {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway"},
)


@st.composite
def workloads(draw: DrawFn) -> History:
    """Draws pods that are spread by default with those that their workload selects, while it is there."""
    cluster = HistoryBuilder()
    workload = draw(st.sampled_from((*_WORKLOADS, _WORKLOADS[1])))
    for zone in draw(st.sampled_from([("a", "b"), ("a", "a", "b"), ("a", "b", "c")])):
        cluster.add_node(node("", {"cpu": draw(st.sampled_from(["2", "4"])), "pods": "4"}, {ZONE: zone}))
    cluster.add(workload)
    owner = {name: workload[name] for name in ("apiVersion", "kind")}
    owner |= {"name": "w", "uid": "w", "controller": True}
    for label, home in draw(st.lists(st.tuples(st.sampled_from("aab"), st.integers(-1, 1)), min_size=5)):
        is_owned = workload["kind"] != "Service" and draw(st.sampled_from([True, True, False]))
        made = pod("", cpu("500m"), labels={"app": label}, owner=owner if is_owned else None)
        cluster.add_pod(made, home)
    cluster.schedule(3)
    if draw(st.sampled_from([True, True, False])):
        cluster.steps.append(deleting(workload))
        cluster.wait()
    cluster.schedule()
    constraint = draw(st.sampled_from(_CONSTRAINTS))
    args = {"defaultingType": "List", "defaultConstraints": [constraint]}
    return cluster.history(profile_config(default_profile(("PodTopologySpread", args))))


# --- Device classes -------------------------------------------------------------------------------

_MODEL = f"device.attributes['{DRIVER}'].model == "


def _class(model: str) -> Json:
    selectors = [{"cel": {"expression": f"{_MODEL}'{model}'"}}] if model else []
    return device_class("gpu", **({"selectors": selectors} if selectors else {}))


def _claim(name: str) -> Json:
    return resource_claim(name, {"requests": [request("r", [{"deviceClassName": "gpu"}])]})


def _devices(models: list[str]) -> Json:
    return resource_slice(
        "s",
        [
            {"name": f"d{number}", "attributes": {"model": {"string": model}}}
            for number, model in enumerate(models)
        ],
    )


_MODELS = st.sampled_from(["a", "b", "", "c"])
_GATES: tuple[dict[str, bool], ...] = ({}, {"DynamicResourceAllocation": False})


@st.composite
def classes(draw: DrawFn) -> History:
    """Draws a class that changes, is deleted and created again while pods wait for its devices."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add(_devices(draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=3))))
    current = _class(draw(_MODELS))
    cluster.add(current)
    for number in range(draw(st.integers(2, 4))):
        cluster.add(_claim(f"c{number}"))
        cluster.add_pod(pod("", cpu("1"), resourceClaims=[{"name": "g", "resourceClaimName": f"c{number}"}]))
        cluster.schedule(1)
        if draw(st.booleans()):
            current = _class(draw(_MODELS))
            cluster.steps.append(Update(current))
        else:
            cluster.steps.append(deleting(current))
            cluster.schedule(1)
            current = _class(draw(_MODELS))
            cluster.add(current)
        cluster.wait()
        cluster.schedule()
    return cluster.history(gates=draw(st.sampled_from(_GATES)))


@st.composite
def elsewhere(draw: DrawFn) -> History:
    """Draws claims that somebody else allocates while the pod is held, which PreBind detects."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "8", "pods": "9"}))
    count = draw(st.integers(2, 4))
    cluster.add(_devices(["a"] * (count + 1)), _class(""))
    for number in range(count):
        claim = _claim(f"c{number}")
        cluster.add(claim)
        answer = draw(st.sampled_from([("ScriptedA", "reserve", "Hold"), ("ScriptedA", "permit", "Wait")]))
        claims = [{"name": "g", "resourceClaimName": f"c{number}"}]
        cluster.add_pod(pod("", cpu("1"), resourceClaims=claims, script=script(answer)))
        cluster.schedule(1)
        if draw(st.sampled_from([True, True, False])):
            result = {"request": "r", "driver": DRIVER, "pool": "s", "device": f"d{count}"}
            cluster.steps.append(Update(with_status(claim, allocation={"devices": {"results": [result]}})))
        held = key(list(cluster.pods.values())[-1])
        cluster.steps.append(Release(held) if answer[1] == "reserve" else Permit(held, "allow"))
        cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)
