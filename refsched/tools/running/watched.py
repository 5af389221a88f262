# SPDX-License-Identifier: Apache-2.0
"""Watched: a trace of what was seen from outside, judged as a shadow judges what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from refsched.checking.replay import FileReport, FirstDisagreement
from refsched.checking.trace import Entry, Trace
from refsched.errors import InputError
from refsched.records import Attempt, Create, Delete, Update
from refsched.tools.configuration.feature_gates import with_feature_gates
from refsched.tools.configuration.read import read_config
from refsched.tools.kubernetes_api.decisions import Decision, Results
from refsched.tools.kubernetes_api.watching import MODIFIED, Event
from refsched.tools.running.mirror import Mirror
from refsched.tools.running.setting_up import Options, scheduler_for
from refsched.tools.running.shadow import Shadow

DELAY = 1.0
"""A scheduler that decides may not know yet what has changed so many seconds ago."""

MOST = 10
"""So many changes at most are taken for changes that the scheduler did not know."""


def judge_watched(trace: Trace) -> FileReport:
    """Attempts each pod of which a decision was seen, in the cluster as it was seen before that. An attempt of a
    pod that did not wait, as things were seen, is not judged. Raises InputError if the trace cannot be read."""
    header = trace.header
    try:
        release = with_feature_gates(header.feature_gates, header.release)
        options = Options(release, "", read_config(header.config, release))
        shadow = _shadow(options, header.start)
    except InputError as error:
        raise error.at(f"{trace.path}: line 1") from None
    entries = [entry for entry in trace.entries if _is_input_or_attempt(entry)]
    found = [_differences(shadow, entry) for entry in entries]
    attempts = [index for index, entry in enumerate(entries) if isinstance(entry.record, Attempt)]
    wrong = [
        index
        for index in attempts
        if found[index] and not _was_late(options, header.start, entries[: index + 1])
    ]
    unchecked = sum(found[index] is None for index in attempts)
    return FileReport(
        str(Path(trace.path)),
        len(attempts),
        len(attempts) - len(wrong) - unchecked,
        len(wrong),
        unchecked,
        next((_first(entries[index], found[index] or []) for index in wrong), None),
    )


def _shadow(options: Options, start: datetime) -> Shadow:
    scheduler = scheduler_for(options, start)
    return Shadow(scheduler, Mirror(scheduler, lambda line: None), lambda compared: None)


def _was_late(options: Options, start: datetime, entries: Sequence[Entry]) -> bool:
    """Returns whether the last attempt is allowed to a scheduler that did not know yet of some of the latest
    changes. What became of its own attempts it knows at once."""
    last = entries[-1]
    assert isinstance(last.record, Attempt)
    own = {last.record.pod}
    late: set[int] = set()
    for index in range(len(entries) - 2, -1, -1):
        entry = entries[index]
        if entry.at < last.at - DELAY or len(late) == MOST:
            return False
        if isinstance(entry.record, Attempt):
            own.add(entry.record.pod)
        elif _pod_in(entry) not in own:
            late.add(index)
            shadow = _shadow(options, start)
            known = [each for number, each in enumerate(entries) if number not in late]
            if [_differences(shadow, each) for each in known][-1] == []:
                return True
    return False


def _pod_in(entry: Entry) -> str:
    """Returns the pod that was changed, or ""."""
    match entry.record:
        case Create(value) | Update(value) if value["kind"] == "Pod":
            return f"{value['metadata'].get('namespace', '')}/{value['metadata']['name']}"
        case Delete(named) if named.kind == "Pod":
            return f"{named.namespace}/{named.name}"
    return ""


def _is_input_or_attempt(entry: Entry) -> bool:
    return isinstance(entry.record, Attempt | Create | Update | Delete)


def _differences(shadow: Shadow, entry: Entry) -> list[str] | None:
    """Returns in what an attempt differs, or None if it could not be judged; what a watch showed is shown."""
    scheduler = shadow.scheduler
    scheduler.run_until(max(entry.at, scheduler.state.clock.now))
    match entry.record:
        case Attempt(pod, result, node) as seen:
            results = Results(seen.filter or {}, seen.scores or {})
            decision = Decision(result, node or "", seen.message or "", seen.nominated_node or "", results)
            return shadow.decided(pod, decision)
        case Create(value) | Update(value):
            shadow.follow(Event(MODIFIED, value["kind"], value))
        case Delete(named):
            shadow.mirror.delete(named.kind, named.namespace, named.name)
    return None


def _first(entry: Entry, found: list[str]) -> FirstDisagreement:
    record = entry.record
    assert isinstance(record, Attempt)
    seen = f"→ {record.node}" if record.node else f"not scheduled: {record.message}"
    return FirstDisagreement(entry.line, "decision", "; ".join(found), seen, record.pod)
