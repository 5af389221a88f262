# SPDX-License-Identifier: Apache-2.0
"""Images that nodes have: their names, their sizes, and on how many nodes they are."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import with_few_changes
from conformance.strategies.drawn import CPU_REQUESTS, combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, cpu, node, pod, with_metadata
from refsched.plugins.image_locality import MAX_CONTAINER_THRESHOLD, MIN_THRESHOLD
from refsched.suite.histories.history import History

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


def _pod(asked: list[str], starting: str, amount: str, mounted: str = "") -> Json:
    return pod(
        "",
        volumes=[{"name": "v", "image": {"reference": mounted}}] if mounted else [],
        containers=[container(f"c{number}", cpu(amount), image=image) for number, image in enumerate(asked)],
        initContainers=[container("i", image=starting)] if starting else [],
    )


_PODS = st.builds(
    _pod,
    _CONTAINERS,
    st.sampled_from(["", "", "a", "b:1"]),
    CPU_REQUESTS,
    st.sampled_from(["", "", "b:1", "a", "elsewhere"]),
)


_BIG = 900 * _MB
_HELD: SearchStrategy[list[Json]] = st.sampled_from(
    [
        *(
            [{"names": list(names), "sizeBytes": size}]
            for names in (("b:1", "b:2"), ("a:latest", "b:2"), ("b:2", "b:2", "b:1"))
            for size in (600 * _MB, _BIG)
        ),
        [],
        [{"names": ["a:latest"], "sizeBytes": _BIG}, {"names": ["b:2"], "sizeBytes": _BIG}],
    ]
)
_WAITING = st.sampled_from(["b:2", "b:1", "b:2", "a"]).map(
    lambda image: pod("", containers=[container("c", image=image)])
)
_CHANGES = st.lists(
    st.tuples(st.sampled_from(["change", "remove", "change", "add"]), st.integers(0, 3), _HELD),
    min_size=1,
    max_size=4,
)


def _churn() -> SearchStrategy[History]:
    """Nodes get images, lose them, and go away with them: an image's score follows how many still have it. A node
    that changes learns what is true now; others know what was true when they did."""

    @st.composite
    def churning(draw: DrawFn) -> History:
        cluster = HistoryBuilder()
        for images in draw(st.lists(_HELD, min_size=3, max_size=4)):
            cluster.add_node(node(images=images))
        cluster.add_pod(draw(_WAITING))
        cluster.schedule()
        for what, index, images in draw(_CHANGES):
            if what == "add":
                cluster.add_node(node(images=images))
            elif what == "remove" and len(cluster.nodes) > 2:
                cluster.remove_node(index)
            else:
                cluster.change_node(index, node(images=images))
        for index, name in enumerate(cluster.nodes if draw(st.booleans()) else ()):
            cluster.change_node(index, with_metadata(cluster.nodes[name], annotations={"note": "x"}))
        for value in draw(st.lists(_WAITING, min_size=1, max_size=2)):
            cluster.add_pod(value)
        cluster.schedule()
        return cluster.history()

    return churning()


_NAMED = ("a:latest", "b:1", "b:2")


@st.composite
def _at_a_step(draw: DrawFn) -> History:
    """A node has just enough of a pod's images for one more point, or a few bytes too little: for a pod of one
    container or more, and of images that not every node has."""
    count = draw(st.sampled_from([3, 2, 4]))
    having = [draw(st.integers(1, count)) for _ in range(draw(st.sampled_from([1, 2, 1, 3])))]
    least, most = MIN_THRESHOLD, MAX_CONTAINER_THRESHOLD * len(having)
    enough = least - (least - most) * draw(st.integers(1, 99)) // 100
    sizes = [enough // len(having) * count // nodes for nodes in having[1:]]
    rest = enough - sum(size * nodes // count for size, nodes in zip(sizes, having[1:], strict=True))
    sizes = [rest * count // having[0] + draw(st.sampled_from([0, -1, 1, -2, 2])), *sizes]
    cluster = HistoryBuilder()
    for number in range(count):
        there = zip(_NAMED, sizes, having, strict=False)
        cluster.add_node(
            node(
                images=[{"names": [name], "sizeBytes": size} for name, size, nodes in there if number < nodes]
            )
        )
    cluster.add_pod(
        pod("", containers=[container(f"c{n}", image=name) for n, name in enumerate(_NAMED[: len(having)])])
    )
    cluster.schedule()
    return cluster.history()


def histories() -> SearchStrategy[History]:
    anything = with_few_changes(_NODES, _PODS)
    return st.one_of(anything, _churn(), _at_a_step())
