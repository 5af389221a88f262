# SPDX-License-Identifier: Apache-2.0
"""Odd names: in some histories names begin alike, or objects of one name are in two namespaces.

A few names of each kind become ``p1``, ``p1a`` and ``p1aa`` wherever they stand: names of objects and devices,
keys and values of labels, taints, resources. Nothing else is decided then, unless a part of a name is compared. In
some histories every second pod is in a second namespace, perhaps under the name of one that stays or as its twin,
and with copies of all that has a namespace, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.objects import with_metadata
from refsched.suite.histories.history import (
    Create,
    Delete,
    History,
    Permit,
    Release,
    Step,
    Update,
)

Json = dict[str, Any]

ALIKE = 3
"""In one history in this many names begin alike."""

SOME = 3
"""This many names of one kind."""

APART = 5
"""One history in this many has pods in two namespaces."""

HOW = ("own name", "twin", "other's name", "twin")
"""What a pod in the second namespace has of the one before it: nothing, its name, or its name and its spec."""

OTHER = "other"

_NAME = re.compile(r"[a-z](?!\w*__)[\w./-]*")
"""Of names that are a list of zones none becomes another one, since it might be that of something else, too."""


def with_odd_names(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, some of them with odd names."""

    @st.composite
    def odd(draw: DrawFn) -> History:
        history = draw(histories)
        if draw(st.integers(1, APART)) == APART:
            history = in_two_namespaces(history, draw(st.sampled_from(HOW)))
        if draw(st.integers(1, ALIKE)) == ALIKE:
            first, forwards = draw(st.integers(0, 5)), draw(st.booleans())
            for names in _names(history):
                start = first % len(names)
                in_turn = [*names[start:], *names[:start]]
                history = begin_alike(history, (in_turn if forwards else in_turn[::-1])[:SOME])
        return history

    return odd()


# --- Names that begin alike -----------------------------------------------------------------------


def begin_alike(history: History, names: Sequence[str]) -> History:
    """Returns the history in which all but the first of these names are the first one and an ``a``, or more of
    them. Names that are a part of other texts stay, and those that have no domain where the first has one, or the
    other way round."""
    texts = set(_texts(history))
    of_its_kind = [name for name in names if ("/" in name) == ("/" in names[0])]
    new = {name: names[0] + "a" * place for place, name in enumerate(of_its_kind) if place}
    if not texts.isdisjoint(new.values()):
        return history
    return _renamed(history, {old: name for old, name in new.items() if not _is_within(old, texts)})


def _is_within(name: str, texts: Collection[str]) -> bool:
    found = re.compile(rf"(?<![\w.-]){re.escape(name)}(?!\w)").search
    return any(text != name and name in text and found(text) for text in texts)


def _names(history: History) -> Iterator[list[str]]:
    """Yields the names of each kind of which there are two or more, in an order that does not change."""
    found: dict[str, set[str]] = {}
    for step in history.steps:
        if isinstance(step, Create):
            for kind, name in _named(step.object, step.object["kind"]):
                if _NAME.fullmatch(name) and "kubernetes.io/" not in name:
                    found.setdefault(kind, set()).add(name)
    for kind in sorted(found):
        if len(found[kind]) > 1:
            yield sorted(found[kind])


def _named(value: Json, kind: str) -> Iterator[tuple[str, str]]:
    yield kind, value["metadata"]["name"]
    for key, label in value["metadata"].get("labels", {}).items():
        yield "labels", key
        yield f"label {key}", label
    for taint in value.get("spec", {}).get("taints", ()):
        yield "taints", taint["key"]
    for resource in value.get("status", {}).get("allocatable", ()) if kind == "Node" else ():
        if "/" in resource:
            yield "resources", resource
    for device in value.get("spec", {}).get("devices", ()) if kind == "ResourceSlice" else ():
        yield "devices", device["name"]


def _texts(history: History) -> Iterator[str]:
    yield from _within(history.config)
    for step in history.steps:
        if isinstance(step, Create | Update):
            yield from _within(step.object)


