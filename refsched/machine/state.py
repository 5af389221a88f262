# SPDX-License-Identifier: Apache-2.0
"""SchedulerState: what scheduling cycles, binding cycles and event handlers share.

``objects`` is what the informers have shown; ``api`` is the true state. Time is in seconds since ``start``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from attrs import Factory, define, evolve

from refsched.binding.waiting_pods import WaitingPods
from refsched.cache.cache import Cache
from refsched.cycle.find_nodes import SearchNodes, find_nodes
from refsched.cycle.rules import CycleRules
from refsched.framework.choices import Choices
from refsched.framework.interface import Binding
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error
from refsched.machine.api_server import ApiServer
from refsched.objects.store import ApiObject, ObjectStore
from refsched.objects.workloads import Namespace
from refsched.objects.writing import as_json
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.records import Output, Write


@define(eq=False)
class Clock:
    """``now`` changes only by an input that says so."""

    start: datetime
    now: float = 0.0

    @property
    def time(self) -> datetime:
        return self.start + timedelta(seconds=self.now)


@define(eq=False)
class SchedulerState:
    """A SchedulerState is all the mutable state of one scheduler. ``next_start_node_index`` is where the next
    search begins; ``search`` searches the nodes."""

    profiles: Mapping[str, Framework]
    queue: SchedulingQueue
    choices: Choices
    clock: Clock
    objects: ObjectStore
    rules: CycleRules
    api: ApiServer = Factory(ApiServer)
    cache: Cache = Factory(Cache)
    waiting_pods: WaitingPods = Factory(WaitingPods)
    next_start_node_index: int = 0
    search: SearchNodes = find_nodes
    records: list[Output] = Factory(list)

    def snapshot(self) -> Snapshot:
        labels = {ns.metadata.name: ns.metadata.labels for ns in self.objects.list(Namespace)}
        return evolve(
            self.cache.snapshot(),
            namespace_labels=labels,
            objects=self.objects,
            choices=self.choices,
        )

    def bind(self, binding: Binding) -> Status:
        refusal = self.api.bind(binding.metadata, binding.target_node)
        return error(refusal) if refusal else SUCCESS

    def write(self, verb: str, written: ApiObject) -> None:
        """Stores what a plugin writes to the API server, and records it."""
        self.api.write(verb, written)
        self.records.append(Write(verb, as_json(written)))
