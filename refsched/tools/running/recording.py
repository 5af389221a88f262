# SPDX-License-Identifier: Apache-2.0
"""Recording: what can be seen from outside of a scheduler's work, as a trace (docs/protocol.md).

The objects that scheduling reads are written as the watches show them. A pod that shows a decision gives an
attempt before that, with the node, or with the reason and the nomination: what Filter said, the scores and the
queue cannot be known, and are left out.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from refsched.checking.trace import FORMAT, SUFFIXES
from refsched.errors import InputError
from refsched.records import BOUND, Attempt, Bind, Create, Delete, Record, Reference, Update
from refsched.tools.kubernetes_api.client import Client
from refsched.tools.kubernetes_api.decisions import Decision, decision_about
from refsched.tools.kubernetes_api.watching import DELETED, Event
from refsched.tools.reading.record_json import line_of, start_text, to_json
from refsched.tools.running.mirror import API_VERSIONS, in_turn
from refsched.tools.running.running import Running

Json = dict[str, Any]


def header_of(config: Json, kubernetes: str, gates: dict[str, bool], start: datetime) -> Json:
    """Returns the first line. The profiles of the configuration name the schedulers that are watched."""
    return {
        "trace": FORMAT,
        "scheduler": {"name": "watched", "version": ""},
        "kubernetes": kubernetes,
        "config": config,
        "watched": True,
        **({"featureGates": gates} if gates else {}),
        "start": start_text(start),
    }


def watch(
    client: Client,
    header: Callable[[datetime], Json],
    schedulers: Collection[str],
    write: Callable[[Json], object],
    goes_on: Callable[[], bool],
) -> int:
    """Writes the lines of a trace for as long as it goes on. Returns how many attempts were seen."""
    recording = Recording(write, schedulers)
    with closing(Running(client, None, recording)) as running:
        write(header(datetime.now(UTC)))
        running.wait_for_lists(goes_on)
        running.follow(goes_on, recording.take)
    return recording.attempts


class Recording:
    """A Recording writes events as records, each with the seconds since the beginning."""

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
        self._decided: dict[str, Decision] = {}
        self.attempts = 0

    def take_first(self, events: list[Event]) -> None:
        """Writes what exists at the beginning. What was decided before was not seen."""
        for event in sorted(events, key=in_turn):
            if event.kind == "Pod" and (decision := decision_about(event.object)):
                self._decided[event.object["metadata"]["uid"]] = decision
            self.take(event)

    def take(self, event: Event) -> None:
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
        is_watched = pod["spec"].get("schedulerName", "") in self._schedulers
        if decision is None or self._decided.get(metadata["uid"]) == decision or not is_watched:
            return
        self._decided[metadata["uid"]] = decision
        self.attempts += 1
        for record in records_of(f"{metadata['namespace']}/{metadata['name']}", decision):
            self._put(record)

    def _delete(self, key: tuple[str, str, str]) -> None:
        self._decided.pop(self._shown.pop(key), None)
        kind, namespace, name = key
        self._put(Delete(Reference(kind, name, API_VERSIONS[kind], namespace)))

    def _put(self, record: Record) -> None:
        self._write({"at": round(self._clock() - self._began, 6)} | to_json(record))


def records_of(pod: str, decision: Decision) -> Iterator[Record]:
    """Yields what is known of an attempt."""
    if decision.node:
        yield Attempt(pod, decision.result, node=decision.node)
        yield Bind(pod, decision.node, BOUND)
    else:
        nominated = decision.nominated or None
        yield Attempt(pod, decision.result, nominated_node=nominated, message=decision.message)


def _without_managed_fields(value: Json) -> Json:
    """Returns the object without what only says who wrote which field of it."""
    metadata = {name: each for name, each in value["metadata"].items() if name != "managedFields"}
    return {**value, "metadata": metadata}


@contextmanager
def trace_writer(path: str) -> Iterator[Callable[[Json], object]]:
    """Returns what appends a line to a new file. Raises InputError if it cannot be written."""
    if not path.endswith(SUFFIXES):
        raise InputError(f"expected a file that ends with {' or '.join(SUFFIXES)}", where=path)
    try:
        open_new = gzip.open if path.endswith(".gz") else Path.open
        with open_new(Path(path), "wt", encoding="utf-8") as file:
            yield lambda line: file.write(line_of(line))
    except OSError as error:
        raise InputError(error.strerror or str(error), where=path) from None