def _within(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from _within(each)
    elif isinstance(value, list):
        for each in value:
            yield from _within(each)


def _renamed(history: History, names: Mapping[str, str]) -> History:
    def new(name: str) -> str:
        return names.get(name, name)

    def of_value(value: Any) -> Any:
        if isinstance(value, str):
            return new(value)
        if isinstance(value, Mapping):
            return {new(key): of_value(each) for key, each in value.items()}
        return [of_value(each) for each in value] if isinstance(value, list) else value

    def of_step(step: Step) -> Step:
        match step:
            case Create(value) | Update(value):
                return evolve(step, object=of_value(value))
            case Delete(reference):
                return Delete(evolve(reference, name=new(reference.name)))
            case Permit(pod=pod) | Release(pod=pod):
                namespace, name = pod.split("/")
                return evolve(step, pod=f"{namespace}/{new(name)}")
            case _:
                return step

    return evolve(
        history, steps=tuple(of_step(step) for step in history.steps), config=of_value(history.config)
    )


# --- Two namespaces -------------------------------------------------------------------------------

_WITH_NAMESPACE = frozenset(
    {
        "PersistentVolumeClaim",
        "PodDisruptionBudget",
        "ReplicaSet",
        "ReplicationController",
        "ResourceClaim",
        "Service",
        "StatefulSet",
    }
)
"""Kinds of objects that a pod or its scheduling finds in its own namespace."""


@frozen
class _Moved:
    """A _Moved is a pod in the other namespace, of this name. ``twin`` is the spec of the pod whose twin it is."""

    name: str
    twin: Json | None = None


def in_two_namespaces(history: History, how: str) -> History:
    """Returns the history in which every second pod of the namespace ``default`` is in another one, under its own
    name, or under that of the pod before it, or as the twin of that."""
    updated = {_name(step.object) for step in history.steps if isinstance(step, Update)}
    moved: dict[str, _Moved] = {}
    staying: Json | None = None
    for step in history.steps:
        if isinstance(step, Create) and step.object["kind"] == "Pod" and _is_in_default(step.object):
            name = _name(step.object)
            if staying is None and name not in moved:
                staying = step.object
            elif staying is not None and name not in (*moved, _name(staying)):
                is_twin = how == "twin" and name not in updated
                taken = {each.name for each in moved.values()}
                wanted = name if how == "own name" or _name(staying) in taken else _name(staying)
                if wanted not in taken:
                    moved[name] = _Moved(wanted, staying["spec"] if is_twin else None)
                staying = None
    steps: list[Step] = []
    for step in history.steps:
        steps += _moved(step, moved)
    return evolve(history, steps=tuple(steps))


def _name(value: Json) -> str:
    return str(value["metadata"]["name"])


def _is_in_default(value: Json) -> bool:
    return bool(value["metadata"].get("namespace", "default") == "default")


def _moved(step: Step, moved: Mapping[str, _Moved]) -> Iterator[Step]:
    """Yields the step, about the pod where it is now, and about the copy of an object, too."""
    match step:
        case Create(value) | Update(value) if value["kind"] == "Pod" and _is_in_default(value):
            if now := moved.get(_name(value)):
                spec = _spec(now.twin or value["spec"], value["spec"])
                step = evolve(step, object=_placed({**value, "spec": spec}, now.name))
            yield step
        case Create(value) | Update(value) if value["kind"] in _WITH_NAMESPACE and _is_in_default(value):
            yield step
            yield evolve(step, object=_placed(_copied(value, moved), _name(value)))
        case Delete(reference) if reference.namespace in ("", "default"):
            if reference.kind == "Pod" and reference.name in moved:
                yield Delete(evolve(reference, name=moved[reference.name].name, namespace=OTHER))
                return
            yield step
            if reference.kind in _WITH_NAMESPACE:
                yield Delete(evolve(reference, namespace=OTHER))
        case Permit(pod=pod) | Release(pod=pod):
            namespace, name = pod.split("/")
            is_moved = namespace == "default" and name in moved
            yield evolve(step, pod=f"{OTHER}/{moved[name].name}") if is_moved else step
        case _:
            yield step


def _spec(twin: Json, own: Json) -> Json:
    """Returns the spec of the twin, but on the node on which the pod itself runs, if it does."""
    without = {name: member for name, member in twin.items() if name != "nodeName"}
    return {**without, **({"nodeName": own["nodeName"]} if "nodeName" in own else {})}


def _copied(value: Json, moved: Mapping[str, _Moved]) -> Json:
    """Returns what the other namespace has of this object. No claim is allocated the devices of another one, and
    none is owned by a pod that stays where it is."""
    if value["kind"] != "ResourceClaim":
        return value
    copied = {name: member for name, member in value.items() if name != "status"}
    owners = [
        owner if owner["name"] in moved else {**owner, "uid": f"{owner['uid']}-{OTHER}"}
        for owner in value["metadata"].get("ownerReferences", ())
    ]
    return with_metadata(copied, ownerReferences=owners) if owners else copied


def _placed(value: Json, name: str) -> Json:
    """Returns the object in the other namespace. A uid is an object's own."""
    metadata = {**value["metadata"], "name": name, "namespace": OTHER}
    if "uid" in metadata and value["kind"] != "Pod":
        metadata["uid"] = f"{metadata['uid']}-{OTHER}"
    return {**value, "metadata": metadata}


__all__ = ["begin_alike", "in_two_namespaces", "with_odd_names"]
