# SPDX-License-Identifier: Apache-2.0
"""Recordings: the inputs of a recording of kube-scheduler, applied to another implementation.

It is judged by what is allowed, as in any history. It is followed until it makes a choice of its own, which is
allowed but not the recorded one: from there the recorded inputs no longer fit, and the rest is diverged, not
failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from refsched.checking.trace import Entry, read_trace
from refsched.errors import InputError
from refsched.machine.state import START
from refsched.reading.shipped_files import data_folder
from refsched.records import Attempt, Create, Delete, Input, Nodes, Queues, Record, Release, Update
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.adapters.adapter import Adapter, ResetRefused, Session
from refsched.suite.adapters.answers import Answer
from refsched.suite.findings import Comparison, Finding, KnownDefectMetError, Seen
from refsched.suite.histories.driver import send
from refsched.suite.histories.extender_address import with_extender_address
from refsched.suite.histories.history import History, Step, steps_by_entry
from refsched.suite.histories.judge import Judge
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.part import Part, part_of
from refsched.suite.histories.sent_to_part import history_for
from refsched.suite.level import Level

SAMPLE = 2
"""This many traces of each area of those that this project recorded are done. ``refsched replay`` and the
project's tests take all."""

NOT_SAMPLED = frozenset({"silent"})
"""Each trace of these areas takes seconds, since extenders in it do not answer."""

DIVERGED = "diverged: it made a choice of its own"
_NEEDED_FOR = {"PersistentVolumeClaim": "volumes", "ResourceClaim": "devices"}
"""Where such an object is created, this capability is needed."""

OWN_CHOICES = ("pod", "result", "node", "nominated_node", "victims")
"""In these members of an attempt two schedulers that both are right may differ, with consequences."""


@frozen
class _Ended(Exception):  # noqa: N818
    why: str


@frozen
class Recording(History):
    """A Recording is a trace. ``entries`` are its records, each with the step of the history that it is, or
    belongs to."""

    path: Path = Path()
    start: datetime = START
    entries: tuple[tuple[int, Entry], ...] = ()


def recordings(area: str | None = None, kubernetes: str = DEFAULT.name) -> Iterator[Path]:
    """Yields the recordings of kube-scheduler of this release, those of one area or all. Of the many that this
    project made it yields a sample, the same each time."""
    for path in _recordings_in(data_folder(), RELEASES[kubernetes].tag):
        if area is None or area_of(path) == area:
            yield path


@cache
def _recordings_in(folder: Path, tag: str) -> tuple[Path, ...]:
    made_elsewhere = sorted((folder / f"kube-scheduler-{tag}").glob("*.jsonl.gz"))
    return *made_elsewhere, *_sampled(folder / f"recorded-{tag}")


