# SPDX-License-Identifier: Apache-2.0
"""Watched: a trace of what was seen from outside, judged as a shadow judges what it sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from refsched.checking.replay import FileReport, FirstDisagreement
from refsched.checking.trace import Entry, Trace
from refsched.errors import InputError
from refsched.processes.kubernetes_api.decisions import ObservedDecision, Results, pod_called
from refsched.processes.kubernetes_api.watching import MODIFIED, Event
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.records import Attempt, Create, Delete, Update
from refsched.tools.running.setting_up import Options
from refsched.tools.running.shadow import Shadow, shadow_of

DELAY = 1.0
"""What was seen within this many seconds need not have happened in this order."""

LATE = 30
"""This many of the latest changes at most are taken for unknown to the scheduler."""

EARLY = 3
"""This many of the next decisions at most are taken for made before."""


CLOSELY = 20
"""After this many attempts that are not allowed, those that differ are not looked at so closely any more."""


def judge_watched(trace: Trace) -> FileReport:
    """Attempts each pod of which a decision was seen, in the cluster as it was seen before that. An attempt of a
    pod that did not wait, as things were seen, is not judged. Raises InputError if the trace cannot be read."""
    header = trace.header
    try:
        release = with_feature_gates(header.feature_gates, header.release)
        options = Options(release, "", read_config(header.config, release))
        shadow = shadow_of(options, header.start)
    except InputError as error:
        raise error.at(f"{trace.path}: line 1") from None
    entries = [
        entry for entry in trace.entries if isinstance(entry.record, Attempt | Create | Update | Delete)
    ]
    found = [_differences(shadow, entry) for entry in entries]
    attempts = [index for index, entry in enumerate(entries) if isinstance(entry.record, Attempt)]
    differing = [index for index in attempts if found[index]]
    wrong = list(_in_no_order(differing, entries, shadow_of(options, header.start)))
    unchecked = sum(found[index] is None for index in attempts)
    return FileReport(
        str(Path(trace.path)),
        len(attempts),
        len(attempts) - len(wrong) - unchecked,
        len(wrong),
        unchecked,
        next((_first(entries[index], found[index] or []) for index in wrong), None),
    )


def _in_no_order(differing: list[int], entries: Sequence[Entry], behind: Shadow) -> Iterator[int]:
    """Yields those attempts that are not allowed whatever a scheduler had seen before: a change is seen later by a
    scheduler than by others, and a decision is seen by others later than it is made. ``behind`` has been shown
    nothing yet."""
    shown = wrong = 0
    for index in differing:
        changes = [
            number
            for number in range(shown, index)
            if entries[number].at >= entries[index].at - DELAY
            and not isinstance(entries[number].record, Attempt)
        ]
        begins = changes[-2 * LATE] if len(changes) > 2 * LATE else min(changes, default=index)
        for number in range(shown, begins):
            _follow(behind, entries[number])
        shown = max(shown, begins)
        if wrong == CLOSELY or not _is_allowed_in_some_order(index, entries, shown, behind):
            wrong = min(wrong + 1, CLOSELY)
            yield index


def _is_allowed_in_some_order(index: int, entries: Sequence[Entry], shown: int, behind: Shadow) -> bool:
    pod = _pod_in(entries[index])
    before = [each for each in entries[shown:index] if not isinstance(each.record, Attempt)]
    own = [each for each in before if _pod_in(each) == pod]
    changes = [each for each in before if _pod_in(each) != pod]
    early = list(_next_decisions(index, entries))
    for made in range(len(early) + 1):
        for late in range(min(LATE, len(changes)) + 1):
            shadow = behind.fork()
            known = changes[: len(changes) - late]
            for each in sorted([*known, *own], key=lambda entry: entry.line):
                _follow(shadow, each)
            for each in early[:made]:
                _follow(shadow, each)
            if _differences(shadow, entries[index]) == []:
                return True
    return False


def _next_decisions(index: int, entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yields the changes of pods by which the next decisions about other pods are seen."""
    decided: set[str] = set()
    for entry in entries[index + 1 :]:
        if entry.at > entries[index].at + DELAY or len(decided) > EARLY:
            return
        pod = _pod_in(entry)
        if isinstance(entry.record, Attempt):
            decided |= {pod} - {_pod_in(entries[index])}
        elif pod in decided and isinstance(entry.record, Update):
            yield entry


def _pod_in(entry: Entry) -> str:
    """Returns the pod that was attempted or changed, or ""."""
    match entry.record:
        case Attempt(pod):
            return pod
        case Create(value) | Update(value) if value["kind"] == "Pod":
            return pod_called(value)
        case Delete(named) if named.kind == "Pod":
            return f"{named.namespace}/{named.name}"
    return ""


def _differences(shadow: Shadow, entry: Entry) -> list[str] | None:
    """Returns in what an attempt differs, or None if it could not be judged; what a watch showed is shown."""
    if not isinstance(entry.record, Attempt):
        _follow(shadow, entry)
        return None
    _set_clock(shadow, entry)
    seen = entry.record
    results = Results(seen.filter or {}, seen.scores or {})
    nominated = seen.nominated_node or ""
    return shadow.decided(
        seen.pod, ObservedDecision(seen.result, seen.node or "", seen.message or "", nominated, results)
    )


def _follow(shadow: Shadow, entry: Entry) -> None:
    """Shows what a watch showed. An attempt is not repeated."""
    _set_clock(shadow, entry)
    match entry.record:
        case Create(value) | Update(value):
            shadow.follow(Event(MODIFIED, value["kind"], value))
        case Delete(named):
            shadow.mirror.delete(named.kind, named.namespace, named.name)


def _set_clock(shadow: Shadow, entry: Entry) -> None:
    shadow.scheduler.run_until(max(entry.at, shadow.scheduler.state.clock.now))


def _first(entry: Entry, found: list[str]) -> FirstDisagreement:
    record = entry.record
    assert isinstance(record, Attempt)
    seen = f"→ {record.node}" if record.node else f"not scheduled: {record.message}"
    return FirstDisagreement(entry.line, "decision", "; ".join(found), seen, record.pod)
