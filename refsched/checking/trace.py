# SPDX-License-Identifier: Apache-2.0
"""Traces: JSON Lines, plain or gzip, each line checked when it is read (docs/protocol.md, version 1).

Every error is an InputError that names the file and the line.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from attrs import field, frozen

from refsched.checking.made_uids import made_uids, with_uid
from refsched.errors import InputError
from refsched.machine.state import MAX_SECONDS, START
from refsched.objects.dra import ResourceClaim
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolume
from refsched.reading.documents import read_json
from refsched.reading.files import open_file
from refsched.reading.record_json import read_record
from refsched.records import Json, Record, Write
from refsched.releases import UNNAMED, release_of
from refsched.releases.release import Release

_READ: Mapping[str, type[Any]] = {kind.kind: kind for kind in (PersistentVolume, ResourceClaim)}
"""Objects of these kinds are read when they are written."""

SUFFIXES = (".jsonl", ".jsonl.gz")
"""The names of traces end so."""

FORMAT = "refsched.trace/v1"
KUBE_SCHEDULER = "kube-scheduler"
MAX_LINE = 16 * 1024 * 1024
"""A line may have this many bytes. An attempt that reports 5,000 nodes, each with the scores of ten plugins, takes
a tenth."""

MAX_BLANK = 1024 * 1024
"""The blank lines of a trace may have this many bytes."""


@frozen
class SchedulerName:
    """A SchedulerName is the name and the version of the scheduler that was recorded."""

    name: str
    version: str


@frozen
class Header:
    """A Header is the first line: which scheduler was recorded, how it was configured, and at what time ``at``
    is 0. ``frozen_timers`` are those that the recorder could not move. ``extender_calls`` says that all calls of
    extenders are recorded. ``kubernetes`` is the release by which the scheduler decides; kube-scheduler's is its
    version. ``watched`` says that the trace has what was seen from outside, by ``refsched watch``."""

    trace: str
    scheduler: SchedulerName
    config: Json
    feature_gates: Mapping[str, bool] = field(factory=dict)
    start: datetime = START
    frozen_timers: tuple[str, ...] = ()
    extender_calls: bool = False
    kubernetes: str = ""
    watched: bool = False

    @property
    def release(self) -> Release:
        """Returns the release. Raises InputError if it is not one that is specified here."""
        if self.kubernetes:
            return release_of(self.kubernetes)
        return release_of(self.scheduler.version if self.scheduler.name == KUBE_SCHEDULER else UNNAMED)


@frozen
class Exchange:
    """An Exchange is one call of an extender. ``extender`` is its ``urlPrefix``. ``failed`` is the error of Go's
    HTTP client if there was no answer at all; an answer with a ``status`` other than 200 is not used."""

    extender: str
    verb: str
    request: Json
    answer: Any = None
    status: int = 200
    failed: str = ""


@frozen
class Entry:
    """An Entry is one record, with the number of its line, and the seconds since the start.

    The next record may report what has no record of its own (docs/protocol.md). ``held`` is the pod whose
    scheduling cycle had begun before this record and is held by a scripted plugin: its attempt comes later.
    ``idle`` says that a pod was asked for before this record and that there was none. ``asked`` are the calls of
    extenders since the previous record.
    """

    line: int
    at: float
    record: Record
    held: str = ""
    idle: bool = False
    asked: tuple[Exchange, ...] = ()


@frozen
class Trace:
    """``entries`` can be iterated over once, and raises InputError if the rest of the file cannot be read."""

    path: str
    header: Header
    entries: Iterator[Entry]


def read_trace(path: str | Path) -> Trace:
    """Opens a trace and reads its header; the records are read when they are asked for."""
    lines = json_lines(path)
    number, members = next(lines, (1, None))
    where = f"{path}: line {number}"
    if members is None:
        raise InputError("is empty", where=str(path))
    if members.get("trace") != FORMAT:
        found = "a line without it" if "trace" not in members else f"{members['trace']!r:.60}"
        raise InputError(f"expected a header, {FORMAT!r}, found {found}", "trace", where)
    try:
        header = read_as(Header, members)
    except InputError as error:
        raise error.at(where) from None
    return Trace(str(path), header, _entries(path, lines))


def _entries(path: str | Path, lines: Iterator[tuple[int, Json]]) -> Iterator[Entry]:
    now = 0.0
    uids = made_uids(_lines(path)) if Path(path).is_file() else {}  # a pipe can be read only once
    for number, members in lines:
        try:
            now = _time(members.get("at"), now)
            record = _read(members)
            if number in uids:
                record = with_uid(record, uids[number])
            yield Entry(number, now, record, _held(members), _idle(members), _asked(members))
        except InputError as error:
            raise error.at(f"{path}: line {number}") from None
        except RecursionError:
            raise InputError("is nested too deeply", where=f"{path}: line {number}") from None


def _read(members: Json) -> Record:
    """Reads a record. The objects in it that are read are checked at once, so that an error names its line."""
    record = read_record(members)
    if isinstance(record, Write):
        kind = record.object.get("kind")
        if not isinstance(kind, str):
            raise InputError(f"expected a kind, found {kind!r:.60}", "write.object.kind")
        try:
            if kind in _READ:
                read_as(_READ[kind], record.object)
        except InputError as error:
            raise error.under("write.object") from None
    return record


def _time(at: object, now: float) -> float:
    if at is None:
        raise InputError("is required and missing", "at")
    if isinstance(at, bool) or not isinstance(at, int | float) or not abs(at) <= MAX_SECONDS:
        raise InputError(f"expected a number of seconds, {MAX_SECONDS:,} at most, found {at!r:.60}", "at")
    if at < now:
        raise InputError(f"{at:g} is before the {now:g} of an earlier line", "at")
    return float(at)


def _held(members: Json) -> str:
    pod = members.get("held", "")
    if pod and not (isinstance(pod, str) and all(pod.partition("/"))):
        raise InputError(f"expected namespace/name of a pod, found {pod!r:.60}", "held")
    return str(pod or "")


def _idle(members: Json) -> bool:
    idle = members.get("idle", False)
    if not isinstance(idle, bool):
        raise InputError(f"expected true or false, found {idle!r:.60}", "idle")
    return idle


def _asked(members: Json) -> tuple[Exchange, ...]:
    try:
        return read_as(tuple[Exchange, ...], members.get("asked", ()))
    except InputError as error:
        raise error.under("asked") from None


# --- Lines ----------------------------------------------------------------------------------------


def json_lines(path: str | Path) -> Iterator[tuple[int, Json]]:
    """Yields the JSON objects of a file, plain or gzip, with the numbers of their lines. Raises InputError, which
    names the file and the line."""
    for number, line in _lines(path):
        where = f"{path}: line {number}"
        if len(line) > MAX_LINE:
            raise InputError(f"is longer than {MAX_LINE // 1024 // 1024} MiB", where=where)
        yield number, _object(line, where)


def _object(line: bytes, where: str) -> Json:
    try:
        value: Any = read_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        problem = "is not UTF-8 text"
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg} (column {error.colno})"
    except InputError as error:
        raise error.at(where) from None
    else:
        if isinstance(value, dict):
            return value
        raise InputError(f"expected a JSON object, found {value!r:.60}", where=where)
    raise InputError(problem if line.endswith(b"\n") else "is cut off in the middle", where=where)


def _unpacked(file: BinaryIO, path: str) -> BinaryIO | gzip.GzipFile:
    return gzip.GzipFile(fileobj=file) if path.endswith(".gz") else file


def _lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Yields the lines with their numbers, cut one byte beyond the limit. Blank lines are skipped, up to a
    limit."""
    number = blank = 0
    try:
        with open_file(path) as opened, _unpacked(opened, str(path)) as file:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE or not line.isspace():
                    yield number, line
                    continue
                blank += len(line)
                if blank > MAX_BLANK:
                    raise InputError(
                        f"holds more than {MAX_BLANK:,} bytes of blank lines", where=f"{path}: line {number}"
                    )
    except EOFError:
        end = f"after line {number}" if number else "in its first line"
        raise InputError(f"the compressed file is cut off {end}", where=str(path)) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"cannot be decompressed: {error}", where=str(path)) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None
