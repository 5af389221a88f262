# SPDX-License-Identifier: Apache-2.0
"""Recorder: one history against one implementation, and the trace of it (docs/protocol.md)."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from attrs import frozen

from refsched.checking.trace import FORMAT, KUBE_SCHEDULER
from refsched.machine.state import START
from refsched.reading.record_json import line_of, start_text, to_json
from refsched.records import SCHEDULED, Attempt, Create, Delete, Input, Record
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.answers import Hello
from refsched.suite.findings import Finding, Seen
from refsched.suite.histories.driver import Driver
from refsched.suite.histories.extender_address import leaves_extenders_open
from refsched.suite.histories.history import History
from refsched.suite.histories.part import part_of
from refsched.suite.histories.sent_to_part import history_for
from refsched.suite.recording.extender_calls import listening

Json = dict[str, Any]


@frozen
class RecordedTrace:
    """A RecordedTrace is a trace as text. ``ended`` says why the history was not run to its end, if it was not.
    ``left_out`` are steps of the history that were not taken, since what they are about was not there."""

    text: str
    attempts: int
    ended: str = ""
    left_out: tuple[Input, ...] = ()


def record(adapter: Adapter, history: History, start: datetime = START) -> RecordedTrace:
    """Records a history. Raises ResetRefused if the implementation refuses the configuration, and AdapterFault
    if it does not answer as docs/protocol.md says."""
    part = part_of(adapter.hello)
    history = history_for(part, history)
    with listening(history) as heard:
        reached = heard.history
        session = adapter.reset(reached.config, reached.feature_gates, None if start == START else start)
        witness = _Witness(heard.take)
        driver = Driver(session, part, witness)
        seen = driver.run(reached)
    lines = [
        _header(history, adapter.hello, start),
        *_lines(seen.seen, witness.before),
    ]
    text = "".join(map(line_of, lines))
    attempts = sum(isinstance(each.record, Attempt) for each in seen.seen)
    ended = witness.error_reported or seen.ended
    return RecordedTrace(heard.nowhere(text), attempts, ended, tuple(driver.left_out))


def write_trace(path: Path, text: str) -> None:
    """Writes the trace, compressed if the name says so; the same text gives the same bytes."""
    data = text.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.name.endswith(".gz") else data)


def _header(history: History, hello: Hello, start: datetime) -> Json:
    header: Json = {"trace": FORMAT, "scheduler": {"name": hello.name, "version": hello.version}}
    if hello.name != KUBE_SCHEDULER:
        header["kubernetes"] = hello.kubernetes
    header["config"] = history.config
    if leaves_extenders_open(history):
        header["extenderCalls"] = True
    if history.feature_gates:
        header["featureGates"] = dict(history.feature_gates)
    if start != START:
        header["start"] = start_text(start)
    return header


def _lines(seen: Sequence[Seen], before: Mapping[int, Json]) -> list[Json]:
    """Returns the lines; ``at`` in whole seconds is written as such."""
    return [
        {"at": int(each.at) if each.at.is_integer() else each.at}
        | to_json(each.record)
        | before.get(number, {})
        for number, each in enumerate(seen)
    ]


class _Witness:
    """A _Witness reports nothing. ``before`` is what happened without a record, by the number of the next
    record."""

    def __init__(self, calls: Callable[[], list[Json]] = list) -> None:
        """Takes a function that returns the calls of extenders since it was asked last."""
        self._calls = calls
        self.before: dict[int, Json] = {}
        self.error_reported = ""
        self.has_diverged = False
        self._taken = 0
        self._untried: dict[str, None] = {}
        self._refused: dict[str, None] = {}

    def stored(self, object: Json) -> Json:
        """Returns the object as the history has it."""
        return object

    def foresee(self, records: Sequence[Record]) -> None:
        """Does nothing: the records are shown soon enough."""

    def take(self, record: Record) -> list[Finding]:
        asked = self._calls()
        if asked:
            self.before.setdefault(self._taken, {})["asked"] = asked
        self._taken += 1
        if isinstance(record, Input):
            self._untried |= self._refused
            self._refused.clear()
        match record:
            case Create({"kind": "Pod", "metadata": metadata, "spec": spec}):
                if not spec.get("nodeName") and not spec.get("schedulingGates"):
                    self._untried[_key(metadata)] = None
            case Delete(named):
                self._untried.pop(f"{named.namespace or 'default'}/{named.name}", None)
            case Attempt(pod, result):
                self._untried.pop(pod, None)
                if result != SCHEDULED:
                    self._refused[pod] = None
        return []

    def begin(self, pod: str) -> list[Finding]:
        self.before.setdefault(self._taken, {})["held"] = pod
        return []

    def idle(self) -> list[Finding]:
        self.before.setdefault(self._taken, {})["idle"] = True
        return []

    def error(self, request: str, message: str) -> list[Finding]:
        """Ends the trace, because the state of an implementation after an error is unknown."""
        self.error_reported = f"{request} was answered with an error: {message}"
        return [Finding("", request, "an answer", message)]

    def settled(self) -> list[Finding]:
        return []

    def may_permit(self, pod: str, plugin: str) -> bool:
        return True

    def next_pod(self) -> str | None:
        """Returns the next pod for an implementation that chooses none itself: in the order of their creation,
        each once until something has happened."""
        return next(iter(self._untried), None)


def _key(metadata: Mapping[str, Any]) -> str:
    return f"{metadata.get('namespace') or 'default'}/{metadata['name']}"
