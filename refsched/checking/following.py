# SPDX-License-Identifier: Apache-2.0
"""Following: choices that do what was recorded, so that a checker asks "is this allowed?".

Where the record did what is not among the options, that is noted, and followed all the same where it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import TypeVar, cast

from attrs import Factory, define, frozen

from refsched.checking.agreement import says_the_same
from refsched.cycle.attempt import node_status
from refsched.cycle.decide import Verdict
from refsched.framework.choices import SearchPlan
from refsched.framework.status import Code, Status
from refsched.objects.dra import DeviceRequestAllocationResult, ResourceClaim
from refsched.objects.reading import read_as
from refsched.plugins.dynamic_resources import Allocations
from refsched.preemption.candidate import Candidate
from refsched.queue.queued_pod import QueuedPod
from refsched.trace.records import Attempt, Bind, NodeStatus, Record, Write

T = TypeVar("T")

MAX_WAYS = 5040
"""How many ways in which Filter may go on a node are looked at for the one that was recorded."""

_GAVE_UP = "asked by caller to stop allocating devices: "


@frozen
class NotAllowed:
    """The record chose what the specification does not offer."""

    member: str
    expected: object
    got: object


@define
class Following:
    """``record`` is the attempt that is followed, ``pod`` whose it is; ``not_allowed`` what it chose amiss;
    ``offered`` how many options there were for each question. ``ahead`` are the records to come, as far as they
    are known: what the cycle wrote tells how it chose."""

    record: Attempt | None = None
    pod: str = ""
    not_allowed: list[NotAllowed] = Factory(list)
    offered: dict[str, int] = Factory(dict)
    ahead: Callable[[], Iterable[Record]] = tuple

    def follow(self, record: Attempt | None, pod: str = "") -> None:
        """From now on, do what this attempt did; without one take the first of the options, but for ``pod``."""
        self.record = record
        self.pod = record.pod if record is not None else pod
        self.not_allowed = []
        self.offered = {}

    def choose(self, question: str, options: Sequence[T]) -> T:
        self.offered[question] = len(options)
        if question == "pod":
            return self._pod(options)
        if self.record is None:
            return options[0]
        if question == "node":
            return self._node(self.record, options)
        if question == "verdict":
            return self._verdict(self.record, options)
        if question == "trial":
            return self._trial(self.record, options)
        if question == "allocation":
            return self._allocation(options)
        if question == "claim":
            return self._claim(options)
        return self._candidate(self.record, options)

    def plan_search(self, number_of_nodes: int, enough: int) -> SearchPlan | None:
        """What the record tells of the search, which an error or enough feasible nodes may have stopped."""
        if self.record is None or self.record.filter is None:
            return None
        kept = self.record.scores or self.record.totals
        gave_up = {node: cause for node, status in self.record.filter.items() if (cause := _gave_up(status))}
        return SearchPlan(
            frozenset(self.record.filter),
            frozenset(kept) if kept else _sole(self.record),
            frozenset(gave_up),
            next(iter(gave_up.values()), ""),
            self.record.message or "",
        )

    def _pod(self, options: Sequence[T]) -> T:
        """The checker has made sure that the pod is there (``Scheduler.schedule``)."""
        for option in options:
            if cast("QueuedPod", option).key == self.pod:
                return option
        return options[0]

    def _node(self, record: Attempt, options: Sequence[T]) -> T:
        node = record.node or ""
        if node not in options:
            expected = [option or "no node" for option in options]
            self.not_allowed.append(NotAllowed("node", expected, node or "no node"))
        return cast("T", node)

    def _verdict(self, record: Attempt, options: Sequence[T]) -> T:
        first = options[0]
        said = (record.filter or {}).get(cast("Verdict", first).node)
        if said is None:
            return first
        for option in islice(options, MAX_WAYS):
            if says_the_same(said, node_status(cast("Verdict", option).status)):
                return option
        return first

    def _trial(self, record: Attempt, options: Sequence[T]) -> T:
        """Only the error that ends preemption is told; else the pod fits where it can."""
        statuses = [cast("Status", option) for option in islice(options, MAX_WAYS)]
        told = [s for s in statuses if s.code is Code.ERROR and s.message in (record.message or "")]
        fits = [s for s in statuses if s.is_success]
        return cast("T", (*told, *fits, *statuses)[0])

    def _allocation(self, options: Sequence[T]) -> T:
        """The devices that are written for each claim before the pod is bound. A claim that the pod names twice
        is allocated twice and written once: the second fails."""
        wanted = {claim.key for claim, allocation in cast("Allocations", options[0]) if allocation}
        written: dict[str, Sequence[DeviceRequestAllocationResult]] = {}
        for claim in _claims_written(takewhile(self._is_unbound, self.ahead())):
            if claim.status.allocation is not None and claim.key in wanted:
                written.setdefault(claim.key, claim.status.allocation.devices.results)

        for option in options:
            first = {claim.key: allocation for claim, allocation in reversed(cast("Allocations", option))}
            made = {key: allocation.devices.results for key, allocation in first.items() if allocation}
            if all(made.get(key) == results for key, results in written.items()):
                return option
        return options[0]

    def _claim(self, options: Sequence[T]) -> T:
        """The claim that was deallocated before the next attempt."""
        by_key = {cast("ResourceClaim", option).key: option for option in options}
        written = _claims_written(takewhile(lambda record: not isinstance(record, Attempt), self.ahead()))
        freed = (claim.key for claim in written if not claim.is_allocated)
        return next((by_key[key] for key in freed if key in by_key), options[0])

    def _is_unbound(self, record: Record) -> bool:
        return not (isinstance(record, Bind) and record.pod == self.pod)

    def _candidate(self, record: Attempt, options: Sequence[T]) -> T:
        """A record without ``victims`` may still tell the node."""
        for option in options:
            candidate = cast("Candidate", option)
            victims = tuple(sorted(victim.pod.key for victim in candidate.victims))
            told = record.victims is None or tuple(sorted(record.victims)) == victims
            if told and record.nominated_node in (None, candidate.node):
                return option
        return options[0]


def _claims_written(records: Iterable[Record]) -> Iterator[ResourceClaim]:
    for record in records:
        if (
            isinstance(record, Write)
            and record.verb == "update"
            and record.object.get("kind") == "ResourceClaim"
        ):
            yield read_as(ResourceClaim, record.object)


def _sole(record: Attempt) -> frozenset[str] | None:
    """The node that was taken unscored."""
    feasible = [node for node, status in (record.filter or {}).items() if _is_feasible(status)]
    return frozenset({record.node}) if record.node and len(feasible) > 1 else None


def _gave_up(status: NodeStatus) -> str:
    """By what the search was stopped, where this node says that it gave up for that (DynamicResources, Filter)."""
    for reason in status.reasons:
        if reason.startswith(_GAVE_UP):
            return reason.removeprefix(_GAVE_UP)
    return ""


def _is_feasible(status: NodeStatus) -> bool:
    return status.code == "Success"
