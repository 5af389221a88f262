# SPDX-License-Identifier: Apache-2.0
"""Promised volumes: what one pod is to have, and does not have yet, while another one wants it; and what becomes
of it where the first pod fails before anything was written."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.claims import a_claim, a_volume, bound_pair, reaching, storage_class, with_some
from conformance.strategies.faults import SCRIPTED, key, script
from conformance.strategies.objects import node, one_in, pod
from conformance.strategies.scenes import Scene
from conformance.strategies.storage import HERE, SELECTED_NODE, using
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
    ]
)
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
    scene = Scene(hosts=True)
    claims = draw(_CLAIMS)
    volumes = [
        {**value, "metadata": {"name": f"v{number}"}} for number, value in enumerate(draw(_VOLUMES), 1)
    ]
    if draw(st.sampled_from([False, False, False, True])):
        claims, volumes = [_BOUND[0], *claims[1:]], [_BOUND[1], *volumes[1:]]
    scene.add(storage_class("hand"), storage_class("made", "csi.example"), *claims, *volumes)
    for _ in range(draw(st.integers(1, 2))):
        scene.add_node(node(""))
    first = pod(
        "",
        volumes=draw(st.sampled_from([using("c1"), using("c1"), using("c1"), using("c1", "c2")])),
        script=script(draw(st.sampled_from(_WAYS))),
    )
    scene.add_pod(first)
    scene.schedule(1)
    scene.add_pod(pod("", volumes=draw(_USED)))
    scene.schedule(1)
    _change(scene, draw(_MEANWHILE), claims[0], volumes[0])
    scene.wait()
    scene.schedule()
    return scene.history(draw(one_in(4, st.just(_WITHOUT_RESERVE), SCRIPTED)))


def _change(scene: Scene, what: str, claim: Json, volume: Json) -> None:
    match what:
        case "allow" | "reject":
            scene.steps.append(Permit(key(scene.pods["p1"]), what))
        case "delete":
            scene.remove_pod(0)
        case "delete the node":
            scene.remove_node(0)
            scene.steps.append(Permit(key(scene.pods["p1"]), "allow"))
        case "change the volume":
            scene.steps.append(Update(with_some(volume, metadata={"labels": {"disk": "ssd"}})))
        case "change the claim":
            scene.steps.append(Update(with_some(claim, metadata={"annotations": {SELECTED_NODE: "n1"}})))


def _given_back(point: str, volumes: list[Json]) -> History:
    """The first pod fails with a volume that the second one could have."""
    scene = Scene()
    scene.add(storage_class("hand"), a_claim("c1"), a_claim("c2"))
    scene.add(*({**value, "metadata": {"name": f"v{number}"}} for number, value in enumerate(volumes, 1)))
    scene.add_node(node(""))
    scene.add_pod(pod("", volumes=using("c1"), script=script(("ScriptedA", point, "Unschedulable"))))
    scene.schedule(1)
    scene.add_pod(pod("", volumes=using("c2")))
    scene.schedule(1)
    return scene.history(SCRIPTED)


_GIVEN_BACK = st.builds(
    _given_back, st.sampled_from(["reserve", "permit"]), st.sampled_from([[a_volume()], [a_volume(), _LARGE]])
)


def histories() -> SearchStrategy[History]:
    return st.one_of(*[_promised()] * 5, _GIVEN_BACK)
