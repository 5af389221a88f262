# SPDX-License-Identifier: Apache-2.0
"""Watched: a trace of what was seen from outside, judged as a shadow judges what it sees."""

from __future__ import annotations

from pathlib import Path

from refsched.checking.replay import FileReport, FirstDisagreement
from refsched.checking.trace import Entry, Trace
from refsched.errors import InputError
from refsched.records import Attempt, Create, Delete, Update
from refsched.tools.configuration.feature_gates import with_feature_gates
from refsched.tools.configuration.read import read_config
from refsched.tools.kubernetes_api.decisions import Decision
from refsched.tools.kubernetes_api.watching import MODIFIED, Event
from refsched.tools.running.mirror import Mirror
from refsched.tools.running.setting_up import Options, scheduler_for
from refsched.tools.running.shadow import Shadow


def judge_watched(trace: Trace) -> FileReport:
    """Attempts each pod of which a decision was seen, in the cluster as it was seen before that. An attempt of a
    pod that did not wait, as things were seen, is not judged. Raises InputError if the trace cannot be read."""
    header = trace.header
    try:
        release = with_feature_gates(header.feature_gates, header.release)
        options = Options(release, "", read_config(header.config, release))
        scheduler = scheduler_for(options, header.start)
    except InputError as error:
        raise error.at(f"{trace.path}: line 1") from None
    shadow = Shadow(scheduler, Mirror(scheduler, lambda line: None), lambda compared: None)
    judged = [(entry, _differences(shadow, entry)) for entry in trace.entries if _is_input_or_attempt(entry)]
    attempts = [(entry, found) for entry, found in judged if isinstance(entry.record, Attempt)]
    wrong = [(entry, found) for entry, found in attempts if found]
    unchecked = sum(found is None for _, found in attempts)
    return FileReport(
        str(Path(trace.path)),
        len(attempts),
        len(attempts) - len(wrong) - unchecked,
        len(wrong),
        unchecked,
        next((_first(entry, found) for entry, found in wrong if found), None),
    )


def _is_input_or_attempt(entry: Entry) -> bool:
    return isinstance(entry.record, Attempt | Create | Update | Delete)


def _differences(shadow: Shadow, entry: Entry) -> list[str] | None:
    """Returns in what an attempt differs, or None if it could not be judged; what a watch showed is shown."""
    scheduler = shadow.scheduler
    scheduler.run_until(max(entry.at, scheduler.state.clock.now))
    match entry.record:
        case Attempt(pod, result, node):
            said = entry.record.message or ""
            return shadow.decided(pod, Decision(result, node or "", said, entry.record.nominated_node or ""))
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
