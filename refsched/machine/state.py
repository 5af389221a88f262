# SPDX-License-Identifier: Apache-2.0
"""SchedulerState: what scheduling cycles, binding cycles and event handlers share.

``objects`` is what the informers have shown; ``api`` is the true state. Time is in seconds since ``start``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import cast

from attrs import Factory, define, evolve, field

from refsched.cache.cache import Cache
from refsched.cycle.batching import Batch
from refsched.cycle.decide import Decider
from refsched.cycle.find_nodes import SearchNodes, find_nodes
from refsched.errors import InputError
from refsched.framework.choices import Choices
from refsched.framework.interface import Binding, Written
from refsched.framework.pods_in_pre_bind import PodInPreBind
from refsched.framework.post_filter import PostFilterResult
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error
from refsched.framework.waiting_pods import WaitingPods
from refsched.machine.api_server import ApiServer, Event
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Namespace
from refsched.objects.writing import as_json
from refsched.queue.scheduling_queue import SchedulingQueue
from refsched.records import Output, Write

START = datetime(2026, 1, 1, tzinfo=UTC)
"""A scheduler starts at this time if no other is given."""

MAX_SECONDS = 10**10
"""The clock goes no further than this, three centuries, since no scheduler runs for longer."""

LAST_YEAR = 9000
"""A scheduler that starts in this year or before may run for MAX_SECONDS: times have four digits for the year."""


@define(eq=False)
class Clock:
    """A Clock shows the seconds since ``start`` (``now``), which change only by an input that says so. Raises
    InputError if ``start`` is after LAST_YEAR."""

    start: datetime = field()
    now: float = 0.0

    @start.validator
    def _check(self, attribute: object, start: datetime) -> None:
        if start.year > LAST_YEAR:
            raise InputError(f"expected a time before the year {LAST_YEAR + 1}, found {start:%Y}", "start")

    @property
    def time(self) -> datetime:
        """Returns the time of day."""
        return self.start + timedelta(seconds=self.now)

    def since_a_whole_second(self) -> float:
        """Returns the seconds since the whole second of UTC in which the clock started."""
        return self.now + self.start.microsecond / 10**6


@define(eq=False)
class SchedulerState:
    """A SchedulerState is all the mutable state of one scheduler. ``next_start_node_index`` is where the next
    search begins. ``pods_in_pre_bind`` are by uid those for which a PreBind plugin has anything to do, from then
    until they are bound.

    ``decider`` finds the node for a pod, and ``search`` searches the nodes for it. ``evict`` deletes the victims
    and withdraws the nominations that PostFilter chose, and returns what is then left of PostFilter's result.
    ``batches`` are by profile.
    """

    profiles: Mapping[str, Framework]
    queue: SchedulingQueue
    choices: Choices
    clock: Clock
    objects: ObjectStore
    decider: type[Decider]
    evict: Callable[[SchedulerState, Pod, PostFilterResult], PostFilterResult]
    batches: Mapping[str, Batch]
    api: ApiServer = Factory(ApiServer)
    cache: Cache = Factory(Cache)
    waiting_pods: WaitingPods = Factory(WaitingPods)
    pods_in_pre_bind: dict[str, PodInPreBind] = Factory(dict)
    next_start_node_index: int = 0
    search: SearchNodes = find_nodes
    records: list[Output] = Factory(list)

    def snapshot(self) -> Snapshot:
        labels = {ns.name: ns.metadata.labels for ns in self.objects.list(Namespace)}
        return evolve(
            self.cache.snapshot(),
            namespace_labels=labels,
            objects=self.objects,
            choices=self.choices,
            time=self.clock.time,
        )

    def bind(self, binding: Binding) -> Status:
        refusal = self.api.bind(binding.metadata, binding.target_node)
        return error(refusal) if refusal else SUCCESS

    def stored(self, named: Written) -> Written | None:
        return self.api.get(type(named), named.name, named.namespace)

    def write(self, verb: str, written: Written) -> Written:
        """Stores what a plugin writes to the API server, records it, and returns it as it is stored. An object
        without a name is given one."""
        if not written.metadata.name:
            name, uid = self.api.generated(written.metadata.generate_name)
            name = self.choices.choose("name", (name,))
            named: ApiObject = evolve(written, metadata=evolve(written.metadata, name=name, uid=uid))  # type: ignore[misc]
            written = cast("Written", named)
        self.api.write(verb, written)
        self.records.append(Write(verb, as_json(written)))
        return written

    def go_back(self, written: Written, before: Written) -> None:
        """Shows the scheduler, and nobody else, an object that it wrote as it was before."""
        self.api.events.append(Event(written, before))
