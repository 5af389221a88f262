# SPDX-License-Identifier: Apache-2.0
"""Rows: a table of the specification is changed in one row, or lacks it.

A row of the queue's transitions may lead elsewhere, and a row of a plugin's events may be missing, be there for
some of its actions or for more, or requeue without asking its hint. A plugin that is enabled by default may be
missing, weigh one, or come before the one that it follows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial

from attrs import evolve, fields

from refsched.config.scalars import Int32
from refsched.config.types import Plugins, PluginSet
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
    """Yields by its rule each change of the plugins that are enabled by default, made in every release in which
    the rule holds."""
    for rule, releases in rules_of_defaults().items():
        for point in fields(Plugins):
            sets = [getattr(release.default_plugins, point.name) for release in releases]
            for name in dict.fromkeys(plugin.name for one in sets for plugin in one.enabled):
                for change in (_weighs_one, _is_missing, _comes_earlier):
                    if any(change(one, name) != one for one in sets):
                        yield rule, partial(_enables, releases, point.name, partial(change, name=name))


@cache
def rules_of_defaults() -> Mapping[str, Sequence[Release]]:
    """Returns the rules that state the default plugins, each with the releases in which it holds."""
    stated = [rule for rule in all_rules().values() if rule.place == "DEFAULT_PLUGINS"]
    return {rule.id: [RELEASES[release] for release in rule.releases] for rule in stated}


def _weighs_one(plugins: PluginSet, name: str) -> PluginSet:
    enabled = (
        evolve(one, weight=Int32(1)) if one.name == name and one.weight else one for one in plugins.enabled
    )
    return evolve(plugins, enabled=tuple(enabled))


def _is_missing(plugins: PluginSet, name: str) -> PluginSet:
    return evolve(plugins, enabled=tuple(one for one in plugins.enabled if one.name != name))


def _comes_earlier(plugins: PluginSet, name: str) -> PluginSet:
    """Returns the plugins with this one before the one that it follows."""
    enabled = list(plugins.enabled)
    for number, one in enumerate(plugins.enabled):
        if one.name == name and number:
            enabled[number - 1 : number + 1] = one, enabled[number - 1]
    return evolve(plugins, enabled=tuple(enabled))


def _enables(releases: Sequence[Release], point: str, change: Callable[[PluginSet], PluginSet]) -> Undo:
    before = [(release, release.default_plugins) for release in releases]
    for release, plugins in before:
        changed = evolve(plugins, **{point: change(getattr(plugins, point))})
        object.__setattr__(release, "default_plugins", changed)

    def undo() -> None:
        for release, plugins in before:
            object.__setattr__(release, "default_plugins", plugins)

    return undo
