# SPDX-License-Identifier: Apache-2.0
"""Inputs: a record of docs/protocol.md becomes a call of the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refsched.config.gated_fields import without_disabled_fields
from refsched.machine.scheduler import Scheduler
from refsched.objects.kinds import kind_of
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.objects.priority_class import PriorityClass
from refsched.plugins.scripted import check_script
from refsched.reading.defaults import defaulted
from refsched.reading.fast_forward import advance
from refsched.reading.objects import kind_called, read_object
from refsched.reading.without_fields import without_fields
from refsched.records import Advance, Create, Delete, Input, Permit, Release, Update
from refsched.releases.release import Release as KubernetesRelease
from refsched.rules import applies

Shown = Callable[[dict[str, Any], ApiObject], None]


def known_fields(value: dict[str, Any], release: KubernetesRelease) -> dict[str, Any]:
    """Returns the object as JSON, without the fields that the API of this release does not have yet
    (R-FEATURE-51)."""
    known = without_fields(value, release.not_yet) if release.not_yet else value
    applies("R-FEATURE-51", when=known != value)
    return known


def read_known(known: dict[str, Any], release: KubernetesRelease) -> ApiObject:
    """Reads the object of ``known_fields``, as the release counts with it, and without the fields whose feature
    gates are off. Raises InputError if it is invalid."""
    read = without_disabled_fields(read_object(known, release), release.disabled_fields)
    return release.as_read(read)


class InputReader:
    """An InputReader applies input records to a scheduler. It sets the API server's defaults, and drops the
    fields that the API server drops if a feature gate is off."""

    def __init__(self, scheduler: Scheduler, shown: Shown | None = None, serial: int = 0) -> None:
        """Calls ``shown`` with each object as it was given and as it was read; ``serial`` objects have been read
        before."""
        self._scheduler = scheduler
        self._shown = shown
        self.serial = serial

    def apply(self, record: Input) -> ApiObject | None:
        """Applies the record, and returns the object that the scheduler was shown, if it was shown one. Raises
        InputError if this is impossible: an object is invalid, or missing."""
        match record:
            case Create(value):
                self._scheduler.create(created := self.read(value, None))
                return created
            case Update(value):
                self._scheduler.update(updated := self.read(value, self._before(value)))
                return updated
            case Delete(named):
                kind = kind_called(named.api_version, named.kind)
                namespace = (named.namespace or "default") if kind.namespaced else ""
                self._scheduler.delete(kind.type, named.name, namespace)
            case Advance(seconds):
                advance(self._scheduler, seconds)
            case Permit(pod, decision, plugin):
                self._scheduler.permit(pod, decision, plugin)
            case Release(pod):
                self._scheduler.release(pod)
        return None

    def read(self, value: dict[str, Any], before: ApiObject | None = None) -> ApiObject:
        """Reads an object, as the API server would store it in place of ``before``. Raises InputError if it is
        invalid."""
        self.serial += 1
        known = known_fields(value, self._scheduler.kubernetes)
        classes = self._scheduler.state.objects.list(PriorityClass)
        read = read_known(known, self._scheduler.kubernetes)
        stored = defaulted(
            read,
            before,
            classes=classes,
            serial=self.serial,
            release=self._scheduler.kubernetes,
        )
        if isinstance(stored, Pod):
            check_script(stored)
        if self._shown is not None:
            self._shown(known, stored)
        return stored

    def _before(self, value: dict[str, Any]) -> ApiObject | None:
        updated = read_object(known_fields(value, self._scheduler.kubernetes))
        namespace = updated.metadata.namespace
        if kind_of(updated).namespaced:
            namespace = namespace or "default"
        return self._scheduler.state.api.get(type(updated), updated.metadata.name, namespace)
