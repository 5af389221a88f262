# SPDX-License-Identifier: Apache-2.0
"""Pods that wait on a full cluster, each rejected for another reason, and events that may make some
schedulable.

Every event asks the queueing hints for all pods that wait, so that few histories cover many pairs of a reason
and an event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import nodes_created, nodes_removed, pods_removed, pods_running
from conformance.strategies.drawn import any_of, combinations, switched
from conformance.strategies.requeueing import node_changes, pod_updates, relabelled
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    REQUIRED,
    ZONE,
    container,
    node,
    pod,
    with_metadata,
    with_spec,
    with_status,
)
from refsched.suite.histories.history import History

Json = dict[str, Any]

_GPU = "example.com/gpu"
_STORAGE = "ephemeral-storage"
_NATIVE = "kubernetes.io/thing"
_DISKS = "attachable-volumes-x"
_ROOM = {"cpu": "2", "memory": "2Gi", _STORAGE: "2Gi", _GPU: "2"}
_TAINT = {"key": "k", "effect": "NoSchedule"}
_APP_A, _APP_B = {"app": "a"}, {"app": "b"}

# --- Running pods and their nodes -----------------------------------------------------------------

_FIRST = combinations(
    lambda labels, pods: node("", {**_ROOM, "pods": pods}, labels),
    ({ZONE: "a", "rack": "r"}, {ZONE: "a"}),
    ("9", "9", "1"),
)
_SECOND = combinations(
    lambda labels, spec: node("", {**_ROOM, "pods": "9"}, labels, **spec),
    ({ZONE: "b", "rack": "s"}, {ZONE: "b"}, {ZONE: "a"}, {"rack": "r"}),
    ({"unschedulable": True}, {"taints": [_TAINT]}, {"taints": [_TAINT], "unschedulable": True}),
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

# --- What may help, or not ------------------------------------------------------------------------

Changing = Callable[[Json], Json]


def _asking(requests: Json) -> Changing:
    """Changes these requests of the pod's first container, and keeps the others."""

    def changed(value: Json) -> Json:
        first, *others = value["spec"]["containers"]
        asked = {**first.get("resources", {}).get("requests", {}), **requests}
        return with_spec(value, containers=[{**first, "resources": {"requests": asked}}, *others])

    return changed


def _offering(amounts: Json) -> Changing:
    return lambda value: with_status(value, allocatable={**value["status"]["allocatable"], **amounts})


def _relabelling(labels: Json) -> Changing:
    return lambda value: with_metadata(value, labels=labels)


def _tolerating(toleration: Json) -> Changing:
    return lambda value: with_spec(value, tolerations=[*value["spec"].get("tolerations", []), toleration])


def _shrunk(*less: Json) -> SearchStrategy[Change]:
    """Draws a running pod that from now on asks for no more than this of one resource."""
    return st.builds(
        lambda index, requests: lambda cluster: cluster.change_pod(index, _asking(requests)),
        st.sampled_from([0, 1]),
        st.sampled_from(less),
    )


def _offered(*amounts: Json) -> SearchStrategy[Change]:
    return node_changes(_offering, st.sampled_from(amounts))


_MORE_OF_ANYTHING = _offered({"cpu": "4"}, {"memory": "4Gi"}, {_STORAGE: "4Gi"}, {_GPU: "4"}, {"pods": "10"})
_LESS_OF_ANYTHING = _offered({"cpu": "1900m"}, {"memory": "1900Mi"}, {"pods": "8"}, {_GPU: "1"})
_PLACES = st.sampled_from(
    [
        {ZONE: "b", "rack": "s"},
        {ZONE: "c"},
        {ZONE: "a"},
        {"rack": "r"},
        {ZONE: "a", "rack": "r"},
        {ZONE: "b", "rack": "r"},
        {},
        {ZONE: "a", "disk": "ssd"},
    ]
)
_MOVED = relabelled(_PLACES)
_CORDONED = node_changes(
    lambda spec: lambda value: with_spec(value, **spec),
    st.sampled_from(
        [{"taints": []}, {"unschedulable": False}, {"taints": [_TAINT]}, {"unschedulable": True}]
    ),
)
_COMPANY = pods_running(
    combinations(
        lambda labels, namespace: pod("", labels=labels, namespace=namespace),
        (_APP_B, _APP_A, {}),
        ("", "", "other"),
    )
)
_RENAMED = pod_updates(_relabelling, st.sampled_from([_APP_B, {}, _APP_A]))
_TOLERATED = pod_updates(
    _tolerating, st.sampled_from([{"key": "k", "operator": "Exists"}, {"operator": "Exists"}])
)
_AT_A_PORT = pods_running(
    st.sampled_from([80, 81]).map(
        lambda port: pod("", containers=[container("c", ports=[{"containerPort": port, "hostPort": port}])])
    )
)

# --- Waiting pods and the events that requeue them ------------------------------------------------


def _wanting(requests: Json) -> Json:
    return {"containers": [container("c", requests)]}


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


Reason = tuple[Json, SearchStrategy[Change]]
"""What a pod asks for and is not given, and what may change that."""

