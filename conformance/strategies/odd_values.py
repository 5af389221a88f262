# SPDX-License-Identifier: Apache-2.0
"""Odd values: what a field may hold, and hardly ever does.

In some of the histories that an area draws a field of an object, or of the configuration, gets an odd value: it is
absent, empty or zero, one less or one more, too large for a fraction, given twice, in its legacy spelling, differs
in one character from what it is compared with, or contradicts the other place where the same can be said. All
objects that have the same value there get the odd one together, or one of them alone, so that it meets the usual
one, or one more object has it that comes beside the usual one. An API server accepts all of them.
``python -m conformance.campaigns.odd_values`` says which of them have decided something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from enum import Enum
from functools import cache
from typing import Any

from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.objects import HOSTNAME, REGION, ZONE, with_spec
from conformance.vocabulary.odd_values import LEGACY, TABLE, of_a_claim_or_volume
from conformance.vocabulary.places import ABSENT, Key, Path, key_of, objects_in, put
from refsched.suite.histories.history import Create, History, Step, Update

Json = dict[str, Any]

RARELY = 2
"""One history in this many has odd values."""

CONFIGURATION = "KubeSchedulerConfiguration"

UNEVEN = ("7100m", "4200m", "4300m", "7200m")
"""Of ten cores these leave shares whose product with 100 is not what it should be, when computed as fractions."""


@frozen
class Odd:
    """An Odd is a ``field`` (``Pod.spec.tolerations[].key``) and what is odd of its value, such as ``empty``."""

    field: str
    name: str


@frozen
class Change:
    """A Change puts ``new`` in the place of ``old`` at this path of an object of this kind and name."""

    odd: Odd
    key: Key
    path: Path
    old: Any
    new: Any


class Where(Enum):
    """A Where says which objects have the odd value."""

    ALONE = 1
    EVERYWHERE = 2
    BESIDE = 3


Heard = Callable[[History, History, Sequence[Odd]], None]
listener: ContextVar[Heard | None] = ContextVar("listener", default=None)
"""It is given each history that has been drawn, without odd values and with them, and which these are."""


def with_odd_values(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, some of them with a few odd values."""

    @st.composite
    def odd(draw: DrawFn) -> History:
        plain = draw(histories)
        if draw(st.integers(1, RARELY)) < RARELY:
            return plain
        found = _uneven(plain) if draw(st.integers(0, 9)) == 9 else plain
        odds: list[Odd] = [] if found is plain else [Odd("Node.status.allocatable", "uneven")]
        for _ in range(draw(st.sampled_from([1, 2, 3]))):
            changes = by_odd(found)
            if changes:
                field = draw(st.sampled_from(sorted({each.field for each in changes})))
                of_field = sorted(
                    (each for each in changes if each.field == field), key=lambda each: each.name
                )
                wanted = draw(st.sampled_from(of_field))
                change = draw(st.sampled_from(changes[wanted]))
                found = changed(found, change, draw(st.sampled_from(_wheres(change))))
                odds.append(wanted)
        heard = listener.get()
        if heard is not None and odds:
            heard(plain, found, odds)
        return found

    return odd()


# --- Changes --------------------------------------------------------------------------------------


def by_odd(history: History) -> dict[Odd, list[Change]]:
    """Returns by field and odd value the changes of what the history creates, and of its configuration.

    Of labels only those that something names get odd values."""
    named = set(_texts([*objects_in(history)]))
    found: dict[Odd, list[Change]] = {}
    for value in _valued(history):
        for change in _changes(value):
            if not change.odd.field.endswith(".labels") or _differ(change) & {*_ALWAYS_NAMED, *named}:
                found.setdefault(change.odd, []).append(change)
    return found


_ALWAYS_NAMED = (ZONE, REGION, HOSTNAME, *LEGACY.values())
"""Labels that kube-scheduler reads where nothing names them."""


def _valued(history: History) -> Iterator[Json]:
    """Yields the objects that are created, and the configuration."""
    for step in history.steps:
        if isinstance(step, Create):
            yield step.object
    yield dict(history.config)


