# SPDX-License-Identifier: Apache-2.0
"""Later changes: what becomes of the objects around pods and nodes after all that an area draws has happened.

Of each kind that a history has, an object changes, is deleted, is created again under its name, perhaps as
another one of its kind, or is created only now. Pods that wait meet that, and so does one more that is like an
earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import AFTER_ALL_BACKOFF
from conformance.vocabulary.objects import ZONE, named, with_metadata
from conformance.vocabulary.places import Key, key_of, there_after
from refsched.suite.histories.history import (
    Advance,
    Create,
    History,
    Schedule,
    Step,
    Update,
    deleting,
)

Json = dict[str, Any]
LaterChange = tuple[Sequence[Step], Sequence[Step]]
"""All steps before, and those that follow."""

_OF_THEIR_OWN = ("Pod", "Node")
"""What becomes of these each area draws itself."""

_VARIANTS: Mapping[str, Sequence[Json]] = {
    "Namespace": (
        {"metadata": {"labels": {"team": "x"}}},
        {"metadata": {"labels": {}}},
        {"metadata": {"labels": {"team": "y"}}},
    ),
    "PodDisruptionBudget": tuple({"status": {"disruptionsAllowed": allowed}} for allowed in (0, 1, 2)),
    "Service": ({"spec": {"selector": {"app": "a"}}}, {"spec": {"selector": {"app": "b"}}}),
    "DeviceClass": (
        {"spec": {"selectors": [{"cel": {"expression": "false"}}]}},
        {"spec": {"selectors": []}},
    ),
    "CSIDriver": ({"spec": {"storageCapacity": True}}, {"spec": {"storageCapacity": False}}),
    "CSIStorageCapacity": ({"capacity": "2Gi"}, {"capacity": "1Mi"}),
    "StorageClass": (
        {"allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]},
        {"allowedTopologies": []},
    ),
}
"""How an object of this kind may change, besides becoming like another one that the history has."""

_CHANGES = frozenset(
    {
        "Namespace",
        "PodDisruptionBudget",
        "Service",
        "DeviceClass",
        "CSINode",
        "CSIDriver",
        "CSIStorageCapacity",
        "StorageClass",
        "PersistentVolume",
        "ResourceSlice",
    }
)
"""Of other kinds an API server would refuse most changes: they are deleted and created again."""


def continued(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories; as often as not one goes on, if it has objects of other kinds than pods and nodes."""

    @st.composite
    def longer(draw: DrawFn) -> History:
        history = draw(histories)
        left = there_after(history.steps)
        there = {key: value for key, value in left.items() if key[0] not in _OF_THEIR_OWN}
        if not there or not draw(st.booleans()):
            return history
        kind = draw(st.sampled_from(sorted({key[0] for key in there})))
        key = draw(st.sampled_from(sorted(key for key in there if key[0] == kind)))
        before, after = draw(
            st.sampled_from(draw(st.sampled_from(_changes_of(key, there[key], history.steps))))
        )
        pods = [step.object for step in history.steps if isinstance(step, Create) and _is_pod(step.object)]
        more = [_one_more(draw(st.sampled_from(pods)))] if pods else []
        times = Schedule(sum(not value["spec"].get("nodeName") for value in pods) + 1)
        tail: list[Step] = [*after, *map(Create, more), Advance(AFTER_ALL_BACKOFF), times, times]
        return History((*before, *tail), history.config, history.feature_gates)

    return longer()


def _changes_of(key: Key, value: Json, steps: Sequence[Step]) -> list[list[LaterChange]]:
    """Returns what may become of an object: it is deleted, changes, is created again, or is created late."""
    others = list(_others(key, value, steps))
    deleted = deleting(value)
    again: list[Step] = [deleted, Advance(AFTER_ALL_BACKOFF), Schedule(2)]
    changes: list[list[LaterChange]] = [
        [(steps, [deleted])],
        [(steps, [Update(other)]) for other in others] if key[0] in _CHANGES else [],
        [(steps, [*again, Create(_anew(other))]) for other in (value, *others)],
    ]
    own = [step for step in steps if isinstance(step, Create | Update) and key_of(step.object) == key]
    if len(own) == 1:
        changes.append([([step for step in steps if step is not own[0]], [Create(value)])])
    return [change for change in changes if change]


def _others(key: Key, value: Json, steps: Sequence[Step]) -> Iterator[Json]:
    """Yields each other thing of its kind that the history has, and each variant, under this name, and the same
    with a note that changes no decision."""
    seen = [value]
    of_its_kind = (
        step.object for step in steps if isinstance(step, Create | Update) and step.object["kind"] == key[0]
    )
    like = ({**other, "metadata": _of_another(value, other)} for other in of_its_kind)
    varied = (_varied(value, variant) for variant in _VARIANTS.get(key[0], ()))
    for other in (*like, *varied, _noted(value)):
        if other not in seen:
            seen.append(other)
            yield other


_IDENTITY = ("name", "namespace", "uid")


def _of_another(value: Json, other: Json) -> Json:
    """Returns the metadata of the other one, but for the members that identify an object."""
    common = {name: member for name, member in other["metadata"].items() if name not in _IDENTITY}
    return common | {name: member for name, member in value["metadata"].items() if name in _IDENTITY}


def _varied(value: Json, variant: Json) -> Json:
    """Members of the variant replace those of the value."""
    return {
        **value,
        **{
            name: {**value.get(name, {}), **member} if isinstance(member, dict) else member
            for name, member in variant.items()
        },
    }


def _noted(value: Json) -> Json:
    annotations = value["metadata"].get("annotations", {})
    return with_metadata(value, annotations={**annotations, "note": "x"})


def _anew(value: Json) -> Json:
    """Returns another object of this name, which has another uid."""
    uid = value["metadata"].get("uid")
    return with_metadata(value, uid=f"{uid}-again") if uid else value


def _is_pod(value: Json) -> bool:
    return bool(value["kind"] == "Pod")


def _one_more(pod: Json) -> Json:
    """Returns another pod with the same wishes, which has no node."""
    spec = {name: member for name, member in pod["spec"].items() if name != "nodeName"}
    own = ("uid", "deletionTimestamp")
    metadata = {name: member for name, member in pod["metadata"].items() if name not in own}
    return named({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, "q1")
