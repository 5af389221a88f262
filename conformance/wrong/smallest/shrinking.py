# SPDX-License-Identifier: Apache-2.0
"""Shrinking: parts of a history are left out as long as what it shows is still shown.

A history is shrunk as JSON: first its steps, then its configuration, then the fields of its objects, the larger
parts first, until nothing more can be left out or ``LIMIT`` histories were tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from refsched.errors import InputError
from refsched.suite.histories.history import DEFAULT_CONFIG, History
from refsched.suite.histories.scenario import read_steps, steps_as_json

Json = dict[str, Any]
Path = tuple[str | int, ...]

LIMIT = 250
"""Histories that are tried for one example."""

_KEPT = frozenset(
    {
        *("apiVersion", "kind", "metadata", "name", "containers", "status", "spec", "allocatable", "pods"),
        "urlPrefix",
    }
)
"""Members that are not left out with all that they hold, so that what remains is an object, a node has room for
pods, and an extender has an address; ``status`` and ``spec`` go once they are empty."""

_OF_A_CLAIM = frozenset({"resources", "requests", "storage"})
"""What every PersistentVolumeClaim says."""

USUAL_PODS = "110"
"""How many pods a kubelet says that it runs."""


def as_value(history: History) -> Json:
    """Returns the history as JSON that may be changed, without requests for no attempt."""
    return {
        "config": deepcopy(history.config),
        "gates": dict(history.feature_gates),
        "steps": [step for step in deepcopy(steps_as_json(history)) if step.get("schedule") != 0],
    }


def as_history(value: Json) -> History:
    """Reads a history from JSON. Raises InputError if a step is none any more."""
    return History(
        tuple(read_steps(deepcopy(value["steps"]))), deepcopy(value["config"]), dict(value["gates"])
    )


class Shrinking:
    """``shows`` says whether a history still shows what the first one did."""

    def __init__(self, history: History, shows: Callable[[History], bool], limit: int = LIMIT) -> None:
        self.value = as_value(history)
        self._shows = shows
        self._left = limit
        self._missing = _nodes_missing(self.value)

    def smallest(self) -> History:
        """Returns the smallest history that was found, when nothing more can be left out, or at the limit."""
        before = None
        while before != self.value and self._left > 0:
            before = deepcopy(self.value)
            self._leave_out_objects()
            self._leave_out_steps()
            self._create_as_updated()
            self._wait_once()
            self._schedule_less()
            self._leave_out_settings()
            self._leave_out_fields()
            self._say_what_is_usual()
        return as_history(self.value)

    def holds(self, value: Json) -> bool:
        """Returns whether this value shows it too, and if so lets it take the place of the other one."""
        if self._left <= 0:
            return False
        self._left -= 1
        try:
            history = as_history(value)
        except InputError:
            return False
        if not _nodes_missing(value) <= self._missing or not self._shows(history):
            return False
        self.value = value
        return True

    # --- What is left out -------------------------------------------------------------------------

    def _leave_out_objects(self) -> None:
        """Leaves out each object, with all that happens to it."""
        for name in sorted({_about(step) for step in self.value["steps"]} - {None}, key=str):
            steps = [step for step in self.value["steps"] if _about(step) != name]
            if steps:
                self.holds({**self.value, "steps": steps})

    def _create_as_updated(self) -> None:
        """Creates what is updated as it is afterwards."""
        for number in range(len(self.value["steps"]) - 1, -1, -1):
            steps = self.value["steps"]
            updated = steps[number].get("update")
            before = [
                earlier
                for earlier, step in enumerate(steps[:number])
                if updated and "create" in step and _about(step) == _about(steps[number])
            ]
            if before:
                changed = [*steps[:number], *steps[number + 1 :]]
                changed[before[-1]] = {"create": updated}
                self.holds({**self.value, "steps": changed})

    def _wait_once(self) -> None:
        """Advances the clock once instead of twice."""
        for number in range(len(self.value["steps"]) - 1, 0, -1):
            steps = self.value["steps"]
            before, after = steps[number - 1].get("advance"), steps[number].get("advance")
            if before is not None and after is not None:
                changed = [*steps[: number - 1], {"advance": before + after}, *steps[number + 1 :]]
                self.holds({**self.value, "steps": changed})

    def _leave_out_steps(self) -> None:
        size = max(len(self.value["steps"]) // 2, 1)
        while True:
            end = len(self.value["steps"])
            while end > 0:
                steps = self.value["steps"]
                begin = max(end - size, 0)
                if len(steps) > end - begin:
                    self.holds({**self.value, "steps": steps[:begin] + steps[end:]})
                end = begin
            if size == 1:
                return
            size //= 2

    def _schedule_less(self) -> None:
        for number, step in enumerate(self.value["steps"]):
            times = step.get("schedule")
            for fewer in range(1, times) if isinstance(times, int) else ():
                if self.holds(_with(self.value, ("steps", number, "schedule"), fewer)):
                    break

    def _leave_out_settings(self) -> None:
        for gate in list(self.value["gates"]):
            gates = {name: is_on for name, is_on in self.value["gates"].items() if name != gate}
            self.holds({**self.value, "gates": gates})
        if self.value["config"] != DEFAULT_CONFIG and not self.holds(
            {**self.value, "config": dict(DEFAULT_CONFIG)}
        ):
            self._leave_out_below(("config",))

    def _leave_out_fields(self) -> None:
        for number, step in enumerate(self.value["steps"]):
            for member in ("create", "update"):
                if isinstance(step.get(member), dict):
                    self._leave_out_below(("steps", number, member))

    def _say_what_is_usual(self) -> None:
        for number, step in enumerate(self.value["steps"]):
            for member in ("create", "update"):
                path = (number, member, "status", "allocatable", "pods")
                if isinstance(step.get(member), dict) and _has(self.value["steps"], path, USUAL_PODS):
                    self.holds(_with(self.value, ("steps", *path), USUAL_PODS))

    def _leave_out_below(self, path: Path) -> None:
        """Leaves out the parts of what is there, each as a whole, and then what is within those that stay."""
        for part in _parts(_at(self.value, path)):
            within = (*path, part)
            if not _may_go(self.value, within) or not self.holds(_without(self.value, within)):
                self._leave_out_below(within)


def _about(step: Json) -> tuple[str, str, str] | None:
    """Returns kind, namespace and name of the object that the step is about."""
    for member in ("create", "update"):
        if isinstance(step.get(member), dict):
            metadata = step[member]["metadata"]
            return step[member]["kind"], metadata.get("namespace") or "default", metadata["name"]
    named = step.get("delete")
    return (
        (named["kind"], named.get("namespace") or "default", named["name"])
        if isinstance(named, dict)
        else None
    )


def _nodes_missing(value: Json) -> frozenset[str]:
    """Returns the nodes that pods name, and that are never created: no node is left out while a pod is on it."""
    created = [step["create"] for step in value["steps"] if isinstance(step.get("create"), dict)]
    nodes = {each["metadata"]["name"] for each in created if each["kind"] == "Node"}
    named = {each.get("spec", {}).get("nodeName") for each in created if each["kind"] == "Pod"}
    return frozenset(name for name in named if name and name not in nodes)


def _parts(value: object) -> list[str | int]:
    """Returns the parts from the end, so that what stays keeps its number."""
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value) - 1, -1, -1)) if isinstance(value, list) else []


def _may_go(value: Json, path: Path) -> bool:
    holder, part = _at(value, path[:-1]), path[-1]
    if isinstance(holder, list):
        return not (path[-2] == "containers" and len(holder) == 1)
    if part in _OF_A_CLAIM and _at(value, path[:3]).get("kind") == "PersistentVolumeClaim":
        return False
    return part not in _KEPT or (part in ("status", "spec") and not holder[part])


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _has(value: Any, path: Path, but: str) -> bool:
    for part in path:
        if isinstance(value, dict) and part not in value:
            return False
        value = value[part]
    return bool(value != but)


def _with(value: Json, path: Path, new: object) -> Json:
    changed = deepcopy(value)
    _at(changed, path[:-1])[path[-1]] = new
    return changed


def _without(value: Json, path: Path) -> Json:
    changed = deepcopy(value)
    del _at(changed, path[:-1])[path[-1]]
    return changed


def size_of(history: History) -> tuple[int, int]:
    """Returns the numbers of steps, and of leaves of all objects and of the configuration."""
    value = as_value(history)
    return len(value["steps"]), sum(1 for _ in _leaves(value))


def _leaves(value: object) -> Iterator[object]:
    match value:
        case dict():
            for each in value.values():
                yield from _leaves(each)
        case list():
            for each in value:
                yield from _leaves(each)
        case _:
            yield value
