# SPDX-License-Identifier: Apache-2.0
"""Reach: which rules spoke while the specification decided something.

Rules stand beside the code that implements them, so that a rule speaks when this code runs and answers something.
``Reach`` puts a listener around each such function of the specification, once in a process; the specification
itself knows nothing of it.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from itertools import count
from typing import Any

from attrs import frozen

from refsched.framework.interface import EnqueueExtensions, extends
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import CycleState, Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.queue.hint_table import Registration
from refsched.queue.in_flight import Happening
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.queue.transitions import Occurrence, Place
from refsched.suite.catalogue.rules import Rule, all_rules


@frozen
class Move:
    """A transition of the queue. No two moves are the same one."""

    rule: str
    number: int
    cure: str = ""
    """The row of events that was said to cure the pod."""
    before: str = ""
    """The transition by which the pod came to where it was."""


_NUMBERS = count()
_UNLISTED = {True: ("R-HINT-05",), False: ("R-HINT-04", "R-HINT-06")}
"""Does the plugin tell of events itself? → the rules by which it hears of one that is in no table."""


class Reach:
    """``spoken`` are the rules that spoke since the last ``clear``, in the order in which they first did;
    ``moves`` for each pod (``namespace/name``) the last transition of the queue, and ``asked`` the last row of a
    plugin's events that was asked since then whether it cures the pod, and what it said; ``promised`` the nodes to
    which others than the pod that is tried were found nominated."""

    def __init__(self) -> None:
        """The first one in a process puts up the listeners: what was built before it, it does not hear."""
        _instrument()
        self.spoken: dict[str, None] = {}
        self.moves: dict[str, Move] = {}
        self.asked: dict[str, tuple[str, bool]] = {}
        self.promised: set[str] = set()

    def clear(self) -> None:
        self.spoken = {}
        self.promised = set()

    @contextmanager
    def listening(self) -> Iterator[None]:
        _LISTENERS.append(self)
        try:
            yield
        finally:
            _LISTENERS.pop()


_LISTENERS: list[Reach] = []
_CONTAINERS = (tuple, dict, frozenset, set)


def _hear(rules: tuple[str, ...]) -> None:
    for rule in rules:
        _LISTENERS[-1].spoken.setdefault(rule)


# --- Listening ------------------------------------------------------------------------------------


@functools.cache
def _instrument() -> None:
    by_place: dict[tuple[str, str], list[Rule]] = {}
    for rule in all_rules().values():
        if rule.module.startswith("refsched."):
            by_place.setdefault((rule.module, rule.place), []).append(rule)
    listened: dict[int, Any] = {}
    for (module, place), rules in by_place.items():
        _listen_at(module, place, tuple(rule.id for rule in rules), listened)
    _replace_everywhere(listened)
    _listen_to_transitions()
    _listen_to_hints(by_place)
    _listen_to_nominations()


def _listen_at(module: str, place: str, rules: tuple[str, ...], of_modules: dict[int, Any]) -> None:
    """A name that is neither a function nor a mapping (a table's row, a class, a function within another) is
    passed over. What modules hold is left to the end: other modules have imported it."""
    *owners, name = place.split(".")
    owner: Any = import_module(module)
    for part in owners:
        owner = getattr(owner, part, None)
    found = inspect.getattr_static(owner, name, None) if owner is not None else None
    match found:
        case staticmethod():
            setattr(owner, name, staticmethod(_listener(found.__func__, rules)))
        case functools.cached_property():
            heard = functools.cached_property(_listener(found.func, rules))
            heard.__set_name__(owner, name)
            setattr(owner, name, heard)
        case dict() if not owners:
            of_modules[id(found)] = _Table(found, rules)
        case property(fget=getter) if getter is not None:
            setattr(owner, name, property(_listener(getter, rules)))
        case _ if inspect.isfunction(found) and inspect.isclass(owner):
            setattr(owner, name, _listener(found, rules))
        case _ if callable(found) and not inspect.isclass(found):
            of_modules[id(found)] = _listener(found, rules)


def _listener(function: Callable[..., Any], rules: tuple[str, ...]) -> Callable[..., Any]:
    """What has spoken since the last ``clear`` need not be heard again: it is heard with all of its rules."""
    is_procedure = function.__annotations__.get("return") in (None, "None")
    first = rules[0]

    @functools.wraps(function)
    def listened(*args: Any, **named: Any) -> Any:
        answer = function(*args, **named)
        if _LISTENERS and first not in _LISTENERS[-1].spoken and (is_procedure or _tells(answer)):
            _hear(rules)
        return answer

    return listened


class _Table(dict[Any, Any]):
    """A mapping that is a rule: it speaks when something is looked up in it."""

    def __init__(self, table: Mapping[Any, Any], rules: tuple[str, ...]) -> None:
        super().__init__(table)
        self._rules = rules

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if _LISTENERS:
            _hear(self._rules)
        return found


def _tells(answer: Any) -> bool:
    """Success, nothing, and none of them are what is answered where a rule does not apply."""
    if isinstance(answer, _CONTAINERS):
        return bool(answer)
    return answer is not None and answer != SUCCESS


def _replace_everywhere(listened: dict[int, Any]) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("refsched."):
            for attribute, value in list(vars(module).items()):
                heard = _heard(value, listened)
                if heard is not value:
                    setattr(module, attribute, heard)


def _heard(value: Any, listened: Mapping[int, Any]) -> Any:
    """What a module holds, itself or in a table."""
    if id(value) in listened:
        return listened[id(value)]
    if type(value) is tuple:
        items = tuple(_heard(item, listened) for item in value)
        return items if any(map(operator.is_not, items, value)) else value
    if type(value) is dict:
        table = {key: _heard(item, listened) for key, item in value.items()}
        return table if any(map(operator.is_not, table.values(), value.values())) else value
    return value


def _put(owner: type, name: str, listened: Callable[..., Any]) -> None:
    setattr(owner, name, listened)


def _listen_to_transitions() -> None:
    go = SchedulingQueue._go

    def listened(queue: SchedulingQueue, pod: QueuedPod, place: Place, occurrence: Enum) -> Place:
        if _LISTENERS:
            row, reach = queue.rules.transitions.row(place, occurrence), _LISTENERS[-1]
            rule = row.rule
            _hear((rule,))
            if occurrence is Occurrence.NO_HINT and row.goes_to is place:
                return go(
                    queue, pod, place, occurrence
                )  # it has not moved, and what its plugins said remains
            cure, is_cured = reach.asked.pop(pod.key, ("", False))
            before = reach.moves[pod.key].rule if pod.key in reach.moves else ""
            reach.moves[pod.key] = Move(rule, next(_NUMBERS), cure if is_cured else "", before)
        return go(queue, pod, place, occurrence)

    _put(SchedulingQueue, "_go", listened)


def _listen_to_hints(by_place: Mapping[tuple[str, str], Sequence[Rule]]) -> None:
    """A row of a plugin's table, and the function that it names there."""
    says_queue = Registration.says_queue

    def listened(registration: Registration, pod: Pod, happening: Happening, objects: ObjectStore) -> bool:
        answer: bool = says_queue(registration, pod, happening, objects)
        if _LISTENERS and registration.plugin is not None:
            row, hint = registration.rule, registration.hint
            rules = (
                (row,) if row in all_rules() else _UNLISTED[extends(registration.plugin, EnqueueExtensions)]
            )
            _hear(rules)
            if hint is not None:
                place = hint.__module__, hint.__qualname__
                _hear(tuple(rule.id for rule in by_place.get(place, ())))
            _LISTENERS[-1].asked[pod.key] = rules[0], answer
        return answer

    _put(Registration, "says_queue", listened)


def _listen_to_nominations() -> None:
    """On which nodes others than the pod that is tried are nominated."""
    run = Framework.run_filter_plugins_with_nominated_pods

    def listened(
        framework: Framework,
        state: CycleState,
        pod: PodInfo,
        node: NodeInfo,
        nominated: Sequence[PodInfo],
        snapshot: Snapshot,
    ) -> Status:
        if _LISTENERS and any(other.pod.uid != pod.pod.uid for other in nominated):
            _LISTENERS[-1].promised.add(node.name)
        return run(framework, state, pod, node, nominated, snapshot)

    _put(Framework, "run_filter_plugins_with_nominated_pods", listened)
