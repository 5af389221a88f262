# SPDX-License-Identifier: Apache-2.0
"""Replay: recorded traces against the specification, attempt by attempt.

An attempt agrees when every member present in it is allowed, and so are the ``bind``, ``queues`` and ``nodes``
records that follow it before the next attempt; what precedes the first attempt counts with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

import attrs
from attrs import Factory, define, evolve, frozen

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.mending import Mended, mends_that_explain
from refsched.checking.recorded_extenders import RecordedExtenders
from refsched.checking.trace import SUFFIXES, Entry, Trace, read_trace
from refsched.errors import InputError
from refsched.records import Attempt, Bind, Input


@frozen
class FirstDisagreement:
    """A FirstDisagreement is a Disagreement as JSON can represent it, with the line of the record that shows it,
    and the pod if the record is about one."""

    line: int
    member: str
    expected: Any
    got: Any
    pod: str = ""


@frozen
class FileReport:
    """A FileReport says how many attempts of one trace agree, with ``first`` as the first disagreement. If a
    file cannot be judged, ``error`` says why, and its attempts, as far as they can be read, are ``unchecked``.
    ``without`` are the ids of the known defects that the recorded scheduler cannot have had at any time.
    ``bindings`` is how many binding cycles ended, of which ``bindings_recorded`` were recorded."""

    file: str
    attempts: int = 0
    agree: int = 0
    disagree: int = 0
    unchecked: int = 0
    first: FirstDisagreement | None = None
    error: str | None = None
    without: tuple[str, ...] = ()
    bindings: int = 0
    bindings_recorded: int = 0


def judge_file(path: str | Path, judge_watched: Callable[[Trace], FileReport] | None = None) -> FileReport:
    """Replays one file as ``replay_file`` does, but reports a file that cannot be judged too, whatever the
    cause, so that the other files are still judged. ``judge_watched`` judges a trace that was watched."""
    try:
        trace = read_trace(path)
        if judge_watched is not None and trace.header.watched:
            return judge_watched(trace)
        report = _replayed(trace, path, Checker)
        return report if report.first is None else _mended(path, report)
    except InputError as error:
        return _not_judged(path, str(error))
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        return _not_judged(path, f"{path}: refsched itself fails ({where}): {error!r}")


def _not_judged(path: str | Path, problem: str) -> FileReport:
    unchecked = _count_attempts(path)
    return FileReport(str(path), unchecked, unchecked=unchecked, error=problem)


def _mended(path: str | Path, report: FileReport) -> FileReport:
    """Returns the report of the same file for a scheduler without some known defects, if the file agrees with
    that scheduler."""
    reports: dict[Mended, FileReport] = {}

    def first_wrong(mended: Mended) -> object:
        try:
            reports[mended] = replay_file(path, partial(Checker, without=mended))
        except InputError as error:
            return str(error)
        return reports[mended].first

    mended = mends_that_explain(first_wrong, report.first)
    if mended is None:
        return report
    return evolve(reports[mended], without=tuple(sorted(defect.id for defect in mended)))


def _count_attempts(path: str | Path) -> int:
    count = 0
    with suppress(InputError):
        for entry in read_trace(path).entries:
            count += isinstance(entry.record, Attempt)
    return count


def replay_file(path: str | Path, checker_of: Callable[..., Checker] = Checker) -> FileReport:
    """Replays one file. Raises InputError if the file is not a trace, or one of its inputs cannot be applied."""
    return _replayed(read_trace(path), path, checker_of)


def _replayed(trace: Trace, path: str | Path, checker_of: Callable[..., Checker]) -> FileReport:
    header, extenders = trace.header, RecordedExtenders()
    try:
        checker = checker_of(
            header.config,
            header.feature_gates,
            header.frozen_timers,
            header.start,
            extenders if header.extender_calls else None,
            release=header.release,
        )
    except InputError as error:
        raise error.at(f"{path}: line 1") from None
    followed = _Followed()
    for entry, coming in _foreseen(trace.entries, checker, extenders):
        followed.see(entry)
        unrecorded = _unrecorded(checker, entry, coming)
        taken = _take(checker, entry, str(path), lenient=followed.first is not None)
        for found in (*unrecorded, *extenders.disagreements(entry.asked), *taken):
            followed.disagrees(entry, found)
    return followed.report(str(path), () if checker.has_diverged else checker.unrecorded_bindings())


@define
class _Followed:
    """A _Followed has what was seen of a trace so far. An attempt is identified by its number; ``of_pod`` has
    the line and the number of each pod's last attempt."""

    first: FirstDisagreement | None = None
    attempts: int = 0
    bindings: int = 0
    disagreeing: set[int] = Factory(set)
    of_pod: dict[str, tuple[int, int]] = Factory(dict)

    def see(self, entry: Entry) -> None:
        match entry.record:
            case Attempt(pod=pod):
                self.attempts += 1
                self.of_pod[pod] = entry.line, self.attempts
            case Bind():
                self.bindings += 1

    def disagrees(self, entry: Entry, found: Disagreement) -> None:
        pod = entry.record.pod if isinstance(entry.record, Attempt | Bind) else ""
        self.note(max(self.attempts, 1), entry.line, found, pod)

    def note(self, number: int, line: int, found: Disagreement, pod: str) -> None:
        self.disagreeing.add(number)
        if self.first is None or line < self.first.line:
            self.first = FirstDisagreement(
                line, found.member, as_plain(found.expected), as_plain(found.got), pod
            )

    def report(self, path: str, unrecorded: Sequence[Bind]) -> FileReport:
        """Returns the report of the trace. A trace that records one binding records all of them: if one is
        missing, the pod's last attempt disagrees. A trace without bindings may come from a recorder that does
        not record them; the bindings that were not recorded are counted."""
        if self.bindings:
            for bind in unrecorded:
                line, number = self.of_pod.get(bind.pod, (1, 1))
                self.note(number, line, Disagreement("bind", bind, None), bind.pod)
        disagree = len(self.disagreeing) if self.attempts else 0
        return FileReport(
            path,
            self.attempts,
            self.attempts - disagree,
            disagree,
            first=self.first,
            bindings=self.bindings + len(unrecorded),
            bindings_recorded=self.bindings,
        )


