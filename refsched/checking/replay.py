# SPDX-License-Identifier: Apache-2.0
"""Replay: recorded traces against the specification, attempt by attempt.

An attempt agrees when every member present in it is allowed, and so are the ``bind``, ``queues`` and ``nodes``
records that follow it before the next attempt; what precedes the first attempt counts with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

import attrs
from attrs import evolve, frozen

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.mending import Mended, mends_that_explain
from refsched.checking.recorded_extenders import RecordedExtenders
from refsched.checking.trace import Entry, read_trace
from refsched.errors import InputError
from refsched.records import Attempt, Input

SUFFIXES = (".jsonl", ".jsonl.gz")


@frozen
class FirstDisagreement:
    line: int
    member: str
    expected: Any
    got: Any


@frozen
class FileReport:
    """How many attempts of one trace agree; ``first`` is where it first does not. Of a file that cannot be judged
    ``error`` says why, and its attempts, as far as they can be read, are ``unchecked``. ``without`` are the known
    defects (by id) that the recorded scheduler was without throughout, so far as that had to be supposed."""

    file: str
    attempts: int = 0
    agree: int = 0
    disagree: int = 0
    unchecked: int = 0
    first: FirstDisagreement | None = None
    error: str | None = None
    without: tuple[str, ...] = ()


def judge_file(path: str | Path) -> FileReport:
    """As ``replay_file``, but a file that cannot be judged is an answer too, whosever fault that is: it keeps none
    of the others from being judged."""
    try:
        report = replay_file(path)
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
    """The report of the same file as that of a scheduler without some known defects, if then it agrees."""
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
    """InputError where the file is no trace, or its inputs cannot be."""
    trace = read_trace(path)
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
    attempts = agree = 0
    agrees = True
    first: FirstDisagreement | None = None
    for entry, coming in _foreseen(trace.entries, checker, extenders):
        if isinstance(entry.record, Attempt):
            if attempts:
                agree, agrees = agree + agrees, True
            attempts += 1
        unrecorded = _unrecorded(checker, entry, coming)
        taken = _take(checker, entry, str(path), lenient=first is not None)
        for found in (*unrecorded, *extenders.disagreements(entry.asked), *taken):
            agrees = False
            if first is None:
                first = FirstDisagreement(
                    entry.line, found.member, as_plain(found.expected), as_plain(found.got)
                )
    agree += bool(attempts) and agrees
    return FileReport(str(path), attempts, agree, attempts - agree, first=first)


def _foreseen(
    entries: Iterator[Entry], checker: Checker, extenders: RecordedExtenders
) -> Iterator[tuple[Entry, Attempt | None]]:
    """The entries, each with the attempt that comes next. Before each attempt the checker and the extenders are
    shown what comes until the next."""
    known: list[Entry] = []

    def foresee() -> None:
        checker.foresee(each.record for each in known)
        extenders.tell(exchange for each in known for exchange in each.asked)

    for entry in entries:
        if isinstance(entry.record, Attempt):
            foresee()
            yield from ((each, entry.record) for each in known)
            known.clear()
        known.append(entry)
    foresee()
    yield from ((each, None) for each in known)


def _unrecorded(checker: Checker, entry: Entry, coming: Attempt | None) -> list[Disagreement]:
    """What happened before this entry without a record. While a scheduling cycle is held there is no other: the
    next attempt is the pod's own, or there is none."""
    found = checker.idle() if entry.idle else []
    if entry.held:
        own = coming if coming is not None and coming.pod == entry.held else None
        found += checker.begin(entry.held, own)
    return found


def _take(checker: Checker, entry: Entry, path: str, *, lenient: bool) -> Sequence[Disagreement]:
    """After a disagreement an input may no longer fit; it is told, and passed over."""
    try:
        return checker.take(entry.record)
    except InputError as error:
        if not (lenient and isinstance(entry.record, Input)):
            raise error.at(f"{path}: line {entry.line}") from None
        return [Disagreement(entry.record.member, "an input that fits", str(error))]


def trace_files(paths: Sequence[str | Path]) -> Iterator[Path]:
    """The traces among ``paths``; a folder stands for all those below it, in the order of their names."""
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        found = sorted(child for child in path.rglob("*") if child.name.endswith(SUFFIXES))
        if not found:
            raise InputError(f"there is no trace ({' or '.join(SUFFIXES)}) below it", where=str(path))
        yield from found


def as_plain(value: Any) -> Any:
    """As JSON can hold it."""
    if attrs.has(type(value)):
        return attrs.asdict(value, filter=lambda _, member: member not in ("", (), None))
    return value
