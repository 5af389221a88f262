# SPDX-License-Identifier: Apache-2.0
"""Importing: changes of a cluster that somebody has recorded are written as ``refsched watch`` writes them.

Source of what is known besides: what kubectl printed of the cluster when the recording began.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from attrs import frozen

from refsched.errors import InputError
from refsched.objects.kinds import ApiKind
from refsched.processes.kubernetes_api.decisions import Results
from refsched.processes.kubernetes_api.watching import ADDED, Event
from refsched.reading.manifests import raw_objects
from refsched.reading.objects import kind_called
from refsched.tools.running.event_recorder import REPORTED, EventRecorder

Json = dict[str, Any]


@frozen
class ObservedChange:
    """An ObservedChange is what was seen at a time. ``is_whole`` says that all objects of the cluster were known
    then, as far as the recording shows; ``is_old`` that a pod which has a node was not placed there then: it was
    so before, or was created so. ``results`` are those of an attempt that the object shows."""

    at: datetime
    event: Event
    is_whole: bool = True
    is_old: bool = False
    results: Results | None = None


def write_changes(
    before: Iterable[Event],
    changes: Iterable[ObservedChange],
    start: datetime,
    schedulers: Collection[str],
    write: Callable[[Json], object],
) -> EventRecorder:
    """Writes the records of a trace, and returns what has counted them."""
    seconds = 0.0
    recording = EventRecorder(write, schedulers, lambda: seconds)
    recording.take_first(before)
    for change in changes:
        seconds = (change.at - start).total_seconds()
        recording.is_whole = change.is_whole
        recording.results = change.results
        if change.is_old:
            recording.has_decided(change.event)
        recording.take(change.event)
    return recording


def kind_of_object(value: Json) -> ApiKind | None:
    """Returns the row of the table of kinds, that of Events too, or None if nothing of such an object is read."""
    api_version, name = str(value.get("apiVersion")), str(value.get("kind"))
    if (api_version, name) == (REPORTED.api_version, REPORTED.name):
        return REPORTED
    try:
        return kind_called(api_version, name)
    except InputError:
        return None


def check_object(value: Json, where: str) -> None:
    """Raises InputError if the object lacks the name or the uid that every object that an API server shows has."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        raise InputError(f"expected an object, found {metadata!r:.60}", "metadata", where)
    for field in ("name", "uid"):
        if not isinstance(metadata.get(field), str) or not metadata[field]:
            raise InputError("is required and missing", f"metadata.{field}", where)
    for field in ("spec", "status"):
        if not isinstance(value.get(field) or {}, dict):
            raise InputError(f"expected an object, found {value[field]!r:.60}", field, where)
    if value["kind"] == "Pod" and not isinstance(value.get("spec"), dict):
        raise InputError("is required and missing", "spec", where)


def read_time(text: object, field: str, where: str) -> datetime:
    """Reads a time as Kubernetes writes it. Raises InputError if it is none."""
    try:
        read = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise InputError(f"expected a time such as 2026-01-01T00:00:00Z, found {text!r:.60}", field, where)
    return read


def created_at(value: Json) -> datetime | None:
    """Returns when an object was created, in whole seconds, if it says so."""
    text = value["metadata"].get("creationTimestamp")
    return read_time(text, "metadata.creationTimestamp", "") if text else None


def shown_before(paths: Sequence[str], start: datetime) -> list[Event]:
    """Returns the objects that kubectl has printed, without those that were created after the recording began: it
    shows these itself. Raises InputError, which names the file and what is wrong in it."""
    found = []
    for where, value in raw_objects(paths):
        if isinstance(value, dict) and (kind := kind_of_object(value)) is not None:
            check_object(value, where)
            created = created_at(value)
            if created is None or created < start:
                found.append(Event(ADDED, kind.name, value))
    return found
