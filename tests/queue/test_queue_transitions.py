# SPDX-License-Identifier: Apache-2.0
"""The table of transitions, walked: each row is made to happen to a real queue."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

import pytest
from attrs import evolve
from queue_world import World, pod

from refsched.framework.events import NODE, WILD_CARD, ActionType, ClusterEvent
from refsched.framework.node_info import PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.transitions import TRANSITIONS, Occurrence, Place, Transition, Transitions
from refsched.releases.v1_19.queue import transitions as v1_19
from refsched.rules import listening

ANYTHING = ClusterEvent(WILD_CARD, ActionType.ALL)
NOT_WANTED = ClusterEvent(NODE, ActionType.UPDATE_NODE_CONDITION)


class Subject:
    """One pod, ``p``, brought to a place; what then happens to it is done to ``world``."""

    def __init__(self, without_backoff: bool) -> None:
        self.world = World(max_backoff=0 if without_backoff else 10)
        self.attempt: QueuedPod | None = None
        self.pod: Pod = pod("p")

    def add(self) -> None:
        self.world.add(self.pod)

    def fly(self) -> None:
        self.add()
        self.attempt = self.world.queue.pop("ns/p")

    def shut(self) -> None:
        """The pod has a gate now. The queue learns of it with the next update or attempt."""
        self.pod = pod("p", gate="shut")

    def comes_back(self, *plugins: str, pending: tuple[str, ...] = ()) -> None:
        assert self.attempt is not None
        self.attempt = evolve(self.attempt, info=PodInfo(self.pod))
        self.world.refuse(self.attempt, *plugins, pending=pending)

    def update(self) -> None:
        before = self.world.objects.put(self.pod) or pod("p")
        self.world.queue.update(before, self.pod)

    @property
    def place(self) -> Place:
        place, found = self.world.queue._find("ns/p")
        if found is None and "p" in self.world.queue.in_flight:
            return Place.IN_FLIGHT
        return place


def bring(subject: Subject, place: Place) -> None:
    if place is Place.ACTIVE:
        subject.add()
    elif place is Place.IN_FLIGHT:
        subject.fly()
    elif place is Place.UNSCHEDULABLE:
        subject.fly()
        subject.comes_back("Picky", pending=("Silent",))
    elif place is Place.BACKOFF:
        subject.fly()
        subject.world.happens(ANYTHING)
        subject.comes_back("Deaf")
    elif place is Place.ERROR_BACKOFF:
        subject.fly()
        subject.comes_back()
    elif place is Place.GATED:
        subject.fly()
        subject.shut()
        subject.comes_back("Picky", pending=("Silent",))
        subject.world.happens(ANYTHING)
    assert subject.place is place


def added(subject: Subject) -> None:
    subject.add()


def updated(subject: Subject) -> None:
    subject.pod = pod("p", 3)
    subject.update()


def deleted(subject: Subject) -> None:
    subject.world.queue.delete(subject.pod)


def popped(subject: Subject) -> None:
    subject.world.queue.pop("ns/p")


def done(subject: Subject) -> None:
    subject.world.queue.done("p")


def requeues_nobody(subject: Subject) -> None:
    subject.world.happens(NOT_WANTED)
    if subject.place is Place.IN_FLIGHT:
        subject.comes_back("Picky")


def requeued_early(subject: Subject) -> None:
    requeued(subject, after=0)


def requeued(subject: Subject, after: float = 20) -> None:
    subject.world.passes(after)
    if subject.place is Place.GATED:
        opens(subject)
        return
    subject.world.happens(ANYTHING)
    if subject.place is Place.IN_FLIGHT:
        subject.comes_back("Picky")


def opens(subject: Subject) -> None:
    """The label that the gate asks for is taken off, which is an event too."""
    subject.world.queue.update(subject.pod, pod("p", wants="n"))


def failed(subject: Subject) -> None:
    subject.comes_back()


def backoff_over(subject: Subject) -> None:
    subject.world.passes(20)


def activated(subject: Subject) -> None:
    if subject.place is Place.GATED:
        subject.world.objects.put(read_as(Node, {"metadata": {"name": "gate"}}))
    subject.world.queue.activate([subject.pod])


def awaited(subject: Subject) -> None:
    event = ClusterEvent("Pod", ActionType.UPDATE_POD_LABEL)
    if subject.place is Place.GATED:
        opens(subject)
        return
    subject.world.happens(event, pod("x"), pod("x"))
    if subject.place is Place.IN_FLIGHT:
        subject.comes_back("Picky", pending=("Silent",))


def held(subject: Subject) -> None:
    place = subject.place
    subject.shut()
    if place is Place.NOWHERE:
        subject.add()
    elif place is Place.IN_FLIGHT:
        subject.comes_back()
    elif place in (Place.BACKOFF, Place.ERROR_BACKOFF):
        subject.update()
        subject.world.queue.activate([subject.pod])
    elif place is Place.UNSCHEDULABLE:
        subject.update()
    else:
        subject.world.queue.activate([subject.pod])


HAPPENS: dict[Enum, Callable[[Subject], None]] = {
    Occurrence.ADDED: added,
    Occurrence.UPDATED: updated,
    Occurrence.DELETED: deleted,
    Occurrence.POPPED: popped,
    Occurrence.DONE: done,
    Occurrence.NO_HINT: requeues_nobody,
    Occurrence.HINT_IN_BACKOFF: requeued_early,
    Occurrence.HINT: requeued,
    Occurrence.PENDING_HINT: awaited,
    Occurrence.ERROR: failed,
    Occurrence.ERROR_NO_BACKOFF: failed,
    Occurrence.BACKOFF_OVER: backoff_over,
    Occurrence.ACTIVATED: activated,
    Occurrence.NOT_ENQUEUED: held,
}


def name_of(row: Transition) -> str:
    return f"{row.rule} {row.place.value}: {row.occurrence.value}"


@pytest.mark.parametrize("row", TRANSITIONS, ids=name_of)
def test_what_the_table_says_happens(row: Transition) -> None:
    without_backoff = row.occurrence is Occurrence.ERROR_NO_BACKOFF or (
        row.place is Place.IN_FLIGHT and row.occurrence is Occurrence.HINT
    )
    subject, applied = Subject(without_backoff), list[str]()
    if row.place is Place.GATED and row.occurrence in NOT_PENDING:
        gated_without_pending(subject)
    elif row.place is Place.UNSCHEDULABLE and row.occurrence is Occurrence.NO_HINT:
        subject.fly()
        subject.comes_back("Picky")
    else:
        bring(subject, row.place)

    with listening(applied.append):
        HAPPENS[row.occurrence](subject)

    assert subject.place is row.goes_to
    assert row.rule in applied


NOT_PENDING = (Occurrence.NO_HINT, Occurrence.HINT, Occurrence.HINT_IN_BACKOFF)


def gated_without_pending(subject: Subject) -> None:
    subject.fly()
    subject.shut()
    subject.comes_back("Picky")
    subject.world.happens(ANYTHING)
    assert subject.place is Place.GATED


@pytest.mark.parametrize("table", [TRANSITIONS, v1_19.TRANSITIONS], ids=["newest", "1.19"])
def test_each_rule_stands_once_and_one_cause_has_one_destination(table: Transitions) -> None:
    rows = list(table)
    assert len({row.rule for row in rows}) == len({(row.place, row.occurrence) for row in rows}) == len(rows)
    assert all(re.fullmatch(r"R-QUEUE-\d\d", row.rule) for row in rows)


def test_wherever_a_pod_may_go_in_it_may_be_held() -> None:
    on_its_way = {Place.ACTIVE, Place.BACKOFF, Place.ERROR_BACKOFF}
    for row in TRANSITIONS:
        if row.goes_to in on_its_way - {row.place} and row.occurrence is not Occurrence.BACKOFF_OVER:
            assert TRANSITIONS.row(row.place, Occurrence.NOT_ENQUEUED).goes_to is Place.GATED
