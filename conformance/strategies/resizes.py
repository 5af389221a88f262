# SPDX-License-Identifier: Apache-2.0
"""In-place resizes: what containers of a running pod request now, and what the kubelet reports as allocated."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import pod_changes
from conformance.strategies.drawn import CPU_AMOUNTS, combinations, sometimes, switched
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, cpu, node, pod, resized, resized_as_a_whole
from refsched.suite.histories.history import History

Json = dict[str, Any]


_MEMORY: tuple[Json, ...] = ({}, {}, {"memory": "1Gi"}, {"memory": "3Gi"})
_AMOUNTS = combinations(lambda amount, memory: {**cpu(amount), **memory}, CPU_AMOUNTS, _MEMORY)
"""What is asked for and what is reported name other resources each time, so that none stands in for another."""
_RESIZES = st.tuples(
    *(_AMOUNTS, _AMOUNTS, _AMOUNTS),
    st.sampled_from(["", "Infeasible", "Deferred"]),
    st.sampled_from(["first", "starting", "last", "starting, the last", "exchanged"]),
)
_OF_THE_WHOLE = st.tuples(
    sometimes(_AMOUNTS, None),
    _AMOUNTS,
    sometimes(_AMOUNTS, None),
    st.sampled_from(["", "Infeasible", "Deferred"]),
)
RESIZES = pod_changes(lambda drawn: resized(*drawn), _RESIZES)
_RESIZES_OF_THE_WHOLE = pod_changes(lambda drawn: resized_as_a_whole(*drawn), _OF_THE_WHOLE)


def _pod(first: str, second: str, memory: Json, starting: tuple[str, ...], asked: str) -> Json:
    """Returns a pod; ``starting`` are the restart policies of its init containers, "" for one that has none."""
    return pod(
        "",
        containers=[container("c", cpu(first)), container("d", {**cpu(second), **memory})],
        initContainers=[
            container(f"i{number}", cpu(asked), **({"restartPolicy": policy} if policy else {}))
            for number, policy in enumerate(starting)
        ],
    )


_PODS = combinations(
    _pod,
    ("500m", "1", ""),
    ("250m", "1", ""),
    ({}, {"memory": "2Gi"}),
    (("Always",), (), ("Always", "Always"), ("", "Always"), ("",)),
    ("500m", "1501m"),
)


def histories() -> SearchStrategy[History]:
    """A node's observers see at once what each resize comes to, and a pod may wait for what it gives back."""

    @st.composite
    def resizing(draw: DrawFn) -> History:
        cluster = HistoryBuilder()
        cluster.add_node(node())
        for _ in range(2):
            cluster.add_pod(draw(_PODS), 0)
        cluster.schedule(0)
        waiting = draw(st.sampled_from(["", "2", "3"]))
        if waiting:
            cluster.add_pod(pod("", cpu(waiting)))
            cluster.schedule()
        for change in draw(st.lists(st.one_of(RESIZES, _RESIZES_OF_THE_WHOLE), min_size=1, max_size=4)):
            change(cluster)
        cluster.add_pod(pod("", cpu("1")))
        cluster.schedule()
        return cluster.history(gates=draw(switched("InPlacePodVerticalScaling")))

    return resizing()