def _foreseen(
    entries: Iterator[Entry], checker: Checker, extenders: RecordedExtenders
) -> Iterator[tuple[Entry, Attempt | None]]:
    """Yields the entries, each with the attempt that comes next. Before each attempt the checker and the
    extenders are given the records up to the next one."""
    known: list[Entry] = []

    def foresee() -> None:
        checker.foresee(each.record for each in known)
        extenders.add(exchange for each in known for exchange in each.asked)

    for entry in entries:
        if isinstance(entry.record, Attempt):
            foresee()
            yield from ((each, entry.record) for each in known)
            known.clear()
        known.append(entry)
    foresee()
    yield from ((each, None) for each in known)


def _unrecorded(checker: Checker, entry: Entry, coming: Attempt | None) -> list[Disagreement]:
    """Returns what the specification did before this entry without a record. While a scheduling cycle is held
    there is no other cycle: the next attempt is that of the same pod, or there is none."""
    found = checker.idle() if entry.idle else []
    if entry.held:
        own = coming if coming is not None and coming.pod == entry.held else None
        found += checker.begin(entry.held, own)
    return found


def _take(checker: Checker, entry: Entry, path: str, *, lenient: bool) -> Sequence[Disagreement]:
    """Follows one entry. After a disagreement an input may no longer be applicable; if ``lenient``, it is
    reported and skipped."""
    try:
        return checker.take(entry.record)
    except InputError as error:
        if not (lenient and isinstance(entry.record, Input)):
            raise error.at(f"{path}: line {entry.line}") from None
        return [Disagreement(entry.record.member, "an input that fits", str(error))]


def trace_files(paths: Sequence[str | Path]) -> Iterator[Path]:
    """Yields the traces among ``paths``; a folder stands for all those below it, in the order of their names."""
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        found = sorted(child for child in path.rglob("*") if child.name.endswith(SUFFIXES))
        if not found:
            raise InputError(f"there is no trace ({' or '.join(SUFFIXES)}) below it", where=str(path))
        yield from found


def as_plain(value: Any) -> Any:
    """Returns the value as JSON can represent it, without the members of an object that are not set."""
    if attrs.has(type(value)):
        members = attrs.asdict(value, recurse=False, filter=lambda _, member: member not in ("", (), None))
        return as_plain(members)
    if isinstance(value, Mapping):
        return {name: as_plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(member) for member in value]
    return value.isoformat() if isinstance(value, datetime) else value
