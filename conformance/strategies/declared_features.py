# SPDX-License-Identifier: Apache-2.0
"""Declared features: pods that require features of the kubelet, and nodes that declare them or do so later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, cpu, node, pod, with_metadata, with_spec, with_status
from refsched.suite.histories.history import History

Json = dict[str, Any]

_RESTART = "RestartAllContainersOnContainerExits"
_USERS = "UserNamespacesHostNetworkSupport"
_MOUNTS = "VolumeBindMountOptions"
_DECLARED = st.sampled_from([[], [_RESTART], [_USERS], [_RESTART, _USERS], [_MOUNTS], [_USERS, _MOUNTS]])


def _rule(action: str) -> Json:
    return {"action": action, "exitCodes": {"operator": "In", "values": [1]}}


_ALL, _OWN = _rule("RestartAllContainers"), _rule("Restart")
_RESTARTING: SearchStrategy[Json] = st.sampled_from([[_ALL], [_ALL], [_OWN, _ALL], [_OWN]]).map(
    lambda rules: {"restartPolicy": "Never", "restartPolicyRules": rules}
)

_NOEXEC: Json = {"name": "v", "mountPath": "/v", "bindMountOptions": ["noexec"]}
_PLAIN: Json = {"name": "v", "mountPath": "/w"}
_MOUNTING: SearchStrategy[Json] = st.sampled_from([[_NOEXEC], [_PLAIN, _NOEXEC], [_PLAIN]]).map(
    lambda mounts: {"volumeMounts": mounts}
)
_MAIN, _OTHER = container("main", cpu("1")), container("other", cpu("1"))
_PLACES: SearchStrategy[Callable[[Json], Json]] = st.sampled_from(
    [
        *[lambda special: {"containers": [special]}] * 2,
        lambda special: {"containers": [_MAIN, special]},
        lambda special: {"containers": [_MAIN], "initContainers": [special]},
        lambda special: {"containers": [_MAIN], "initContainers": [_OTHER, special]},
    ]
)


def _in_a_container(says: Json, place: Callable[[Json], Json]) -> Json:
    """Returns the containers of a pod, one of which says this, and their volume."""
    return {**place(container("special", cpu("1"), **says)), "volumes": [{"name": "v", "emptyDir": {}}]}


def _of_containers(says: SearchStrategy[Json]) -> SearchStrategy[Json]:
    return st.builds(_in_a_container, says, _PLACES)


_HOST_USERS: Json = {"hostNetwork": True, "hostUsers": False}
_SHAPES: SearchStrategy[Json] = st.one_of(
    _of_containers(_RESTARTING),
    _of_containers(_MOUNTING),
    st.builds(lambda shape: {**shape, **_HOST_USERS}, _of_containers(_RESTARTING)),
    st.sampled_from(
        [
            {"requests": cpu("1"), **_HOST_USERS},
            {"requests": cpu("1"), "hostNetwork": True},
            {"requests": cpu("1"), "hostUsers": False},
            {"requests": cpu("1"), "hostNetwork": True, "hostUsers": True},
            {"requests": cpu("1")},
        ]
    ),
)


def _declaring(declared: list[str], cores: str) -> Json:
    amounts = {"cpu": cores, "pods": "9"}
    return with_status(node("", amounts), declaredFeatures=declared, allocatable=amounts)


_NODES = st.builds(_declaring, _DECLARED, st.sampled_from(["1", "2", "4"]))
_UPDATES: tuple[Callable[[Json], Json], ...] = (
    lambda value: with_spec(value, hostUsers=None),
    *[lambda value: with_spec(value, hostNetwork=True, hostUsers=False)] * 3,
    lambda value: with_metadata(value, annotations={"note": "x"}),
    lambda value: with_metadata(value, labels={"app": "a"}),
    lambda value: with_spec(value, tolerations=[{"key": "k", "operator": "Exists"}]),
)


@st.composite
def _features(draw: DrawFn) -> History:
    cluster = HistoryBuilder()
    for value in draw(st.lists(_NODES, min_size=1, max_size=3)):
        cluster.add_node(value)
    if draw(st.booleans()):
        cluster.add_pod(pod("", cpu("1"), priority=-1), 0)
    for shape in draw(st.lists(_SHAPES, min_size=3, max_size=6)):
        cluster.add_pod(pod("", priority=draw(st.sampled_from([0, 5])), **shape))
    cluster.schedule()
    for happening in draw(st.lists(st.sampled_from(["node", "pod", "new", "pod"]), min_size=2, max_size=4)):
        index = draw(st.integers(0, 5))
        match happening:
            case "node":
                cluster.change_node(index, draw(_NODES))
            case "new":
                cluster.add_node(draw(_NODES))
            case _:
                cluster.change_pod(index, draw(st.sampled_from(_UPDATES)))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def histories() -> SearchStrategy[History]:
    return _features()
