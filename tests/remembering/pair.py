# SPDX-License-Identifier: Apache-2.0
"""A scheduler without a memory beside one with it, and schedulers as recordings begin with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from refsched.checking.trace import Header
from refsched.errors import InputError
from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import CycleHeldError, Scheduler
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.reading.record_json import to_json
from refsched.records import Input
from refsched.remembering import remember

Json = dict[str, Any]


def maker_of(header: Header) -> Callable[[], Scheduler] | None:
    """Returns what makes a scheduler as a trace begins with it, or None if it has extenders."""
    release = with_feature_gates(header.feature_gates, header.release)
    config = read_config(header.config, release)
    if config.extenders:
        return None
    return lambda: scheduler_of(
        config,
        SeededChoices(1),
        release=release,
        start=header.start,
        frozen_timers=frozenset(header.frozen_timers),
    )


class Pair:
    """Two schedulers that are shown the same; ``step`` compares what they do."""

    def __init__(self, make: Callable[[], Scheduler]) -> None:
        self.plain, self.remembering = make(), remember(make())
        self._inputs = InputReader(self.plain), InputReader(self.remembering)
        self.attempts = 0

    def run(self, steps: Iterable[Input | None]) -> None:
        """``None`` stands for an attempt."""
        for step in steps:
            if step is None:
                self.schedule()
            else:
                self.apply(step)

    def apply(self, record: Input) -> None:
        self._compare(lambda machine: self._inputs[machine is self.remembering].apply(record))

    def schedule(self) -> None:
        self._compare(Scheduler.schedule)

    def _compare(self, step: Callable[[Scheduler], object]) -> None:
        done = [self._done(step, machine) for machine in (self.plain, self.remembering)]
        assert done[0] == done[1]
        self.attempts += sum("attempt" in record for record in done[0][1])

    @staticmethod
    def _done(step: Callable[[Scheduler], object], machine: Scheduler) -> tuple[object, list[Json]]:
        try:
            said: object = step(machine)
        except (InputError, CycleHeldError) as error:
            said = str(error)
        records = [to_json(record) for record in machine.take_records()]
        return (said, machine.queues(), machine.nodes(), machine.state.next_start_node_index), records
