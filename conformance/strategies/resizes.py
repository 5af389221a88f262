# SPDX-License-Identifier: Apache-2.0
"""Resizes in place: what containers of a running pod ask for now, and what the kubelet says that they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.objects import (
    CPU_AMOUNTS,
    combinations,
    container,
    cpu,
    node,
    pod,
    switched,
    with_spec,
    with_status,
)
from conformance.strategies.scenes import Scene, pod_changes
from refsched.suite.histories.history import History

Json = dict[str, Any]


def resized(
    requests: Json, granted: Json, used: Json, problem: str, which: str = "first"
) -> Callable[[Json], Json]:
    """What a container asks for now, and what the kubelet says of it: the first of them, the last, or the first or
    last that starts, if there is one. Of the others it says nothing but that they are there."""

    def resize(value: Json) -> Json:
        starts = which.startswith("starting") and value["spec"].get("initContainers")
        place = "initContainers" if starts else "containers"
        listed = list(value["spec"][place])
        index = len(listed) - 1 if which.endswith("last") else 0
        changed = listed[index]
        resources = {"requests": {**changed.get("resources", {}).get("requests", {}), **requests}}
        if "limits" in changed.get("resources", {}):
            resources["limits"] = changed["resources"]["limits"]
        listed[index] = {**changed, "resources": resources}
        statuses: list[Json] = [{"name": each["name"]} for each in listed]
        statuses[index] |= {"allocatedResources": granted, "resources": {"requests": used}}
        return with_status(
            with_spec(value, **{place: listed}),
            **{"initContainerStatuses" if starts else "containerStatuses": statuses},
            conditions=[
                {"type": "Initialized", "status": "True"},
                *([{"type": "PodResizePending", "status": "True", "reason": problem}] if problem else []),
            ],
        )

    return resize


_CPU = combinations(cpu, CPU_AMOUNTS)
_RESIZES = st.tuples(
    *(_CPU, _CPU, _CPU),
    st.sampled_from(["", "Infeasible", "Deferred"]),
    st.sampled_from(["first", "starting", "last", "starting, the last"]),
)
RESIZES = pod_changes(lambda drawn: resized(*drawn), _RESIZES)


def _pod(first: str, second: str, starting: tuple[str, ...], asked: str) -> Json:
    """``starting`` are the restart policies of those that do; "" for none."""
    return pod(
        "",
        containers=[container("c", cpu(first)), container("d", cpu(second))],
        initContainers=[
            container(f"i{number}", cpu(asked), **({"restartPolicy": policy} if policy else {}))
            for number, policy in enumerate(starting)
        ],
    )


_PODS = combinations(
    _pod,
    ("500m", "1", ""),
    ("250m", "1", ""),
    (("Always",), (), ("Always", "Always"), ("", "Always"), ("",)),
    ("500m", "1501m"),
)


def histories() -> SearchStrategy[History]:
    """A node's observers see at once what each resize comes to."""

    @st.composite
    def resizing(draw: DrawFn) -> History:
        scene = Scene()
        scene.add_node(node("", {"cpu": "4", "memory": "8Gi", "pods": "9"}))
        for _ in range(2):
            scene.add_pod(draw(_PODS), 0)
        scene.schedule(0)
        for change in draw(st.lists(RESIZES, min_size=1, max_size=4)):
            change(scene)
        scene.add_pod(pod("", cpu("1")))
        scene.schedule()
        return scene.history(gates=draw(switched("InPlacePodVerticalScaling")))

    return resizing()
