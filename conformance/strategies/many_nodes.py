# SPDX-License-Identifier: Apache-2.0
"""More than a hundred nodes: the search goes from zone to zone, starts where the last one ended, ends early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.history import History
from conformance.strategies.objects import REGION, ZONE, combinations, cpu, node, pod, profile_config
from conformance.strategies.scenes import Scene

Json = dict[str, Any]

_SIZES = st.sampled_from([101, 102, 110, 120, 135, 150])
"""Up to a hundred nodes are all looked at."""

_ZONES: SearchStrategy[Callable[[int], Json]] = st.sampled_from(
    [
        lambda number: {},
        lambda number: {ZONE: "abc"[number % 3]},
        lambda number: {ZONE: "ab"[number > 60]},
        lambda number: {ZONE: "b"} if number % 10 else {},
        lambda number: {ZONE: "ab"[number % 2], REGION: "rs"[number % 3 == 0]},
        lambda number: {ZONE: f"z{number // 7}"},
    ]
)
_SMALL: SearchStrategy[Callable[[int], bool]] = st.sampled_from(
    [
        lambda number: False,
        lambda number: number % 2 == 0,
        lambda number: number < 40,
        lambda number: number % 10 != 0,
        lambda number: number != 77,
    ]
)
"""Which nodes have too little for some of the pods."""

_PODS = combinations(
    lambda amount, selector: pod("", cpu(amount), nodeSelector=selector),
    ("2", "1", "", "4"),
    ({}, {}, {ZONE: "a"}),
)
_CONFIGS = combinations(
    lambda percentage, parallelism: profile_config(
        **({"percentageOfNodesToScore": percentage} if percentage else {}),
        **({"parallelism": parallelism} if parallelism else {}),
    ),
    (0, 5, 50, 95, 100),
    (1, 1, 0),
)


@st.composite
def _histories(draw: DrawFn) -> History:
    size, zone_of, is_small = draw(_SIZES), draw(_ZONES), draw(_SMALL)
    scene = Scene()
    for number in range(size):
        amounts = {"cpu": "1" if is_small(number) else "3", "memory": "8Gi", "pods": "9"}
        scene.add_node(node("", amounts, zone_of(number)))
    for value in draw(st.lists(_PODS, min_size=1, max_size=5)):
        scene.add_pod(value)
    scene.schedule()
    for index in draw(st.lists(st.integers(0, 150), max_size=2)):
        scene.remove_node(index)
        scene.add_pod(draw(_PODS))
        scene.schedule(2)
    return scene.history(draw(_CONFIGS))


def histories() -> SearchStrategy[History]:
    return _histories()
