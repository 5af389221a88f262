# SPDX-License-Identifier: Apache-2.0
"""Variations of a history, by which the explanations of what it shows are distinguished.

Two mistakes may both explain the smallest history that shows a failure. They differ in a history beside it, in
which a quantity is one more, an operator is another one, or a term is not there. These are such histories, each
with one change of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from refsched.errors import InputError
from refsched.reading.stored_values import (
    EFFECTS,
    INCLUSION_POLICIES,
    PREEMPTION_POLICIES,
    UNSATISFIABLE,
)
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import read_steps, steps_as_json

Path = tuple[str | int, ...]

MOST_VARIATIONS = 40
"""This many variations are made of one history, evenly spread over all that there are."""

_ENUMS: Sequence[Sequence[str]] = (
    EFFECTS,
    ("In", "NotIn"),
    ("Exists", "DoesNotExist"),
    ("Gt", "Lt"),
    UNSATISFIABLE,
    INCLUSION_POLICIES,
    PREEMPTION_POLICIES,
    ("Immediate", "WaitForFirstConsumer"),
)
_OF_LABELS = ("labels", "matchLabels", "nodeSelector")
_MAY_BE_EMPTY = frozenset(
    {
        *("tolerations", "taints", "initContainers", "topologySpreadConstraints", "ports", "images"),
        *("preferredDuringSchedulingIgnoredDuringExecution", "schedulingGates", "volumes", "conditions"),
    }
)
_LARGEST: Mapping[str, int] = {"weight": 100, "percentageOfNodesToScore": 100}
_QUANTITY = re.compile(r"(\d+)([A-Za-z]*)")


def variations(history: History) -> Iterator[History]:
    """Yields histories that differ from this one in one value, none of which any API server would refuse."""
    steps = steps_as_json(history)
    found = [change for number, step in enumerate(steps) for change in _changes(step, (number,))]
    labels = _labels(steps)
    changes = [(path, value) for path, values in found for value in _others(path, values, labels)]
    for number in range(min(MOST_VARIATIONS, len(changes))):
        path, value = changes[number * len(changes) // min(MOST_VARIATIONS, len(changes))]
        changed = deepcopy(steps)
        _put(changed, path, value)
        try:
            yield History(tuple(read_steps(changed)), history.config, history.feature_gates)
        except InputError:
            continue


def _changes(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yields every value within this one, with its path."""
    yield path, value
    members: Sequence[tuple[str | int, Any]] = ()
    if isinstance(value, Mapping):
        members = [
            (name, one) for name, one in value.items() if name not in ("metadata",) or _has_labels(one)
        ]
    elif isinstance(value, list):
        members = list(enumerate(value))
    for name, one in members:
        yield from _changes(one, (*path, name))


def _has_labels(metadata: Any) -> bool:
    return isinstance(metadata, Mapping) and "labels" in metadata


def _others(path: Path, value: Any, labels: Sequence[str]) -> Iterator[Any]:
    name = str(path[-1])
    match value:
        case bool():
            yield not value
        case int() | float():
            if value + 1 <= _LARGEST.get(name, 10**12):
                yield value + 1
            if value >= 2:
                yield value - 1
        case str() if len(path) > 1 and path[-2] in _OF_LABELS:
            yield from (other for other in labels if other != value)
        case str():
            for enum in _ENUMS:
                if value in enum and name in ("effect", "operator", *_ENUM_NAMES):
                    yield from (other for other in enum if other != value)
            if (quantity := _QUANTITY.fullmatch(value)) and _is_quantity(path):
                number, unit = int(quantity[1]), quantity[2]
                yield f"{number + 1}{unit}"
                if number:
                    yield f"{number - 1}{unit}"
        case list() if len(value) > 1 or name in _MAY_BE_EMPTY:
            for left in range(len(value)):
                yield value[:left] + value[left + 1 :]


_ENUM_NAMES = (
    "whenUnsatisfiable",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "preemptionPolicy",
    "volumeBindingMode",
)


def _is_quantity(path: Path) -> bool:
    return any(name in ("requests", "limits", "allocatable", "capacity", "overhead") for name in path)


def _labels(steps: Sequence[Any]) -> Sequence[str]:
    """Returns all values that labels have, and that selectors ask for."""
    found: dict[str, None] = {}
    for number, step in enumerate(steps):
        for path, value in _changes(step, (number,)):
            if isinstance(value, str) and len(path) > 1 and path[-2] in (*_OF_LABELS, "values"):
                found.setdefault(value)
    return tuple(found)


def _put(value: Any, path: Path, new: Any) -> None:
    for name in path[:-1]:
        value = value[name]
    value[path[-1]] = new
