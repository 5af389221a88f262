# SPDX-License-Identifier: Apache-2.0
"""Scenes: the course of most histories. A cluster, pods that wait, and what may happen between the attempts.

An area says what its nodes and pods look like; what happens to them is the same everywhere. Whatever happens is
decided beforehand: a change names its object by a number, which stands for one of those that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.history import Advance, Create, History, Schedule, Step, Update, deleting
from conformance.strategies.objects import hosted, named, with_metadata, with_spec

Json = dict[str, Any]

_INDEX = st.integers(0, 5)
_UNBOUND = -1
_HOMES = st.sampled_from([_UNBOUND, 0, _UNBOUND, 1, _UNBOUND, 2])
"""On which node a pod runs from the start."""

AFTER_ALL_BACKOFF = 11
"""Seconds after which a pod that failed once or twice may be tried again."""


@define
class Scene:
    """The cluster as the history has made it so far. ``hosts``: nodes bear the label of their host."""

    hosts: bool = False
    steps: list[Step] = Factory(list)
    nodes: dict[str, Json] = Factory(dict)
    pods: dict[str, Json] = Factory(dict)
    waiting: int = 0

    def add(self, *values: Json) -> None:
        self.steps.extend(Create(value) for value in values)

    def add_node(self, value: Json) -> None:
        name = self._new_name("n")
        self.nodes[name] = self._node(name, value)
        self.add(self.nodes[name])

    def add_pod(self, value: Json, home: int = _UNBOUND) -> None:
        """``home`` is the number of the node on which it runs already."""
        value = named(value, self._new_name("p"))
        if home != _UNBOUND and self.nodes:
            value = with_spec(value, nodeName=nth(self.nodes, home))
        else:
            self.waiting += 1
        self.pods[value["metadata"]["name"]] = value
        self.add(value)

    def schedule(self, times: int | None = None) -> None:
        """Each pod that waits is tried once."""
        self.steps.append(Schedule(self.waiting if times is None else times))

    # --- Changes ----------------------------------------------------------------------------------

    def change_node(self, index: int, value: Json) -> None:
        if self.nodes:
            name = nth(self.nodes, index)
            self.nodes[name] = self._node(name, value)
            self.steps.append(Update(self.nodes[name]))

    def change_pod(self, index: int, changed: Callable[[Json], Json]) -> None:
        if self.pods:
            name = nth(self.pods, index)
            self.pods[name] = changed(self.pods[name])
            self.steps.append(Update(self.pods[name]))

    def remove_node(self, index: int) -> None:
        if self.nodes:
            self.steps.append(deleting(self.nodes.pop(nth(self.nodes, index))))

    def remove_pod(self, index: int) -> None:
        if self.pods:
            removed = self.pods.pop(nth(self.pods, index))
            self.steps.append(deleting(removed))

    def wait(self, seconds: float = AFTER_ALL_BACKOFF) -> None:
        self.steps.append(Advance(seconds))

    def _node(self, name: str, value: Json) -> Json:
        return hosted(named(value, name)) if self.hosts else named(value, name)

    def _new_name(self, letter: str) -> str:
        among = self.nodes if letter == "n" else self.pods
        number = len(among) + 1
        while f"{letter}{number}" in among:
            number += 1
        return f"{letter}{number}"


def nth(among: Mapping[str, Json], index: int) -> str:
    """The name of one of those that are there."""
    return list(among)[index % len(among)]


# --- Strategies -----------------------------------------------------------------------------------

Change = Callable[[Scene], None]


def changes(
    node: SearchStrategy[Json], pod: SearchStrategy[Json], *more: SearchStrategy[Change]
) -> SearchStrategy[Change]:
    """One thing that may happen between attempts: to a node, to a pod, or of ``more``."""
    return st.one_of(
        st.builds(_remove_pod, _INDEX),
        st.builds(_change_node, _INDEX, node),
        st.builds(_add_pod, pod, _HOMES),
        st.builds(_add_node, node),
        st.builds(_remove_node, _INDEX),
        *more,
    )


def pod_changes(
    make: Callable[[Any], Callable[[Json], Json]], drawn: SearchStrategy[Any]
) -> SearchStrategy[Change]:
    """A change of one of the pods: what ``make`` answers for what is drawn says how."""
    return st.builds(lambda index, value: lambda scene: scene.change_pod(index, make(value)), _INDEX, drawn)


def label_changes(labels: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return pod_changes(lambda value: lambda pod: with_metadata(pod, labels=value), labels)


def _remove_pod(index: int) -> Change:
    return lambda scene: scene.remove_pod(index)


def _remove_node(index: int) -> Change:
    return lambda scene: scene.remove_node(index)


def _change_node(index: int, value: Json) -> Change:
    return lambda scene: scene.change_node(index, value)


def _add_node(value: Json) -> Change:
    return lambda scene: scene.add_node(value)


def _add_pod(value: Json, home: int) -> Change:
    return lambda scene: scene.add_pod(value, home)


def scenes(
    node: SearchStrategy[Json],
    pod: SearchStrategy[Json],
    *more: SearchStrategy[Change],
    config: SearchStrategy[Json] | None = None,
    others: SearchStrategy[list[Json]] | None = None,
    hosts: bool = False,
    most_nodes: int = 4,
    most_pods: int = 6,
) -> SearchStrategy[History]:
    """Histories of nodes and pods such as these, in a cluster that holds ``others`` from the start.

    All pods are there when the first one is tried, some of them running already. Then, as often as not, something
    happens, and those that wait are tried again.
    """
    cluster = st.lists(node, min_size=1, max_size=most_nodes)
    placed = st.lists(st.tuples(pod, _HOMES), min_size=1, max_size=most_pods)
    happening = st.lists(changes(node, pod, *more), max_size=3)

    @st.composite
    def histories(draw: DrawFn) -> History:
        scene = Scene(hosts)
        if others is not None:
            scene.add(*draw(others))
        for value in draw(cluster):
            scene.add_node(value)
        for value, home in draw(placed):
            scene.add_pod(value, home)
        scene.schedule()
        for change in draw(happening):
            change(scene)
            scene.wait()
            scene.schedule()
        return History(tuple(scene.steps)) if config is None else History(tuple(scene.steps), draw(config))

    return histories()
