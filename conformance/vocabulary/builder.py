# SPDX-License-Identifier: Apache-2.0
"""A builder of histories: each call adds the steps that bring a cluster into its next state.

Nodes and pods get their names here (``n1``, ``p1``, ...). A change names its object by a number, which stands for
one of those that are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define

from conformance.vocabulary.objects import hosted, named, with_metadata, with_spec
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

UNBOUND = -1


AFTER_ALL_BACKOFF = 11
"""Seconds after which a pod that failed once or twice may be tried again."""


AFTER_FIVE_MINUTES = 331
"""Seconds after which a pod that no event requeues has been tried again in any case."""


@define
class HistoryBuilder:
    """A HistoryBuilder has the cluster as the history has made it so far. ``hosts`` says that nodes bear the label
    of their host."""

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

    def add_pod(self, value: Json, home: int = UNBOUND) -> None:
        """Adds a pod; ``home`` is the number of the node on which it runs already."""
        value = named(value, self._new_name("p"))
        if home != UNBOUND and self.nodes:
            value = with_spec(value, nodeName=nth(self.nodes, home))
        else:
            self.waiting += 1
        self.pods[value["metadata"]["name"]] = value
        self.add(value)

    def schedule(self, times: int | None = None) -> None:
        """Requests attempts: each pod that waits is tried once."""
        wanted = self.waiting if times is None else times
        if wanted:
            self.steps.append(Schedule(wanted))

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
        """Returns the history. Successive pods of one name differ in their uids."""
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
    """Returns the name of one of those that are there."""
    return list(among)[index % len(among)]


Change = Callable[[HistoryBuilder], None]