_SHORT_OF: tuple[Reason, ...] = tuple(
    (_wanting(requests), helps | _MORE_OF_ANYTHING | _LESS_OF_ANYTHING)
    for requests, helps in (
        ({"cpu": "1500m"}, _shrunk({"cpu": "500m"}) | _offered({"cpu": "1"})),
        ({"memory": "1536Mi"}, _shrunk({"memory": "512Mi"})),
        ({_STORAGE: "1Gi"}, _shrunk({_STORAGE: "512Mi"})),
        ({_GPU: "1"}, _shrunk({_GPU: "1"}, {_GPU: "0"})),
        ({"cpu": "0", "memory": "1536Mi"}, _shrunk({"cpu": "500m"})),
        ({_GPU: "0", _STORAGE: "1Gi"}, _shrunk({_GPU: "1"})),
        ({_NATIVE: "1"}, _offered({_NATIVE: "1"})),
        ({_DISKS: "1"}, _offered({_DISKS: "1"})),
    )
)
_NEIGHBOURLY: tuple[Reason, ...] = tuple(
    (_affine(where, key, labels), _MOVED | _COMPANY | _RENAMED)
    for where, labels in (("podAffinity", _APP_B), ("podAntiAffinity", _APP_A))
    for key in (ZONE, "rack", HOSTNAME)
)
_EVEN: tuple[Reason, ...] = (
    *((_spread(key, {}), _MOVED | _COMPANY | _RENAMED | _CORDONED) for key in (ZONE, "rack", HOSTNAME)),
    *(
        (_spread(key, {"nodeTaintsPolicy": "Honor"}), _TOLERATED | _CORDONED)
        for key in (ZONE, HOSTNAME, ZONE)
    ),
    (_spread(ZONE, {"minDomains": 3}), _MOVED | nodes_created(_SECOND)),
    (_spread(ZONE, {"minDomains": 3}), _CORDONED | _COMPANY),
)
_ELSEWHERE: tuple[Reason, ...] = (
    (
        {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]},
        _AT_A_PORT | pods_removed() | _MOVED | _CORDONED,
    ),
    ({"nodeSelector": {"disk": "ssd"}}, _MOVED),
    ({"nodeSelector": {ZONE: "b"}}, _CORDONED | _TOLERATED),
    ({"nodeSelector": {ZONE: "c"}, "tolerations": [{"operator": "Exists"}]}, _MOVED),
    ({"labels": _APP_B}, _CORDONED | _TOLERATED),
)
_REASONS = st.one_of(*(st.sampled_from(each) for each in (_SHORT_OF, _NEIGHBOURLY, _EVEN, _ELSEWHERE)))
_TOLERANT = st.sampled_from(
    [{}, {"tolerations": [{"key": "k", "operator": "Exists"}]}, {"tolerations": [{"operator": "Exists"}]}]
)
"""What tolerates everything is rejected for its own reason alone."""
_ANYTHING = st.one_of(
    *(_MOVED, _CORDONED, _COMPANY, _RENAMED, _TOLERATED),
    *(pods_removed(), nodes_created(_SECOND), nodes_removed()),
)


def _so_many(strategy: SearchStrategy[Any], *sizes: int) -> SearchStrategy[list[Any]]:
    return st.sampled_from(sizes).flatmap(lambda size: st.lists(strategy, min_size=size, max_size=size))


@st.composite
def _full(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    for node_of in (_FIRST, _SECOND):
        cluster.add_node(draw(node_of))
    for home, filling in enumerate(draw(_so_many(_FILLING, 1, 2))):
        cluster.add_pod(filling, home)
    reasons = draw(_so_many(_REASONS, 1, 5, 4, 3, 6))
    for reason, _ in reasons:
        cluster.add_pod(pod("", **{**draw(_TOLERANT), **reason}))
    cluster.schedule()
    helps = [help_ for _, help_ in reasons]
    for happens in draw(_so_many(any_of(*helps, *helps, _ANYTHING), 1, 6, 8, 5, 9, 7)):
        happens(cluster)
        cluster.wait()
        cluster.schedule()
    return cluster.history(gates=draw(switched("InPlacePodVerticalScaling")))


# --- Nodes that go from domain to domain ----------------------------------------------------------

_OF_DOMAINS = st.sampled_from(
    [
        *[_affine("podAntiAffinity", key, _APP_A) for key in (ZONE, "rack", ZONE)],
        *[_affine("podAffinity", key, _APP_B) for key in (ZONE, "rack")],
        *[_spread(key, {"minDomains": 3}) for key in (ZONE, "rack")],
        {"nodeSelector": {ZONE: "c"}},
        {"nodeSelector": {"rack": ""}},
    ]
)
_VALUES = st.sampled_from(["a", "b", None, "", "c"])
_DOMAINS = st.builds(
    lambda zone, rack: {key: value for key, value in ((ZONE, zone), ("rack", rack)) if value is not None},
    _VALUES,
    _VALUES,
)


@st.composite
def _in_domains(draw: DrawFn) -> History:
    """Pods that are rejected for the domains of nodes and for nothing else, while nodes go from one to another, or
    lose their label."""
    cluster = HistoryBuilder(hosts=True)
    for home in (0, 1):
        cluster.add_node(node("", _ROOM | {"pods": "9"}, draw(_DOMAINS)))
        cluster.add_pod(pod("", labels=_APP_A), home)
    for wish in draw(_so_many(_OF_DOMAINS, 4, 6)):
        cluster.add_pod(pod("", **wish))
    cluster.schedule()
    for change in draw(_so_many(relabelled(_DOMAINS), 5, 7)):
        change(cluster)
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def histories() -> SearchStrategy[History]:
    return st.one_of(_full(), _full(), _in_domains())
