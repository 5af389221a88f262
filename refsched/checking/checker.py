# SPDX-License-Identifier: Apache-2.0
"""Checker: the specification follows another scheduler and reports where that scheduler did what is not allowed.

The records of a trace, or of a live scheduler, are passed to it in their order. After a disagreement the
specification continues from what was recorded, as far as it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import datetime
from typing import Any

from attrs import evolve

from refsched.checking.agreement import (
    Disagreement,
    attempt_disagreements,
    bind_disagreements,
    nodes_disagreements,
    queues_disagreements,
    took_the_same,
)
from refsched.checking.deletions import Deletions
from refsched.checking.early_stop import SearchSpace, search_disagreements, space_of
from refsched.checking.evictions import Evictions
from refsched.checking.following import Following
from refsched.checking.guesses import DRY_RUNS, HINT_USED_UP, VICTIMS, Guess
from refsched.checking.other_scheduler import OtherScheduler
from refsched.checking.own_decisions import OwnDecisions
from refsched.checking.recorded_claims import ClaimWrites, allocation_disagreements
from refsched.checking.recorded_devices import written_claims
from refsched.checking.recorded_extenders import RecordedExtenders
from refsched.checking.recorded_volumes import StorageWrites, claimed_volumes
from refsched.checking.skipping import Popping
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import CycleHeldError, Scheduler
from refsched.machine.state import START
from refsched.objects.dra import ResourceClaim
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.oddities.known_defects import AS_PROMISED, Oddities
from refsched.processes.http.unread import Unread
from refsched.queue.queued_pod import NotWaitingError
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.reading.objects import key_of, kind_called
from refsched.records import Attempt, Bind, Input, Nodes, Queues, Record, Write
from refsched.releases import DEFAULT
from refsched.releases.release import Release


class Checker:
    """A Checker runs the specification's own scheduler beside the one that is checked."""

    def __init__(
        self,
        config: Mapping[str, Any],
        feature_gates: Mapping[str, Any] | None = None,
        frozen_timers: Iterable[str] = (),
        start: datetime = START,
        recorded_extenders: RecordedExtenders | None = None,
        *,
        release: Release = DEFAULT,
        other: OtherScheduler = OtherScheduler(),  # noqa: B008
        without: Oddities = AS_PROMISED,
    ) -> None:
        """Begins with an empty cluster. If calls of extenders are recorded, the recording answers.
        ``without`` are the oddities that the ``other`` scheduler does not have."""
        release = with_feature_gates(feature_gates, release)
        self._config = read_config(config, release)
        self.following = Following(other, recorded_extenders)
        self._own = OwnDecisions(other.own_plugins) if other.own_plugins is not None else None
        unread = Unread()
        self.scheduler: Scheduler = scheduler_of(
            self._config,
            self.following,
            release=release,
            start=start,
            frozen_timers=frozenset(frozen_timers),
            reach=unread.reach if recorded_extenders is None else recorded_extenders.reach,
            oddities=release.oddities - without,
        )
        self.following.attach(self.scheduler)
        self._popping = Popping(self.scheduler)
        self._inputs = InputReader(self.scheduler, unread.note if self._config.extenders else None)
        self._binds: list[Bind] = []
        self._attempts: list[Attempt] = []
        self._deletions, self._evictions = Deletions(), Evictions()
        self._claim_writes = ClaimWrites(other.reports_claims)
        self._storage_writes = StorageWrites()
        self._reports_nominations = other.reports_nominations
        self._may_keep_nominations = other.may_keep_nominations
        self._guessed: set[str] = set()
        self._may_have_used_hint = False
        self._space: SearchSpace | None = None
        self.offered: Mapping[str, int] = {}
        """How many options there were for each question of the last attempt."""
        self.specified: Attempt | Bind | None = None
        """The specification did this when the last attempt, or the end of a binding cycle, was compared."""
        self.compared_nodes: frozenset[str] = frozenset()
        """The statuses of these nodes were compared in the last attempt."""
        self.has_diverged = False
        """What happened may have been allowed, but the history cannot be followed any further."""

    def foresee(self, records: Iterable[Record]) -> None:
        """Takes note of the records that are about to come: they show which of the equal ones were taken."""
        known = tuple(records)
        self.following.foresee(known)
        self._popping.foresee(known)
        if self._own is not None:
            self._own.foresee(known)

    def take(self, record: Record) -> list[Disagreement]:
        """Follows one record. Raises InputError if the record is an input that cannot be applied."""
        self._popping.note(record)
        if isinstance(record, Input):
            self._inputs.apply(record)
            self._claim_writes.note_input(record, self.scheduler.state.objects)
            if self._own is not None:
                self._own.note_input(record)
            self._collect()
            return []
        is_guess = bool(self.following.guessed_volumes)
        found = list(self._check(record))
        self._confirm_guesses(record)
        if found and is_guess:
            self.has_diverged = True
            return []
        return found

    def _confirm_guesses(self, record: Record) -> None:
        """Compares what was guessed with what is written: which of many equal volumes was taken is known
        only then."""
        guesses = self.following.guessed_volumes
        for pair in claimed_volumes((record,)):
            guess = guesses.pop(pair.claim, None)
            if guess is not None and guess.volume != pair.volume:
                self.has_diverged = True
        if isinstance(record, Bind):
            for claim in [claim for claim, guess in guesses.items() if guess.pod == record.pod]:
                del guesses[claim]

    def _check(self, record: Record) -> Iterator[Disagreement]:
        match record:
            case Attempt():
                self._popping.next_attempt()
                found = list(self._attempt(record))
                is_open = self._popping.is_nomination_open
                self.has_diverged |= bool(found) and is_open
                yield from () if is_open else found
            case Bind():
                yield from self._bound(record)
            case Queues():
                self._popping.catch_up(record)
                yield from self._unless_own(queues_disagreements(record, self.scheduler.queues()))
            case Nodes():
                found = list(nodes_disagreements(record, self.scheduler.nodes()))
                if found and self._guessed:
                    self.has_diverged = True
                    return
                yield from found
            case Write():
                yield from self._deletions.take(record)
                yield from self._storage_writes.take(record)
                yield from self._written(record)

    def _bound(self, record: Bind) -> Iterator[Disagreement]:
        if self._own is not None:
            self.has_diverged |= self._own.decide(record, self.scheduler)
            self._collect()
        self.specified = self._bind_of(record.pod)
        if self._own is not None:
            self.has_diverged |= self._own.came_too_late(record, self.specified)
            record = self._own.compared(record, self.specified)
        if not self.has_diverged:
            yield from bind_disagreements(record, self.specified)

    def _unless_own(self, found: Iterable[Disagreement]) -> Iterator[Disagreement]:
        """Returns what was found, unless the only pods elsewhere are those that the other scheduler's own plugins
        rejected: it is not known which events requeue these, and the history is followed no further."""
        found = list(found)
        if self._own is not None and self._own.accounts_for(found):
            self.has_diverged = True
            return
        yield from found

    def _written(self, record: Write) -> Iterator[Disagreement]:
        """Compares what was written into claims for devices. If it was open which devices they get, and this
        was not recorded in time, the specification may have taken others."""
        for claim in written_claims((record,)):
            stored = self.scheduler.state.api.get(
                ResourceClaim, claim.metadata.name, claim.metadata.namespace
            ) or self._claim_writes.deleted.get(claim.key)
            if stored is None:
                continue
            found = list(self._claim_writes.take(claim, stored))
            if claim.is_allocated:
                found += allocation_disagreements(stored, claim)
            if found and claim.key in self.following.guessed | self._claim_writes.contested:
                self.has_diverged = True
                return
            yield from found

    # --- Beside a live scheduler ------------------------------------------------------------------

    def idle(self) -> list[Disagreement]:
        """Returns the disagreement if the other scheduler was asked to pop a pod and had none, but should have
        one."""
        heads = self._popping.next_heads()
        found = [Disagreement("pod", heads, "no pod: Pop would block")] if heads else []
        return list(self._unless_own(found))

    def next_pod(self) -> str | None:
        """Returns a pod that may be tried next by a scheduler without a queue."""
        return self._popping.next_pod()

    def stored(self, value: Mapping[str, Any]) -> ApiObject | None:
        """Returns the object of this kind and name as the API server stores it, or None if it does not exist."""
        _, namespace, name = key_of(value)
        return self.scheduler.state.api.get(
            kind_called(value["apiVersion"], value["kind"]).type, name, namespace
        )

    def may_be_next(self, pod: str) -> bool:
        """Returns whether this pod (``namespace/name``) may be tried next."""
        return pod in self._popping.next_heads()

    def begin(self, pod: str, coming: Attempt | None = None) -> list[Disagreement]:
        """Begins the cycle of ``pod``, which is held before there is an attempt to follow, unless that attempt
        (``coming``) is already known."""
        self.following.follow(coming, pod)
        try:
            found = list(self._pop(pod))
        except NotWaitingError:
            return [Disagreement("pod", "a pod that waits to be scheduled", pod)]
        except CycleHeldError as held:
            return [Disagreement("pod", str(held), pod)]
        self._collect()
        if coming is not None:
            found += self.following.not_allowed
            self.following.follow(None)
        elif (
            self._popping.is_nomination_open
            or max(self.following.offered.get(question, 1) for question in ("node", "hint")) > 1
            or (self._space is not None and self._space.may_stop_early)
        ):
            self._guessed.add(pod)
        return found

    def take_missing(self) -> list[Disagreement]:
        """Returns attempts, binding cycles and writes that the specification has completed and the other
        scheduler has not reported. There may be an attempt of a pod that the other scheduler holds because a
        nominated pod was skipped before it, which is seen only when the attempt comes."""
        self._collect()
        if self._guessed.intersection(attempt.pod for attempt in self._attempts):
            self.has_diverged = True
            return []
        missing = [Disagreement("attempt", attempt.pod, None) for attempt in self._attempts]
        missing += [Disagreement("bind", bind, None) for bind in self._binds]
        self._attempts.clear()
        self._binds.clear()
        missing += self._deletions.missing() + self._claim_writes.missing()
        self.has_diverged |= self._claim_writes.is_lost
        return missing

    def unrecorded_bindings(self) -> tuple[Bind, ...]:
        """Returns the binding cycles that have ended and that no record has reported yet."""
        self._collect()
        return tuple(self._binds)

    # --- Attempts and binding cycles --------------------------------------------------------------

    def _attempt(self, record: Attempt) -> Iterator[Disagreement]:
        self.specified = None
        begun = next((attempt for attempt in self._attempts if attempt.pod == record.pod), None)
        if begun is not None:
            self._attempts.remove(begun)
            if record.pod in self._guessed and not took_the_same(record, begun):
                self.has_diverged = True
                return
            self._guessed.discard(record.pod)
            yield from self._compare(record, begun)
            return
        self.following.follow(record)
        self._evictions.before(self.scheduler.state)
        was_nominated = self._is_nominated(record.pod)
        try:
            yield from self._pop(record.pod)
        except NotWaitingError:
            yield Disagreement("pod", "a pod that waits to be scheduled", record.pod)
            return
        except CycleHeldError as held:
            yield Disagreement("pod", str(held), record.pod)
            return
        self._collect()
        specified = self._attempts.pop(0) if self._attempts else None
        if self.following.offered.get("activation"):
            self._popping.perhaps_active.add(record.pod)
        if self.following.offered.get("deletion"):
            self._popping.perhaps_nominated = self._nominated(record)
        self.offered = self.following.offered
        comparable = evolve(record, evaluated=None, feasible=None) if self.following.is_blind else record
        not_allowed, guesses = self.following.not_allowed, self.following.guesses
        if self._may_have_used_hint:
            guesses.add(HINT_USED_UP)
        # A pod that fits on its nominated node uses up the hint of its batch unseen.
        self._may_have_used_hint = self._is_nominated(record.pod) and self.offered.get("hint", 1) > 1
        self.following.follow(None)
        if specified is not None:
            self._popping.perhaps_dropped = specified.victims or ()
            yield from self._compare(comparable, specified, not_allowed, guesses, was_nominated=was_nominated)

    def _is_nominated(self, key: str) -> bool:
        """Returns whether the status of this pod (``namespace/name``) names a node."""
        pod = self._popping.pod_called(key)
        return pod is not None and pod.status.nominated_node_name != ""

    def _compare(
        self,
        record: Attempt,
        specified: Attempt,
        not_allowed: Iterable[Disagreement] = (),
        guesses: Set[Guess] = frozenset(),
        *,
        was_nominated: bool = False,
    ) -> Iterator[Disagreement]:
        """Compares the attempts. If the nodes' statuses agree, the search that evaluated them is compared too. A
        scheduler that reports no nomination has left it as it was."""
        self.specified = specified
        if self._own is not None:
            if self._own.came_too_late(record, specified):
                self.has_diverged = True
                return
            record = self._own.compared(record, specified)
            guesses = {*guesses, DRY_RUNS} if self._own.has_filtered else guesses
        self.compared_nodes = frozenset(record.filter or ()).intersection(specified.filter or ())
        if self._evictions.leave_open(record, specified):
            guesses = {*guesses, VICTIMS}
            # What a record does not name is compared with nothing.
            self.has_diverged |= not record.victims and bool(specified.victims)
        self._evictions.after(specified)
        compared = list(attempt_disagreements(record, specified))
        keeps = was_nominated and record.nominated_node is None and specified.nominated_node == ""
        if keeps and self._reports_nominations:
            compared.append(Disagreement("nominatedNode", "", None))
        self.has_diverged |= keeps and self._may_keep_nominations
        found = [*not_allowed]
        if self._space is not None and not any(one.member.startswith("filter.") for one in compared):
            found += search_disagreements(self._space, record, specified)
        found += compared
        if found and any(guess.explains(found) for guess in guesses):
            self.has_diverged = True
            return
        yield from found

    def _pop(self, pod: str) -> Iterator[Disagreement]:
        """Reports a pod that was not to be tried next. It is tried all the same."""
        self._space = self._space_of(pod)
        heads = self._popping.heads_before(pod)
        if pod not in heads:
            yield from self._unless_own([Disagreement("pod", heads or "no pod: Pop would block", pod)])
        self.scheduler.schedule(None if pod in heads else pod)
        if self._space is not None:
            self._space = evolve(self._space, tried=self._space.tried or self.following.hint)

    def _space_of(self, key: str) -> SearchSpace | None:
        """Returns the search space of this pod. Extenders change what is kept after the search."""
        pod = self._popping.pod_called(key)
        if pod is None:
            return None
        space = space_of(self.scheduler.state, pod, self._config.parallelism)
        return space and evolve(space, shows_kept=not self._config.extenders)

    def _nominated(self, record: Attempt) -> Pod | None:
        """Returns the pod of this attempt with its nomination in its status."""
        pod = self._popping.pod_called(record.pod)
        if pod is None:
            return None
        return evolve(pod, status=evolve(pod.status, nominated_node_name=record.nominated_node or ""))

    def _collect(self) -> None:
        for record in self.scheduler.take_records():
            if isinstance(record, Attempt):
                self._attempts.append(record)
            elif isinstance(record, Bind):
                self._binds.append(record)
            else:
                self._deletions.specify(record)
                self._claim_writes.specify(record)
                self._storage_writes.specify(record)

    def _bind_of(self, pod: str) -> Bind | None:
        for bind in self._binds:
            if bind.pod == pod:
                self._binds.remove(bind)
                return bind
        return None
