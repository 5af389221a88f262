# SPDX-License-Identifier: Apache-2.0
"""Driver: runs a history, step by step, against one implementation.

It sends each step, passes the records of the answer to a witness in order, and plays the API server for an
implementation that has none. It stops at the first finding, because what follows a wrong decision proves
little.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from attrs import evolve

from refsched.errors import InputError
from refsched.records import Attempt, Input, Record
from refsched.suite.adapters.adapter import Session
from refsched.suite.adapters.answers import Answer
from refsched.suite.findings import Finding, KnownDefectMetError, Seen
from refsched.suite.histories.api_server import FakeApiServer
from refsched.suite.histories.history import (
    Advance,
    Create,
    Delete,
    History,
    Observe,
    Permit,
    Release,
    Schedule,
    Step,
    Update,
)
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.part import Part

GOES_ON = "R-PERMIT-02"
WAITS = "R-PERMIT-01"


class Witness(Protocol):
    """A Witness sees every record of a run and reports what is not allowed."""

    def foresee(self, records: Sequence[Record]) -> None:
        """Takes note of the records that will be shown next, in order: what was written shows which choices an
        attempt made."""
        ...

    def take(self, record: Record) -> list[Finding]:
        """Checks a record: an input that was sent, or what was returned."""
        ...

    def begin(self, pod: str) -> list[Finding]:
        """Checks that the cycle of this pod (``namespace/name``) may begin, which is held before its attempt is
        reported."""
        ...

    def idle(self) -> list[Finding]:
        """Checks that there may be no pod to pop."""
        ...

    def error(self, request: str, message: str) -> list[Finding]:
        """Checks an error that answers a request. Raises KnownDefectMetError if the release itself fails so."""
        ...

    def settled(self) -> list[Finding]:
        """Returns the findings once everything that the last step caused has been shown."""
        ...

    def next_pod(self) -> str | None:
        """Returns the pod to ask for next of an implementation that chooses none itself, or None if there is
        none."""
        ...

    def may_permit(self, pod: str, plugin: str) -> bool:
        """Returns whether the pod, if it waits on Permit, waits for this plugin (any if it is ``""``), as far as
        is known. The script of the pod that is stored may be another one than that of the pod that waits."""
        ...

    def stored(self, object: dict[str, Any]) -> dict[str, Any]:
        """Returns the object as an API server stores it, with its defaults. It has been shown before."""
        ...

    @property
    def has_diverged(self) -> bool:
        """Returns whether the history cannot be followed any further, though nothing was found wrong."""
        ...


class _OverError(Exception):
    """An _OverError says that the history cannot go on."""


class Driver:
    """A Driver runs one history. Its ``judgement`` has what was seen and found so far."""

    def __init__(self, scheduler: Session, part: Part, witness: Witness) -> None:
        self._scheduler = scheduler
        self._part = part
        self._capabilities = part.capabilities
        self._witness = witness
        self._api = FakeApiServer()
        self._now = 0.0
        self._step = 0
        self._has_scheduled = False
        self.judgement = Judgement(History(()))
        self.left_out: list[Input] = []

    def run(self, history: History) -> Judgement:
        """Runs the history. Raises AdapterFault if the implementation does not answer as docs/protocol.md says."""
        for step in history.steps:
            self.take(step)
        return evolve(self.judgement, history=history)

    def take(self, step: Step) -> None:
        """Takes the next step. No request is made any more once the history cannot go on."""
        if not self.judgement.ended:
            try:
                self._take(step)
            except (_OverError, KnownDefectMetError) as over:
                self.judgement.ended = str(over)
        self._step += 1

    # --- Steps ------------------------------------------------------------------------------------

    def _take(self, step: Step) -> None:
        match step:
            case Schedule(times):
                self._has_scheduled = True
                for _ in range(times):
                    goes_on = self._schedule()
                    if goes_on or self._api.holds_any:
                        self._observe()
                    if not goes_on:
                        break
            case Observe():
                self._observe()
            case Permit(pod, _, plugin) if not self._witness.may_permit(pod, plugin):
                self.left_out.append(step)
            case _ if self._api.accepts(step):
                self._apply(self._api.completed(step))
                if self._has_scheduled:
                    self._observe()
            case _:
                self.left_out.append(step)

    def _schedule(self) -> bool:
        """Requests one attempt. Returns False if there was no pod to pop, or if a cycle is held and the next one
        must wait."""
        if "queue" in self._capabilities:
            answer = self._scheduler.schedule()
        else:
            pod = self._witness.next_pod()
            if pod is None:
                return False
            answer = self._scheduler.schedule(pod)
        if answer.unsupported is not None and self._api.holds_any:
            return False
        if answer.idle:
            self._note(self._witness.idle())
            return False
        if answer.held is not None and not any(isinstance(record, Attempt) for record in answer.records):
            if "cache" in self._capabilities:
                self._witness.foresee((*answer.records, *self._scheduler.observe().records))
            self._note(self._witness.begin(answer.held.pod))
        self._hear("schedule", answer)
        return answer.held is None

    def _observe(self) -> None:
        if self._capabilities & {"queue", "cache"}:
            self._hear("observe", self._scheduler.observe())

    def _apply(self, step: Input) -> None:
        if isinstance(step, Advance):
            self._now += step.seconds
        self._show(step)
        if isinstance(step, Advance) and not self._part.keeps_time:
            return
        if isinstance(step, Create | Update) and not self._part.is_whole:
            step = evolve(step, object=self._witness.stored(step.object))
        self._hear(step.member, send(self._scheduler, step))

    # --- Answers ----------------------------------------------------------------------------------

    def _hear(self, request: str, answer: Answer) -> None:
        """Shows the records of an answer, and then what the API server does because of them, until nothing more
        follows."""
        if answer.unsupported is not None:
            self.judgement.is_unsupported = not self.judgement.findings
            raise _OverError(f"{request} is unsupported: {answer.unsupported}")
        if answer.error is not None:
            self._note(self._witness.error(request, answer.error))
        if answer.held is not None:
            self._api.has_begun_to_hold(answer.held.pod)
        reactions: deque[Input] = deque()
        self._witness.foresee(answer.records)
        if request == "observe":
            self._look_at_once(answer)
        else:
            for record in answer.records:
                reactions.extend(self._show(record))
        while reactions and "api" not in self._capabilities:
            step = reactions.popleft()
            if not self._api.accepts(step):
                continue
            self._show(step)
            caused = send(self._scheduler, step)
            if caused.error is not None:
                self._note(self._witness.error(step.member, caused.error))
            for record in caused.records:
                reactions.extend(self._show(record))
        self._note(self._witness.settled())

    def _look_at_once(self, answer: Answer) -> None:
        """Shows all records before it stops: a finding in the queues may only follow from one on the nodes, so
        both are reported."""
        findings: list[Finding] = []
        for record in answer.records:
            self._remember(record)
            findings += self._taken(record)
        self._note(findings)

    def _remember(self, record: Record) -> None:
        self.judgement.seen.append(Seen(self._step, self._now, record))

    def _show(self, record: Record) -> list[Input]:
        self._remember(record)
        self._note(self._taken(record))
        return self._api.take(record)

    def _taken(self, record: Record) -> list[Finding]:
        """Returns the findings in a record. A pod that the specification does not hold, or let wait, is a
        finding."""
        try:
            return self._witness.take(record)
        except InputError as refused:
            match record:
                case Release(pod):
                    return [Finding(GOES_ON, record.member, refused.problem, "it was held there", pod)]
                case Permit(pod):
                    return [Finding(WAITS, record.member, refused.problem, "it waited", pod)]
            raise

    def _note(self, findings: list[Finding]) -> None:
        if findings:
            self.judgement.findings.extend(evolve(found, step=self._step) for found in findings)
            raise _OverError("something was wrong")
        if self._witness.has_diverged:
            raise _OverError("the implementation made a choice of its own that was not seen in time")


def send(scheduler: Session, step: Input) -> Answer:
    """Sends the request that an input record stands for."""
    match step:
        case Create(value):
            return scheduler.create(value)
        case Update(value):
            return scheduler.update(value)
        case Delete(named):
            reference = {"apiVersion": named.api_version, "kind": named.kind, "name": named.name}
            if named.namespace:
                reference["namespace"] = named.namespace
            return scheduler.delete(dict(reference))
        case Advance(seconds):
            return scheduler.advance(seconds)
        case Permit(pod, decision, plugin):
            return scheduler.permit(pod, decision, plugin)
        case Release(pod):
            return scheduler.release(pod)
