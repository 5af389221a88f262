# SPDX-License-Identifier: Apache-2.0
"""Fields that are not read: schedulers that ignore one field of an object, or the updates or deletions of one
kind.

They are derived from what the specification reads (``refsched.objects``). A field that no rule depends on is
listed with the reason; the default profile must detect a scheduler that does not read any other field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints

import attrs
from attrs import frozen

from conformance.wrong.forking import Forked
from refsched.objects.kinds import KINDS
from refsched.objects.priority_class import PriorityClass
from refsched.objects.quantity import Quantity
from refsched.objects.reading import json_name
from refsched.processes import serving
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.histories.history import Create, Delete, History, Update

Json = dict[str, Any]
Path = tuple[str, ...]

TIMEOUT = 10.0
"""The seconds within which an answer must arrive."""

EACH = "[]"
"""In a path: each item of a list, or each value of a map."""


@frozen
class Unread:
    """``path`` leads to the member that is left out of each object of the kind; with ``unheard`` it is a whole
    request, ``update`` or ``delete``."""

    kind: str
    path: Path = ()
    unheard: str = ""

    @property
    def name(self) -> str:
        if self.unheard:
            return f"{self.kind}:{self.unheard}"
        return ".".join((self.kind, *self.path)).replace(f".{EACH}", EACH)

    @property
    def of_no_consequence(self) -> str:
        """Returns why no rule depends on it, if none does."""
        return next((why for pattern, why in NO_CONSEQUENCE.items() if re.fullmatch(pattern, self.name)), "")

    def matters_in(self, history: History) -> bool:
        """Returns whether the field stands in an object of the history, or the request in its steps."""
        return any(self._stands_in(step) for step in history.steps)

    def _stands_in(self, step: object) -> bool:
        match step:
            case Delete(reference):
                return self.unheard == Delete.member and reference.kind == self.kind
            case Create(value) | Update(value) if value["kind"] == self.kind:
                return self.unheard == step.member if self.unheard else stands(value, self.path)
        return False

    def change(self) -> None:
        """Serves the specification without the field, from now on and in this process."""
        call = serving.Server._call

        def without(server: serving.Server, request: str, *arguments: Any) -> Any:
            if request in (Create.member, Update.member, Delete.member):
                shown = arguments[0]
                if shown["kind"] == self.kind:
                    if request == self.unheard:
                        return {"records": []}
                    arguments = (left_out(shown, self.path),)
            return call(server, request, *arguments)

        setattr(serving.Server, "_call", without)  # noqa: B010  (mypy: a method is not assigned to)


def connect_unread(unread: Unread) -> Adapter:
    """Returns such a scheduler in a process of its own."""
    return Adapter(unread.name, Forked(unread.change, TIMEOUT))


METADATA: Mapping[str, str] = {
    "namespace": r"Pod|PersistentVolumeClaim|Service|ReplicationController|ReplicaSet|StatefulSet"
    r"|ResourceClaim|ResourceClaimTemplate|PodDisruptionBudget",
    "labels": r"Pod|Node|Namespace|PersistentVolume",
    "annotations": r"Pod|PersistentVolume|PersistentVolumeClaim|CSINode",
    "ownerReferences": r"Pod|PersistentVolumeClaim|ResourceClaim",
    "deletionTimestamp": r"Pod|PersistentVolume|PersistentVolumeClaim|ResourceClaim",
}
"""Member of the metadata → the kinds of which some rule reads it. Of names and uids all depend on them."""

NO_CONSEQUENCE: Mapping[str, str] = {
    r"Node\.status\.(capacity|conditions)": "allocatable is what can be had; conditions act through taints",
    r".*claimRef\.(kind|apiVersion)": "a volume is bound to a claim by name and uid",
    r".*\.containerPort": "a host port is what may conflict, and the API server has set it",
    r".*\.hostNetwork": "the API server has given host ports to its ports",
    r".*\[\].*\.(mis)?matchLabelKeys": "the API server has folded them into the selector",
    r".*\.(c|initC)ontainers\[\]\.name": "it only says in which status a resize is reported",
    r"Pod\.spec\.containers\[\]\.restartPolicy": "only an init container with a policy of its own is a sidecar",
    r"PersistentVolume\.spec\.(azureFile|vsphereVolume)": "the scheduler never takes its plugin for migrated",
    r"Pod\.spec\.priorityClassName": "the API server has set the priority",
    r"ResourceClaimTemplate[.:].*": "who makes claims from templates is not the scheduler",
    r"ResourceClaim\.status\.devices": "what drivers report of allocated devices is for others",
    r"ResourceClaim\.status\.reservedFor\[\]\.apiGroup": "who uses a claim is known by uid",
    r"PersistentVolumeClaim\.spec\.resources\.limits": "what is requested is what counts",
    r"PersistentVolume\.spec\..*\.readOnly": "only of disks that pods name themselves it is asked who reads",
    r"Pod\.status\..*ontainerStatuses\[\]\.resources\.limits": "only requests are added up",
    r"VolumeAttachment:update": "what is to be attached, and where, cannot be changed",
    r"Pod\.status\.phase": "a pod that has finished is shown as a deletion",
    r"Pod\.status\.conditions\[\]\.message": "it is written for people",
}
"""Pattern of a name → why no rule depends on the field."""


def all_unread() -> Iterator[Unread]:
    """Yields one for each field and request that could be left out, those of no consequence among them."""
    for kind in KINDS:
        if kind.type is PriorityClass:
            continue  # the API server has set the priority of each pod
        for member, kinds in METADATA.items():
            if re.fullmatch(kinds, kind.name):
                yield Unread(kind.name, ("metadata", member))
        for path in paths_of(kind.type):
            yield Unread(kind.name, path)
        yield Unread(kind.name, unheard=Update.member)
        yield Unread(kind.name, unheard=Delete.member)


# --- Fields ---------------------------------------------------------------------------------------


def paths_of(kind: type, above: Sequence[type] = ()) -> Iterator[Path]:
    """Yields the paths of all members that an object of this class need not have, at any depth."""
    hints = get_type_hints(kind)
    for member in attrs.fields(kind):
        name = json_name(member.name)
        if not member.init or name == "metadata":
            continue
        below = [
            (name, *each, *path)
            for inner, each in _classes_in(hints[member.name])
            if inner is not Quantity and inner not in (kind, *above)
            for path in paths_of(inner, (kind, *above))
        ]
        if member.default is not attrs.NOTHING:
            yield (name,)
        yield from below


def _classes_in(hint: Any) -> Iterator[tuple[type, Path]]:
    if isinstance(hint, type) and attrs.has(hint):
        yield hint, ()
    elif get_origin(hint) is tuple:
        yield from ((inner, (EACH, *each)) for inner, each in _classes_in(get_args(hint)[0]))
    elif get_origin(hint) is Mapping:
        yield from ((inner, (EACH, *each)) for inner, each in _classes_in(get_args(hint)[1]))
    else:
        for argument in get_args(hint):
            yield from _classes_in(argument)


def stands(value: Any, path: Path) -> bool:
    """Returns whether the value has such a member."""
    if not path:
        return True
    head, *rest = path
    if head == EACH:
        return any(stands(item, tuple(rest)) for item in _items(value))
    return isinstance(value, dict) and head in value and stands(value[head], tuple(rest))


def left_out(value: Any, path: Path) -> Any:
    """Returns the value without the members that the path leads to."""
    if not path:
        return value
    head, *rest = path
    if head == EACH:
        if isinstance(value, dict):
            return {key: left_out(item, tuple(rest)) for key, item in value.items()}
        return [left_out(item, tuple(rest)) for item in _items(value)]
    if not isinstance(value, dict) or head not in value:
        return value
    kept = {key: item for key, item in value.items() if key != head}
    return {**kept, head: left_out(value[head], tuple(rest))} if rest else kept


def _items(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
