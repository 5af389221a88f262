# SPDX-License-Identifier: Apache-2.0
"""What may happen between the attempts of a history: a cluster, pods that wait, and changes of nodes and pods.

An area says what its nodes and pods look like; what happens to them is the same everywhere. All of it is decided
beforehand: a change names its object by a number, which stands for one of those that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import any_of
from conformance.vocabulary.builder import (
    AFTER_ALL_BACKOFF,
    AFTER_FIVE_MINUTES,
    UNBOUND,
    Change,
    HistoryBuilder,
)
from conformance.vocabulary.objects import with_metadata
from refsched.suite.histories.history import (
    History,
)

Json = dict[str, Any]

_INDEX = st.integers(0, 5)
_HOMES = st.sampled_from([UNBOUND, 0, UNBOUND, 1, UNBOUND, 2])
"""On which node a pod runs from the start."""


# --- Strategies -----------------------------------------------------------------------------------


def changes(
    node: SearchStrategy[Json], pod: SearchStrategy[Json], *more: SearchStrategy[Change]
) -> SearchStrategy[Change]:
    """Draws one thing that may happen between attempts: to a node, to a pod, or of ``more``."""
    return st.one_of(
        pods_removed(),
        nodes_changed(node),
        st.builds(_add_pod, pod, _HOMES),
        nodes_created(node),
        nodes_removed(),
        *more,
    )


def pod_changes(
    make: Callable[[Any], Callable[[Json], Json]], drawn: SearchStrategy[Any]
) -> SearchStrategy[Change]:
    """Draws a change of one of the pods: what ``make`` answers for what is drawn says how."""
    return st.builds(
        lambda index, value: lambda cluster: cluster.change_pod(index, make(value)), _INDEX, drawn
    )


def label_changes(labels: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return pod_changes(lambda value: lambda pod: with_metadata(pod, labels=value), labels)


def _remove_pod(index: int) -> Change:
    return lambda cluster: cluster.remove_pod(index)


def _remove_node(index: int) -> Change:
    return lambda cluster: cluster.remove_node(index)


def _change_node(index: int, value: Json) -> Change:
    return lambda cluster: cluster.change_node(index, value)


def _add_node(value: Json) -> Change:
    return lambda cluster: cluster.add_node(value)


def _add_pod(value: Json, home: int) -> Change:
    return lambda cluster: cluster.add_pod(value, home)


Placed = tuple[Json, int]
"""A pod and the number of the node on which it runs from the start, if it does."""


def with_few_changes(
    node: SearchStrategy[Json],
    pod: SearchStrategy[Json],
    *more: SearchStrategy[Change],
    config: SearchStrategy[Json] | None = None,
    gates: SearchStrategy[Mapping[str, bool]] | None = None,
    others: SearchStrategy[list[Json]] | None = None,
    running: SearchStrategy[Json] | None = None,
    hosts: bool = False,
    fewest_nodes: int = 1,
    most_nodes: int = 4,
    most_pods: int = 6,
) -> SearchStrategy[History]:
    """Histories of nodes and pods such as these, in a cluster that holds ``others`` from the start.

    All pods are there when the first one is tried, some of them running already (those may look different). Then,
    as often as not, something happens, and those that wait are tried again.
    """
    initial_nodes = st.lists(node, min_size=fewest_nodes, max_size=most_nodes)
    each = st.tuples(pod, _HOMES) if running is None else _either(pod, running)
    placed = st.lists(each, min_size=1, max_size=most_pods)
    happening = st.lists(changes(node, pod, *more), max_size=3)

    @st.composite
    def histories(draw: DrawFn) -> History:
        cluster = HistoryBuilder(hosts)
        if others is not None:
            cluster.add(*draw(others))
        for value in draw(initial_nodes):
            cluster.add_node(value)
        for value, home in draw(placed):
            cluster.add_pod(value, home)
        cluster.schedule()
        for change in draw(happening):
            change(cluster)
            cluster.wait()
            cluster.schedule()
        return cluster.history(
            None if config is None else draw(config), None if gates is None else draw(gates)
        )

    return histories()


def with_many_changes(
    *happens: SearchStrategy[Change],
    nodes: SearchStrategy[list[Json]],
    pods: SearchStrategy[list[Placed]],
    config: SearchStrategy[Json] | None = None,
    gates: SearchStrategy[Mapping[str, bool]] | None = None,
    others: SearchStrategy[list[Json]] | None = None,
    afterwards: SearchStrategy[Change] | None = None,
    ending: Change | None = None,
    hosts: bool = False,
    most: int = 24,
) -> SearchStrategy[History]:
    """Histories in which anything of ``happens`` follows anything, on a cluster that starts with these nodes and
    pods. What is mentioned twice happens twice as often. After each, time passes and pods are tried, or not."""
    then_comes = turns() if afterwards is None else afterwards
    moments = st.lists(st.tuples(any_of(*happens), then_comes), max_size=most // 2)

    @st.composite
    def histories(draw: DrawFn) -> History:
        cluster = HistoryBuilder(hosts)
        if others is not None:
            cluster.add(*draw(others))
        for value in draw(nodes):
            cluster.add_node(value)
        for value, home in draw(pods):
            cluster.add_pod(value, home)
        for happening, then in (*draw(moments), *draw(moments)):
            happening(cluster)
            then(cluster)
        (ending or _try_all)(cluster)
        return cluster.history(
            None if config is None else draw(config), None if gates is None else draw(gates)
        )

    return histories()


def _try_all(cluster: HistoryBuilder) -> None:
    cluster.schedule()


def turns() -> SearchStrategy[Change]:
    """Draws attempts: of one pod or of all pods, immediately or later, or of none."""
    return st.sampled_from(_TURNS).map(lambda turn: lambda cluster: _take_turn(cluster, *turn))


_TURNS: tuple[tuple[float, int | None], ...] = (
    (0, 1),
    (0, 0),
    (0, None),
    (1, 1),
    (0, 0),
    (AFTER_ALL_BACKOFF, None),
    (0.5, 1),
    (0, 0),
    (2, 2),
    (AFTER_ALL_BACKOFF, 1),
    (3, 0),
    (31, 0),
    (AFTER_FIVE_MINUTES, 1),
)
"""How many seconds pass, and how many pods are tried then: None for all."""


def _take_turn(cluster: HistoryBuilder, seconds: float, times: int | None) -> None:
    if seconds:
        cluster.wait(seconds)
    if times != 0:
        cluster.schedule(times)


def placed(
    pod: SearchStrategy[Json], running: SearchStrategy[Json] | None = None, *, most: int = 5
) -> SearchStrategy[list[Placed]]:
    """Pods that are there from the start; some run already, and those may look different."""
    if running is None:
        return st.lists(st.tuples(pod, _HOMES), max_size=most)
    return st.lists(_either(pod, running), max_size=most)


def _either(pod: SearchStrategy[Json], running: SearchStrategy[Json]) -> SearchStrategy[Placed]:
    at_home = st.tuples(running, st.integers(0, 3))
    return st.one_of(st.tuples(pod, st.just(UNBOUND)), at_home)


def pods_created(pod: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return pod.map(lambda value: lambda cluster: cluster.add_pod(value))


def pods_running(pod: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return st.builds(_add_pod, pod, _INDEX)


def pods_removed() -> SearchStrategy[Change]:
    return st.builds(_remove_pod, _INDEX)


def nodes_created(node: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return node.map(_add_node)


def nodes_changed(node: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return st.builds(_change_node, _INDEX, node)


def nodes_removed() -> SearchStrategy[Change]:
    return st.builds(_remove_node, _INDEX)
