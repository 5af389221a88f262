# SPDX-License-Identifier: Apache-2.0
"""Rows: the tables of the specification with one row left out or changed.

A row of the queue's transitions may lead elsewhere, and a row of a plugin's events may be missing, be there for
some of its actions or for more, or requeue without asking its hint.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

from attrs import evolve

from refsched.framework.events import ActionType, EventHint
from refsched.queue.hint_table import event_rule
from refsched.queue.transitions import Place, Transition, Transitions
from refsched.releases import RELEASES
from refsched.suite.breaking.replacing import Undo
from refsched.suite.catalogue.rules import TRANSITIONS_OF, default_plugins

_PLACES = (Place.ACTIVE, Place.BACKOFF, Place.ERROR_BACKOFF, Place.UNSCHEDULABLE, Place.NOWHERE)


def rows_of_transitions(applied: Collection[str]) -> Iterator[tuple[str, Callable[[], Undo]]]:
    """By its rule each change of a row that was applied; a call makes it, and answers what undoes it."""
    for table in TRANSITIONS_OF.values():
        for row in [row for row in table if row.rule in applied]:
            for place in _PLACES:
                if place != row.goes_to:
                    yield row.rule, partial(_leads, table, row, place)


def _leads(table: Transitions, row: Transition, place: Place) -> Undo:
    rows, key = vars(table)["_rows"], (row.place, row.occurrence)
    rows[key] = evolve(row, goes_to=place)
    return partial(rows.__setitem__, key, row)


def rows_of_events() -> Iterator[tuple[str, Callable[[], Undo]]]:
    """By its rule each change of a row of a plugin's events."""
    plugins = {type(plugin): plugin.name for name in RELEASES for plugin in default_plugins(name)}
    for plugin, name in plugins.items():
        rows = vars(plugin).get("EVENTS", ())
        for number, row in enumerate(rows):
            rule = event_rule(name, row.resource, row.action)
            for changed in _changed(row):
                yield rule, partial(_registers, plugin, (*rows[:number], *changed, *rows[number + 1 :]))


def _changed(row: EventHint) -> Iterator[tuple[EventHint, ...]]:
    yield ()
    actions = list(row.action)
    if len(actions) > 1:
        yield from ((evolve(row, action=row.action & ~action),) for action in actions)
    if row.action != ActionType.ALL:
        yield (evolve(row, action=ActionType.ALL),)
    if row.hint is not None:
        yield (evolve(row, hint=None),)


def _registers(plugin: type, rows: tuple[EventHint, ...]) -> Undo:
    before = vars(plugin)["EVENTS"]
    plugin.EVENTS = rows  # type: ignore[attr-defined]
    return partial(setattr, plugin, "EVENTS", before)
