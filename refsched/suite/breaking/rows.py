# SPDX-License-Identifier: Apache-2.0
"""Rows: a table of the specification is changed in one row, or lacks it.

A row of the queue's transitions may lead elsewhere, and a row of a plugin's events may be missing, be there for
some of its actions or for more, or requeue without asking its hint. A plugin that is enabled by default may be
missing, weigh one, or come before the one that it follows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial

from attrs import evolve, fields

from refsched.config.scalars import Int32
from refsched.config.types import PluginSet
from refsched.framework.events import ActionType, EventHint
from refsched.queue.hint_table import event_rule
from refsched.queue.transitions import Place, Transition, Transitions
from refsched.releases import RELEASES
from refsched.releases.release import Release
from refsched.suite.breaking.replacing import Undo
from refsched.suite.catalogue.rules import TRANSITIONS_OF, all_rules, default_plugins

_PLACES = (Place.ACTIVE, Place.BACKOFF, Place.ERROR_BACKOFF, Place.UNSCHEDULABLE, Place.NOWHERE)


def rows_of_transitions(applied: Collection[str]) -> Iterator[tuple[str, Callable[[], Undo]]]:
    """Yields by its rule each change of a row that was applied; a call makes it, and returns what undoes it."""
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
    """Yields by its rule each change of a row of a plugin's events."""
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


# --- Default plugins ------------------------------------------------------------------------------


def rows_of_defaults() -> Iterator[tuple[str, Callable[[], Undo]]]:
    """Yields by its rule each change of the plugins that are enabled by default."""
    for rule, release in rules_of_defaults().items():
        plugins = release.default_plugins
        for point in fields(type(plugins)):
            for changed in _otherwise_enabled(getattr(plugins, point.name)):
                yield rule, partial(_enables, release, point.name, changed)


@cache
def rules_of_defaults() -> Mapping[str, Release]:
    """Returns the rule that states the default plugins, of each release that has one."""
    stated = [rule for rule in all_rules().values() if rule.place == "DEFAULT_PLUGINS"]
    return {rule.id: RELEASES[release] for rule in stated for release in rule.releases}


def _otherwise_enabled(plugins: PluginSet) -> Iterator[PluginSet]:
    enabled = plugins.enabled
    for number, plugin in enumerate(enabled):
        before, after = enabled[:number], enabled[number + 1 :]
        if plugin.weight > 1:
            yield evolve(plugins, enabled=(*before, evolve(plugin, weight=Int32(1)), *after))
        yield evolve(plugins, enabled=(*before, *after))
        if before:
            yield evolve(plugins, enabled=(*before[:-1], plugin, before[-1], *after))


def _enables(release: Release, point: str, plugins: PluginSet) -> Undo:
    before = release.default_plugins
    object.__setattr__(release, "default_plugins", evolve(before, **{point: plugins}))
    return partial(object.__setattr__, release, "default_plugins", before)
