# SPDX-License-Identifier: Apache-2.0
"""Watching: what the API server has of some kinds, and each change of it, in one queue.

Each kind has a thread, which lists its objects and watches them from there on. A watch that ends, or whose place
the API server has forgotten, is begun again with a new list; what has changed meanwhile comes as events. Of a kind
that is not served there are no objects, nor of an optional one that this client may not read.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from queue import Empty, SimpleQueue
from typing import Any

from attrs import frozen

from refsched.objects.kinds import ApiKind
from refsched.processes.kubernetes_api.client import ApiError, Client, UnreachableError, Watch

Json = dict[str, Any]

ADDED = "ADDED"
MODIFIED = "MODIFIED"
DELETED = "DELETED"
LISTED = "LISTED"
"""The first list of a kind is complete: all its objects have been in the queue."""

_BOOKMARK = "BOOKMARK"
AGAIN = 0.2
"""After a failure a list is asked for again this many seconds later."""


@frozen
class Event:
    """An Event is a change of one object, which is as it was afterwards, or as it was last if it was deleted."""

    type: str
    kind: str
    object: Json


class Watching:
    """A Watching follows kinds until it is closed."""

    def __init__(self, client: Client, kinds: Iterable[ApiKind], optional: Collection[ApiKind] = ()) -> None:
        self._client = client
        self._optional = optional
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._closed = threading.Event()
        self._watches: dict[str, Watch] = {}
        self._problems: dict[str, str] = {}
        for kind in (*kinds, *optional):
            name = f"watch of {kind.name}"
            threading.Thread(target=self._follow, args=(kind,), name=name, daemon=True).start()

    def next(self, seconds: float) -> Event | None:
        """Returns the next event, or None if there is none within this time."""
        try:
            return self._events.get(timeout=seconds) if seconds > 0 else self._events.get_nowait()
        except Empty:
            return None

    def problems(self) -> list[str]:
        """Returns why some kinds cannot be listed or watched now."""
        return list(dict.fromkeys(self._problems.copy().values()))

    def close(self) -> None:
        self._closed.set()
        for watch in list(self._watches.values()):
            watch.close()

    def _follow(self, kind: ApiKind) -> None:
        known: dict[str, Json] = {}
        is_first = True
        while not self._closed.is_set():
            try:
                version = self._list(kind, known)
                self._problems.pop(kind.name, None)
                if is_first:
                    self._events.put(Event(LISTED, kind.name, {}))
                    is_first = False
                self._watch(kind, version, known)
            except ApiError as refused:
                is_absent = refused.is_missing or (refused.is_forbidden and kind in self._optional)
                if is_absent and is_first:
                    self._events.put(Event(LISTED, kind.name, {}))
                    return
                self._wait(kind, refused)
            except UnreachableError as problem:
                self._wait(kind, problem)

    def _wait(self, kind: ApiKind, problem: Exception) -> None:
        self._problems[kind.name] = str(problem)
        self._closed.wait(AGAIN)

    def _list(self, kind: ApiKind, known: dict[str, Json]) -> str:
        """Puts what differs from what is known into the queue. Returns the version of the list."""
        listed = self._client.list_of(kind)
        found = {each["metadata"]["uid"]: each for each in listed.get("items") or ()}
        for uid in [uid for uid in known if uid not in found]:
            self._put(DELETED, kind, known.pop(uid))
        for uid, each in found.items():
            before = known.get(uid)
            if before is None or _version(before) != _version(each):
                known[uid] = {"apiVersion": kind.api_version, "kind": kind.name, **each}
                self._put(MODIFIED if before else ADDED, kind, known[uid])
        return str(listed["metadata"]["resourceVersion"])

    def _watch(self, kind: ApiKind, version: str, known: dict[str, Json]) -> None:
        watch = self._client.watch(kind, version)
        self._watches[kind.name] = watch
        for event in () if self._closed.is_set() else watch:
            changed = event["object"]
            match event["type"]:
                case str(type) if type in (ADDED, MODIFIED):
                    known[changed["metadata"]["uid"]] = changed
                case str(type) if type == DELETED:
                    known.pop(changed["metadata"]["uid"], None)
                case str(type) if type == _BOOKMARK:
                    continue
                case _:
                    return
            self._put(event["type"], kind, changed)

    def _put(self, type: str, kind: ApiKind, object: Json) -> None:
        self._events.put(Event(type, kind.name, object))


def _version(object: Json) -> str:
    return str(object["metadata"]["resourceVersion"])
