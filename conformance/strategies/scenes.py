# SPDX-License-Identifier: Apache-2.0
"""Scenes: the course of most histories. A cluster, pods that wait, and what may happen between the attempts.

An area says what its nodes and pods look like; what happens to them is the same everywhere. Whatever happens is
decided beforehand: a change names its object by a number, which stands for one of those that are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.objects import hosted, named, with_metadata, with_spec
from refsched.suite.histories.history import (
    DEFAULT_CONFIG,
    Advance,
    Create,
    History,
    Schedule,
    Step,
    Update,
    deleting,
)

Json = dict[str, Any]

_INDEX = st.integers(0, 5)
_UNBOUND = -1
_HOMES = st.sampled_from([_UNBOUND, 0, _UNBOUND, 1, _UNBOUND, 2])
"""On which node a pod runs from the start."""

AFTER_ALL_BACKOFF = 11
"""Seconds after which a pod that failed once or twice may be tried again."""
AFTER_FIVE_MINUTES = 331
"""Seconds after which a pod that nothing cures has been tried again in any case."""


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

    def history(self, config: Json | None = None, gates: Mapping[str, bool] | None = None) -> History:
        """Pods of one name that follow each other bear uids, by which they are told apart."""
        created = [step for step in self.steps if isinstance(step, Create) and step.object["kind"] == "Pod"]
        times = Counter(step.object["metadata"]["name"] for step in created)
        seen: Counter[str] = Counter()
        steps: list[Step] = []
        for step in self.steps:
            if isinstance(step, Create) and times[name := step.object["metadata"]["name"]] > 1:
                seen[name] += 1
                step = Create(with_metadata(step.object, uid=f"{name}-{seen[name]}"))
            steps.append(step)
        return History(tuple(steps), dict(DEFAULT_CONFIG if config is None else config), gates or {})

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


Placed = tuple[Json, int]
"""A pod and the number of the node on which it runs from the start, if it does."""


def scenes(
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
    cluster = st.lists(node, min_size=fewest_nodes, max_size=most_nodes)
    each = st.tuples(pod, _HOMES) if running is None else _either(pod, running)
    placed = st.lists(each, min_size=1, max_size=most_pods)
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
        return scene.history(None if config is None else draw(config), None if gates is None else draw(gates))

    return histories()


def courses(
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
    moments = st.lists(st.tuples(st.one_of(*happens), then_comes), max_size=most // 2)

    @st.composite
    def histories(draw: DrawFn) -> History:
        scene = Scene(hosts)
        if others is not None:
            scene.add(*draw(others))
        for value in draw(nodes):
            scene.add_node(value)
        for value, home in draw(pods):
            scene.add_pod(value, home)
        for happening, then in (*draw(moments), *draw(moments)):
            happening(scene)
            then(scene)
        (ending or _try_all)(scene)
        return scene.history(None if config is None else draw(config), None if gates is None else draw(gates))

    return histories()


def _try_all(scene: Scene) -> None:
    scene.schedule()


def turns() -> SearchStrategy[Change]:
    """Pods are tried, one or all, at once or after a while; or nobody is."""
    return st.sampled_from(_TURNS).map(lambda turn: lambda scene: _take_turn(scene, *turn))


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


def _take_turn(scene: Scene, seconds: float, times: int | None) -> None:
    if seconds:
        scene.wait(seconds)
    if times != 0:
        scene.schedule(times)


def placed(
    pod: SearchStrategy[Json], running: SearchStrategy[Json] | None = None, *, most: int = 5
) -> SearchStrategy[list[Placed]]:
    """Pods that are there from the start; some run already, and those may look different."""
    if running is None:
        return st.lists(st.tuples(pod, _HOMES), max_size=most)
    return st.lists(_either(pod, running), max_size=most)


def _either(pod: SearchStrategy[Json], running: SearchStrategy[Json]) -> SearchStrategy[Placed]:
    at_home = st.tuples(running, st.integers(0, 3))
    return st.one_of(st.tuples(pod, st.just(_UNBOUND)), at_home, at_home)


def pods_created(pod: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return pod.map(lambda value: lambda scene: scene.add_pod(value))


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
