# SPDX-License-Identifier: Apache-2.0
"""Inputs: a record of docs/protocol.md becomes a call of the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refsched.config.gated_fields import without_disabled_fields
from refsched.machine.scheduler import Scheduler
from refsched.objects.defaults import defaulted
from refsched.objects.fields import without_fields
from refsched.objects.kinds import kind_called, kind_of, read_object
from refsched.objects.priority_class import PriorityClass
from refsched.objects.store import ApiObject
from refsched.records import Advance, Create, Delete, Input, Permit, Release, Update
from refsched.rules import applies

Shown = Callable[[dict[str, Any], ApiObject], None]


class InputReader:
    """An InputReader applies input records to a scheduler. It sets the API server's defaults, and drops the
    fields that the API server drops if a feature gate is off."""

    def __init__(self, scheduler: Scheduler, shown: Shown | None = None) -> None:
        """``shown`` is called with each object as it was given and as it was read."""
        self._scheduler = scheduler
        self._shown = shown
        self._serial = 0

    def apply(self, record: Input) -> None:
        """Applies the record. Raises InputError if this is impossible: an object is invalid, or missing."""
        match record:
            case Create(value):
                self._scheduler.create(self._read(value, None))
            case Update(value):
                self._scheduler.update(self._read(value, self._before(value)))
            case Delete(named):
                kind = kind_called(named.api_version, named.kind)
                namespace = (named.namespace or "default") if kind.namespaced else ""
                self._scheduler.delete(kind.type, named.name, namespace)
            case Advance(seconds):
                self._scheduler.advance(seconds)
            case Permit(pod, decision, plugin):
                self._scheduler.permit(pod, decision, plugin)
            case Release(pod):
                self._scheduler.release(pod)

    def _read(self, value: dict[str, Any], before: ApiObject | None) -> ApiObject:
        self._serial += 1
        value = self._known(value)
        classes = self._scheduler.state.objects.list(PriorityClass)
        read = without_disabled_fields(read_object(value), self._scheduler.kubernetes.disabled_fields)
        stored = defaulted(read, before, classes=classes, serial=self._serial)
        if self._shown is not None:
            self._shown(value, stored)
        return stored

    def _known(self, value: dict[str, Any]) -> dict[str, Any]:
        not_yet = self._scheduler.kubernetes.not_yet
        known = without_fields(value, not_yet) if not_yet else value
        if known != value:
            applies("R-FEATURE-51")
        return known

    def _before(self, value: dict[str, Any]) -> ApiObject | None:
        updated = read_object(self._known(value))
        namespace = updated.metadata.namespace
        if kind_of(updated).namespaced:
            namespace = namespace or "default"
        return self._scheduler.state.api.get(type(updated), updated.metadata.name, namespace)
