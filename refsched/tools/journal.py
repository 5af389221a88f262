# SPDX-License-Identifier: Apache-2.0
"""Journal: all that a scheduler was shown and asked to do, so that a copy of it is made by doing it again.

A scheduler holds cycles that are under way and what it remembers of plugins' answers, neither of which can be
copied or pickled. It decides alike when it is given the same inputs with the same seed, and objects are immutable:
so a journal is all that a copy needs. Only extenders are not asked again; their answers are part of the journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from attrs import Factory, define, field, frozen

from refsched.config.types import Extender as ExtenderConfig
from refsched.errors import InputError
from refsched.extenders.extender import Ask
from refsched.machine.scheduler import CycleHeldError, Scheduler
from refsched.objects.meta import ApiObject
from refsched.queue.queued_pod import NotWaitingError
from refsched.reading.inputs import InputReader
from refsched.records import Input


@frozen
class ShownObject:
    """A ShownObject is an object that was created (or updated, if ``is_update``), with the API server's
    defaults."""

    object: ApiObject
    is_update: bool


@frozen
class Scheduled:
    """A Scheduled is a request to try the pod ``namespace/name``, or the next one if it is None."""

    pod: str | None


Step = ShownObject | Scheduled | Input


@define
class Journal:
    """A Journal has the ``steps`` of a scheduler, and the ``answers`` of its extenders, in their order."""

    steps: list[Step] = Factory(list)
    answers: list[object] = Factory(list)
    _left: deque[object] = field(factory=deque, init=False)
    """These answers are yet to be given again."""

    def reached(self, reach: Callable[[ExtenderConfig], Ask]) -> Callable[[ExtenderConfig], Ask]:
        """Returns how extenders are reached, so that their answers are kept."""

        def reach_and_keep(config: ExtenderConfig) -> Ask:
            ask = reach(config)

            def asked(verb: str, request: dict[str, Any]) -> object:
                if self._left:
                    return self._left.popleft()
                self.answers.append(answer := ask(verb, request))
                return answer

            return asked

        return reach_and_keep

    def repeat(self, scheduler: Scheduler) -> None:
        """Does everything again with a scheduler that was made as the first one was. What the first one refused is
        refused again."""
        self._left.extend(self.answers)
        inputs = InputReader(scheduler)
        for step in self.steps:
            with suppress(InputError, NotWaitingError, CycleHeldError):
                _repeat(step, scheduler, inputs)
            scheduler.take_records()

    def copy(self) -> Journal:
        return Journal(list(self.steps), list(self.answers))


def _repeat(step: Step, scheduler: Scheduler, inputs: InputReader) -> None:
    match step:
        case ShownObject(shown, is_update):
            (scheduler.update if is_update else scheduler.create)(shown)
        case Scheduled(pod):
            scheduler.schedule(pod)
        case _:
            inputs.apply(step)
