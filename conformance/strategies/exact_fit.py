# SPDX-License-Identifier: Apache-2.0
"""Nodes whose allocatable of one resource is used to its last unit by pods that all request the same amount,
and one pod more. Any container requests it, and any kind of resource is requested.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, default_profile, node, pod, profile_config, with_status
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_HUGE = "hugepages-2Mi"
_NATIVE = "kubernetes.io/thing"
_EXTENDED = "example.com/gpu"
_AMPLE = "example.com/fpga"
_FULL = st.sampled_from(
    [
        (_EXTENDED, ("0", "1", "2", "3")),
        (_NATIVE, ("0", "2", "4", "5")),
        (_HUGE, ("0", "2Mi", "4Mi", "6Mi")),
        ("ephemeral-storage", ("1", "1Gi", "2147483648", "3221225471")),
        ("memory", ("1", "1Gi", "2147483648", "3221225471")),
        ("cpu", ("1m", "333m", "666m", "1")),
    ]
)
"""A resource, and how much of it: next to nothing, what a pod asks for, room for two, and for three or nearly."""


def _asking(name: str, amounts: tuple[str, ...], shape: str) -> Json:
    """All pods request the same total; ``shape`` selects the container that requests it."""
    little, much = amounts[:2]
    beside = {_HUGE: {"memory": "1"}, _NATIVE: {_AMPLE: "1"}}.get(name, {})

    def part(letter: str, amount: str, **more: Any) -> Json:
        asked = {**beside, name: amount} if amount != "0" else {}
        made = container(letter, asked, **more)
        limits = {each: asked[each] for each in (_EXTENDED, _HUGE, _AMPLE) if each in asked}
        if limits:
            made["resources"]["limits"] = limits
        return made

    match shape:
        case "second":
            return pod("", containers=[part("c", little), part("d", much)])
        case "starting":
            return pod(
                "", containers=[part("c", little)], initContainers=[part("i", much), part("j", little)]
            )
        case "sidecar":
            beside_it = part("i", much, restartPolicy="Always")
            return pod("", containers=[part("c", "0")], initContainers=[beside_it])
    return pod("", containers=[part("c", much)])


_SHAPES = st.sampled_from(["", "second", "starting", "sidecar"])
_IGNORED = st.sampled_from(["nothing", "nothing", "nothing", "resource", "group"])
_AFTERWARDS = st.sampled_from(["leaves", "leaves", "grows", "a little", "shrinks"])


def histories() -> SearchStrategy[History]:
    @st.composite
    def node_in_use(draw: DrawFn) -> History:
        cluster = HistoryBuilder()
        name, amounts = draw(_FULL)
        shape = draw(_SHAPES)
        room = draw(st.sampled_from([2, 2, 3, 1]))
        ample = {"cpu": "9", "memory": "9Gi", "pods": "9", _AMPLE: "9"}
        cluster.add_node(node("", {**ample, name: amounts[room]}))
        running = draw(st.sampled_from([0, 0, 1, 2]))
        for number in range(4):
            cluster.add_pod(_asking(name, amounts, shape), 0 if number < running else -1)
        cluster.schedule()
        match draw(_AFTERWARDS):
            case "leaves":
                cluster.remove_pod(0)
            case "grows" | "a little" | "shrinks" as how:
                now = amounts[{"grows": 3, "a little": 2, "shrinks": 1}[how]]
                cluster.change_node(0, with_status(cluster.nodes["n1"], allocatable={**ample, name: now}))
        cluster.wait()
        cluster.schedule()
        return cluster.history(_config(name, draw(_IGNORED)))

    return node_in_use()


def _config(name: str, ignored: str) -> Json:
    """NodeResourcesFit is configured to ignore the resource or its whole group, which affects extended resources
    only."""
    match ignored:
        case "resource":
            args: Json = {"ignoredResources": [name]}
        case "group":
            args = {"ignoredResourceGroups": [name.partition("/")[0]]}
        case _:
            return DEFAULT_CONFIG
    return profile_config(default_profile(("NodeResourcesFit", args)))
