# SPDX-License-Identifier: Apache-2.0
"""Volumes that are assumed for one pod, and not bound yet, while another pod wants them; and what becomes of them
where the first pod fails before anything was written."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import node, pod
from conformance.vocabulary.scripted import SCRIPTED, key, script
from conformance.vocabulary.storage import (
    HERE,
    SELECTED_NODE,
    a_claim,
    a_volume,
    bound_pair,
    reaching,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History, Permit, Update

Json = dict[str, Any]

_WAYS: tuple[tuple[str, str, str], ...] = (
    ("ScriptedA", "permit", "Wait"),
    ("ScriptedA", "permit", "Unschedulable"),
    ("ScriptedA", "reserve", "Unschedulable"),
    ("ScriptedA", "permit", "Wait:1"),
    ("ScriptedA", "preBind", "Error"),
)
"""How the first pod comes to wait, or to fail, once its volumes are assumed."""

_WITHOUT_RESERVE: Json = deepcopy(SCRIPTED)
_WITHOUT_RESERVE["profiles"][0]["plugins"]["reserve"] = {"disabled": [{"name": "VolumeBinding"}]}

_BOUND = bound_pair("c1", "v1")
_CLAIMS = st.sampled_from(
    [
        [a_claim("c1"), a_claim("c2")],
        [a_claim("c1"), a_claim("c2")],
        [a_claim("c1"), a_claim("c2", spec={"resources": {"requests": {"storage": "2Gi"}}})],
        [a_claim(name, spec={"storageClassName": "made"}) for name in ("c1", "c2")],
        *[[a_claim("c1"), a_claim("c2", spec={"storageClassName": "made"})]] * 3,
    ]
)
"""The pod that uses both in the last case has one that is matched and one that is provisioned."""
_LARGE = a_volume(spec={"capacity": {"storage": "2Gi"}})
_VOLUMES = st.sampled_from(
    [[a_volume()], [_LARGE], [a_volume(spec=reaching(HERE))], [a_volume(), _LARGE], [_LARGE, a_volume()]]
)
_USED = st.sampled_from([using("c2"), using("c2"), using("c1"), using("c1", "c2")])
_MEANWHILE = st.sampled_from(
    [
        "nothing",
        "allow",
        *["reject"] * 3,
        "delete",
        "delete the node",
        "change the volume",
        "change the claim",
    ]
)


@st.composite
def _promised(draw: DrawFn) -> History:
    cluster = HistoryBuilder(hosts=True)
    claims = draw(_CLAIMS)
    volumes = [
        {**value, "metadata": {"name": f"v{number}"}} for number, value in enumerate(draw(_VOLUMES), 1)
    ]
    if draw(st.sampled_from([False, False, False, True])):
        claims, volumes = [_BOUND[0], *claims[1:]], [_BOUND[1], *volumes[1:]]
    cluster.add(storage_class("hand"), storage_class("made", "csi.example"), *claims, *volumes)
    for _ in range(draw(st.sampled_from([2, 1, 2]))):
        cluster.add_node(node(""))
    first = pod(
        "",
        volumes=draw(st.sampled_from([using("c1"), using("c1", "c2")])),
        script=script(draw(st.sampled_from(_WAYS))),
    )
    cluster.add_pod(first)
    cluster.schedule(1)
    cluster.add_pod(pod("", volumes=draw(_USED)))
    cluster.schedule(1)
    _change(cluster, draw(_MEANWHILE), claims[0], volumes[0])
    cluster.wait()
    cluster.schedule()
    return cluster.history(draw(st.sampled_from([SCRIPTED, SCRIPTED, SCRIPTED, _WITHOUT_RESERVE])))


def _change(cluster: HistoryBuilder, what: str, claim: Json, volume: Json) -> None:
    match what:
        case "allow" | "reject":
            cluster.steps.append(Permit(key(cluster.pods["p1"]), what))
        case "delete":
            cluster.remove_pod(0)
        case "delete the node":
            cluster.remove_node(0)
            cluster.steps.append(Permit(key(cluster.pods["p1"]), "allow"))
        case "change the volume":
            cluster.steps.append(Update(with_some(volume, metadata={"labels": {"disk": "ssd"}})))
        case "change the claim":
            cluster.steps.append(Update(with_some(claim, metadata={"annotations": {SELECTED_NODE: "n1"}})))


def _given_back(
    point: str, volumes: list[Json], first: tuple[str, ...], then: tuple[str, ...], nodes: int
) -> History:
    """The first pod fails with a volume that the second one could have, or with a claim for another node."""
    cluster = HistoryBuilder()
    cluster.add(storage_class("hand"), storage_class("made", "csi.example"))
    cluster.add(a_claim("c1"), a_claim("c2"), a_claim("c3", spec={"storageClassName": "made"}))
    cluster.add(*({**value, "metadata": {"name": f"v{number}"}} for number, value in enumerate(volumes, 1)))
    for _ in range(nodes):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using(*first), script=script(("ScriptedA", point, "Unschedulable"))))
    cluster.schedule(1)
    cluster.add_pod(pod("", volumes=using(*then)))
    cluster.schedule(1)
    return cluster.history(SCRIPTED)


_GIVEN_BACK = st.builds(
    _given_back,
    st.sampled_from(["reserve", "permit"]),
    st.sampled_from([[a_volume()], [a_volume(), _LARGE]]),
    st.sampled_from([("c1",), ("c1", "c3"), ("c3", "c1")]),
    st.sampled_from([("c2",), ("c3",), ("c3", "c2")]),
    st.sampled_from([1, 2, 2]),
)


def histories() -> SearchStrategy[History]:
    return st.one_of(_promised(), _promised(), _GIVEN_BACK)
