# SPDX-License-Identifier: Apache-2.0
"""Images that nodes have: their names, their sizes, and on how many nodes they are."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History
from conformance.strategies.objects import CPU_REQUESTS, combinations, container, cpu, node, pod
from conformance.strategies.scenes import scenes

Json = dict[str, Any]

_MB = 1024 * 1024
_SIZES = (500 * _MB, 23 * _MB, 23 * _MB + 1, 1000 * _MB, 2000 * _MB + 1, 300 * _MB, 1)
"""Scores rise from 23 MB an image, spread over the nodes that have it, to 1000 MB a container."""

_DIGEST = "registry/a@sha256:" + "0" * 64
_NAMES = (("a:latest",), ("b:1",), ("a:latest", _DIGEST), ("registry:5000/b:latest",), ("b:1", "b:2"))
_ASKED = ("a", "b:1", "a:latest", "registry:5000/b", _DIGEST, "b:2", "elsewhere")

_IMAGES = st.lists(
    combinations(lambda names, size: {"names": list(names), "sizeBytes": size}, _NAMES, _SIZES), max_size=3
)
_NODES = st.builds(lambda images: node(images=images), _IMAGES)
_CONTAINERS = st.lists(st.sampled_from(_ASKED), min_size=1, max_size=3)


def _pod(asked: list[str], starting: str, amount: str) -> Json:
    return pod(
        "",
        containers=[container(f"c{number}", cpu(amount), image=image) for number, image in enumerate(asked)],
        initContainers=[container("i", image=starting)] if starting else [],
    )


_PODS = st.builds(_pod, _CONTAINERS, st.sampled_from(["", "", "a", "b:1"]), CPU_REQUESTS)


def histories() -> SearchStrategy[History]:
    return scenes(_NODES, _PODS)