def _texts(value: Any) -> Iterator[str]:
    """Yields all texts in a value, and the keys of the labels that are selected."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in ("matchLabels", "nodeSelector", "selector") and isinstance(each, dict):
                yield from each
            yield from _texts(each)


def _differ(change: Change) -> set[str]:
    """Returns the keys whose values the change makes others."""
    return {key for key in {*change.old, *change.new} if change.old.get(key) != change.new.get(key)}


def _changes(value: Json) -> Iterator[Change]:
    for path, field, old in _fields(value, (), value["kind"]):
        for odd_values in _rows(field):
            for name, new in odd_values(old):
                if new != old:
                    yield Change(Odd(field, name), key_of(value), path, old, new)


@cache
def _rows(field: str) -> tuple[Callable[[Any], Iterator[tuple[str, Any]]], ...]:
    return tuple(odd_values for pattern, odd_values in TABLE if re.fullmatch(pattern, field))


def _fields(value: Any, path: Path, field: str) -> Iterator[tuple[Path, str, Any]]:
    yield path, field, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _fields(inner, (*path, name), f"{field}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _fields(inner, (*path, number), f"{field}[]")


def changed(history: History, change: Change, where: Where) -> History:
    """Returns the history in which the object has the odd value from its creation on, or each object of its kind
    that has the same value at the same place, or one more object that is otherwise like it."""
    if change.key[0] == CONFIGURATION:
        return evolve(history, config=_with(dict(history.config), change))
    if where is Where.BESIDE:
        return _beside(history, change)
    steps: list[Step] = []
    for step in history.steps:
        is_meant = isinstance(step, Create | Update) and (
            step.object["kind"] == change.key[0]
            if where is Where.EVERYWHERE
            else key_of(step.object) == change.key
        )
        if isinstance(step, Create | Update) and is_meant:
            step = evolve(step, object=_with(step.object, change))
        steps.append(step)
    return evolve(history, steps=tuple(steps))


def _with(value: Json, change: Change) -> Any:
    if change.path == ():
        anew = (new for name, new in of_a_claim_or_volume(value) if name == change.odd.name)
        return next(anew, value)
    return put(value, change.path, change.old, ABSENT if change.new is None else change.new)


# --- One more ------------------------------------------------------------------------------------

_CLAIM = "PersistentVolumeClaim"
"""Pods use it as a volume."""

_FOUND_BY_ALL = frozenset(
    {
        "CSIStorageCapacity",
        "DeviceTaintRule",
        "PersistentVolume",
        "PodDisruptionBudget",
        "Service",
        "VolumeAttachment",
    }
)
"""Kinds of objects that nothing has to name. There is no second ResourceSlice: the time of a search for devices
grows exponentially with their number, and kube-scheduler gives up after ten seconds."""


def _wheres(change: Change) -> Sequence[Where]:
    is_found = change.key[0] in _FOUND_BY_ALL or change.key[0] == _CLAIM
    return list(Where) if is_found else [Where.ALONE, Where.EVERYWHERE]


def _beside(history: History, change: Change) -> History:
    """The other object comes directly before the usual one, so that it is often the first that is looked at. Pods
    that use the one use both, and the other is not bound or allocated."""
    other = f"{change.key[2]}-odd"
    steps: list[Step] = []
    has_come = False
    for step in history.steps:
        if isinstance(step, Create) and key_of(step.object) == change.key and not has_come:
            has_come = True
            steps.append(Create(_one_more(_with(step.object, change), other)))
        if isinstance(step, Create | Update) and step.object["kind"] == "Pod":
            step = evolve(step, object=_using_both(step.object, change.key, other))
        steps.append(step)
    return evolve(history, steps=tuple(steps))


def _one_more(value: Json, name: str) -> Json:
    metadata = {**value["metadata"], "name": name}
    if "uid" in metadata:
        metadata["uid"] = f"{metadata['uid']}-odd"
    spec = dict(value.get("spec", {}))
    if value["kind"] == _CLAIM:
        spec.pop("volumeName", None)
        value = {member: each for member, each in value.items() if member != "status"}
    return {**value, "metadata": metadata, **({"spec": spec} if "spec" in value else {})}


def _using_both(pod: Json, used: Key, other: str) -> Json:
    kind, namespace, name = used
    volumes = pod["spec"].get("volumes", ())
    names = {each.get("persistentVolumeClaim", {}).get("claimName") for each in volumes}
    is_there = pod["metadata"].get("namespace", "default") == (namespace or "default")
    if kind != _CLAIM or not is_there or name not in names:
        return pod
    return with_spec(pod, volumes=[*volumes, {"name": "odd", "persistentVolumeClaim": {"claimName": other}}])


def _uneven(history: History) -> History:
    """Returns the history with ten cores on each node, of which pods leave shares that no fraction is."""
    steps: list[Step] = []
    for number, step in enumerate(history.steps):
        if isinstance(step, Create | Update) and step.object["kind"] in ("Node", "Pod"):
            amount = "10" if step.object["kind"] == "Node" else UNEVEN[number % len(UNEVEN)]
            text = re.sub(r'"cpu": "[^"]*"', f'"cpu": "{amount}"', json.dumps(step.object))
            step = evolve(step, object=json.loads(text))
        steps.append(step)
    return evolve(history, steps=tuple(steps))
