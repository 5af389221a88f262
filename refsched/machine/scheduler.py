# SPDX-License-Identifier: Apache-2.0
"""Scheduler: a machine without threads, clock or network. It takes inputs and returns records.

A pod's cycle is a generator that runs until it must wait. The machine keeps the cycles that wait, and
continues one when an input has ended what it waits for. Of what is due at the same time, events come first,
then deadlines, then the cycles that can continue, the oldest first.
"""

from __future__ import annotations

from collections.abc import Generator

from attrs import define

from refsched.cycle.cycle import Cycle
from refsched.errors import InputError
from refsched.framework.node_info import NodeInfo
from refsched.framework.reserve_and_bind import Held, OnEvents, OnPermit, OnPreBind, Stop
from refsched.framework.waiting_pods import WaitingPod
from refsched.machine.state import MAX_SECONDS, SchedulerState
from refsched.objects.meta import ApiObject
from refsched.queue.backoff import BACKOFF_FLUSH_PERIOD
from refsched.queue.queued_pod import QueuedPod
from refsched.queue.unschedulable_pods import LEFTOVER_FLUSH_PERIOD
from refsched.records import Nodes, NodeUsage, Output, Queues
from refsched.releases.release import Release

PERMIT_TIMERS = "permit"
LEFTOVER_TIMER = "unschedulableFlush"
ASSUMED_PODS_TIMER = "assumedPods"

REJECTED_BY_INPUT = "scripted"
"""This is the message with which a ``permit`` rejects a waiting pod (docs/protocol.md)."""


class CycleHeldError(Exception):
    """A CycleHeldError is raised while a scheduling cycle is held, since kube-scheduler runs one at a time."""


@define(eq=False)
class _RunningCycle:
    """A _RunningCycle has begun and not ended: it has the generator that runs the cycle, and what it waits
    for."""

    cycle: Cycle
    steps: Generator[Stop, None, None]
    stop: Stop | None = None


