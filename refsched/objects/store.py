# SPDX-License-Identifier: Apache-2.0
"""ObjectStore: the API objects that the scheduler's informers hold, and what it assumes of them.

Plugins read it as those of kube-scheduler read their listers: it is not part of the snapshot, but nothing
changes it while a pod's Filter and Score run. Besides the objects as the API server last showed them it holds
those that a plugin *assumed* in Reserve (a volume about to be bound, a claim about to be allocated). These are
valid until the API server shows a newer one or the plugin restores the old one.
Source: staging client-go listers; pkg/scheduler/util/assumecache/assume_cache.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from refsched.objects.meta import ApiObject


class Ledger(Protocol):
    """A Ledger keeps what follows from the changes of one kind's objects, but not from the objects as they are
    now."""

    kind: ClassVar[str]

    def changed(self, before: Any | None, after: Any | None) -> None:
        """Records a change: what ``latest`` returned before, and what it returns now."""
        ...


T = TypeVar("T", bound=ApiObject)
L = TypeVar("L", bound=Ledger)
_Name = tuple[str, str]


class ObjectStore:
    """The ObjectStore holds objects by kind, namespace and name. Cluster-scoped objects have the namespace
    ``""``."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[_Name, Any]] = {}
        self._assumed: dict[str, dict[_Name, Any]] = {}
        self._ledgers: dict[type[Ledger], Any] = {}
        self._listed: dict[str, list[Any]] = {}

    # --- As the API server shows them -------------------------------------------------------------

    def put(self, shown: T) -> T | None:
        """Stores a new or changed object that the API server shows, and returns the one that it replaces."""
        name = _name_of(shown)
        assumed = self._assumed.get(shown.kind, {}).pop(name, None)
        objects = self._objects.setdefault(shown.kind, {})
        before: T | None = objects.get(name)
        objects[name] = shown
        self._listed.pop(shown.kind, None)
        self._notify(shown.kind, assumed or before, shown)
        return before

    def remove(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        """Removes a deleted object and returns it, or None if it was not there."""
        assumed = self._assumed.get(kind.kind, {}).pop((namespace, name), None)
        removed: T | None = self._objects.get(kind.kind, {}).pop((namespace, name), None)
        self._listed.pop(kind.kind, None)
        self._notify(kind.kind, assumed or removed, None)
        return removed

    def get(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        found: T | None = self._objects.get(kind.kind, {}).get((namespace, name))
        return found

    def list(self, kind: type[T]) -> Sequence[T]:
        """Returns all objects of a kind, by namespace and name."""
        listed = self._listed.get(kind.kind)
        if listed is None:
            listed = [found for _, found in sorted(self._objects.get(kind.kind, {}).items(), key=_by_name)]
            self._listed[kind.kind] = listed
        return listed

    # --- As the scheduler assumes them ------------------------------------------------------------

    def assume(self, assumed: T) -> None:
        """Assumes an object: until the API server shows a newer one, ``latest`` returns this one."""
        before = self.latest(type(assumed), assumed.name, assumed.namespace)
        self._assumed.setdefault(assumed.kind, {})[_name_of(assumed)] = assumed
        self._notify(assumed.kind, before, assumed)

    def restore(self, kind: type[T], name: str, namespace: str = "") -> None:
        """Withdraws an assumption; does nothing if there is none."""
        before = self._assumed.get(kind.kind, {}).pop((namespace, name), None)
        if before is not None:
            self._notify(kind.kind, before, self.get(kind, name, namespace))

    def latest(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        """Returns the object as assumed, or else as the API server shows it."""
        assumed: T | None = self._assumed.get(kind.kind, {}).get((namespace, name))
        return assumed if assumed is not None else self.get(kind, name, namespace)

    def list_latest(self, kind: type[T]) -> Sequence[T]:
        """Returns all objects of a kind as assumed, or else as shown, by namespace and name."""
        merged = self._objects.get(kind.kind, {}) | self._assumed.get(kind.kind, {})
        return [found for _, found in sorted(merged.items(), key=_by_name)]

    # --- What is kept of their changes ------------------------------------------------------------

    def ledger(self, of: type[L]) -> L:
        """Returns the ledger of this type. It is created when first asked for, and then given what there is."""
        if of not in self._ledgers:
            made = of()
            for found in {**self._objects.get(of.kind, {}), **self._assumed.get(of.kind, {})}.values():
                made.changed(None, found)
            self._ledgers[of] = made
        kept: L = self._ledgers[of]
        return kept

    def _notify(self, kind: str, before: Any | None, after: Any | None) -> None:
        for ledger in self._ledgers.values():
            if ledger.kind == kind:
                ledger.changed(before, after)


def _name_of(shown: ApiObject) -> _Name:
    return shown.namespace, shown.name


def _by_name(entry: tuple[_Name, Any]) -> _Name:
    return entry[0]
