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


def _restarting(action: str) -> Json:
    rule = {"action": action, "exitCodes": {"operator": "In", "values": [1]}}
    return {"restartPolicy": "Never", "restartPolicyRules": [rule]}


def _mounting(**more: Any) -> Json:
    return {"volumeMounts": [{"name": "v", "mountPath": "/v", **more}]}


_VOLUME: Json = {"volumes": [{"name": "v", "emptyDir": {}}]}
_RESTARTS_ALL = container("c", cpu("1"), **_restarting("RestartAllContainers"))
_SHAPES: SearchStrategy[Json] = st.sampled_from(
    [
        *[{"containers": [_RESTARTS_ALL]}] * 3,
        {"containers": [container("c", cpu("1"), **_restarting("Restart"))]},
        {"containers": [container("c", cpu("1"))], "initContainers": [{**_RESTARTS_ALL, "name": "i"}]},
        {"requests": cpu("1"), "hostNetwork": True, "hostUsers": False},
        {"requests": cpu("1"), "hostNetwork": True},
        {"requests": cpu("1"), "hostUsers": False},
        {"requests": cpu("1"), "hostNetwork": True, "hostUsers": True},
        {"containers": [container("c", cpu("1"), **_mounting(bindMountOptions=["noexec"]))], **_VOLUME},
        {"containers": [container("c", cpu("1"), **_mounting())], **_VOLUME},
        *[{"containers": [_RESTARTS_ALL], "hostNetwork": True, "hostUsers": False}] * 3,
        {"requests": cpu("1")},
    ]
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
