# SPDX-License-Identifier: Apache-2.0
"""Kept places: who has made room for itself, or was promised some, and then waits on Permit or is held, while
others come for the same room, and while it is deleted, bound by somebody else or evicted.

A promise ends where the pod is assumed: what is kept for it counts once. (Of a promise to a pod in no queue only
the name is known. It would count as one pod more, of priority 0, that asks for nothing.)
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.history import History, Permit
from conformance.strategies.faults import SCRIPTED, key, release_all, script
from conformance.strategies.objects import START_TIMES, combinations, cpu, node, pod, with_metadata, with_spec
from conformance.strategies.scenes import Scene

Json = dict[str, Any]

_WAITS = ("ScriptedA", "permit", "Wait")
_WAYS: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (_WAITS,),
    (_WAITS,),
    (("ScriptedA", "preBind", "Hold"),),
    (("ScriptedA", "preBind", "Hold:Error"),),
    (_WAITS, ("ScriptedB", "preBind", "Unschedulable")),
    (("ScriptedA", "reserve", "Hold:Unschedulable"),),
    (("ScriptedB", "permit", "Hold"),),
    (("ScriptedA", "permit", "Wait:1.5"),),
    (),
)
"""How the first pod is kept from being bound, and what comes of it."""

_FIRST = combinations(
    lambda amount, priority, nominated, way: pod(
        "",
        cpu(amount),
        labels={"app": "a"},
        priority=priority,
        script=script(*way),
        status={"nominatedNodeName": nominated} if nominated else None,
    ),
    ("1", "1", "1", "2"),
    (10, 10, 5, 0),
    ("n1", "", "n1", "n2"),
    _WAYS,
)
_OTHERS = combinations(
    lambda amount, priority, waits: pod(
        "", cpu(amount), priority=priority, script=script(_WAITS) if waits else None
    ),
    ("1", "500m", "2"),
    (0, 10, 20, -1, 5),
    (False, False, True),
)
_VICTIMS = combinations(
    lambda amount, priority, start: pod("", cpu(amount), priority=priority, status={"startTime": start}),
    ("2", "1"),
    (-2, 1, 6),
    START_TIMES[:2],
)
_MEANWHILE = st.sampled_from(
    ["nothing", "nothing", "allow", "reject", "delete", "relabel", "bind", "withdraw", "anew"]
)

_AFTERWARDS = st.sampled_from(["rival", "rival", "delete", "nothing"])


def histories() -> SearchStrategy[History]:
    @st.composite
    def kept(draw: DrawFn) -> History:
        scene = Scene()
        number, room = draw(st.sampled_from([(1, "2"), (1, "2"), (1, "9"), (2, "9")]))
        for _ in range(number):
            scene.add_node(node("", {"cpu": "2", "pods": room}))
        for home in range(number):
            for victim in draw(st.lists(_VICTIMS, max_size=1)):
                scene.add_pod(victim, home)
        first = len(scene.pods)
        scene.add_pod(draw(_FIRST))
        scene.schedule(1)
        scene.wait()
        scene.schedule(1)
        for other in draw(st.lists(_OTHERS, min_size=1, max_size=2)):
            scene.add_pod(other)
        scene.schedule(draw(st.sampled_from([1, 2, 0])))
        value = list(scene.pods.values())[first]
        _change(scene, draw(_MEANWHILE), value)
        release_all(scene)
        scene.schedule(draw(st.sampled_from([1, 2, 0])))
        _change(scene, draw(_AFTERWARDS), value)
        scene.wait()
        release_all(scene)
        scene.schedule()
        return scene.history(SCRIPTED)

    return kept()


def _change(scene: Scene, what: str, value: Json) -> None:
    """To this pod, if it is still there; or one comes that is more important than all."""
    index = (
        list(scene.pods).index(value["metadata"]["name"]) if value["metadata"]["name"] in scene.pods else -1
    )
    match what:
        case "allow" | "reject":
            scene.steps.append(Permit(key(value), what))
        case "delete" | "anew" if index >= 0:
            scene.remove_pod(index)
            if what == "anew":
                scene.add_pod(with_metadata(value, labels={"app": "b"}))
        case "relabel" if index >= 0:
            scene.change_pod(index, lambda pod: with_metadata(pod, labels={"app": "b"}))
        case "bind" if index >= 0:
            scene.change_pod(index, lambda pod: with_spec(pod, nodeName="n1"))
        case "withdraw" if index >= 0:
            scene.change_pod(index, lambda pod: {**pod, "status": {"nominatedNodeName": ""}})
        case "rival":
            scene.add_pod(pod("", cpu("2"), priority=30))