def _sampled(folder: Path) -> Iterator[Path]:
    """Yields the first recording of each area, and others at equal distances."""
    for area in sorted(path for path in folder.glob("*") if path.is_dir() and path.name not in NOT_SAMPLED):
        found = sorted(area.glob("*.jsonl.gz"))
        yield from found[:: max(1, -(-len(found) // SAMPLE))]


def areas(*kubernetes: str) -> list[str]:
    """Returns the areas of which there are recordings of any of these releases."""
    return sorted({area_of(path) for name in kubernetes for path in recordings(kubernetes=name)})


def area_of(path: Path) -> str:
    """Returns ``pod_affinity`` for ``pod_affinity-003.jsonl.gz``."""
    return path.name.partition(".")[0].rpartition("-")[0]


def needs_of(recording: Recording) -> frozenset[str]:
    """Returns the capabilities that an implementation needs to do what was recorded."""
    kinds = {step.object["kind"] for step in recording.steps if isinstance(step, Create)}
    needs = {capability for kind, capability in _NEEDED_FOR.items() if kind in kinds}
    if recording.config.get("extenders"):
        needs.add("extenders")
    if "ScriptedA" in json.dumps(recording.config):
        needs.add("scripted")
    if any(isinstance(step, Release) for step in recording.steps):
        needs.add("hold")
    if any(_nominates(step) for step in recording.steps):
        needs.add("nominations")
    return frozenset(needs)


def _nominates(step: Step) -> bool:
    """Returns whether a pod says to which node it is nominated."""
    return isinstance(step, Create | Update) and bool(
        (step.object.get("status") or {}).get("nominatedNodeName")
    )


def read_recording(path: Path) -> Recording:
    """Reads a recording. Raises InputError if it is no trace."""
    trace = read_trace(path)
    steps: list[Step] = []
    entries = []
    for entry, led_here in steps_by_entry(trace.entries):
        steps.extend(led_here)
        entries.append((max(len(steps) - 1, 0), entry))
    header = trace.header
    return Recording(tuple(steps), header.config, header.feature_gates, path, header.start, tuple(entries))


def replay_recording(adapter: Adapter, recording: Recording, level: Level = Level.ALL) -> Judgement:
    """Applies a recording. Raises AdapterFault if the implementation does not answer as docs/protocol.md says."""
    judgement = Judgement(recording)
    part = part_of(adapter.hello)
    missing = needs_of(recording) - part.capabilities or (() if part.plugins is None else part.left_out)
    if missing:
        judgement.ended = f"needs {', '.join(sorted(missing))}"
        judgement.needs_more = True
        return judgement
    reached = with_extender_address(history_for(part, recording))
    try:
        start = recording.start if recording.start != START else None
        session = adapter.reset(reached.config, reached.feature_gates, start)
    except ResetRefused as refused:
        judgement.ended = str(refused)
        return judgement
    replay = _Replay(session, part, judgement, Judge(reached, part, level=level))
    try:
        replay.run(recording)
    except _Ended as ended:
        judgement.ended = ended.why
    except KnownDefectMetError as met:
        judgement.ended = str(met)
    judgement.decisive = replay.judge.decisive
    judgement.choices, judgement.single = replay.judge.choices, replay.judge.single
    judgement.comparison = Comparison(replay.judge.agrees, replay.judge.asked)
    return judgement


class _Replay:
    def __init__(self, session: Session, part: Part, judgement: Judgement, judge: Judge) -> None:
        self.judge = judge
        self._session = session
        self._capabilities = part.capabilities
        self._judgement = judgement
        self._reported: list[Input] = []
        """These inputs were reported by the implementation's own API server, and not yet by the recording."""
        self._held: str = ""
        """The scheduling cycle of this pod is held, so that its attempt comes without being asked for."""
        self._attempts: dict[str, Attempt] = {}
        """This is the last attempt of each pod."""
        self._at = 0.0
        self._step = 0

    def run(self, recording: Recording) -> None:
        for self._step, entry in recording.entries:
            self._at = entry.at
            if entry.idle:
                self._idle()
            if entry.held:
                self._hold(entry.held)
            match entry.record:
                case Attempt():
                    self._attempt(entry.record)
                case Queues() | Nodes():
                    if self._capabilities & {"queue", "cache"}:
                        self._hear(self._session.observe())
                case record if isinstance(record, Input):
                    self._input(record)

    def _input(self, record: Input) -> None:
        if record in self._reported:
            self._reported.remove(record)
            return
        if any(_object_of(reported) == _object_of(record) for reported in self._reported):
            raise _Ended(DIVERGED)
        self._show(record)
        self._hear(send(self._session, record))

    def _idle(self) -> None:
        """Asks for a pod where the recorded scheduler had none to pop. An implementation that chooses none itself
        is not asked."""
        if "queue" not in self._capabilities:
            return
        answer = self._session.schedule()
        if not answer.idle:
            self._begin(answer)
            self._hear(answer)
            raise _Ended(DIVERGED)
        self._note(self.judge.idle())

    def _begin(self, answer: Answer) -> None:
        if answer.held is not None and answer.attempt is None:
            self._note(self.judge.begin(answer.held.pod))

    def _hold(self, pod: str) -> None:
        """Begins a scheduling cycle that is held."""
        answer = self._session.schedule(None if "queue" in self._capabilities else pod)
        if answer.idle:
            self._note(self.judge.idle())
        self._begin(answer)
        self._hear(answer)
        if answer.held is None or answer.attempt is not None or answer.held.pod != pod:
            raise _Ended(DIVERGED)
        self._held = pod

    def _attempt(self, recorded: Attempt) -> None:
        if recorded.pod == self._held:
            self._held = ""
        else:
            if "queue" not in self._capabilities and not self.judge.may_be_next(recorded.pod):
                raise _Ended(DIVERGED)
            answer = self._session.schedule(None if "queue" in self._capabilities else recorded.pod)
            if answer.idle:
                self._note(self.judge.idle())
                raise _Ended(DIVERGED)
            self._begin(answer)
            self._hear(answer)
        done = self._attempts.pop(recorded.pod, None)
        if done is None or any(_differ(done, recorded, name) for name in OWN_CHOICES):
            raise _Ended(DIVERGED)

    def _hear(self, answer: Answer) -> None:
        if answer.unsupported is not None:
            raise _Ended(f"unsupported: {answer.unsupported}")
        if answer.error is not None:
            self._note(self.judge.error("the request of the recording", answer.error))
        for record in answer.records:
            if isinstance(record, Input):
                self._reported.append(record)
            elif isinstance(record, Attempt):
                self._attempts[record.pod] = record
            self._show(record)

    def _show(self, record: Record) -> None:
        self._judgement.seen.append(Seen(self._step, self._at, record))
        try:
            self._note(self.judge.take(record))
        except InputError:
            raise _Ended(DIVERGED) from None

    def _note(self, findings: list[Finding]) -> None:
        if findings:
            self._judgement.findings.extend(evolve(found, step=self._step) for found in findings)
            raise _Ended("something was wrong")
        if self.judge.has_diverged:
            raise _Ended(DIVERGED)


def _differ(one: Attempt, other: Attempt, member: str) -> bool:
    left, right = getattr(one, member), getattr(other, member)
    return left is not None and right is not None and left != right


def _object_of(record: Input) -> tuple[str, ...] | None:
    """Returns which object is created, changed or deleted, without its namespace, since some leave it out."""
    match record:
        case Create(value) | Update(value):
            return value["kind"], value["metadata"]["name"]
        case Delete(named):
            return named.kind, named.name
        case _:
            return None
