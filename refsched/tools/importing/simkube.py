# SPDX-License-Identifier: Apache-2.0
"""SimKube: a trace of its tracer has the objects that were applied and deleted, by the second.

It has no nodes, and the nodes of pods are removed from it, so that no decision of a scheduler is in it. It becomes
a scenario.

Source: simkube, sk-core/src/trace/mod.rs, Trace; trace/event.rs, TraceEvent; k8s/util.rs, sanitize_obj.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from refsched.errors import InputError
from refsched.reading.documents import read_documents, read_text
from refsched.reading.dumps import read_bytes
from refsched.reading.files import open_file
from refsched.reading.objects import Key, key_of
from refsched.records import Advance, Create, Delete, Reference, Update
from refsched.suite.histories.history import History, Schedule, Step
from refsched.tools.importing.importing import Json, kind_of_object

VERSIONS = (2, 3)
"""These versions of the format have the same events."""

JSON_BEGINS = b"{"


def read_simkube(path: str) -> list[Json]:
    """Returns the events of a trace, in msgpack or as JSON. Raises InputError, which names the file and the
    field."""
    with open_file(path) as file:
        data = read_bytes(file, path)
    trace = _from_json(data, path) if data.lstrip()[:1] == JSON_BEGINS else _from_msgpack(data, path)
    if not isinstance(trace, dict) or trace.get("version") not in VERSIONS:
        found = trace.get("version") if isinstance(trace, dict) else trace
        raise InputError(f"expected version 2 or 3 of SimKube's traces, found {found!r:.60}", "version", path)
    events = trace.get("events")
    if not isinstance(events, list):
        raise InputError(f"expected a list, found {events!r:.60}", "events", path)
    for index, event in enumerate(events):
        _check(event, f"events[{index}]", path)
    return events


def _from_json(data: bytearray, path: str) -> Any:
    return next(
        (document.value for document in read_documents(read_text(data, path, is_dump=True), path)), None
    )


def _from_msgpack(data: bytearray, path: str) -> Any:
    try:
        from msgpack import UnpackException, unpackb
    except ImportError:
        raise InputError(
            "needs msgpack: python -m pip install 'refsched[simkube]'; or give what msgpack2json makes of it",
            where=path,
        ) from None
    try:
        return unpackb(bytes(data), strict_map_key=False)
    except (UnpackException, ValueError) as problem:
        raise InputError(f"is neither JSON nor msgpack: {problem}", where=path) from None


def _check(event: Any, field: str, path: str) -> None:
    if not isinstance(event, dict) or not isinstance(event.get("ts"), int):
        raise InputError("expected an object with a time in seconds", f"{field}.ts", path)
    for member in ("applied_objs", "deleted_objs"):
        objects = event.get(member)
        if not isinstance(objects, list):
            raise InputError(f"expected a list, found {objects!r:.60}", f"{field}.{member}", path)
        for index, value in enumerate(objects):
            metadata = value.get("metadata") if isinstance(value, dict) else None
            if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
                raise InputError("is required and missing", f"{field}.{member}[{index}].metadata.name", path)


def history_of(
    events: Iterable[Json], before: Iterable[Json], config: Mapping[str, Any], left_out: Counter[str]
) -> History:
    """Returns the history: the changes at their times, and after those of each time a request for every pod that
    can be scheduled. ``left_out`` counts the objects of kinds that scheduling does not read."""
    steps: list[Step] = [Create(value) for value in before]
    shown: set[Key] = set()
    last: int | None = None
    for event in sorted(events, key=lambda event: int(event["ts"])):
        if last is not None and event["ts"] > last:
            steps.append(Advance(event["ts"] - last))
        last = event["ts"]
        steps += _changes(event, shown, left_out)
        pods = sum(kind == "Pod" for kind, _, _ in shown)
        if pods:
            steps.append(Schedule(pods))
    return History(tuple(steps), dict(config))


def _changes(event: Json, shown: set[Key], left_out: Counter[str]) -> Iterator[Step]:
    for value in event["deleted_objs"]:
        kind = kind_of_object(value)
        if kind is not None and key_of(value) in shown:
            shown.discard(key_of(value))
            named = value["metadata"]
            yield Delete(Reference(kind.name, named["name"], kind.api_version, named.get("namespace", "")))
    for value in event["applied_objs"]:
        if kind_of_object(value) is None:
            left_out[str(value.get("kind"))] += 1
            continue
        yield Update(value) if key_of(value) in shown else Create(value)
        shown.add(key_of(value))
