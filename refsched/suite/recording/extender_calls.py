# SPDX-License-Identifier: Apache-2.0
"""Extender calls: what a history's extenders are asked while it is recorded, and what they answer.

A history says that its extenders are at a host that does not exist, and so does its trace; while it is recorded
they are at an address of the loopback interface.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import evolve, field, frozen

from refsched.suite.histories.extender_address import EXTENDERS, leaves_extenders_open, reached_at
from refsched.suite.histories.extender_server import serving
from refsched.suite.histories.history import Create, History, Step

Json = dict[str, Any]


@frozen
class HeardCalls:
    """``history`` is the history to be run. ``calls`` are those that no record has reported yet."""

    history: History
    address: str = ""
    calls: list[Json] = field(factory=list)

    def take(self) -> list[Json]:
        """Returns the calls since this was asked last."""
        taken = list(self.calls)
        self.calls.clear()
        return taken

    def nowhere(self, text: str) -> str:
        """Returns a text of what happened, the same wherever the extenders were."""
        return text.replace(self.address, EXTENDERS) if self.address else text


@contextmanager
def listening(history: History) -> Iterator[HeardCalls]:
    """Yields while the history is recorded. One whose extenders have an address of their own is not changed."""
    if not leaves_extenders_open(history):
        yield HeardCalls(history)
        return
    calls: list[Json] = []
    with serving(heard=calls.append) as address:
        yield HeardCalls(identified(reached_at(address, history)), address, calls)


def identified(history: History) -> History:
    """Returns the history with a uid for each pod: calls of extenders identify victims by uid, so a trace has to
    contain the uids."""
    return evolve(history, steps=tuple(_identified(history.steps)))


def _identified(steps: Sequence[Step]) -> Iterator[Step]:
    for number, step in enumerate(steps, 1):
        match step:
            case Create({"kind": "Pod", "metadata": {"name": name, **metadata}} as value):
                identity = {"name": name, "uid": f"{name}-{number}", **metadata}
                yield Create({**value, "metadata": identity})
            case _:
                yield step
