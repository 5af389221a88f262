# SPDX-License-Identifier: Apache-2.0
"""Remedies: several pods wait on a full cluster, each for a reason of its own, and what happens might help some.

Every event asks the hints of all who wait; so few histories tell for many pairs of a reason and an event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.history import History
from conformance.strategies.cures import node_changes, pod_updates, relabelled
from conformance.strategies.objects import (
    HOSTNAME,
    REQUIRED,
    ZONE,
    combinations,
    container,
    node,
    pod,
    switched,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.strategies.scenes import (
    Change,
    Scene,
    nodes_created,
    nodes_removed,
    pods_removed,
    pods_running,
)

Json = dict[str, Any]

_GPU = "example.com/gpu"
_STORAGE = "ephemeral-storage"
_ROOM = {"cpu": "2", "memory": "2Gi", _STORAGE: "2Gi", _GPU: "2"}
_TAINT = {"key": "k", "effect": "NoSchedule"}
_APP_A, _APP_B = {"app": "a"}, {"app": "b"}

# --- Who runs, and where --------------------------------------------------------------------------

_FIRST = combinations(
    lambda labels, pods: node("", {**_ROOM, "pods": pods}, labels),
    ({ZONE: "a", "rack": "r"}, {ZONE: "a"}),
    ("9", "9", "1"),
)
_SECOND = combinations(
    lambda labels, spec: node("", {**_ROOM, "pods": "9"}, labels, **spec),
    ({ZONE: "b", "rack": "s"}, {ZONE: "b"}, {ZONE: "a"}, {"rack": "r"}),
    ({"taints": [_TAINT]}, {"unschedulable": True}, {"taints": [_TAINT], "unschedulable": True}),
)
_FILLING = combinations(
    lambda whole: pod(
        "",
        containers=[
            container("c", {**whole, _GPU: "2"}, ports=[{"containerPort": 80, "hostPort": 80}]),
        ],
        labels=_APP_A,
    ),
    (
        {"cpu": "1500m", "memory": "1536Mi", _STORAGE: "1536Mi"},
        {"cpu": "1", "memory": "1Gi", _STORAGE: "2Gi"},
    ),
)

# --- Who waits, and for what ----------------------------------------------------------------------


def _affine(where: str, key: str, labels: Json) -> Json:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": labels}}
    return {"affinity": {where: {REQUIRED: [term]}}}


def _spread(key: str, more: Json) -> Json:
    constraint = {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": _APP_A},
        **more,
    }
    return {"labels": _APP_A, "topologySpreadConstraints": [constraint]}


_SHORT_OF = tuple(
    {"containers": [container("c", requests)]}
    for requests in (
        {"cpu": "1500m"},
        {"memory": "1536Mi"},
        {_STORAGE: "1Gi"},
        {_GPU: "1"},
        {"cpu": "100m", _GPU: "2"},
        {"cpu": "3"},
        {"cpu": "0", "memory": "1536Mi"},
        {_GPU: "0", _STORAGE: "1Gi"},
    )
)
_NEAR = tuple(_affine("podAffinity", key, _APP_B) for key in (ZONE, "rack", HOSTNAME))
_AWAY = tuple(_affine("podAntiAffinity", key, _APP_A) for key in (ZONE, "rack", HOSTNAME))
_EVEN = (
    *(_spread(key, {}) for key in (ZONE, "rack", HOSTNAME)),
    *(_spread(key, {"nodeTaintsPolicy": "Honor"}) for key in (ZONE, HOSTNAME, ZONE)),
    _spread(ZONE, {"minDomains": 3}),
)
_ELSEWHERE = (
    {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]},
    {"nodeSelector": {"disk": "ssd"}},
    {"nodeSelector": {ZONE: "b"}},
    {"nodeSelector": {ZONE: "c"}, "tolerations": [{"operator": "Exists"}]},
    {"labels": _APP_B},
)
_TOLERANT: tuple[Json, ...] = ({}, {}, {"tolerations": [{"key": "k", "operator": "Exists"}]})
_WAITING = st.builds(
    lambda reason, tolerant: pod("", **{**tolerant, **reason}),
    st.one_of(*(st.sampled_from(reasons) for reasons in (_SHORT_OF, _NEAR, _AWAY, _EVEN, _ELSEWHERE))),
    st.sampled_from(_TOLERANT),
)

# --- What may help, or not ------------------------------------------------------------------------

Changing = Callable[[Json], Json]


def _asking(requests: Json) -> Changing:
    """All other requests of its first container stay."""

    def changed(value: Json) -> Json:
        first, *others = value["spec"]["containers"]
        asked = {**first.get("resources", {}).get("requests", {}), **requests}
        return with_spec(value, containers=[{**first, "resources": {"requests": asked}}, *others])

    return changed


def _offering(amounts: Json) -> Changing:
    return lambda value: with_status(value, allocatable={**value["status"]["allocatable"], **amounts})


def _tolerating(_: Any) -> Changing:
    added = {"key": "k", "operator": "Exists"}
    return lambda value: with_spec(value, tolerations=[*value["spec"].get("tolerations", []), added])


_LESS = st.sampled_from([{_STORAGE: "512Mi"}, {"memory": "512Mi"}, {_GPU: "1"}, {"cpu": "500m"}, {_GPU: "0"}])
_MORE = st.sampled_from(
    [{"cpu": "4"}, {"memory": "4Gi"}, {_STORAGE: "4Gi"}, {_GPU: "4"}, {"pods": "10"}, {"cpu": "1"}]
)
_PLACES = st.sampled_from(
    [
        {ZONE: zone} | ({"rack": rack} if rack else {}) if zone else {"rack": rack}
        for zone in ("b", "c", "a", "")
        for rack in ("s", "", "r")
        if zone or rack
    ]
    + [{ZONE: "a", "disk": "ssd"}]
)
_SPECS: tuple[Json, ...] = (
    {"taints": []},
    {"unschedulable": False},
    {"taints": [_TAINT]},
    {"unschedulable": True},
)
_NEIGHBOURS = combinations(
    lambda labels, namespace, port: pod(
        "",
        labels=labels,
        namespace=namespace,
        containers=[container("c", ports=[{"containerPort": port, "hostPort": port}] if port else [])],
    ),
    (_APP_B, _APP_A, {}),
    ("", "", "other"),
    (0, 0, 81),
)
_SHRUNK = st.builds(
    lambda index, less: lambda scene: scene.change_pod(index, _asking(less)), st.sampled_from([0, 1]), _LESS
)
_HAPPENS: SearchStrategy[Change] = st.one_of(
    _SHRUNK,
    _SHRUNK,
    pod_updates(_asking, _LESS),
    relabelled(_PLACES),
    relabelled(_PLACES),
    node_changes(_offering, _MORE),
    node_changes(lambda spec: lambda value: with_spec(value, **spec), st.sampled_from(_SPECS)),
    pods_running(_NEIGHBOURS),
    pods_removed(),
    pod_updates(_tolerating, st.none()),
    pod_updates(
        lambda labels: lambda value: with_metadata(value, labels=labels),
        st.sampled_from([_APP_B, {}, _APP_A]),
    ),
    nodes_created(_SECOND),
    nodes_removed(),
)


def _so_many(strategy: SearchStrategy[Any], *sizes: int) -> SearchStrategy[list[Any]]:
    return st.sampled_from(sizes).flatmap(lambda size: st.lists(strategy, min_size=size, max_size=size))


@st.composite
def histories(draw: DrawFn) -> History:
    scene = Scene(hosts=True)
    for node_of in (_FIRST, _SECOND):
        scene.add_node(draw(node_of))
    for home, filling in enumerate(draw(_so_many(_FILLING, 1, 2))):
        scene.add_pod(filling, home)
    for waiting in draw(_so_many(_WAITING, 1, 6, 4, 5, 3, 7)):
        scene.add_pod(waiting)
    scene.schedule()
    for happens in draw(_so_many(_HAPPENS, 1, 6, 8, 5, 9, 7)):
        happens(scene)
        scene.wait()
        scene.schedule()
    return scene.history(gates=draw(switched("InPlacePodVerticalScaling")))
