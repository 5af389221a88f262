# SPDX-License-Identifier: Apache-2.0
"""Mirror: the machine's cluster follows the API server's, event by event.

The machine has an API server of its own, in which its bindings happen at once. A watch shows them later, and shows
until then what was before. So a pod that this scheduler has bound keeps its node until the watch has it; and where
the API server has decided otherwise, the pod is shown anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refsched.errors import InputError
from refsched.machine.scheduler import Scheduler
from refsched.objects.kinds import KINDS
from refsched.processes.kubernetes_api.watching import DELETED, Event
from refsched.reading.inputs import InputReader
from refsched.reading.objects import Key, key_of
from refsched.records import Create, Delete, Input, Reference, Update

Json = dict[str, Any]

_FINISHED = ("Succeeded", "Failed")
_ORDER = {kind.name: index for index, kind in enumerate(KINDS)}


class Mirror:
    """A Mirror shows the events of an API server to a scheduler. ``warn`` takes a line on an object that cannot be
    read, which the scheduler is then not shown."""

    def __init__(self, scheduler: Scheduler, warn: Callable[[str], None]) -> None:
        self._inputs = InputReader(scheduler)
        self._warn = warn
        self._uids: dict[Key, str] = {}
        self._bound: dict[str, str] = {}

    def copy_for(self, scheduler: Scheduler) -> Mirror:
        """Returns a mirror that goes on from here for a copy of the scheduler."""
        made = Mirror(scheduler, self._warn)
        made._inputs = InputReader(scheduler, serial=self._inputs.serial)
        made._uids, made._bound = dict(self._uids), dict(self._bound)
        return made

    def take_first(self, events: list[Event]) -> None:
        """Shows what exists at the beginning: first what others refer to, and pods that have a node before those
        that wait."""
        for event in sorted(events, key=in_turn):
            self.take(event)

    def take(self, event: Event) -> None:
        value = event.object
        key, uid = key_of(value), value["metadata"]["uid"]
        if event.type == DELETED or _is_finished(value):
            if self._uids.get(key) == uid:
                self._remove(key)
            return
        if event.kind == "Pod":
            value = self._with_node(value)
        if self._uids.get(key) == uid and not self._is_elsewhere(value):
            self._apply(Update(value), key)
            return
        if key in self._uids:
            self._remove(key)
        if self._apply(Create(value), key):
            self._uids[key] = uid

    def has_bound(self, pod: str, node: str) -> None:
        """Takes note of a binding, which the watch has not shown yet."""
        namespace, _, name = pod.partition("/")
        self._bound[self._uids["Pod", namespace, name]] = node

    def show_anew(self, pod: str, value: Json | None) -> None:
        """Shows a pod as the API server has it, or that it has it no more, whatever the scheduler made of it."""
        namespace, _, name = pod.partition("/")
        key = "Pod", namespace, name
        if key in self._uids:
            self._remove(key)
        if value is not None and not _is_finished(value) and self._apply(Create(value), key):
            self._uids[key] = value["metadata"]["uid"]

    def delete(self, kind: str, namespace: str, name: str) -> None:
        """Shows that an object is no more, if it was shown."""
        if (kind, namespace, name) in self._uids:
            self._remove((kind, namespace, name))

    def uid_of(self, pod: str) -> str:
        """Returns the uid of a pod that is shown, or ""."""
        namespace, _, name = pod.partition("/")
        return self._uids.get(("Pod", namespace, name), "")

    # --- Inside -----------------------------------------------------------------------------------

    def _remove(self, key: Key) -> None:
        self._bound.pop(self._uids.pop(key), None)
        kind, namespace, name = key
        self._apply(Delete(Reference(kind, name, API_VERSIONS[kind], namespace)), key)

    def _with_node(self, pod: Json) -> Json:
        """Returns the pod with the node to which this scheduler has bound it, if it has none yet."""
        node = self._bound.get(pod["metadata"]["uid"])
        if node is None or pod["spec"].get("nodeName"):
            return pod
        return {**pod, "spec": {**pod["spec"], "nodeName": node}}

    def _is_elsewhere(self, value: Json) -> bool:
        """Returns whether this is a pod on another node than that to which this scheduler has bound it."""
        node = self._bound.get(value["metadata"]["uid"])
        return node is not None and value["spec"].get("nodeName") != node

    def _apply(self, record: Input, key: Key) -> bool:
        try:
            self._inputs.apply(record)
        except InputError as problem:
            self._warn(f"{' '.join(part for part in key if part)} is left out: {problem}")
            return False
        return True


API_VERSIONS = {kind.name: kind.api_version for kind in KINDS}


def _is_finished(value: Json) -> bool:
    return value.get("kind") == "Pod" and (value.get("status") or {}).get("phase") in _FINISHED


def in_turn(event: Event) -> tuple[int, bool, str]:
    """Returns the place of an event among the first ones."""
    waits = not (event.object.get("spec") or {}).get("nodeName")
    return _ORDER[event.kind], waits, str(event.object["metadata"].get("creationTimestamp") or "")
