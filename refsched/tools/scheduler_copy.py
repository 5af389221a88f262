# SPDX-License-Identifier: Apache-2.0
"""Forking: a scheduler is copied as it is, so that something can be tried with the copy.

What changes is copied: containers, and objects with attributes that can be set. What cannot change is shared: API
objects, what counts on a node, plugins. A fork has an empty memory of plugins' answers, and decides the same.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from enum import Enum
from types import MethodType
from typing import Any, TypeVar

from attrs import fields
from attrs.exceptions import FrozenInstanceError

from refsched.cycle.find_nodes import find_nodes
from refsched.machine.scheduler import Scheduler
from refsched.machine.state import SchedulerState
from refsched.remembering import remember
from refsched.remembering.framework import RememberingFramework
from refsched.remembering.snapshots import RememberingState

T = TypeVar("T")
_OURS = "refsched."


def fork(scheduler: Scheduler) -> Scheduler:
    """Returns a copy that goes on from here as the scheduler would; neither changes the other. Extenders are
    shared. Raises ValueError if a cycle is under way, since a cycle that waits cannot be copied."""
    if scheduler.is_busy:
        raise ValueError("a cycle is under way")
    state = scheduler.state
    parts = {each.name: getattr(state, each.name) for each in fields(SchedulerState)}
    if isinstance(state, RememberingState):
        plain = {name: _plain(framework) for name, framework in state.profiles.items()}
        parts |= {"search": find_nodes, "profiles": plain}
    copier = _Copier()
    made = object.__new__(type(scheduler))
    copier.known[id(scheduler)] = made
    copied = SchedulerState(**{name: copier.copied(part) for name, part in parts.items()})
    copier.known[id(state)] = copied
    for name, value in vars(scheduler).items():
        setattr(made, name, copier.copied(value))
    return remember(made, changes=state.changes.copy()) if isinstance(state, RememberingState) else made


def _plain(framework: Any) -> Any:
    return framework.plain if isinstance(framework, RememberingFramework) else framework


class _Copier:
    """A _Copier copies each object once. ``known`` has the copies by the identity of what was copied, and
    ``_kept`` holds that, so that no identity is given twice."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        self._kept: list[Any] = []

    def copied(self, value: T) -> T:
        way = _COPY.get(type(value))
        if way is None:
            way = _COPY[type(value)] = _way_to_copy(value)
        if way is _shared:
            return value
        if id(value) not in self.known:
            self._kept.append(value)
            self.known[id(value)] = way(self, value)
        found: T = self.known[id(value)]
        return found

    def are_shared(self, values: Any) -> bool:
        """Returns whether nothing of this can change. It looks at one value of each type."""
        return all(_COPY.setdefault(kind, _way_to_copy(one)) is _shared for kind, one in values.items())


def _shared(copier: _Copier, value: Any) -> Any:
    return value


def _dict(copier: _Copier, value: Any) -> Any:
    made = copy(value)
    made.clear()
    copier.known[id(value)] = made
    kinds = {type(each): each for each in value.values()}
    if copier.are_shared(kinds):
        made.update(value)
    else:
        made.update((name, copier.copied(each)) for name, each in value.items())
    return made


def _sequence(copier: _Copier, value: Any) -> Any:
    return type(value)([copier.copied(each) for each in value])


def _random(copier: _Copier, value: random.Random) -> Any:
    made = random.Random()
    made.setstate(value.getstate())
    return made


def _method(copier: _Copier, value: MethodType) -> Any:
    return MethodType(value.__func__, copier.copied(value.__self__))


def _object(copier: _Copier, value: Any) -> Any:
    made = object.__new__(type(value))
    copier.known[id(value)] = made
    for name in _attributes(value):
        setattr(made, name, copier.copied(getattr(value, name)))
    return made


def _attributes(value: Any) -> Iterator[str]:
    slots = (name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()))
    for name in [*slots, *getattr(value, "__dict__", ())]:
        if name != "__weakref__" and hasattr(value, name):
            yield name


_COPY: dict[type, Callable[[_Copier, Any], Any]] = {
    dict: _dict,
    list: _sequence,
    set: _sequence,
    deque: _sequence,
    tuple: _sequence,
    random.Random: _random,
    MethodType: _method,
}


def _way_to_copy(value: Any) -> Callable[[_Copier, Any], Any]:
    """Returns how values of this type are copied."""
    kind = type(value)
    if kind in _COPY:
        return _COPY[kind]
    if isinstance(value, dict):
        return _dict
    if (
        not kind.__module__.startswith(_OURS)
        or isinstance(value, type | str | tuple | Enum)
        or _is_frozen(value)
    ):
        return _shared
    return _object


def _is_frozen(value: Any) -> bool:
    """Returns whether no attribute can be set: such objects have no attribute that changes within."""
    for name in _attributes(value):
        try:
            setattr(value, name, getattr(value, name))
        except (FrozenInstanceError, AttributeError):
            return True
        return False
    return True