class Scheduler:
    """A Scheduler is of the release ``kubernetes``. ``frozen_timers`` never fire (docs/protocol.md).
    ``backoff_flush_due`` and ``leftover_flush_due`` are when the queue is flushed next."""

    def __init__(
        self, state: SchedulerState, kubernetes: Release, frozen_timers: frozenset[str] = frozenset()
    ) -> None:
        self.state = state
        self.kubernetes = kubernetes
        self.frozen_timers = frozen_timers
        self._running: list[_RunningCycle] = []
        self._began_to_hold: tuple[str, Held] | None = None
        self.backoff_flush_due = state.queue.until_backoff_flush()
        self.leftover_flush_due = LEFTOVER_FLUSH_PERIOD

    # --- Inputs -----------------------------------------------------------------------------------

    def create(self, created: ApiObject) -> None:
        """Stores a new object, and shows it to the scheduler. Raises InputError if there is one of this kind and
        name."""
        self.state.api.create(created)
        self._settle()

    def update(self, updated: ApiObject) -> None:
        """Stores a changed object, and shows it to the scheduler. Raises InputError if there is none of this kind
        and name."""
        self.state.api.update(updated)
        self._settle()

    def delete(self, kind: type[ApiObject], name: str, namespace: str = "") -> None:
        """Deletes an object, and shows this to the scheduler. Raises InputError if there is none of this kind and
        name."""
        self.state.api.delete(kind, name, namespace)
        self._settle()

    def advance(self, seconds: float) -> None:
        """Advances the clock, and does what falls due on the way. Raises InputError if ``seconds`` is negative or
        no number, or if the clock would go beyond MAX_SECONDS."""
        if not seconds >= 0:
            raise InputError("the clock does not go back", "advance")
        end = self.state.clock.now + seconds
        if not end <= MAX_SECONDS:
            raise InputError(f"the clock goes no further than {MAX_SECONDS:,} seconds", "advance")
        self.run_until(end)

    def run_until(self, end: float) -> None:
        """Does what falls due until ``end``, in seconds of the machine's clock, and sets the clock."""
        while (due := self.next_due()) <= end:
            self.state.clock.now = due
            self._flush(due)
            self._settle()
        self.state.clock.now = end
        self._settle()

    def permit(self, pod: str, decision: str, plugin: str = "") -> None:
        """Allows a pod (``namespace/name``) that waits on Permit, for one plugin or for all that it waits for, or
        rejects it: ``decision`` is ``allow`` or ``reject``. Raises InputError if it is neither, or if the pod does
        not wait for that."""
        waiting = self._waiting_pod(pod)
        plugins = waiting.pending_plugins
        if plugin and plugin not in plugins:
            raise InputError(f"{pod} waits on Permit for {', '.join(plugins)}", "permit.plugin")
        if decision == "allow":
            for allowed_by in [plugin] if plugin else plugins:
                waiting.allow(allowed_by)
        elif decision == "reject":
            waiting.reject(plugin or plugins[0], REJECTED_BY_INPUT)
        else:
            raise InputError(f"expected allow or reject, found {decision!r:.60}", "permit.decision")
        self._settle()

    def release(self, pod: str) -> None:
        """Continues the oldest cycle in which a scripted plugin holds the pod (``namespace/name``). Raises
        InputError if there is none."""
        for running in self._running:
            if isinstance(running.stop, Held) and running.cycle.queued.key == pod:
                self._go_on(running)
                self._settle()
                return
        raise InputError(f"{pod} is not held", "release.pod")

    def schedule(self, pod: str | None = None) -> bool:
        """Pops a pod and runs its cycle until it waits or ends. Returns False if Pop would block.

        A pod that is not to be tried (R-EVENT-05) is popped and skipped. If ``pod`` is given, it is tried even
        if it is not the next one. Raises NotWaitingError if that pod is not in the queue, and CycleHeldError while
        a scheduling cycle is held. Source: schedule_one.go, ScheduleOne, skipPodSchedule."""
        if any(not running.cycle.is_binding for running in self._running):
            raise CycleHeldError("a scheduling cycle is held, and kube-scheduler runs one at a time")
        queue = self.state.queue
        if pod is not None:
            self._start(queue.take(pod))
            return True
        while heads := queue.heads():
            popped = queue.pop(self.state.choices.choose("pod", heads).key)
            if not self.kubernetes.is_skipped(self.state, popped.pod):
                self._start(popped)
                return True
            queue.done(popped.pod.uid)
        return False

    def _start(self, queued: QueuedPod) -> None:
        cycle = Cycle(self.state, self.state.profiles[queued.pod.spec.scheduler_name], queued)
        running = _RunningCycle(cycle, _run(cycle, self.kubernetes))
        self._running.append(running)
        self._go_on(running)
        self._settle()

    @property
    def is_busy(self) -> bool:
        """Returns whether a cycle is under way."""
        return bool(self._running)

    # --- Outputs ----------------------------------------------------------------------------------

    def take_records(self) -> list[Output]:
        """Returns what the scheduler did since the last call."""
        taken = list(self.state.records)
        self.state.records.clear()
        return taken

    def take_held(self) -> tuple[str, Held] | None:
        """Returns the first pod that a scripted plugin began to hold since the last call, and the point."""
        began, self._began_to_hold = self._began_to_hold, None
        return began

    def queues(self) -> Queues:
        """Returns the pods of each queue."""
        return self.state.queue.queues()

    def nodes(self) -> Nodes:
        """Returns what the cache counts on each node, assumed pods included."""
        return Nodes({name: _usage(info) for name, info in sorted(self.state.cache.usage().items())})

    # --- Going on ---------------------------------------------------------------------------------

    def _go_on(self, running: _RunningCycle) -> None:
        running.stop = next(running.steps, None)
        if running.stop is None:
            self._running.remove(running)
        elif isinstance(running.stop, Held) and self._began_to_hold is None:
            self._began_to_hold = running.cycle.queued.key, running.stop

    def _settle(self) -> None:
        while self._show_event() or self._expire_deadline() or self._resume():
            pass

    def _show_event(self) -> bool:
        events = self.state.api.events
        if not events:
            return False
        self.kubernetes.handle_event(self.state, events.popleft())
        return True

    def _resume(self) -> bool:
        """Continues the oldest cycle that can continue, and returns whether there is one. A PreBind that
        still waits is only asked."""
        for running in list(self._running):
            stop = running.stop
            if isinstance(stop, OnPermit) and stop.waiting.decision is not None:
                self._go_on(running)
                return True
            if isinstance(stop, OnPreBind) and stop.is_over(self.state.objects):
                self._go_on(running)
                return True
            if isinstance(stop, OnEvents):
                self._go_on(running)
                return True
        return False

    def _waiting_pod(self, pod: str) -> WaitingPod:
        for running in self._running:
            if isinstance(running.stop, OnPermit) and running.cycle.queued.key == pod:
                return running.stop.waiting
        raise InputError(f"{pod} does not wait on Permit", "permit.pod")

    # --- Time -------------------------------------------------------------------------------------

    def next_due(self) -> float:
        """Returns when the next flush is due, or the next deadline ends, in seconds of the machine's clock."""
        due = [self.backoff_flush_due]
        if LEFTOVER_TIMER not in self.frozen_timers:
            due.append(self.leftover_flush_due)
        return min([*due, *self.deadlines()])

    def deadlines(self) -> list[float]:
        """Returns the times at which what pods wait for ends by itself."""
        due = []
        if PERMIT_TIMERS not in self.frozen_timers:
            due = [at for waiting in self._undecided() for at in waiting.deadlines.values()]
        stops = [running.stop for running in self._running]
        return due + [stop.deadline for stop in stops if isinstance(stop, OnPreBind)]

    def _flush(self, now: float) -> None:
        queue = self.state.queue
        if self.backoff_flush_due <= now:
            queue.flush_backoff_q_completed()
            if ASSUMED_PODS_TIMER not in self.frozen_timers:
                self.kubernetes.clean_up_cache(self.state)
            self.backoff_flush_due += BACKOFF_FLUSH_PERIOD
        if self.leftover_flush_due <= now:
            if LEFTOVER_TIMER not in self.frozen_timers:
                queue.flush_unschedulable_pods_leftover()
            self.leftover_flush_due += LEFTOVER_FLUSH_PERIOD

    def _expire_deadline(self) -> bool:
        """Lets the oldest deadline that is due expire, of Permit or of PreBind, and returns whether there is
        one."""
        now = self.state.clock.now
        if PERMIT_TIMERS not in self.frozen_timers:
            for waiting in self._undecided():
                for plugin, deadline in sorted(waiting.deadlines.items()):
                    if deadline <= now:
                        waiting.time_out(plugin)
                        return True
        for running in self._running:
            if isinstance(running.stop, OnPreBind) and running.stop.deadline <= now:
                self._go_on(running)
                return True
        return False

    def _undecided(self) -> list[WaitingPod]:
        return list(self.state.waiting_pods.undecided())


def _run(cycle: Cycle, kubernetes: Release) -> Generator[Stop, None, None]:
    """Runs the scheduling cycle of a pod, and then, while other pods are scheduled, its binding cycle."""
    if (yield from kubernetes.scheduling_cycle(cycle)):
        cycle.is_binding = True
        yield from kubernetes.binding_cycle(cycle)


def _usage(info: NodeInfo) -> NodeUsage:
    requested = info.requested
    scalar = {name: amount for name, amount in sorted(requested.scalar.items()) if amount}
    return NodeUsage(
        tuple(sorted(pod.pod.key for pod in info.pods)),
        requested.milli_cpu,
        requested.memory,
        requested.ephemeral_storage or None,
        scalar or None,
    )
