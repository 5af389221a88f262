# SPDX-License-Identifier: Apache-2.0
"""EventRecorder: what can be seen from outside of a scheduler's work, as a trace (docs/protocol.md).

The objects that scheduling reads are written as the watches show them. A pod that shows a decision gives an
attempt before that, with the node, or with the reason and the nomination: what Filter said, the scores and the
queue cannot be known, and are left out. An attempt that leaves a pod as it was is known by its Event.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from attrs import frozen

from refsched.checking.trace import FORMAT, SUFFIXES
from refsched.errors import InputError
from refsched.objects.kinds import ApiKind
from refsched.objects.meta import ApiObject
from refsched.processes.kubernetes_api.client import Client
from refsched.processes.kubernetes_api.decisions import (
    ObservedDecision,
    Results,
    decision_about,
    is_of_another_attempt,
    pod_called,
)
from refsched.processes.kubernetes_api.watching import DELETED, Event
from refsched.reading.record_json import line_of, start_text, to_json
from refsched.records import BOUND, Attempt, Bind, Create, Delete, Record, Reference, Update
from refsched.tools.running.mirror import API_VERSIONS, in_turn
from refsched.tools.running.run_loop import RunLoop

Json = dict[str, Any]


@frozen
class SchedulerEvent(ApiObject):
    """A SchedulerEvent is what a component reports, of which only this is read that the API server has it."""

    kind: ClassVar[str] = "Event"


REPORTED = ApiKind("events.k8s.io", ("v1",), SchedulerEvent)
"""These objects say that something has happened. Scheduling does not read them."""


def header_of(config: Mapping[str, Any], kubernetes: str, gates: Mapping[str, bool], start: datetime) -> Json:
    """Returns the first line. The profiles of the configuration name the schedulers that are watched."""
    return {
        "trace": FORMAT,
        "scheduler": {"name": "watched", "version": ""},
        "kubernetes": kubernetes,
        "config": config,
        "watched": True,
        **({"featureGates": dict(gates)} if gates else {}),
        "start": start_text(start),
    }


def watch(
    client: Client,
    header: Callable[[datetime], Json],
    schedulers: Collection[str],
    write: Callable[[Json], object],
    goes_on: Callable[[], bool],
    say: Callable[[str], None],
) -> int:
    """Writes the lines of a trace for as long as it goes on. Returns how many attempts were seen."""
    recording = EventRecorder(write, schedulers)
    with closing(RunLoop(client, None, recording, [REPORTED])) as running:
        write(header(datetime.now(UTC)))
        running.wait_for_lists(goes_on, say)
        running.follow(goes_on, recording.take)
    return recording.attempts


class EventRecorder:
    """An EventRecorder writes events as records, each with the seconds since the beginning. An attempt is left out
    while the cluster is not known as a whole, and where its node is not known."""

    def __init__(
        self,
        write: Callable[[Json], object],
        schedulers: Collection[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write = write
        self._schedulers = schedulers
        self._clock = clock
        self._began = clock()
        self._shown: dict[tuple[str, str, str], str] = {}
        self._decided: dict[str, ObservedDecision] = {}
        self._versions: dict[str, set[str]] = {}
        self.is_whole = True
        self.results: Results | None = None
        self.attempts = 0
        self.left_out = 0

    def take_first(self, events: Iterable[Event]) -> None:
        """Writes what exists at the beginning. What was decided before was not seen."""
        for event in sorted((event for event in events if event.kind != REPORTED.name), key=in_turn):
            self.has_decided(event)
            self.take(event)

    def has_decided(self, event: Event) -> None:
        """Takes note of what a pod shows of an attempt before the beginning."""
        if event.kind == "Pod" and event.type != DELETED and (decision := decision_about(event.object)):
            self._decided[event.object["metadata"]["uid"]] = decision

    def take(self, event: Event) -> None:
        if event.kind == REPORTED.name:
            self._note_report(event)
            return
        metadata = event.object["metadata"]
        key = event.kind, metadata.get("namespace", ""), metadata["name"]
        if event.type == DELETED:
            if self._shown.get(key) == metadata["uid"]:
                self._delete(key)
            return
        if event.kind == "Pod":
            self._note_decision(event.object)
        if self._shown.get(key) not in (None, metadata["uid"]):
            self._delete(key)
        value = _without_managed_fields(event.object)
        self._put(Update(value) if key in self._shown else Create(value))
        self._shown[key] = metadata["uid"]

    def _note_decision(self, pod: Json) -> None:
        metadata, decision = pod["metadata"], decision_about(pod)
        if decision is None or pod["spec"].get("schedulerName", "") not in self._schedulers:
            return
        uid = metadata["uid"]
        if is_of_another_attempt(decision, self._decided.get(uid)):
            self._versions[uid] = set()
            self._put_attempt(pod_called(pod), decision)
        self._decided[uid] = decision
        self._versions.setdefault(uid, set()).add(metadata.get("resourceVersion", ""))

    def _note_report(self, event: Event) -> None:
        """Takes an Event for an attempt, if it is about a version of the pod that showed the same decision before.
        A scheduler counts further attempts of the same version, and reports the number when the pod has been
        quiet: when they were is not known.
        Source: client-go/tools/events/event_broadcaster.go, recordToSink; schedule_one.go, truncateMessage."""
        pod, note = event.object.get("regarding") or {}, event.object.get("note") or ""
        decision = self._decided.get(pod.get("uid", ""))
        count = (event.object.get("series") or {}).get("count", 1)
        if event.type == DELETED or decision is None or decision.node or count > 2:
            return
        is_the_same = decision.message == note or decision.message.startswith(note.removesuffix(" ..."))
        if is_the_same and pod.get("resourceVersion", "") in self._versions.get(pod["uid"], ()):
            self._put_attempt(f"{pod['namespace']}/{pod['name']}", decision)

    def _put_attempt(self, pod: str, decision: ObservedDecision) -> None:
        if not self.is_whole or (decision.node and ("Node", "", decision.node) not in self._shown):
            self.left_out += 1
            return
        self.attempts += 1
        for record in records_of(pod, decision, self.results or Results()):
            self._put(record)

    def _delete(self, key: tuple[str, str, str]) -> None:
        uid = self._shown.pop(key)
        self._decided.pop(uid, None)
        self._versions.pop(uid, None)
        kind, namespace, name = key
        self._put(Delete(Reference(kind, name, API_VERSIONS[kind], namespace)))

    def _put(self, record: Record) -> None:
        self._write({"at": round(self._clock() - self._began, 6)} | to_json(record))


def records_of(pod: str, decision: ObservedDecision, results: Results) -> Iterator[Record]:
    """Yields what is known of an attempt."""
    yield Attempt(
        pod,
        decision.result,
        node=decision.node or None,
        filter=results.filter or None,
        scores=results.scores or None,
        nominated_node=decision.nominated or None,
        message=None if decision.node else decision.message,
    )
    if decision.node:
        yield Bind(pod, decision.node, BOUND)


def _without_managed_fields(value: Json) -> Json:
    """Returns the object without what only says who wrote which field of it."""
    metadata = {name: each for name, each in value["metadata"].items() if name != "managedFields"}
    return {**value, "metadata": metadata}


def check_name(path: str) -> None:
    """Raises InputError if a trace is not called so."""
    if not path.endswith(SUFFIXES):
        raise InputError(f"expected a file that ends with {' or '.join(SUFFIXES)}", where=path)


@contextmanager
def trace_writer(path: str) -> Iterator[Callable[[Json], object]]:
    """Returns what appends a line to a new file. Raises InputError if it cannot be written."""
    check_name(path)
    try:
        open_new = gzip.open if path.endswith(".gz") else Path.open
        with open_new(Path(path), "wt", encoding="utf-8") as file:
            yield lambda line: file.write(line_of(line))
    except OSError as error:
        raise InputError(error.strerror or str(error), where=path) from None
