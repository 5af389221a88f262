# SPDX-License-Identifier: Apache-2.0
"""``refsched import``: what others have recorded becomes a trace."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import click

from refsched.errors import InputError, counted, one_line
from refsched.processes.kubernetes_api.watching import Event
from refsched.reading.manifests import raw_objects
from refsched.reading.objects import Key
from refsched.suite.histories.history import DEFAULT_CONFIG
from refsched.suite.histories.scenario import scenario_text
from refsched.tools.importing.audit import AuditLog, read_requests
from refsched.tools.importing.importing import ObservedChange, shown_before, write_changes
from refsched.tools.importing.simkube import history_of, read_simkube
from refsched.tools.importing.simulator import is_recorded, read_snapshot, recorded_changes
from refsched.tools.printing import note, some
from refsched.tools.running.event_recorder import EventRecorder, check_name, header_of, trace_writer
from refsched.tools.running.setting_up import Options


def audit(
    paths: Sequence[str], files: Sequence[str], output: str, options: Options, *, as_json: bool
) -> None:
    """Writes a trace of audit logs, and says what they leave open."""
    check_name(output)
    requests = read_requests(paths)
    if not requests:
        raise InputError("holds no request about an object that scheduling reads", where=", ".join(paths))
    start = requests[0].at
    before = shown_before(files, start)
    log = AuditLog(before)
    recording = _write(before, log.changes(requests), start, output, options)
    for asked, count in sorted(log.unread.items()):
        note(f"{counted(count, 'request')} ({asked}): what was changed is not in the log")
    if log.first_missing:
        note(f"was there before, and is shown only later: {_named(log.first_missing)}")
    if log.missing:
        note(f"is never shown: {_named(tuple(log.missing))}")
    if not files:
        note("what was there before and is never named is not known; -f FILE shows it")
    _say(output, recording, as_json=as_json)


def simulator(
    paths: Sequence[str], files: Sequence[str], output: str, options: Options, *, as_json: bool
) -> None:
    """Writes a trace of what kube-scheduler-simulator has recorded, or of a snapshot of it."""
    check_name(output)
    if all(is_recorded(path) for path in paths):
        changes, there = recorded_changes(paths), []
    else:
        snapshot = read_snapshot(paths)
        changes, there = snapshot.changes, snapshot.there
        for why, count in sorted(snapshot.unknown.items()):
            note(f"no attempt is known of {counted(count, 'pod')}: {why}")
        note("what no longer exists when a snapshot is made is not in it")
    if not changes:
        raise InputError("holds no pod of which it is known when it was scheduled", where=", ".join(paths))
    start = changes[0].at
    _say(
        output,
        _write([*shown_before(files, start), *there], changes, start, output, options),
        as_json=as_json,
    )


def simkube(path: str, files: Sequence[str], output: str) -> None:
    """Writes a scenario of the changes that SimKube has recorded, in the cluster that kubectl has printed."""
    events = read_simkube(path)
    left_out: Counter[str] = Counter()
    before = [value for _, value in raw_objects(files) if isinstance(value, dict)]
    history = history_of(events, before, DEFAULT_CONFIG, left_out)
    for kind, count in sorted(left_out.items()):
        note(f"{counted(count, 'object')} of kind {kind}: which pods were made of it is not in the trace")
    if not any(value.get("kind") == "Node" for value in before):
        note("there is no node in the trace; -f FILE gives some")
    try:
        Path(output).write_text(scenario_text(history, title=f"What SimKube recorded in {path}"), "utf-8")
    except OSError as error:
        raise InputError(error.strerror or str(error), where=output) from None
    click.echo(one_line(f"wrote {counted(len(history.steps), 'step')} to {output}"))


def _write(
    before: Iterable[Event], changes: Iterable[ObservedChange], start: datetime, output: str, options: Options
) -> EventRecorder:
    with trace_writer(output) as write:
        write(header_of(options.document, options.release.name, options.gates, start))
        return write_changes(before, changes, start, options.schedulers, write)


def _say(output: str, recording: EventRecorder, *, as_json: bool) -> None:
    if recording.left_out:
        note(
            f"{counted(recording.left_out, 'attempt')} left out: the cluster was not known as a whole,"
            " or the node was not"
        )
    written = {"output": output, "attempts": recording.attempts, "leftOut": recording.left_out}
    words = one_line(f"wrote {counted(recording.attempts, 'attempt')} to {output}")
    click.echo(json.dumps(written) if as_json else words)


def _named(keys: Sequence[Key]) -> str:
    return some(
        [
            " ".join(part for part in (kind, f"{namespace}/{name}".lstrip("/")))
            for kind, namespace, name in keys
        ]
    )
