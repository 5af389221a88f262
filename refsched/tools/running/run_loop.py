# SPDX-License-Identifier: Apache-2.0
"""RunLoop: watches, the clock and the machine, in one loop.

Before each attempt the machine is shown all that the watches have, and its clock is set to the time that has
passed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from refsched.machine.scheduler import Scheduler
from refsched.objects.kinds import KINDS, ApiKind
from refsched.processes.kubernetes_api.client import Client
from refsched.processes.kubernetes_api.watching import LISTED, Event, Watching
from refsched.records import Output

LOOK = 0.1
"""At least every so many seconds the clock is set, and it is checked whether to go on."""


class EventConsumer(Protocol):
    def take_first(self, events: list[Event]) -> None: ...

    def take(self, event: Event) -> None: ...


class RunLoop:
    """A RunLoop shows a cluster to a scheduler, and passes on what the scheduler does. ``mirror`` takes what
    exists at the beginning."""

    def __init__(
        self,
        client: Client,
        scheduler: Scheduler | None,
        mirror: EventConsumer,
        more: Collection[ApiKind] = (),
    ) -> None:
        """Takes no scheduler where what the watches show is only passed on. ``more`` are kinds that scheduling
        does not read, and that may be forbidden."""
        self._scheduler = scheduler
        self._mirror = mirror
        self._watching = Watching(client, KINDS, more)
        self._missing = {kind.name for kind in (*KINDS, *more)}
        self._began = time.monotonic()

    def wait_for_lists(self, goes_on: Callable[[], bool], say: Callable[[str], None]) -> None:
        """Shows what exists, once all of it is known, and says why it is not known yet."""
        events: list[Event] = []
        said: set[str] = set()
        while self._missing and goes_on():
            event = self._watching.next(LOOK)
            if event is not None and event.type == LISTED:
                self._missing.discard(event.kind)
            elif event is not None:
                events.append(event)
            for problem in self._watching.problems():
                if problem not in said:
                    say(f"{problem}; waiting for it")
                    said.add(problem)
        self._mirror.take_first(events)

    def events(self, seconds: float) -> Iterable[Event]:
        """Yields the events that have come, after waiting at most this long for the first one."""
        while (event := self._watching.next(seconds)) is not None:
            seconds = 0.0
            if event.type != LISTED:
                yield event

    def set_clock(self) -> None:
        if self._scheduler is not None:
            passed = time.monotonic() - self._began
            self._scheduler.run_until(max(passed, self._scheduler.state.clock.now))

    def schedule(self, goes_on: Callable[[], bool], take: Callable[[Output], None]) -> None:
        """Attempts one pod after the other, for as long as it goes on."""
        assert self._scheduler is not None
        has_more = True
        while goes_on():
            for event in self.events(0.0 if has_more else LOOK):
                self._mirror.take(event)
            self.set_clock()
            has_more = self._scheduler.schedule()
            for record in self._scheduler.take_records():
                take(record)

    def follow(self, goes_on: Callable[[], bool], take: Callable[[Event], None]) -> None:
        """Passes on what the watches show, for as long as it goes on."""
        while goes_on():
            for event in self.events(LOOK):
                self.set_clock()
                take(event)

    def close(self) -> None:
        self._watching.close()
