# SPDX-License-Identifier: Apache-2.0
"""A queue to play with: three plugins that refuse, a gate, and a clock that a test moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from attrs import evolve, frozen

from refsched.framework.events import NODE, POD, ActionType, ClusterEvent, EventHint
from refsched.framework.interface import PreEnqueuePlugin
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.queue.hint_table import hint_table
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.requeueing import popping_from_active_queue_only
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.releases import RELEASES

NODE_ADDED = ClusterEvent(NODE, ActionType.ADD)
NODE_LABELLED = ClusterEvent(NODE, ActionType.UPDATE_NODE_LABEL)


def says(answer: bool) -> Any:
    return lambda plugin, pod, before, after, objects: answer


@frozen
class Picky:
    """Cured by a node with the name that the pod's label ``wants``, and by changed labels of the pod."""

    name: str = "Picky"
    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_TAINT,
            lambda plugin, pod, before, after, objects: after.metadata.name == pod.labels.get("wants"),
            "the node that it wants may come",
        ),
        EventHint(POD, ActionType.UPDATE_POD_LABEL, says(True), "it may want something else"),
        EventHint(NODE, ActionType.UPDATE_NODE_CONDITION, says(False), "no condition is wanted"),
    )


@frozen
class Gate:
    """Holds a pod that has a label of the gate's name, until a node of that name is there to open it. It
    registers for the label alone."""

    name: str
    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(POD, ActionType.UPDATE_POD_LABEL, None, "the label may be gone"),
        EventHint(NODE, ActionType.UPDATE_NODE_CONDITION, says(False), "no condition opens the gate"),
    )

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        is_open = self.name not in pod.labels or objects.get(Node, self.name) is not None
        return SUCCESS if is_open else unresolvable("held")


@frozen
class Silent:
    """Says nothing of events."""

    name: str = "Silent"


@frozen
class Deaf:
    """Is cured by no event."""

    name: str = "Deaf"
    EVENTS: ClassVar[tuple[EventHint, ...]] = ()


def by_priority(left: QueuedPod, right: QueuedPod) -> bool:
    if left.pod.priority != right.pod.priority:
        return left.pod.priority > right.pod.priority
    return left.timestamp < right.timestamp


def pod(name: str, priority: int = 0, nominated: str = "", node: str = "", **labels: str) -> Pod:
    return read_as(
        Pod,
        {
            "metadata": {"name": name, "namespace": "ns", "uid": name, "labels": labels},
            "spec": {"priority": priority, "nodeName": node},
            "status": {"nominatedNodeName": nominated},
        },
    )


class World:
    """The queue of one profile, the objects behind it, and its clock."""

    def __init__(
        self,
        max_backoff: float = 10,
        gates: Sequence[PreEnqueuePlugin] = (),
        *,
        pops_from_backoff: bool = True,
        release: str = "1.34",
    ) -> None:
        behaviour = RELEASES[release].queue
        self.now = 0.0
        self.objects = ObjectStore()
        gates = gates or (Gate("gate"), Gate("door"))
        scheduler = "default-scheduler"
        self.queue = SchedulingQueue(
            behaviour if pops_from_backoff else popping_from_active_queue_only(behaviour),
            less=by_priority,
            hint_tables={scheduler: hint_table((Picky(), *gates, Silent(), Deaf()))},
            pre_enqueue_plugins={scheduler: gates},
            sign=lambda pod: None,
            objects=self.objects,
            initial_backoff=1,
            max_backoff=max_backoff,
            clock=lambda: self.now,
        )

    def add(self, *pods: Pod) -> None:
        for added in pods:
            self.objects.put(added)
            self.queue.add(added)

    def update(self, after: Pod) -> None:
        before = self.objects.put(after)
        assert before is not None
        self.queue.update(before, after)

    def pop(self) -> QueuedPod:
        return self.queue.pop(self.queue.heads()[0].key)

    def refuse(self, attempt: QueuedPod, *plugins: str, pending: Sequence[str] = ()) -> None:
        """The attempt ends: refused by these, or an error where there are none."""
        refused = evolve(
            attempt, unschedulable_plugins=frozenset(plugins), pending_plugins=frozenset(pending)
        )
        self.queue.add_unschedulable_if_not_present(refused)

    def refused(self, name: str, *plugins: str, pending: Sequence[str] = (), **labels: str) -> None:
        """A new pod, tried once."""
        self.add(pod(name, priority=1000, **labels))
        self.refuse(self.queue.pop(f"ns/{name}"), *plugins, pending=pending)

    def happens(self, event: ClusterEvent, before: Any = None, after: Any = None) -> None:
        self.queue.move_all_to_active_or_backoff_queue(event, before, after)

    def passes(self, seconds: float) -> None:
        self.now += seconds
        self.queue.flush_backoff_q_completed()

    @property
    def active(self) -> list[str]:
        return _names(self.queue.queues().active)

    @property
    def backoff(self) -> list[str]:
        return _names(self.queue.queues().backoff)

    @property
    def unschedulable(self) -> list[str]:
        return _names(self.queue.queues().unschedulable)


def _names(keys: Sequence[str]) -> list[str]:
    return [key.removeprefix("ns/") for key in keys]
