# SPDX-License-Identifier: Apache-2.0
"""Pods that most nodes reject, and then one event after the other, some of which may make the pods schedulable.

After each event the pods that were requeued are tried: a pod that is requeued for no reason shows as well as one
that is not requeued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import any_of
from conformance.vocabulary.builder import Change, HistoryBuilder, nth
from conformance.vocabulary.objects import with_metadata
from refsched.suite.histories.history import History

Json = dict[str, Any]


def requeueing(
    nodes: SearchStrategy[Sequence[Json]],
    waiting: SearchStrategy[Json],
    running: SearchStrategy[Json],
    *happens: SearchStrategy[Change],
    config: SearchStrategy[Json] | None = None,
    gates: SearchStrategy[Mapping[str, bool]] | None = None,
    hosts: bool = False,
    most_running: int = 3,
) -> SearchStrategy[History]:
    """Draws a few nodes, on which pods run, most of them on the first; one pod or two that wait; and what happens,
    which is given twice where it should happen twice as often."""
    inhabitants = st.lists(st.tuples(running, st.sampled_from([0, 1, 0])), max_size=most_running)
    refused = st.lists(waiting, min_size=1, max_size=2)
    happening = any_of(*happens)
    times = st.sampled_from([0, 6, 4, 5, 7, 8])

    @st.composite
    def histories(draw: DrawFn) -> History:
        cluster = HistoryBuilder(hosts)
        for value in draw(nodes):
            cluster.add_node(value)
        for value, home in draw(inhabitants):
            cluster.add_pod(value, home)
        for value in draw(refused):
            cluster.add_pod(value)
        cluster.schedule()
        for _ in range(draw(times)):
            draw(happening)(cluster)
            cluster.wait()
            cluster.schedule()
        return cluster.history(
            None if config is None else draw(config), None if gates is None else draw(gates)
        )

    return histories()


def node_changes(
    make: Callable[[Any], Callable[[Json], Json]], drawn: SearchStrategy[Any]
) -> SearchStrategy[Change]:
    """Draws a change of one of the nodes, all else of which stays: ``make`` makes it of what is drawn."""

    def change(index: int, value: Any) -> Change:
        def happen(cluster: HistoryBuilder) -> None:
            if cluster.nodes:
                cluster.change_node(index, make(value)(cluster.nodes[nth(cluster.nodes, index)]))

        return happen

    return st.builds(change, st.integers(0, 2), drawn)


def relabelled(labels: SearchStrategy[Json]) -> SearchStrategy[Change]:
    """Draws a node that gets these labels, and no others but that of its host."""
    return node_changes(lambda value: lambda node: with_metadata(node, labels=value), labels)


def pod_updates(
    make: Callable[[Any], Callable[[Json], Json]], drawn: SearchStrategy[Any]
) -> SearchStrategy[Change]:
    """Draws as ``pod_changes`` does, but more often a pod that came late, and waits."""
    return st.builds(
        lambda index, value: lambda cluster: cluster.change_pod(index, make(value)),
        st.sampled_from([-1, 0, -1, 1, -2]),
        drawn,
    )
